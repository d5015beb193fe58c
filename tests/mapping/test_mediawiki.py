"""The real schema history of MediaWiki (2003 to 2017) through the mapping models, against an independent oracle's results.

Human input is one block at version 1 of each table. Nobody knows the keys: `is_key` is empty in the seeds.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.size import size_of
from tests.support.dbt_case import DbtCase

DATA = Path(__file__).parent / "mediawiki"
# An event has shown nothing yet; the table that landing fills is there all the same.
NOTHING_DISCOVERED = """{{ config(materialized='table') }}
select
    cast(null as string) as schema, cast(null as int) as version, cast(null as string) as attribute,
    cast(null as string) as data_type, cast(null as int) as position, cast(null as boolean) as is_key,
    cast(null as string) as first_event_id
where false
"""
NUMBERS = {"version", "entity_version", "elements_before", "elements_after"}

Row = tuple[Any, ...]


def expected(name: str) -> list[Row]:
    """The rows of one of the expected results; what is empty there is null."""
    with (DATA / f"expected_{name}.csv").open(newline="") as file:
        rows = [
            tuple(int(value) if column in NUMBERS and value else value or None for column, value in row.items())
            for row in csv.DictReader(file)
        ]
    return sorted(rows, key=repr)


def columns(name: str) -> str:
    """The columns of one of the expected results."""
    return (DATA / f"expected_{name}.csv").read_text().splitlines()[0]


@pytest.fixture(scope="module")
def mediawiki(module_case: Callable[..., DbtCase]) -> DbtCase:
    case = module_case(parts=("models/mapping", "seeds/mapping"))
    case.put("models/landing/discovered_schema_attribute.sql", NOTHING_DISCOVERED)
    for name in ("schema_attribute", "entity_attribute", "unique_block"):
        case.put(f"seeds/mapping/{name}.csv", (DATA / f"{name}.csv").read_text())
    case.build()
    return case


@pytest.mark.parametrize("name", ["balanced_set", "unique_set"])
def test_the_sets_are_those_of_the_oracle(mediawiki: DbtCase, name: str) -> None:
    found = mediawiki.spark.rows(f"select {columns(name)} from {mediawiki.table('mapping', name)}")
    assert found == expected(name)


def test_the_matrix_is_the_balanced_set(mediawiki: DbtCase) -> None:
    found = mediawiki.spark.rows(f"select {columns('balanced_set')} from {mediawiki.table('mapping', 'matrix')}")
    assert found == expected("balanced_set")


def test_the_review_is_what_nobody_has_stored(mediawiki: DbtCase) -> None:
    found = mediawiki.spark.rows(f"select {columns('review')} from {mediawiki.table('mapping', 'mapping_review')}")
    assert found == expected("review")
    assert found, "MediaWiki dropped tables' columns"


def test_the_compaction_is_what_python_counts(mediawiki: DbtCase) -> None:
    size = size_of(state_of(seeds_of(DATA)))
    figures = "elements, balanced_elements, unique_elements, balanced_compaction, unique_compaction"
    (whole,) = mediawiki.spark.rows(f"select {figures} from {mediawiki.table('mapping', 'matrix_compaction')}")
    assert whole[:3] == (size.cells, size.balanced_set, size.unique_set)
    shares = [100 * size.compaction(elements) for elements in (size.balanced_set, size.unique_set)]
    assert whole[3:] == pytest.approx(shares)
    for name in ("block_compaction", "super_block_compaction"):
        sums = "sum(balanced_elements), sum(unique_elements)"
        assert mediawiki.spark.rows(f"select {sums} from {mediawiki.table('mapping', name)}") == [whole[1:3]]
