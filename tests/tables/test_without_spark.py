"""What the tests do and ask without Spark is what Spark would do and answer."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from tests.support.changes import changed
from tests.support.duck import answered, recomputed
from tests.support.spark import BY_SPARK, Spark, canonical

pytestmark = pytest.mark.skipif(BY_SPARK, reason="Spark does it all")
TYPES = {
    "id": "int", "tiny": "tinyint", "small": "smallint", "big": "bigint", "real": "float", "wide": "double", "money": "decimal(10, 2)",
    "flag": "boolean", "text": "string", "raw": "binary", "day": "date", "moment": "timestamp", "wall": "timestamp_ntz",
}  # fmt: skip
STATEMENTS = (
    "insert into {t} values (1, 1, -5, 9000000000, 0.5, -1.25, 10.50, true, 'its', x'00ff', date'2026-02-28', "
    "timestamp'2026-07-01 10:00:00', timestamp_ntz'2026-07-01 10:00:00')",
    "insert into {t} values (2" + ", null" * (len(TYPES) - 1) + ")",
    "insert into {t} (text, id, money) values ('three', 3, 7), ('four', 4, -0.01)",
    "insert into {t} (id, big) select id + 10, id % 4 from range(1, 5)",
    "update {t} set money = money + 1, text = null where id in (1, 3)",
    "update {t} set tiny = 7, flag = false, wide = 2.5, day = date'2020-01-01' where tiny is null and id < 12",
    "update {t} set big = coalesce(big, 0) + 1 where id > 0",
    "delete from {t} where text = 'four' or big = 4",
)


@pytest.fixture(scope="module")
def tables(spark: Spark) -> dict[str, str]:
    """The same statements, done by Spark and without."""
    names = {"by_spark": "apart.by_spark", "without": "apart.without"}
    spark.sql("create schema if not exists apart")
    for name in names.values():
        columns = ", ".join(f"{column} {kind}" for column, kind in TYPES.items())
        spark.sql(f"create table {name} ({columns}) using delta tblproperties ('delta.enableChangeDataFeed' = 'true')")
    for statement in STATEMENTS:
        spark.sql(statement.format(t=names["by_spark"]))
        assert changed(statement.format(t=names["without"])), statement
    return names


def test_statements_leave_the_same_rows(spark: Spark, tables: dict[str, str]) -> None:
    assert spark.equal(*(f"select * from {name}" for name in tables.values()), by_spark=True) == []
    heads = [spark.history(name)[0]["version"] for name in tables.values()]
    assert heads[0] == heads[1] == len(STATEMENTS)


def test_and_the_same_change_feed(spark: Spark, tables: dict[str, str]) -> None:
    columns = ", ".join([*TYPES, "_change_type", "_commit_version"])
    assert not spark.equal(
        *(f"select {columns} from table_changes('{name}', 1)" for name in tables.values()), by_spark=True
    )


@pytest.mark.parametrize(
    "query",
    [
        "select id, text from {t} where money > 8 or flag",
        "select count(*), count(distinct big), sum(id), sum(money), min(text), max(moment) from {t}",
        "select big, count(*) from {t} where id not in (1) group by 1 having count(*) > 0 order by 1",
        "select distinct flag, if(id > 3, 'x', null) from {t} where coalesce(text, 'a') not like 'th%'",
        "select bool_and(flag), bool_or(id > 3), count_if(id > 3) from {t} as them where them.id between 1 and 12",
    ],
)
def test_plain_queries_have_sparks_answers(spark: Spark, tables: dict[str, str], query: str) -> None:
    sql = query.format(t=tables["by_spark"])
    found = answered(sql)
    assert found is not None
    rows = [tuple(row) for row in spark.sql(sql)]
    assert Counter(map(canonical, found)) == Counter(map(canonical, rows))
    assert sorted(map(repr, found)) == sorted(map(repr, rows)), "not merely equal"


def test_what_is_left_to_spark(spark: Spark, tables: dict[str, str]) -> None:
    table = tables["without"]
    spark.scripts(
        "create table apart.checked (a int, b array<int>) using delta",
        "create table apart.limited (a int) using delta",
        "alter table apart.limited add constraint positive check (a > 0)",
        "create table apart.marked (a int) using delta tblproperties ('delta.enableDeletionVectors' = 'true')",
        "create table apart.computed (a int, b int generated always as (a + 1)) using delta",
    )
    for statement in (
        f"merge into {table} as t using {table} as s on t.id = s.id when matched then delete",
        f"insert into {table} (id) select id from {table}",
        f"insert into {table} by name select 1 as id",
        f"update {table} set big = 1",
        f"update {table} set big = big where id = 1",
        f"insert into {table} (text) values ('it''s')",
        f"delete from {table} where money = 99999999999999999999",
        f"insert overwrite {table} (id) values (1)",
        f"insert into {table} (id) values ('x')",
        f"insert into {table} (text) values (cast(x'ff' as string))",
        f"update {table} set text = cast(x'ff' as string) where id = 1",
        f"insert into {table} (id) values (1, 2)",
        f"delete from {table} where id in (select id from {table})",
        "insert into apart.checked values (1, array(1))",
        "insert into apart.limited values (-1)",
        "delete from apart.marked where a = 1",
        "insert into apart.computed (a) values (1)",
        "insert into apart.nothing values (1)",
        "alter table apart.marked add columns (c int)",
    ):
        assert not changed(statement), statement
    for query in (
        "select 1",
        f"select id / 2 from {table}",
        f"select * from {table} version as of 0",
        f"select moment from {table} where text like 'a\\\\_'",
        f"select hash(id) from {table}",
        f"select max_by(text, id) from {table}",
        "select * from apart.marked",
    ):
        assert answered(query) is None, query


def test_what_is_recomputed(tables: dict[str, str]) -> None:
    """Arithmetic too: where it differs from Spark's, Spark is asked."""
    assert recomputed(f"select id, money * 2 as m from {tables['without']} where id = 1") == [(1, Decimal("23.00"))]
    assert recomputed(f"select hash(id, text, no_such_column) from {tables['without']}") is None
