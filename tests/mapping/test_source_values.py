"""How values of PostgreSQL's types travel in Debezium's JSON, and what they have to become: type by type."""

from __future__ import annotations

import base64
import json
import random
from decimal import Decimal
from typing import Any

import pytest

from entrepot.sql import literal
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

# (PostgreSQL type, value in JSON, Spark type to look at it in, text of the value there)
VALUES: list[tuple[str, Any, str, str | None]] = [
    ("smallint", -32768, "bigint", "-32768"),
    ("smallserial", 7, "bigint", "7"),
    ("integer", 2147483647, "bigint", "2147483647"),
    ("INT4", -1, "bigint", "-1"),
    ("bigint", 9223372036854775807, "bigint", "9223372036854775807"),
    ("double precision", 0.25, "double", "0.25"),
    ("real", 1e-5, "double", "1.0E-5"),
    ("boolean", False, "boolean", "false"),
    ("text", "a \"quoted\" 'text'", "string", "a \"quoted\" 'text'"),
    ("text", "", "string", ""),
    ("uuid", "8d3b1a5e-1f7a-4a55-9a6e-0d9c6b7f3f10", "string", "8d3b1a5e-1f7a-4a55-9a6e-0d9c6b7f3f10"),
    ("jsonb", '{"a": [1, null]}', "string", '{"a": [1, null]}'),
    ("date", 16816, "date", "2016-01-16"),
    ("date", -1, "date", "1969-12-31"),
    ("timestamp", INSTANT, "timestamp", LOCAL),
    ("timestamp(6)", INSTANT, "timestamp", LOCAL),
    ("timestamp without time zone", INSTANT, "timestamp", LOCAL),
    ("timestamp(3)", INSTANT // 1000, "timestamp", LOCAL[:-3]),
    ("timestamp(0) without time zone", INSTANT // 1_000_000 * 1000, "timestamp", LOCAL[:19]),
    ("timestamptz", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL),
    ("timestamptz(3)", "2016-01-16T11:11:12.123+01:00", "timestamp", LOCAL[:-3]),
    ("timestamp with time zone", "2016-01-16T10:11:12.123456Z", "timestamp", LOCAL),
    ("timestamp(3) with time zone", "2016-01-16T10:11:12.123Z", "timestamp", LOCAL[:-3]),
    ("time", 36672000001, "string", "10:11:12.000001"),
    ("time(6)", 36672000001, "string", "10:11:12.000001"),
    ("time(3) without time zone", 36672001, "string", "10:11:12.001000"),
    ("time with time zone", "10:11:12Z", "string", "10:11:12Z"),
    ("time(6) with time zone", "10:11:12.000001Z", "string", "10:11:12.000001Z"),
    ("bytea", "3q2+7w==", "string", base64.b64decode("3q2+7w==").decode("latin-1")),
    ("text[]", ["x", None, "y"], "array<string>", '["x",null,"y"]'),
    ("numeric(10,2)[]", ["BOI="], "array<string>", '["BOI="]'),
    ("numeric(10,2)", wire("10.50", 2), "decimal(12,2)", "10.50"),
    ("numeric(10, 2)", wire("-0.01", 2), "decimal(12,2)", "-0.01"),
    ("numeric(10)", wire("-1234567890", 0), "decimal(10,0)", "-1234567890"),
    ("decimal(18,6)", wire("-999999999999.999999", 6), "decimal(18,6)", "-999999999999.999999"),
    ("numeric(38,0)", wire(NINES, 0), "decimal(38,0)", NINES),
    ("numeric(38,10)", wire(f"-{NINES[:28]}.{NINES[:10]}", 10), "decimal(38,10)", f"-{NINES[:28]}.{NINES[:10]}"),
    ("numeric", {"scale": 3, "value": wire("-0.001", 3)}, "decimal(38,9)", "-0.001000000"),
    (
        "numeric",
        {"scale": 0, "value": wire("12345678901234567890", 0)},
        "decimal(38,9)",
        "12345678901234567890.000000000",
    ),
    ("tsvector", "'a':1", "string", "'a':1"),
]
VALUES += [
    (data_type, None, spark_type, None)
    for data_type, spark_type in dict.fromkeys((data_type, spark_type) for data_type, _, spark_type, _ in VALUES)
]


def queries(values: list[tuple[str, Any, str, str | None]]) -> str:
    """One query with a row for each value: its number and its text."""
    render = Renderer()
    selects = []
    for number, (data_type, value, spark_type, _) in enumerate(values):
        source = render.call("mapping_source_value", data_type, "image.f")
        document = literal(json.dumps({"f": value}))
        text = f"try_cast({source['value']} as {spark_type})"
        text = f"to_json({text})" if spark_type.startswith("array") else f"cast({text} as string)"
        if data_type == "bytea":
            text = f"decode({source['value']}, 'ISO-8859-1')"
        selects.append(f"select {number}, {text} from (select from_json({document}, 'f {source['json']}') as image)")
    return "\nunion all\n".join(selects)


def test_values(spark: Spark) -> None:
    found = dict(spark.rows(queries(VALUES)))
    wrong = [(*VALUES[number], text) for number, text in found.items() if text != VALUES[number][3]]
    assert wrong == []
    assert len(found) == len(VALUES)


def test_random_decimals(spark: Spark) -> None:
    """Any digits, signs and scales, to the last digit."""
    random_ = random.Random(7)
    cases: list[tuple[str, Any, str, str | None]] = []
    for _ in range(60):
        precision = random_.randint(1, 38)
        scale = random_.randint(0, precision)
        digits = str(random_.randint(0, 10 ** random_.randint(1, precision) - 1))
        text = f"{Decimal((random_.choice([0, 1]) if digits != '0' else 0, tuple(map(int, digits)), -scale)):f}"
        cases.append((f"numeric({precision},{scale})", wire(text, scale), f"decimal({precision},{scale})", text))
        cases.append(("numeric", {"scale": scale, "value": wire(text, scale)}, f"decimal({precision},{scale})", text))
    found = dict(spark.rows(queries(cases)))
    # Spark writes small ones as 7.0868E-9
    texts = {number: text and f"{Decimal(text):f}" for number, text in found.items()}
    assert [(*cases[number], text) for number, text in texts.items() if text != cases[number][3]] == []
    assert len(texts) == len(cases)


@pytest.mark.parametrize("data_type", ["text", "jsonb", "bytea", "numeric(12,2)", "timestamptz"])
def test_a_placeholder_is_no_value(spark: Spark, data_type: str) -> None:
    """What Debezium sends for a large value that did not change: as text, or as the base64 of it."""
    render = Renderer()
    source = render.call("mapping_source_value", data_type, "f")
    assert source["text"]
    value = render.call("mapping_unless_placeholder", source, "f")
    texts = f"('{PLACEHOLDER}'), ('{base64.b64encode(PLACEHOLDER.encode()).decode()}'), ('x'), (null)"
    assert spark.rows(f"select f, {value} from values {texts} as t (f) where {value} is not null") == [("x", "x")]
