"""What the compiled mapping is made from: the SQL behind `mapping_read`, on trees small enough to see."""

from __future__ import annotations

import json

import pytest

from tests.support.render import Renderer
from tests.support.spark import Spark

VIEWS = {
    "entity_attribute": (
        "entity, entity_version, entity_attribute, data_type, is_key",
        "('item', 1, 'code', 'string', true), ('item', 1, 'old', 'string', false), ('item', 2, 'code', 'string', true), "
        "('item', 2, 'name', 'string', null), ('order', 1, 'number', 'integer', true)",
    ),
    "schema_tree": (
        "schema, version, attribute, data_type",
        "('s', 1, 'a', 'int4'), ('s', 1, 'b', 'text'), ('s', 2, 'a', null), ('s', 2, 'b', null), ('s', 3, 'a', 'bigint'), "
        "('s', 3, 'b', 'text'), ('s', 3, 'c', null), ('t', 4, 'a', 'uuid')",
    ),
    "balanced_set": (
        "schema, version, entity, entity_version, attribute, entity_attribute",
        "('s', 1, 'item', 1, 'a', 'code'), ('s', 1, 'item', 1, 'b', 'old'), ('s', 1, 'item', 2, 'a', 'code'), "
        "('s', 1, 'item', 2, 'b', 'name'), ('s', 2, 'item', 2, 'a', 'code'), ('s', 2, 'item', 2, 'b', 'name'), "
        "('s', 3, 'item', 2, 'a', 'code'), ('s', 3, 'item', 2, 'c', 'name'), ('s', 1, 'order', 1, 'a', 'number'), "
        "('t', 4, 'item', 1, 'a', 'code')",
    ),
}


@pytest.fixture
def render(spark: Spark) -> Renderer:
    for name, (columns, rows) in VIEWS.items():
        spark.sql(f"create or replace temporary view {name} as select * from values {rows} as t ({columns})")
    return Renderer(jobs_named_relation=lambda name, needed_by: name)


def test_attributes_are_those_of_every_entity_version(spark: Spark, render: Renderer) -> None:
    rows = [tuple(row) for row in spark.sql(render.call("mapping_entities_sql"))]
    assert rows == [
        ("item", 1, "code", "string", True), ("item", 1, "old", "string", False), ("item", 2, "code", "string", True),
        ("item", 2, "name", "string", False), ("order", 1, "number", "integer", True),
    ]  # fmt: skip


def test_blocks_are_those_to_every_entity_version(spark: Spark, render: Renderer) -> None:
    found = [row.asDict() for row in spark.sql(render.call("mapping_blocks_sql"))]
    blocks = [
        (
            row["entity"], row["entity_version"], row["schema"], json.loads(row["versions"]), row["first_version"],
            [tuple(element.values()) for element in json.loads(row["elements"])],
        )
        for row in found
    ]  # fmt: skip
    assert sorted(blocks) == [
        ("item", 1, "s", [1], 1, [("code", "a", "int4"), ("old", "b", "text")]),
        ("item", 1, "t", [4], 4, [("code", "a", "uuid")]),
        # one branch for versions 1 and 2: version 2 says no types, and has those of version 1; version 3 has another block
        ("item", 2, "s", [1, 2], 1, [("code", "a", "int4"), ("name", "b", "text")]),
        ("item", 2, "s", [3], 1, [("code", "a", "bigint"), ("name", "c", "")]),
        ("order", 1, "s", [1], 1, [("number", "a", "int4")]),
    ]
