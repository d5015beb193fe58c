"""What the seeds of the mapping may not say, in words: names and types of entities' attributes."""

from __future__ import annotations

from tests.support.render import Renderer
from tests.support.spark import Spark

KEYS = {"OP": True, "mapping_error": True, "order_id": False, "unit-price": False}
TYPES = [
    "integer",
    "decimal(12, 2)",
    "Number",
    "array<decimal(8,2)>",
    "map<string, int>",
    "json",
    "other",
    "varchar(20)",
    "decimal(",
    "",
]
NO_TYPES = {"other", "varchar(20)", "decimal(", ""}


def test_keys_and_types_of_entities(spark: Spark) -> None:
    rows = [("order", 1, name, "integer", True, "") for name in KEYS]
    rows += [("typed", 1, f"a{number}", data_type, False, "") for number, data_type in enumerate(TYPES)]
    # a column of the mapped model is no matter inside of the images
    rows.append(("order", 1, "source_system", "string", False, ""))
    spark.session.createDataFrame(
        rows,
        "entity string, entity_version int, entity_attribute string, data_type string, is_key boolean, description string",
    ).createOrReplaceTempView("entity_attribute")
    for view, columns in {
        "schema_attribute": "schema string, version int, attribute string",
        "unique_block": "schema string, version int, entity string, entity_version int, attribute string, entity_attribute string",
    }.items():
        spark.session.createDataFrame([], columns).createOrReplaceTempView(view)
    stubs = {"jobs_named_relation": lambda name, *_: name, "load_cached_relation": lambda _: None}
    found = [sentence for (sentence,) in spark.rows(Renderer(**stubs).call("mapping_contradictions_sql"))]
    expected = [
        f"entity_attribute: order version 1 has the key {name}, which is the name of a column of every mapped model"
        for name, taken in KEYS.items()
        if taken
    ]
    expected += [
        f"entity_attribute: typed version 1: a{number} has the type {data_type}, which is none"
        for number, data_type in enumerate(TYPES)
        if data_type in NO_TYPES
    ]
    assert sorted(found) == sorted(expected)
