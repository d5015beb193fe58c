"""The generated SQL on hundreds of random trees, against the oracle and against the same algorithms in Python."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from entrepot.mapping.matrix.decompaction import from_unique_set, to_matrix
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import RangeTree
from tests.mapping.in_python import domain_tree, stored_in_python
from tests.mapping.oracle import Blocks, Tree, compact, decompact
from tests.mapping.random_trees import random_case
from tests.support.render import Renderer
from tests.support.spark import Spark

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
CASES = 400
BLOCK_COLUMNS = (
    "schema string, version int, entity string, entity_version int, attribute string, entity_attribute string"
)
TREE_COLUMNS = "schema string, version int, attribute string, renamed_from string"

Row = tuple[Any, ...]


class Matrix:
    """The random cases as temporary views, and the macros' answers to them, each asked for once."""

    def __init__(self, spark: Spark) -> None:
        print(f"ENTREPOT_TEST_SEED={SEED}")
        self.spark = spark
        self.tree: Tree = {}
        self.stored: Blocks = {}
        random_ = random.Random(SEED)
        for number in range(CASES):
            case = random_case(number, random_)
            self.tree |= case.tree
            self.stored |= case.unique_set
        self.balanced_set = decompact(self.stored, self.tree)
        self.unique_set = compact(self.balanced_set, self.tree)
        self.view("tree", tree_rows(self.tree, random_), TREE_COLUMNS)
        self.view("stored", block_rows(self.stored, 1), BLOCK_COLUMNS)
        render = Renderer()
        self.table("d_p", render.call("mapping_decompact", "stored", "tree"))
        self.table("d_u", render.call("mapping_compact", "d_p", "tree"))
        self.table("m", render.call("mapping_decompact", "d_u", "tree"))

    def view(self, name: str, rows: list[Row], columns: str) -> None:
        self.spark.session.createDataFrame(rows, columns).createOrReplaceTempView(name)

    def table(self, name: str, sql: str) -> None:
        self.spark.sql(f"create or replace temporary view {name}_query as {sql}")
        self.spark.sql(f"cache table {name} as select * from {name}_query")

    def rows(self, name: str) -> list[Row]:
        return self.spark.rows(
            f"select schema, version, entity, entity_version, attribute, entity_attribute from {name}"
        )


def block_rows(blocks: Blocks, entity_version: int | None = None) -> list[Row]:
    """The rows of D_U or D_P; of a null block one row without attributes."""
    rows: list[Row] = []
    for number, (place, block) in enumerate(blocks.items()):
        rows += [(*place, *element) for element in block]
        rows += [] if block else [(*place, entity_version, *[(None, None), ("", "")][number % 2])]
    return sorted(rows, key=repr)


def tree_rows(tree: Tree, random_: random.Random) -> list[Row]:
    """The rows of the domain tree in any order; no renamed_from is null or empty, and a version without attributes is a row without one."""
    rows: list[Row] = [
        (schema, version, None, None)
        for schema, versions in tree.items()
        for version, attributes in versions.items()
        if not attributes
    ]
    rows += [
        (schema, version, attribute, renamed_from or random_.choice([None, ""]))
        for schema, versions in tree.items()
        for version, attributes in versions.items()
        for attribute, renamed_from in attributes.items()
    ]
    random_.shuffle(rows)
    return rows


@pytest.fixture(scope="module")
def matrix(spark: Spark) -> Matrix:
    return Matrix(spark)


def test_the_balanced_set_is_what_the_stored_blocks_come_to(matrix: Matrix) -> None:
    assert matrix.rows("d_p") == block_rows(matrix.balanced_set)


def test_the_unique_set_has_every_block_that_differs(matrix: Matrix) -> None:
    found = [row[:3] + row[4:] if row[4] is None else row for row in matrix.rows("d_u")]
    # the entity version of a null block is any of those that the block before it had
    expected = [(*row[:3], None, None) if not row[4] else row for row in block_rows(matrix.unique_set, 0)]
    assert sorted(found, key=repr) == sorted(expected, key=repr)


def test_python_has_the_same_sets(matrix: Matrix) -> None:
    """Decision 30: the algorithms are written twice, and come to the same on every tree."""
    domain = domain_tree(matrix.tree)
    balanced_set = from_unique_set(stored_in_python(matrix.stored), domain)
    assert sorted(map(tuple, to_matrix(balanced_set)), key=repr) == matrix.rows("d_p")
    state = State.of(domain, RangeTree({}), stored_in_python(matrix.stored))
    found = [tuple(value or None for value in one) for one in state.rows(state.unique_set())]
    assert sorted(found, key=repr) == matrix.rows("d_u")


def test_the_review_is_what_python_lists(matrix: Matrix) -> None:
    """The model's own SQL on the random trees, whose versions have gaps; half of the blocks feed a second entity version, too."""
    second = {
        place: block | {element._replace(entity_version=9) for element in block if number % 2}
        for number, (place, block) in enumerate(matrix.stored.items())
    }
    state = State.of(domain_tree(matrix.tree), RangeTree({}), stored_in_python(second))
    models = {"unique_set": state.unique_set(), "balanced_set": state.balanced_set, "unique_block": state.stored}
    for model, blocks in models.items():
        matrix.view(model, [tuple(value or None for value in one) for one in state.rows(blocks)], BLOCK_COLUMNS)
    matrix.view("schema_tree", tree_rows(matrix.tree, random.Random(SEED)), TREE_COLUMNS)
    expected = [
        (*one.place, one.entity_version, one.elements_before, one.elements_after, ", ".join(one.vanished))
        for one in reviews(state)
    ]
    assert matrix.spark.rows(Renderer().file("models/mapping/mapping_review.sql")) == sorted(expected, key=repr)
    for model in (*models, "schema_tree"):
        matrix.spark.sql(f"drop view {model}")


def test_null_blocks_name_the_entity_version_that_ends(matrix: Matrix) -> None:
    before = {place: {element.entity_version for element in block} for place, block in matrix.balanced_set.items()}
    versions = {schema: sorted(versions) for schema, versions in matrix.tree.items()}
    for schema, version, entity, entity_version, attribute, _ in matrix.rows("d_u"):
        if attribute is None:
            order = versions[schema]
            assert entity_version in before[(schema, order[order.index(version) - 1], entity)]


def test_compacting_and_decompacting_is_the_identity(matrix: Matrix) -> None:
    assert matrix.rows("m") == matrix.rows("d_p")
    # and the oracle's own, so that the two sides cannot be wrong in the same way unnoticed
    assert decompact(matrix.unique_set, matrix.tree) == matrix.balanced_set


def test_what_was_stored_is_in_the_balanced_set(matrix: Matrix) -> None:
    found = set(matrix.rows("d_p"))
    stored = {(*place, *element) for place, block in matrix.stored.items() for element in block}
    assert stored <= found


def test_the_random_cases_contain_what_matters(matrix: Matrix) -> None:
    """Null blocks, renames, attributes that come back, gaps between versions, schemas that feed several entities."""
    assert any(not block for block in matrix.stored.values())
    assert any(not block for place, block in matrix.unique_set.items() if place not in matrix.stored)
    renames = [
        (schema, version) for schema, versions in matrix.tree.items()
        for version, attributes in versions.items() if any(attributes.values())
    ]  # fmt: skip
    assert len(renames) > CASES / 4
    assert any(max(versions) > len(versions) for versions in matrix.tree.values())
    assert len({(place.schema, place.entity) for place in matrix.stored}) > len(matrix.tree)
