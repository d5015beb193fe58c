"""How values of PostgreSQL's types travel in Debezium's JSON, and what they have to become: type by type."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from entrepot.sql import literal
from tests.landing.records import Number, serialised
from tests.support.render import Renderer
from tests.support.spark import Spark

PLACEHOLDER = "__debezium_unavailable_value"
INSTANT = 1_452_939_072_123_456  # 2016-01-16 10:11:12.123456 UTC in microseconds
LOCAL = "2016-01-16 10:11:12.123456"


def wire(number: str, scale: int) -> str:
    """A decimal with `scale` digits after the point as Debezium sends it: base64 of a big-endian two's complement number."""
    assert len(number.partition(".")[2]) == scale
    unscaled = int(number.replace(".", ""))
    size = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return base64.b64encode(unscaled.to_bytes(size, "big", signed=True)).decode()


NINES = "9" * 38

MODES = {
    "string": {"decimal.handling.mode": "string", "time.precision.mode": "isostring", "binary.handling.mode": "hex"},
    "double": {
        "decimal.handling.mode": "double",
        "time.precision.mode": "connect",
        "binary.handling.mode": "base64-url-safe",
    },
    "precise": {"decimal.handling.mode": "precise", "time.precision.mode": "adaptive_time_microseconds"},
    "micros": {"time.precision.mode": "microseconds"},
    "nanos": {"time.precision.mode": "nanoseconds"},
}


class Value(NamedTuple):
    """A value of a PostgreSQL type as it stands in JSON, and the text of it in a Spark type; None where it is none of its type."""

    data_type: str
    sent: Any
    spark_type: str
    text: str | None
    # of a record without schema: the settings of its connector, one of MODES or "" for none
    mode: str | None = None
    unclear: bool = False


VALUES = [
    Value("smallint", -32768, "bigint", "-32768"),
    Value("smallserial", 7, "bigint", "7"),
    Value("integer", 2147483647, "bigint", "2147483647"),
    Value("INT4", -1, "bigint", "-1"),
    Value("bigint", 9223372036854775807, "bigint", "9223372036854775807"),
    Value("bigint", 9007199254740993, "bigint", "9007199254740993"),
    Value("double precision", 0.25, "double", "0.25"),
    Value("double precision", -1e300, "double", "-1.0E300"),
    Value("double precision", "NaN", "double", "NaN"),
    Value("double precision", "-Infinity", "double", "-Infinity"),
    Value("double precision", Number("1e400"), "double", None),
    Value("double precision", "0x1p3", "double", None),
    Value("double precision", Number("1e-400"), "double", None),
    Value("double precision", Number("0.0e-400"), "double", "0.0"),
    Value("real", 1e-5, "double", "1.0E-5"),
    Value("boolean", False, "boolean", "false"),
    Value("bit(1)", True, "boolean", "true"),
    Value("bit(5)", base64.b64encode(bytes([0b10011])).decode(), "string", "10011"),
    Value("bit(5)", base64.b64encode(bytes([0b110011])).decode(), "string", None),
    Value("bit(12)", base64.b64encode(bytes([0b00000011, 0b1001])).decode(), "string", "100100000011"),
    Value("text", "a \"quoted\" 'text'", "string", "a \"quoted\" 'text'"),
    Value("text", "", "string", ""),
    Value("text", "1.10", "string", "1.10"),
    Value("text", Number("1.10"), "string", "1.10"),
    Value("text", Number("-0"), "string", "-0"),
    Value("integer", Number("-0"), "int", None),
    Value("double precision", Number("-0"), "double", "-0.0"),
    Value("text", Number("0.12345678901234567890123"), "string", "0.12345678901234567890123"),
    Value("text", "a\0b", "string", "a\0b"),
    Value("text", "2016-01-16 10:11:12", "timestamp", "2016-01-16 10:11:12"),
    Value("text", "10:11:12", "timestamp", None),
    Value("text", "2016-01-16 10:11:12.1234567", "timestamp", None),
    Value("text", "2016-01-16 10:11:12.1234560", "timestamp", LOCAL),
    Value("text", "2016-01-16", "date", "2016-01-16"),
    Value("text", "2016-01-16 trash", "date", None),
    Value("text", "2016-01-16T23:00:00-05:00", "date", None),
    Value("text", "0000-01-01", "date", None),
    Value("text", "0001-01-01T00:00:00+14:00", "timestamp", None),
    Value("text", "9999-12-31T23:59:59-14:00", "timestamp", None),
    Value("text", " 0001-1-1T00:00:00+14:00", "timestamp", None),
    Value("text", "9999-12-31T23:59:59-00:00", "timestamp", "9999-12-31 23:59:59"),
    Value("uuid", "8d3b1a5e-1f7a-4a55-9a6e-0d9c6b7f3f10", "string", "8d3b1a5e-1f7a-4a55-9a6e-0d9c6b7f3f10"),
    Value("jsonb", '{"a": [1, null]}', "string", '{"a": [1, null]}'),
    Value("io.debezium.data.geometry.Point", {"x": 1.0, "y": -2.5, "srid": None}, "string", '{"x":1.0,"y":-2.5,"srid":null}'),
    Value("hstore", {"a": "1", "b": None}, "string", '{"a":"1","b":null}'),
    Value("date", 16816, "date", "2016-01-16"),
    Value("date", -1, "date", "1969-12-31"),
    Value("date", -719162, "date", "0001-01-01"),
    Value("date", 2932896, "date", "9999-12-31"),
    Value("date", 2932897, "date", None),
    Value("date", -719163, "date", None),
    Value("date", 2147483647, "date", None),
    Value("timestamp", INSTANT, "timestamp", LOCAL),
    Value("timestamp(6)", INSTANT, "timestamp", LOCAL),
    Value("timestamp without time zone", INSTANT, "timestamp", LOCAL),
    Value("timestamp", -1, "timestamp", "1969-12-31 23:59:59.999999"),
    Value("timestamp", 253402300800000000, "timestamp", None),
    Value("timestamp", 9223372036854775807, "timestamp", None),
    Value("timestamp(3)", INSTANT // 1000, "timestamp", LOCAL[:-3]),
    Value("timestamp(3)", -1, "timestamp", "1969-12-31 23:59:59.999"),
    Value("timestamp(3)", 9223372036854775807, "timestamp", None),
    Value("timestamp(0) without time zone", INSTANT // 1_000_000 * 1000, "timestamp", LOCAL[:19]),
    Value("io.debezium.time.NanoTimestamp", INSTANT * 1000, "timestamp", LOCAL),
    Value("io.debezium.time.NanoTimestamp", -1000, "timestamp", "1969-12-31 23:59:59.999999"),
    Value("io.debezium.time.NanoTimestamp", INSTANT * 1000 + 1, "timestamp", None),
    Value("io.debezium.time.IsoTimestamp", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL),
    Value("timestamptz", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL),
    Value("timestamptz", "2016-01-16T10:11:12.123456000Z", "timestamp", LOCAL),
    Value("timestamptz", "2016-01-16T10:11:12.1234561Z", "timestamp", None),
    Value("timestamptz", "infinity", "timestamp", None),
    Value("timestamptz", "+10000-01-01T00:00:00Z", "timestamp", None),
    Value("timestamptz", "-0043-03-15T00:00:00Z", "timestamp", None),
    Value("timestamptz", "0001-01-01T00:30:00+01:00", "timestamp", None),
    Value("timestamptz", "9999-12-31T23:30:00-01:00", "timestamp", None),
    Value("timestamptz", "10:11:12Z", "timestamp", None),
    Value("timestamptz(3)", "2016-01-16T11:11:12.123+01:00", "timestamp", LOCAL[:-3]),
    Value("timestamp with time zone", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL),
    Value("timestamp(3) with time zone", "2016-01-16T10:11:12.123Z", "timestamp", LOCAL[:-3]),
    Value("time", 36672000001, "string", "10:11:12.000001"),
    Value("time(6)", 36672000001, "string", "10:11:12.000001"),
    Value("time", 0, "string", "00:00:00.000000"),
    Value("time", 86_400_000_000, "string", "24:00:00.000000"),
    Value("time", 86_400_000_001, "string", None),
    Value("time", -1, "string", None),
    Value("time(3) without time zone", 36672001, "string", "10:11:12.001000"),
    Value("time(3)", 86_400_000, "string", "24:00:00.000000"),
    Value("io.debezium.time.NanoTime", 36672000001000, "string", "10:11:12.000001"),
    Value("io.debezium.time.NanoTime", 36672000001001, "string", None),
    Value("io.debezium.time.IsoTime", "10:11:12.5Z", "string", "10:11:12.500000"),
    Value("io.debezium.time.IsoDate", "2016-01-16Z", "date", "2016-01-16"),
    Value("time with time zone", "10:11:12Z", "string", "10:11:12Z"),
    Value("time(6) with time zone", "10:11:12.000001Z", "string", "10:11:12.000001Z"),
    Value("interval", 93_784_000_000, "bigint", "93784000000"),
    Value("bytea", "3q2+7w==", "binary", "deadbeef"),
    Value("bytea", "", "binary", ""),
    Value("bytea", "!!!!", "binary", None),
    Value("bytea", "1234", "binary", "d76df8"),
    Value("bytea", 1234, "binary", None),
    Value("bytea", True, "binary", None),
    Value("bytea", "true", "binary", "b6bb9e"),
    Value("bytea", Number("1e27"), "binary", None),
    Value("bytea", Number("1E+7"), "binary", None),
    Value("bit(12)", 1234, "string", None),
    Value("bytea[]", ["1234", 5678, None], "array<binary>", '["1234",null,null]'),
    Value("bytea", "3q2-7w==", "binary", None),
    Value("text[]", ["x", None, "y"], "array<string>", '["x",null,"y"]'),
    Value("text[]", ["a, b", "c"], "string", '["a, b","c"]'),
    Value("integer[]", [1, None, 2], "array<bigint>", "[1,null,2]"),
    Value("numeric(10,2)[]", [wire("10.50", 2), None, wire("-0.01", 2)], "array<decimal(12,2)>", "[10.50,null,-0.01]"),
    Value("numeric[]", [{"scale": 1, "value": wire("1.5", 1)}], "array<decimal(12,2)>", "[1.50]"),
    Value("date[]", [16816, None], "array<date>", '["2016-01-16",null]'),
    Value("timestamp(3)[]", [-1], "array<timestamp>", '["1969-12-31T23:59:59.999Z"]'),
    Value("numeric(10,2)", wire("10.50", 2), "decimal(12,2)", "10.50"),
    Value("numeric(10, 2)", wire("-0.01", 2), "decimal(12,2)", "-0.01"),
    Value("numeric(10)", wire("-1234567890", 0), "decimal(10,0)", "-1234567890"),
    Value("numeric(10)", "1234", "decimal(10,0)", str(int.from_bytes(base64.b64decode("1234"), "big", signed=True))),
    Value("money", wire("-0.01", 2), "decimal(12,2)", "-0.01"),
    Value("decimal(18,6)", wire("-999999999999.999999", 6), "decimal(18,6)", "-999999999999.999999"),
    Value("numeric(18,18)", wire(f"0.{'9' * 18}", 18), "decimal(18,18)", f"0.{'9' * 18}"),
    Value("numeric(18,0)", wire("9" * 19, 0), "decimal(38,0)", None),
    Value("numeric(12,2)", "", "decimal(12,2)", None),
    Value("numeric(12,2)", "!!!!", "decimal(12,2)", None),
    Value("numeric(12,2)", "12.50", "decimal(12,2)", None),
    Value("numeric(12,2)", "AQ", "decimal(12,2)", None),
    Value("numeric(12,2)", 1234, "decimal(12,2)", None),
    Value("numeric(12,2)", True, "decimal(12,2)", None),
    Value("numeric(38,10)", Number("1e27"), "decimal(38,10)", None),
    Value("numeric(60,20)", 12345678, "string", None),
    Value("numeric(10,2)[]", [1234, wire("1.50", 2)], "array<decimal(12,2)>", "[null,1.50]"),
    Value("numeric(12,2)", base64.b64encode(bytes(range(1, 15))).decode(), "decimal(12,2)", None),
    Value("numeric(38,0)", wire(NINES, 0), "decimal(38,0)", NINES),
    Value("numeric(38,0)", wire(NINES + "0", 0), "decimal(38,0)", None),
    Value("numeric(60,20)", wire(f"-{NINES[:18]}.{NINES[:20]}", 20), "string", f"-{NINES[:18]}.{NINES[:20]}"),
    Value("numeric(60,20)", wire(f"1{NINES}.{NINES[:20]}", 20), "string", None),
    Value("numeric(38,10)", wire(f"-{NINES[:28]}.{NINES[:10]}", 10), "decimal(38,10)", f"-{NINES[:28]}.{NINES[:10]}"),
    Value("numeric", {"scale": 3, "value": wire("-0.001", 3)}, "decimal(38,9)", "-0.001000000"),
    Value("numeric", {"scale": 3, "value": wire("-0.010", 3)}, "string", "-0.010"),
    Value("numeric", {"scale": -2, "value": wire("-15", 0)}, "string", "-1500"),
    Value("numeric", {"scale": -2, "value": "AA=="}, "string", "0"),
    Value("numeric", {"scale": 2147483647, "value": "AQ=="}, "string", None),
    Value("numeric", {"scale": 2, "value": "12.5"}, "string", None),
    Value("numeric", {"scale": 0, "value": wire("12345678901234567890", 0)}, "decimal(38,9)", "12345678901234567890.000000000"),
    Value("numeric", "1.10", "string", "1.10"),
    Value("numeric", Number("1.10"), "string", "1.10"),
    Value("numeric", Number("-1.5E-3"), "string", "-0.0015"),
    Value("numeric", Number("1.25e10"), "decimal(38,9)", "12500000000.000000000"),
    Value("numeric", "NaN", "decimal(38,9)", None),
    Value("numeric", Number("1e400"), "decimal(38,9)", None),
    Value("jsonb", {"a": Number("1.10"), "b": [{"c": Number("1e400")}], "d": "1.0"}, "string", '{"a":1.10,"b":[{"c":1e400}],"d":"1.0"}'),
    Value("", Number("1.10"), "string", "1.10"),
    Value("", {"a": Number("-0"), "b": [Number("-0"), Number("0")]}, "string", '{"a":-0,"b":[-0,0]}'),
    Value("", {"a": Number("0.12345678901234567890123")}, "string", '{"a":0.12345678901234567890123}'),
    Value("tsvector", "'a':1", "string", "'a':1"),
    # records without a schema: where nobody has said how the connector sends decimals
    Value("numeric(12,2)", "12.50", "decimal(12,2)", "12.50", ""),
    Value("numeric(12,2)", Number("12.5"), "decimal(12,2)", "12.50", ""),
    Value("numeric(12,2)", Number("-0"), "decimal(12,2)", "0.00", ""),
    Value("numeric(12,2)", Number("-1.23456789E7"), "decimal(12,2)", "-12345678.90", ""),
    Value("numeric(12,2)", wire("12.50", 2), "decimal(12,2)", "12.50", ""),
    Value("numeric(12,2)", "12.505", "decimal(12,3)", None, ""),
    Value("numeric(12,2)", "1234", "decimal(12,2)", None, "", unclear=True),
    Value("numeric(12,2)", "123", "decimal(12,2)", "123.00", ""),
    Value("numeric(12,2)", 1234, "decimal(12,2)", "1234.00", ""),
    Value("numeric(12,2)", Number("1E27"), "decimal(38,2)", f"1{'0' * 27}.00", ""),
    Value("numeric(12,2)", True, "decimal(12,2)", None, ""),
    Value("numeric(60,20)", 12345678, "string", "12345678", ""),
    Value("numeric(12,2)", "", "decimal(12,2)", None, ""),
    Value("numeric(12,2)", "!!!!", "decimal(12,2)", None, ""),
    Value("numeric(12,2)[]", ["12.50", wire("0.10", 2)], "array<decimal(12,2)>", "[12.50,0.10]", ""),
    Value("numeric(12,2)[]", ["1234"], "array<decimal(12,2)>", "[null]", "", unclear=True),
    Value("numeric(60,20)", "12.50", "string", "12.50", ""),
    Value("numeric(12,2)", "1e-400", "decimal(12,2)", None, ""),
    Value("numeric(12,2)", Number("0E-400"), "decimal(12,2)", "0.00", ""),
    # and where somebody has
    Value("numeric(12,2)", Number("1.2345678E7"), "string", "12345678", "double"),
    Value("numeric", Number("1.0E7"), "string", "10000000", "double"),
    Value("numeric(12,2)", "1234", "decimal(12,2)", "1234.00", "string"),
    Value("numeric(12,2)", Number("1234"), "decimal(12,2)", "1234.00", "double"),
    Value("numeric(12,2)", wire("12.50", 2), "decimal(12,2)", None, "string"),
    Value("numeric(10)", "1234", "decimal(10,0)", str(int.from_bytes(base64.b64decode("1234"), "big", signed=True)), "precise"),
    Value("numeric(12,2)", "12.50", "decimal(12,2)", None, "precise"),
    Value("numeric(12,2)", 1234, "decimal(12,2)", None, "precise"),
    Value("bytea", Number("-123"), "binary", None, "double"),
    Value("numeric(38,30)", Number("1.5E-10"), "decimal(38,30)", "0.000000000150000000000000000000", "double"),
    Value("timestamp", INSTANT // 1000, "timestamp", LOCAL[:-3], "double"),
    Value("timestamp", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL, "string"),
    Value("timestamp(3)", INSTANT, "timestamp", LOCAL, "micros"),
    Value("timestamp(3)", INSTANT * 1000, "timestamp", LOCAL, "nanos"),
    Value("timestamp(3)", INSTANT // 1000, "timestamp", LOCAL[:-3], ""),
    Value("time(3)", 36672000001, "string", "10:11:12.000001", "precise"),
    Value("time", 36672001, "string", "10:11:12.001000", "double"),
    Value("time", "10:11:12.000001Z", "string", "10:11:12.000001", "string"),
    Value("date", "2016-01-16Z", "date", "2016-01-16", "string"),
    Value("date", 16816, "date", "2016-01-16", "nanos"),
    Value("date[]", ["2016-01-16Z"], "array<date>", '["2016-01-16"]', "string"),
    Value("bytea", "deadBEEF", "binary", "deadbeef", "string"),
    Value("bytea", "dead-", "binary", None, "string"),
    Value("bytea", "3q2-7w==", "binary", "deadbeef", "double"),
]  # fmt: skip
VALUES += [
    Value(data_type, None, spark_type, None, mode)
    for data_type, spark_type, mode in dict.fromkeys(
        (value.data_type, value.spark_type, value.mode) for value in VALUES
    )
]


def read(spark: Spark, values: Sequence[Value]) -> list[tuple[str | None, bool]]:
    """What becomes of each value: its text, and whether it can be read in two ways. Values that are read by the same SQL share it."""
    render = Renderer()
    pieces: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for number, value in enumerate(values):
        source = render.call(
            "mapping_source_value", value.data_type, "image.f", MODES.get(value.mode or "", {}), "document"
        )
        text = render.call("mapping_cast", source, value.spark_type)
        shows = {"array": "to_json({})", "binary": "lower(hex({}))"}
        shown = shows.get(re.split("[<(]", value.spark_type)[0], "cast({} as string)").format(text)
        json = render.call("landing_numbers_as_text", "document", source["marked"])
        piece = (shown, source["unclear"] or "false", json, source["json"], "true" if value.mode is None else "false")
        pieces.setdefault(piece, []).append((number, serialised({"f": value.sent})))
    selects = []
    for (shown, unclear, json, json_type, is_typed), documents in pieces.items():
        rows = ", ".join(f"({number}, {literal(document)})" for number, document in documents)
        selects.append(
            f"select number, {shown}, coalesce({unclear}, false) from (select number, document, from_json({json}, 'f {json_type}') as image, "
            f"{is_typed} as is_typed from values {rows} as t (number, document))"
        )
    found = {number: (text, unclear) for number, text, unclear in spark.rows_of(selects)}
    return [found[number] for number in range(len(values))]


def wrong(spark: Spark, values: Sequence[Value]) -> list[tuple[Value, str | None, bool]]:
    """The values that come out as anything else, with what comes out."""
    return [
        (value, text, unclear)
        for value, (text, unclear) in zip(values, read(spark, values), strict=True)
        if not _same(text, value.text) or unclear != value.unclear
    ]


def _same(text: str | None, other: str | None) -> bool:
    """Whether two texts are equal; without ANSI mode Spark writes small decimals as 7.0868E-9."""
    return text == other or (
        text is not None and other is not None and "E-" in text and Decimal(text) == Decimal(other)
    )


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_values(spark: Spark, ansi: str) -> None:
    before = spark.session.conf.get("spark.sql.ansi.enabled")
    spark.session.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        assert wrong(spark, VALUES) == []
    finally:
        spark.session.conf.set("spark.sql.ansi.enabled", before)


@pytest.mark.long
def test_random_decimals(spark: Spark) -> None:
    """Any digits, signs and scales, to the last digit, whichever way they travel, or said to be unclear."""
    random_ = random.Random(7)
    values = []
    for _ in range(60):
        precision = random_.randint(1, 38)
        scale = random_.randint(0, precision)
        digits = str(random_.randint(0, 10 ** random_.randint(1, precision) - 1))
        number = Decimal((random_.choice([0, 1]) if digits != "0" else 0, tuple(map(int, digits)), -scale))
        text, target = f"{number:f}", f"decimal({precision},{scale})"
        data_type = f"numeric({precision},{scale})"
        mode = random_.choice([None, "", "precise"])
        values.append(Value(data_type, wire(text, scale), target, text, mode))
        values.append(Value("numeric", {"scale": scale, "value": wire(text, scale)}, target, text, mode))
        values.append(
            Value(data_type, random_.choice([text, Number(text)]), target, text, random_.choice(["string", "double"]))
        )
        values.append(Value(data_type, Number(f"{number:E}"), target, text, "double"))
        unclear = len(text) % 4 == 0 and not set(text) & set(".-")
        values.append(Value(data_type, text, target, None if unclear else text, "", unclear))
    values = [
        value._replace(text=None, unclear=True)
        if value.mode == "" and isinstance(value.sent, str) and value.sent.isdigit() and len(value.sent) % 4 == 0
        else value
        for value in values
    ]
    assert wrong(spark, values) == []


@pytest.mark.parametrize("data_type", ["text", "jsonb", "bytea", "numeric(12,2)", "timestamptz"])
def test_a_placeholder_is_no_value(spark: Spark, data_type: str) -> None:
    """What Debezium sends for a large value that did not change: as text, or as the base64 of it."""
    render = Renderer()
    source = render.call("mapping_source_value", data_type, "f")
    assert source["text"]
    value = render.call("mapping_unless_placeholder", source, "f")
    texts = f"('{PLACEHOLDER}'), ('{base64.b64encode(PLACEHOLDER.encode()).decode()}'), ('x'), (null)"
    assert spark.rows(f"select f, {value} from values {texts} as t (f) where {value} is not null") == [("x", "x")]
