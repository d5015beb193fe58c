"""The models of compaction, run by DuckDB on random mappings and on MediaWiki's history: against Python's figures, and against the matrix itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.size import size_of
from entrepot.mapping.matrix.state import State
from tests.mapping.test_matrix_dense import SEED, cases
from tests.support.render import Renderer

MODELS = ("block_compaction", "super_block_compaction", "matrix_compaction")
BLOCK_COLUMNS = (
    "schema varchar, version int, entity varchar, entity_version int, attribute varchar, entity_attribute varchar"
)
CASES = 20
Row = dict[str, Any]


@pytest.fixture(scope="module")
def sql() -> dict[str, str]:
    render = Renderer()
    return {name: render.file(f"models/mapping/{name}.sql") for name in MODELS}


def tables(state: State, sql: dict[str, str]) -> dict[str, list[Row]]:
    """The rows of the models on the trees and the two sets of a state."""
    tree = [
        (schema, one.number, name)
        for schema, versions in state.domain.schemas.items()
        for one in versions
        for name in [each.name for each in one.attributes] or [None]
    ]
    range_ = [
        (entity, number, one.name)
        for entity, versions in state.range.entities.items()
        for number, attributes in versions.items()
        for one in attributes
    ]
    stored = {
        "schema_tree": ("schema varchar, version int, attribute varchar", tree),
        "entity_attribute": ("entity varchar, entity_version int, entity_attribute varchar", range_),
        "balanced_set": (BLOCK_COLUMNS, [tuple(one) for one in state.rows(state.balanced_set)]),
        "unique_set": (BLOCK_COLUMNS, [tuple(one) for one in state.rows(state.unique_set())]),
    }
    connection = duckdb.connect()
    for name, (columns, rows) in stored.items():
        connection.execute(f"create table {name} ({columns})")
        if rows:
            connection.executemany(f"insert into {name} values ({', '.join('?' * len(rows[0]))})", rows)
    found = {}
    for name in MODELS:
        connection.execute(f"create view {name} as {sql[name]}")
        answer = connection.execute(f"select * from {name} order by all")
        names = [column[0] for column in answer.description or ()]
        found[name] = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    return found


def blocks_of_the_matrix(state: State) -> Iterator[tuple[tuple[str, int, str, int], int, int, int]]:
    """Every block of M: where it is, its elements, those that are 1, and what D_U keeps of it; counted in full."""
    kept = state.rows(state.unique_set())
    for schema, versions in state.domain.schemas.items():
        for one in versions:
            for entity, numbers in state.range.entities.items():
                for number, attributes in numbers.items():
                    block = (schema, one.number, entity, number)
                    cells = [(each.name, target.name) for each in one.attributes for target in attributes]
                    ones = {
                        (element.attribute, element.entity_attribute)
                        for place, elements in state.balanced_set.items()
                        if (place.schema, place.version, place.entity) == block[:3]
                        for element in elements
                        if element.entity_version == number
                    }
                    yield block, len(cells), sum(cell in ones for cell in cells), sum(row[:4] == block for row in kept)


def check(state: State, found: dict[str, list[Row]]) -> None:
    blocks = list(blocks_of_the_matrix(state))
    fed = {(block[0], block[2]) for block, _, _, kept in blocks if kept}
    shown = {
        (row["schema"], row["version"], row["entity"], row["entity_version"]): row for row in found["block_compaction"]
    }
    assert shown.keys() == {block for block, *_ in blocks if (block[0], block[2]) in fed}
    for block, *counts in blocks:
        if block in shown:
            row = shown[block]
            assert [row["elements"], row["balanced_elements"], row["unique_elements"]] == counts, block
    super_blocks = {(row["schema"], row["entity"]): row for row in found["super_block_compaction"]}
    assert super_blocks.keys() == fed
    for key, row in super_blocks.items():
        some = [counts for (schema, _, entity, _), *counts in blocks if (schema, entity) == key]
        cells, ones, kept = (sum(column) for column in zip(*some, strict=True))
        assert (row["blocks"], row["elements"], row["balanced_elements"], row["unique_elements"]) == (
            len(some),
            cells,
            ones,
            kept,
        )
        assert row["blocks_not_null"] == sum(1 for _, ones, _ in some if ones)
        assert row["unique_blocks"] == sum(1 for *_, kept in some if kept)
        assert row["balanced_compaction"] == pytest.approx(100 - 100 * ones / cells)
        assert row["unique_compaction"] == pytest.approx(100 - 100 * kept / cells)
    (whole,) = found["matrix_compaction"]
    size = size_of(state)
    assert (whole["source_schemas"], whole["schema_versions"], whole["entities"]) == (
        size.schemas,
        size.versions,
        size.entities,
    )
    assert (whole["matrix_columns"], whole["matrix_rows"], whole["elements"]) == (size.columns, size.rows, size.cells)
    assert (whole["balanced_elements"], whole["unique_elements"]) == (size.balanced_set, size.unique_set)
    assert whole["balanced_compaction"] == pytest.approx(100 * size.compaction(size.balanced_set))
    assert whole["unique_compaction"] == pytest.approx(100 * size.compaction(size.unique_set))
    assert (whole["blocks"], whole["elements"]) == (len(blocks), sum(cells for _, cells, *_ in blocks))
    assert whole["blocks_not_null"] == sum(1 for _, _, ones, _ in blocks if ones)
    assert whole["unique_blocks"] == sum(1 for *_, kept in blocks if kept)
    left = sum(cells for _, cells, ones, _ in blocks if ones)
    assert whole["null_block_compaction"] == pytest.approx(100 * (1 - left / size.cells) if size.cells else 0)
    left = sum(cells for block, cells, *_ in blocks if (block[0], block[2]) in fed)
    assert whole["null_super_block_compaction"] == pytest.approx(100 * (1 - left / size.cells) if size.cells else 0)


def test_random_mappings(sql: dict[str, str]) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    for _, state, _ in islice(cases(71), CASES):
        check(state, tables(state, sql))


def test_mediawiki(sql: dict[str, str]) -> None:
    state = state_of(seeds_of(Path(__file__).parent / "mediawiki"))
    found = tables(state, sql)
    (whole,), size = found["matrix_compaction"], size_of(state)
    assert (whole["elements"], whole["balanced_elements"], whole["unique_elements"]) == (
        size.cells,
        size.balanced_set,
        size.unique_set,
    )
    assert whole["balanced_compaction"] == pytest.approx(100 * size.compaction(size.balanced_set))
    assert whole["unique_compaction"] == pytest.approx(100 * size.compaction(size.unique_set))
    assert sum(row["balanced_elements"] for row in found["super_block_compaction"]) == size.balanced_set == 1118
    assert sum(row["unique_elements"] for row in found["block_compaction"]) == size.unique_set
    assert 99.79 < whole["balanced_compaction"] < 99.95 < whole["unique_compaction"]


def test_the_steelworks(sql: dict[str, str]) -> None:
    state = state_of(seeds_of(Path(__file__).parents[2] / "seeds/mapping"))
    check(state, tables(state, sql))


def test_nothing_is_mapped_yet(sql: dict[str, str]) -> None:
    state = state_of(seeds_of(Path(__file__).parent / "mediawiki"))
    empty = State.of(type(state.domain).of([]), type(state.range)({}), {})
    found = tables(empty, sql)
    assert not found["block_compaction"] and not found["super_block_compaction"]
    (whole,) = found["matrix_compaction"]
    assert set(whole.values()) == {0}
