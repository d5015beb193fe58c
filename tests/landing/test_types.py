"""Types: what a person writes in the seed, and what an embedded schema says, come to the same words."""

from __future__ import annotations

import json
from typing import Any

from entrepot.mapping.connect import ConnectType, recorded_type, source_type, travels_as
from entrepot.sql import literal
from tests.support.render import Renderer
from tests.support.spark import Spark

# PostgreSQL's ways to write a type: the one word that stands for all of them.
CANONICAL = {
    "integer": ["integer", "INT", "int4", "serial"],
    "bigint": ["bigint", "int8", "bigserial"],
    "smallint": ["smallint", "int2", "smallserial"],
    "real": ["real", "float4"],
    "double precision": ["double precision", "float8", "double"],
    "boolean": ["boolean", "bool"],
    "text": ["text", "varchar(40)", "character varying(40)", "char(3)", "character(3)", "bpchar", "citext", "varchar"],
    "jsonb": ["json", "jsonb"],
    "numeric": ["numeric", "decimal"],
    "numeric(10,0)": ["numeric(10)", "numeric(10,0)", "decimal(10)", "NUMERIC( 10 , 0 )", "numeric (10)"],
    "numeric(12,2)": ["numeric(12,2)", "decimal(12, 2)", "numeric( 12, 2 )"],
    "date": ["date"],
    "time": ["time", "time(6)", "time without time zone", "time(6) without time zone"],
    "time(3)": ["time(3)", "time(0) without time zone"],
    "timetz": ["timetz", "time with time zone", "time(6) with time zone", "timetz(6)"],
    "timestamp": ["timestamp", "timestamp(6)", "timestamp without time zone", "timestamp(6) without time zone"],
    "timestamp(3)": ["timestamp(3)", "timestamp(3) without time zone", "timestamp(0)", "timestamp(2)"],
    "timestamptz": ["timestamptz", "timestamp with time zone", "timestamptz(3)", "timestamp(3) with time zone"],
    "interval": ["interval"],
    "uuid": ["uuid"],
    "bytea": ["bytea"],
    "text[]": ["text[]", "varchar(40)[]", "character varying[]"],
    "integer[]": ["integer[]", "int4[]"],
}

# Fields of an embedded schema, as Debezium's PostgreSQL connector describes them.
EMBEDDED = [
    ("integer", {"type": "int32"}),
    ("smallint", {"type": "int16"}),
    ("bigint", {"type": "int64"}),
    ("real", {"type": "float"}),
    ("double precision", {"type": "double"}),
    ("boolean", {"type": "boolean"}),
    ("text", {"type": "string"}),
    ("bytea", {"type": "bytes"}),
    ("text[]", {"type": "array", "items": {"type": "string"}}),
    ("integer[]", {"type": "array", "items": {"type": "int32"}}),
    ("date[]", {"type": "array", "items": {"type": "int32", "name": "io.debezium.time.Date"}}),
    ("date", {"type": "int32", "name": "io.debezium.time.Date"}),
    ("time", {"type": "int64", "name": "io.debezium.time.MicroTime"}),
    ("time(3)", {"type": "int32", "name": "io.debezium.time.Time"}),
    ("timetz", {"type": "string", "name": "io.debezium.time.ZonedTime"}),
    ("timestamp", {"type": "int64", "name": "io.debezium.time.MicroTimestamp"}),
    ("timestamp(3)", {"type": "int64", "name": "io.debezium.time.Timestamp"}),
    ("timestamptz", {"type": "string", "name": "io.debezium.time.ZonedTimestamp"}),
    ("interval", {"type": "int64", "name": "io.debezium.time.MicroDuration"}),
    ("jsonb", {"type": "string", "name": "io.debezium.data.Json"}),
    ("uuid", {"type": "string", "name": "io.debezium.data.Uuid"}),
    ("text", {"type": "string", "name": "io.debezium.data.Enum"}),
    ("numeric", {"type": "struct", "name": "io.debezium.data.VariableScaleDecimal"}),
    ("numeric(10,0)", {
        "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": {"scale": "0", "connect.decimal.precision": "10"},
    }),
    ("numeric(10,2)[]", {
        "type": "array", "items": {
            "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal",
            "parameters": {"scale": "2", "connect.decimal.precision": "10"},
        },
    }),
    ("numeric[]", {"type": "array", "items": {"type": "struct", "name": "io.debezium.data.VariableScaleDecimal"}}),
    ("io.debezium.data.Bits", {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "5"}}),
    ("numeric(38,2)", {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "parameters": {"scale": "2"}}),
    ("numeric(5,2046)", {
        "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": {"scale": "2046", "connect.decimal.precision": "5"},
    }),
    *(
        ("org.apache.kafka.connect.data.Decimal", {
            "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "parameters": parameters,
        })
        for parameters in ({}, {"scale": ""}, {"scale": "two"}, {"scale": "2", "connect.decimal.precision": "x"})
    ),
    ("numeric(5,-2)", {
        "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": {"scale": "-2", "connect.decimal.precision": "5"},
    }),
    ("date", {"type": "int32", "name": "org.apache.kafka.connect.data.Date"}),
    ("time(3)", {"type": "int32", "name": "org.apache.kafka.connect.data.Time"}),
    ("timestamp(3)", {"type": "int64", "name": "org.apache.kafka.connect.data.Timestamp"}),
    ("io.debezium.time.NanoTimestamp", {"type": "int64", "name": "io.debezium.time.NanoTimestamp"}),
    ("io.debezium.time.IsoDate", {"type": "string", "name": "io.debezium.time.IsoDate"}),
    ("integer", {"type": "int32", "name": "io.debezium.time.Year"}),
    ("interval", {"type": "string", "name": "io.debezium.time.Interval"}),
    ("xml", {"type": "string", "name": "io.debezium.data.Xml"}),
    ("ltree", {"type": "string", "name": "io.debezium.data.Ltree"}),
    ("text", {"type": "string", "name": "io.debezium.data.EnumSet", "parameters": {"allowed": "a,b"}}),
    ("map", {"type": "map"}),
    ("text", {"type": "string", "name": "com.example.Colour"}),
    ("io.debezium.data.geometry.Point", {"type": "struct", "name": "io.debezium.data.geometry.Point"}),
]  # fmt: skip


def test_ways_to_write_a_type(spark: Spark) -> None:
    values = ", ".join(f"('{written}')" for ways in CANONICAL.values() for written in ways)
    macro = Renderer().call("landing_canonical_type", "data_type")
    found = dict(spark.rows(f"select data_type, {macro} from values {values} as t (data_type)"))
    assert found == {written: canonical for canonical, ways in CANONICAL.items() for written in ways}


def test_types_of_an_embedded_schema(spark: Spark) -> None:
    rows = ", ".join(
        f"('{canonical}', from_json('{json.dumps(field)}', 'type string, name string, parameters map<string,string>, "
        "items struct<type string, name string, parameters map<string,string>>'))"
        for canonical, field in EMBEDDED
    )
    macro = Renderer().call("landing_source_type", "field")
    found = spark.rows(f"select canonical, {macro} from values {rows} as t (canonical, field)")
    assert [canonical for canonical, source in found if canonical != source] == []
    assert len(found) == len(EMBEDDED)


# Types of the seed, as a person may write them, and what the records' schemas say of such columns: one version, or two.
SAME = {
    True: [
        ("inet", "text"), ("cidr", "text"), ("macaddr", "text"), ("mood", "text"), ("citext", "text"), ("tsvector", "text"),
        ("uuid", "uuid"), ("uuid", "text"), ("text", "uuid"), ("json", "jsonb"), ("text", "jsonb"), ("xml", "xml"), ("ltree", "text"),
        ("hstore", "jsonb"), ("hstore", "hstore"), ("point", "io.debezium.data.geometry.Point"), ("interval", "interval"),
        ("time with time zone", "timetz"), ("inet[]", "text[]"), ("uuid[]", "uuid[]"), ("oid", "bigint"), ("bit(1)", "boolean"),
        ("bit(5)", "io.debezium.data.Bits"), ("bit varying(12)", "io.debezium.data.Bits"), ("varbit", "io.debezium.data.Bits"),
        ("money", "numeric(38,2)"), ("numeric(5,-2)", "numeric(5,-2)"),
        ("numeric(10)", "numeric(10,0)"), ("int4[]", "integer[]"), ("timestamp(3)", "timestamp(3)"),
        ("io.debezium.time.NanoTimestamp", "io.debezium.time.NanoTimestamp"),
        (None, "numeric(10,0)"), ("integer", None),
    ],
    False: [
        ("text", "integer"), ("integer", "bigint"), ("inet", "bytea"), ("numeric(12,2)", "numeric(12,3)"), ("numeric", "numeric(38,0)"),
        ("timestamp", "timestamp(3)"), ("timestamp", "io.debezium.time.NanoTimestamp"), ("text", "text[]"), ("integer[]", "bigint[]"),
        ("date", "io.debezium.time.IsoDate"), ("bit(5)", "bytea"),
    ],
}  # fmt: skip


def test_types_that_travel_alike_are_one_version(spark: Spark) -> None:
    render = Renderer()
    written = render.call("landing_travels_as", render.call("landing_canonical_type", "written"))
    shown = render.call("landing_travels_as", "shown")
    same = render.call("landing_same_types", "one", "other")
    cases = [(*case, expected) for expected, pairs in SAME.items() for case in pairs]
    values = ", ".join(f"({literal(one)}, {literal(other)}, {literal(expected)})" for one, other, expected in cases)
    found = spark.rows(
        f"select written, shown, found from (select *, {same} as found from (select written, shown, expected, "
        f"struct(array('text', {written}) as attribute_types) as one, struct(array('text', {shown}) as attribute_types) as other "
        f"from values {values} as t (written, shown, expected))) where found <> expected"
    )
    assert found == []


def test_the_registrys_types_are_those_of_landing() -> None:
    ways = {written: canonical for canonical, several in CANONICAL.items() for written in several}
    assert {written: recorded_type(written) for written in ways} == ways
    assert [source_type(connect_type(field)) for _, field in EMBEDDED] == [canonical for canonical, _ in EMBEDDED]
    for expected, pairs in SAME.items():
        for written, shown in pairs:
            one, other = travels_as(written and recorded_type(written)), travels_as(shown)
            assert (one is None or other is None or one == other) == expected, (written, shown)


def connect_type(field: dict[str, Any]) -> ConnectType:
    items = field.get("items")
    return ConnectType(field["type"], field.get("name"), field.get("parameters", {}), items and connect_type(items))
