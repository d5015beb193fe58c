"""The generated SQL on hundreds of random trees, against the oracle."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from tests.mapping.oracle import Blocks, Tree, compact, decompact
from tests.mapping.random_trees import random_case
from tests.support.render import Renderer
from tests.support.spark import Spark

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
CASES = 400
BLOCK_COLUMNS = "schema string, version int, entity string, entity_version int, attribute string, entity_attribute string"
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
        return self.spark.rows(f"select schema, version, entity, entity_version, attribute, entity_attribute from {name}")


def block_rows(blocks: Blocks, entity_version: int | None = None) -> list[Row]:
    """The rows of D_U or D_P; of a null block one row without attributes."""
    rows: list[Row] = []
    for number, (place, block) in enumerate(blocks.items()):
        rows += [(*place, *element) for element in block]
        rows += [] if block else [(*place, entity_version, *[(None, None), ("", "")][number % 2])]
    return sorted(rows, key=repr)


def tree_rows(tree: Tree, random_: random.Random) -> list[Row]:
    """The rows of the domain tree in any order; no renamed_from is null or empty."""
    rows = [
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
