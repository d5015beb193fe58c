"""The tests' own reader of stored rows gives what Spark's collect gives, or leaves a table to Spark."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.spark import Spark, canonical
from tests.support.stored import stored_rows

TYPES = {
    "a": ("tinyint", "1", "-128"),
    "b": ("smallint", "2", "-32768"),
    "c": ("int", "3", "2147483647"),
    "d": ("bigint", "4", "-9223372036854775808"),
    "e": ("float", "0.1", "double('NaN')"),
    "f": ("double", "-0.0", "double('-Infinity')"),
    "g": ("decimal(38, 18)", "1.50", "-12345678901234567890.123456789012345678"),
    "h": ("boolean", "true", "false"),
    "i": ("string", "'a \"b'", "''"),
    "j": ("string", "'x '", "'ü'"),
    "k": ("binary", "x'00ff'", "x''"),
    "l": ("date", "date'2026-01-31'", "date'1582-10-01'"),
    "m": ("timestamp", "timestamp'2026-07-01 10:00:00.123456 Europe/Berlin'", "timestamp'1969-12-31 23:59:59.999999'"),
    "n": ("timestamp_ntz", "timestamp_ntz'2026-07-01 10:00:00.123456'", "timestamp_ntz'1900-01-01 00:00:00'"),
    "o": ("array<decimal(5, 2)>", "array(1.5, null)", "array()"),
    "p": ("map<string, array<binary>>", "map('b', array(x'01'), 'a', null)", "map()"),
    "q": (
        "struct<z: timestamp, y: struct<x: map<int, double>>>",
        "named_struct('z', timestamp'2026-01-01 00:00:00', 'y', named_struct('x', map(1, double('NaN'))))",
        "named_struct('z', null, 'y', named_struct('x', null))",
    ),
    '`r"s`': ("int", "5", "6"),
}


def test_all_types(spark: Spark) -> None:
    columns = ", ".join(f"{name} {kind}" for name, (kind, _, _) in TYPES.items())
    rows = [", ".join(values) for values in zip(*(values for _, *values in TYPES.values()), strict=True)]
    spark.scripts(
        "create schema if not exists stored",
        f"create table stored.Types ({columns}) using delta partitioned by (c)",
        f"insert into stored.Types values ({rows[0]}), ({rows[0]}), ({rows[1]}), ({', '.join(['null'] * len(TYPES))})",
        "delete from stored.Types where c = 2147483647",
        f"insert into stored.Types values ({rows[1]})",
    )
    found = stored_rows("select * from stored.Types")
    assert found is not None
    collected = [tuple(row) for row in spark.sql("select * from stored.Types")]
    assert len(found) == 4
    assert Counter(map(canonical, found)) == Counter(map(canonical, collected))
    plain = [tuple(map(repr, row[:14])) for row in found]
    assert sorted(plain) == sorted(tuple(map(repr, row[:14])) for row in collected), "not merely equal"
    assert spark.equal("select * from stored.Types", "select * from stored.Types where true") == []


@pytest.mark.parametrize(
    "properties",
    [
        "'delta.enableDeletionVectors' = 'true'",
        "'delta.columnMapping.mode' = 'name'",
        "'delta.enableTypeWidening' = 'true'",
        "'delta.checkpointPolicy' = 'v2'",
    ],
)
def test_features_are_left_to_spark(spark: Spark, properties: str) -> None:
    name = properties.split("'")[1].replace(".", "_")
    spark.scripts(
        "create schema if not exists stored",
        f"create table stored.{name} (a int) using delta tblproperties ({properties})",
        f"insert into stored.{name} values (1), (2)",
        f"delete from stored.{name} where a = 1",
    )
    assert stored_rows(f"select * from stored.{name}") is None
    assert spark.rows(f"select * from stored.{name}") == [(2,)]


def test_what_is_not_a_whole_stored_table_is_left_to_spark(spark: Spark) -> None:
    spark.scripts(
        "create schema if not exists stored",
        "create or replace view stored.seen as select 1 as a",
        "create table stored.varied (a variant) using delta",
        "create table stored.padded (a char(3)) using delta",
        "insert into stored.padded values ('x')",
        "create table stored.parquet using parquet as select 1 as a",
    )
    for query in (
        "select * from stored.seen",
        "select * from stored.varied",
        "select * from stored.parquet",
        "select * from stored.padded",
        "select a from stored.seen",
        "select * from stored.seen where a = 1",
    ):
        assert stored_rows(query) is None, query
    assert spark.rows("select * from stored.seen") == [(1,)]
    assert spark.rows("select * from stored.padded") == [("x  ",)]
