"""What unit tests of dbt say of columns that are structs, arrays and maps: objects and texts of JSON, with our macro and without it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.render import Renderer
from tests.support.spark import Spark

STRUCT = "struct<a:int,b:array<string>>"
VALUES = [
    ({"a": 1, "b": ["x'y"]}, STRUCT, (1, ["x'y"])),
    ("'{\"a\": 1}'", STRUCT, (1, None)),
    ([1, 2], "array<int>", [1, 2]),
    ({"a": 1}, "string", '{"a": 1}'),
    ("null", STRUCT, None),
    ("'array(1, 2)'", "array<int>", [1, 2]),
    ("'7'", "int", 7),
]


def safe_cast(value: Any, data_type: str) -> str:
    # dbt-spark's own, which is no macro of ours
    stock = lambda field, type: f"cast({field.strip(chr(39)) if '<' in type else field} as {type})"  # noqa: E731
    return str(Renderer(spark__safe_cast=stock).call("entrepot__safe_cast", value, data_type))


@pytest.mark.parametrize(("value", "data_type", "expected"), VALUES)
def test_values(spark: Spark, value: Any, data_type: str, expected: Any) -> None:
    ((found,),) = spark.session.sql(f"select {safe_cast(value, data_type)}").collect()
    assert (tuple(found) if isinstance(expected, tuple) else found) == expected


def test_what_does_not_fit_is_an_error(spark: Spark) -> None:
    with pytest.raises(Exception, match="MALFORMED_RECORD"):
        spark.session.sql(f"select {safe_cast({'a': 'x'}, STRUCT)}").collect()


def test_without_it(spark: Spark) -> None:
    with pytest.raises(Exception, match="PARSE_SYNTAX_ERROR"):
        spark.session.sql(f'select cast({{"a": 1}} as {STRUCT})').collect()
