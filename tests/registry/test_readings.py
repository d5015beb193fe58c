"""Schemas as people and converters write them: the fields and PostgreSQL types that they have; whatever is no schema is told."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from entrepot.mapping.connect import DECIMAL
from entrepot.mapping.paths import is_path, problem_of
from entrepot.mapping.trees import Attribute, as_named
from entrepot.registry.definitions import AVRO, JSON, Definition, Definitions, Reference, UnreadableError
from entrepot.registry.reading import row_of
from entrepot.registry.shape import NoRowError
from tests.registry.projects import field, record

CASES = 2000
DAMAGES = (
    None,
    True,
    7,
    -1.5,
    "",
    "x",
    "null",
    "record",
    "array",
    [],
    {},
    [None],
    {"type": "array"},
    {"type": "record"},
    ["int", "int"],
)

# how Avro has a value, and what travels alike in Debezium's records of PostgreSQL
AVRO_TYPES: list[tuple[Any, str]] = [
    ("int", "integer"), ("long", "bigint"), ("float", "real"), ("double", "double precision"), ("boolean", "boolean"), ("bytes", "bytea"),
    ("string", "text"), (["null", "long"], "bigint"), (["long", "null"], "bigint"), (["null"], "struct"), (["int", "string"], "struct"),
    (["null", "int", "string"], "struct"),
    ({"type": "string", "avro.java.string": "String"}, "text"), ({"type": {"type": "long"}}, "bigint"), ({"type": ["null", "int"]}, "integer"),
    ({"type": "enum", "name": "Mood", "symbols": ["a"]}, "text"), ({"type": "fixed", "name": "Six", "size": 6}, "bytea"),
    ({"type": "map", "values": "long"}, "map"), ({"type": "array", "items": "int"}, "integer[]"),
    ({"type": "array", "items": ["null", "string"]}, "text[]"), ({"type": "array", "items": {"type": "map", "values": "int"}}, "map[]"),
    ({"type": "record", "name": "Inner", "fields": [field("x", "int")]}, "struct"),
    ({"type": "array", "items": {"type": "record", "name": "Line", "fields": [field("x", "int")]}}, "struct[]"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}, "numeric(12,2)"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 12}, "numeric(12,0)"),
    ({"type": "fixed", "name": "Money", "size": 8, "logicalType": "decimal", "precision": 18, "scale": 4}, "numeric(18,4)"),
    ({"type": "int", "logicalType": "date"}, "date"), ({"type": "int", "logicalType": "time-millis"}, "time(3)"),
    ({"type": "long", "logicalType": "time-micros"}, "time"), ({"type": "long", "logicalType": "timestamp-millis"}, "timestamp(3)"),
    ({"type": "long", "logicalType": "timestamp-micros"}, "timestamp"), ({"type": "long", "logicalType": "local-timestamp-micros"}, "timestamp"),
    ({"type": "long", "logicalType": "timestamp-nanos"}, "io.debezium.time.NanoTimestamp"), ({"type": "string", "logicalType": "uuid"}, "uuid"),
    # a logical type of another type than its own says nothing
    ({"type": "string", "logicalType": "date"}, "text"), ({"type": "long", "logicalType": "date"}, "bigint"),
    ({"type": "string", "logicalType": "timestamp-millis"}, "text"), ({"type": "string", "logicalType": "decimal", "precision": 9}, "text"),
    ({"type": "fixed", "name": "Id", "size": 16, "logicalType": "uuid"}, "bytea"), ({"type": "int", "logicalType": "timestamp-millis"}, "integer"),
    ({"type": "string", "logicalType": "of-mine"}, "text"), ({"type": "int", "connect.type": "int16"}, "smallint"),
    ({"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}, "timestamp"),
    ({"type": "string", "connect.name": "com.acme.Colour"}, "text"),
    ({"type": "bytes", "connect.name": DECIMAL, "connect.parameters": {"scale": "2"}}, "numeric(38,2)"),
]  # fmt: skip

# how JSON Schema has one; `connect.…` is what Confluent's converter writes
JSON_TYPES: list[tuple[Any, str]] = [
    ({"type": "integer"}, "bigint"), ({"type": "number"}, "double precision"), ({"type": ["integer", "number"]}, "double precision"),
    ({"type": "boolean"}, "boolean"), ({"type": "string"}, "text"), ({"type": ["null", "string"]}, "text"), ({"enum": ["a", "b"]}, "text"),
    ({"type": "string", "format": "date"}, "io.debezium.time.IsoDate"), ({"type": "string", "format": "time"}, "io.debezium.time.IsoTime"),
    ({"type": "string", "format": "date-time"}, "timestamptz"), ({"type": "string", "format": "uuid"}, "uuid"),
    ({"type": "string", "format": "email"}, "text"), ({"type": "string", "contentEncoding": "base64"}, "bytea"),
    ({"type": "object"}, "struct"), ({"type": "object", "connect.type": "map"}, "map"), ({}, "struct"), (True, "struct"),
    ({"type": ["string", "integer"]}, "struct"), ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, "bigint"),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "struct"), ({"allOf": [{"$ref": "#/definitions/mine"}]}, "bigint"),
    ({"$ref": "#/definitions/mine"}, "bigint"), ({"type": "array", "items": {"type": "string"}}, "text[]"),
    ({"type": "array"}, "struct[]"), ({"type": "integer", "connect.type": "int16"}, "smallint"),
    ({"oneOf": [{"type": "null"}, {"type": "integer", "connect.type": "int64", "title": "io.debezium.time.MicroTimestamp"}]}, "timestamp"),
    (
        {"type": "string", "connect.type": "bytes", "title": DECIMAL, "connect.parameters": {"scale": "2", "connect.decimal.precision": "9"}},
        "numeric(9,2)",
    ),
    ({"type": "string", "connect.type": "bytes"}, "bytea"), ({"type": "number", "connect.type": "float32"}, "real"),
    ({"type": "object", "title": "io.debezium.data.VariableScaleDecimal", "properties": {}}, "numeric"),
]  # fmt: skip


def definition(text: str, schema_type: str = AVRO, *references: Reference) -> Definition:
    return Definition("s-value", 1, 1, schema_type, text, references)


def types_of(one: Definition, there: Definitions | None = None) -> list[str | None]:
    """The types of the columns."""
    attributes = row_of(one, there or {}).attributes(frozenset())
    return [attribute.data_type for attribute in attributes if not is_path(attribute.name)]


def test_what_is_inside_of_records_is_attributes_behind_them() -> None:
    geo = {"type": "record", "name": "Geo", "fields": [field("lat", ["null", "double"]), field("point.of", "int")]}
    tree = {"type": "record", "name": "Tree", "fields": [field("n", "int"), field("next", ["null", "Tree"])]}
    line = {
        "type": "record",
        "name": "Line",
        "fields": [field("sku", "string"), field("parts", {"type": "array", "items": "Tree"})],
    }
    row = record(
        "a.B",
        field("id", "int"),
        field("a.b", "int"),
        field("geo", ["null", geo]),
        field("tree", tree),
        field("lines", {"type": "array", "items": line}),
    )
    expected = [
        ("id", "integer"), ("`a.b`", "integer"), ("geo", "struct"), ("geo.lat", "double precision"), ("geo.`point.of`", "integer"),
        ("tree", "struct"), ("tree.n", "integer"), ("tree.next", "struct"), ("lines", "struct[]"), ("lines[].sku", "text"),
        ("lines[].parts", "struct[]"),
    ]  # fmt: skip
    found = row_of(definition(row), {}).attributes(frozenset({"a.b"}))
    assert [(one.name, one.data_type) for one in found] == expected
    assert [one.name for one in found if one.is_key] == ["`a.b`"]
    lat = {"oneOf": [{"type": "null"}, {"type": "number"}]}
    own = {"type": "object", "properties": {"lat": lat, "next": {"$ref": "#/definitions/mine"}}}
    told = {
        "type": "object",
        "definitions": {"mine": own},
        "properties": {"id": {"type": "integer"}, "geo": {"$ref": "#/definitions/mine"}},
    }
    found = row_of(definition(json.dumps(told), JSON), {}).attributes(frozenset())
    assert [one.name for one in found] == ["id", "geo", "geo.lat", "geo.next"]


def test_what_is_inside_of_maps_is_attributes_behind_them() -> None:
    def of(values: Any) -> dict[str, Any]:
        return {"type": "map", "values": values}

    price = {"type": "record", "name": "Price", "fields": [field("net", "double"), field("of", of("string"))]}
    line = {"type": "record", "name": "Line", "fields": [field("tags", of("Price"))]}
    row = record(
        "a.B", field("id", "int"), field("prices", ["null", of(["null", price])]), field("all", of({"type": "array", "items": line})),
        field("several", {"type": "array", "items": of("long")}),
    )  # fmt: skip
    expected = [
        ("id", "integer"), ("prices", "map"), ("prices{}", "struct"), ("prices{}.net", "double precision"), ("prices{}.of", "map"),
        ("prices{}.of{}", "text"), ("all", "map"), ("all{}", "struct[]"), ("all{}[].tags", "map"), ("all{}[].tags{}", "struct"),
        ("all{}[].tags{}.net", "double precision"), ("all{}[].tags{}.of", "map"), ("all{}[].tags{}.of{}", "text"),
        ("several", "map[]"), ("several[]{}", "bigint"),
    ]  # fmt: skip
    found = row_of(definition(row), {}).attributes(frozenset({"id"}))
    assert [(one.name, one.data_type) for one in found] == expected
    assert [problem_of(one.name) for one in found if problem_of(one.name)] == []
    told = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "prices": {
                "type": "object",
                "additionalProperties": {"type": "object", "properties": {"net": {"type": "number"}}},
            },
            "tags": {"type": "object", "connect.type": "map", "additionalProperties": {"type": "string"}},
            "any": {"type": "object", "additionalProperties": True},
            "more": {
                "type": "object",
                "properties": {"x": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            },
            "tree": {"$ref": "#/definitions/tree"},
        },
        "definitions": {"tree": {"type": "object", "additionalProperties": {"$ref": "#/definitions/tree"}}},
    }
    found = row_of(definition(json.dumps(told), JSON), {}).attributes(frozenset())
    assert [(one.name, one.data_type) for one in found] == [
        ("id", "bigint"), ("prices", "map"), ("prices{}", "struct"), ("prices{}.net", "double precision"), ("tags", "map"), ("tags{}", "text"),
        ("any", "struct"), ("more", "struct"), ("more.x", "bigint"), ("tree", "map"), ("tree{}", "map"),
    ]  # fmt: skip


def test_keys_of_a_map_that_somebody_has_named_stay() -> None:
    shown = [
        Attribute(name, None, place, False)
        for place, name in enumerate(["id", "tags", "tags{}", "m", "m{}", "m{}.x"], 1)
    ]
    before = [
        Attribute(name, None, place, False) for place, name in enumerate(["id", "tags", "tags.colour", "m", "m{}.y"], 1)
    ]
    assert [(one.name, one.position) for one in as_named(shown, before)] == [
        ("id", 1), ("tags", 2), ("m", 3), ("m{}", 4), ("m{}.x", 5),
    ]  # fmt: skip
    assert as_named(shown, []) == tuple(shown)


def test_types_of_avro() -> None:
    assert [(told, *types_of(definition(record("a.B", field("f", told))))) for told, _ in AVRO_TYPES] == AVRO_TYPES


def test_types_of_json_schema() -> None:
    def schema(told: Any) -> str:
        return json.dumps({"type": "object", "definitions": {"mine": {"type": "integer"}}, "properties": {"f": told}})

    assert [(told, *types_of(definition(schema(told), JSON))) for told, _ in JSON_TYPES] == JSON_TYPES


def test_names_are_looked_up_in_their_namespace() -> None:
    inner = {"type": "record", "name": "Inner", "fields": [field("x", "int"), field("next", ["null", "Inner"])]}
    other = {"type": "enum", "name": "Inner", "namespace": "b", "symbols": ["p"]}
    row = record(
        "a.Row",
        field("one", inner),
        field("two", other),
        field("three", "Inner"),
        field("four", "b.Inner"),
        field("five", "a.Inner"),
    )
    assert types_of(definition(row)) == ["struct", "text", "struct", "text", "struct"]


def test_the_row_of_an_envelope_is_its_after_image() -> None:
    value = {"type": "record", "name": "Value", "fields": [field("id", "int"), field("x", ["null", "double"])]}
    source = {
        "type": "record",
        "name": "Source",
        "namespace": "io.debezium.connector.postgresql",
        "fields": [field("lsn", "long")],
    }
    envelope = (
        field("before", ["null", value]),
        field("after", ["null", "Value"]),
        field("source", source),
        field("op", "string"),
    )
    assert types_of(definition(record("shop.sales.item.Envelope", *envelope))) == ["integer", "double precision"]
    properties = {"b": {"type": "string", "connect.index": 1}, "a": {"type": "integer", "connect.index": 0}}
    row = {"oneOf": [{"type": "null"}, {"type": "object", "properties": properties}]}
    told = {
        "type": "object",
        "properties": {"before": row, "after": row, "source": {"type": "object"}, "op": {"type": "string"}},
    }
    found = row_of(definition(json.dumps(told), JSON), {})
    assert [one.name for one in found.fields] == ["a", "b"]


def test_a_flattened_row_is_without_what_was_added() -> None:
    row = record(
        "shop.sales.item.Value",
        field("id", "int"),
        field("__op", ["null", "string"]),
        field("__source_lsn", "long"),
        field("_x", "int"),
    )
    assert [one.name for one in row_of(definition(row), {}).fields] == ["id", "_x"]


def test_what_holds_no_row_is_told() -> None:
    for text, schema_type in (
        ('"string"', AVRO),
        ("string", AVRO),
        ('["null", "int"]', AVRO),
        ('{"type": "string"}', JSON),
    ):
        with pytest.raises(NoRowError):
            row_of(definition(text, schema_type), {})


def test_references_are_followed_however_deep() -> None:
    there = {
        ("c", 1): Definition("c", 1, 3, AVRO, record("n.C", field("x", "int"))),
        ("b", 1): Definition("b", 1, 2, AVRO, record("n.B", field("c", "n.C")), (Reference("n.C", "c", 1),)),
    }
    row = record("m.A", field("b", {"type": "array", "items": "n.B"}), field("c", "n.C"))
    assert types_of(definition(row, AVRO, Reference("n.B", "b", 1)), there) == ["struct[]", "struct"]
    in_json = {("p", 2): Definition("p", 2, 4, JSON, '{"definitions": {"city": {"type": "string", "format": "uuid"}}}')}
    told = {"$id": "https://acme.com/schemas/row.json", "properties": {"p": {"$ref": "place.json#/definitions/city"}}}
    for name in ("place.json", "https://acme.com/schemas/place.json"):
        assert types_of(definition(json.dumps(told), JSON, Reference(name, "p", 2)), in_json) == ["uuid"]
    circle = {"properties": {"p": {"$ref": "#/properties/q"}, "q": {"$ref": "#/properties/p"}}}
    with pytest.raises(UnreadableError, match="circle"):
        row_of(definition(json.dumps(circle), JSON), {})


def test_whatever_a_schema_is_it_is_read_or_told() -> None:
    """Damaged schemas end in a shape or a sentence, and in no other error."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    told = {
        "definitions": {"mine": {"type": "integer"}},
        "properties": {str(n): one for n, (one, _) in enumerate(JSON_TYPES)},
    }
    whole = [
        (AVRO, json.loads(record("a.B", *(field(f"f{n}", one) for n, (one, _) in enumerate(AVRO_TYPES))))),
        (JSON, told),
    ]
    read = 0
    for _ in range(CASES):
        schema_type, schema = draw.choice(whole)
        damaged = mutated(draw, schema, 40)
        try:
            row_of(definition(json.dumps(damaged), schema_type), {})
            read += 1
        except (UnreadableError, NoRowError):
            pass
    assert read > CASES // 10


def mutated(draw: random.Random, value: Any, one_in: int) -> Any:
    """A JSON value with some of its parts replaced, taken away or repeated."""
    if draw.randrange(one_in * 6) == 0:
        return draw.choice(DAMAGES)
    if isinstance(value, dict):
        return {
            draw.choice([name, name, name, "type", "name"]) if draw.randrange(one_in) == 0 else name: mutated(
                draw, one, one_in
            )
            for name, one in value.items()
            if draw.randrange(one_in)
        }
    if isinstance(value, list):
        return [mutated(draw, one, one_in) for one in value if draw.randrange(one_in)]
    return value
