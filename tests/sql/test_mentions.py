"""Which tables a query names, and what it says behind them."""

from __future__ import annotations

import pytest

from entrepot.sql import Mention, SqlError, TableName, mentions


def named(sql: str) -> list[str]:
    return [mention.table.plain for mention in mentions(sql)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1", []),
        ("", []),
        ("select * from t", ["t"]),
        ("select * from `a.b`.`c``d`, delta.`/tmp/x`", ["a.b.c`d", "delta./tmp/x"]),
        ("select * from c.s.t, spark_catalog.s.t", ["c.s.t", "s.t"]),
        # a WITH clause's name is its own from behind its query on, inside what follows, and nowhere else
        ("with t as (select * from t) select * from T join s.t", ["t", "s.t"]),
        ("with a as (select * from b), b as (select * from a) select * from a, b", ["b"]),
        ("with recursive t(n) as (select 1 union all select n + 1 from t) select * from t", []),
        ("with recursive as (select 1) select * from recursive, x", ["x"]),
        ("select * from (with t as (select 1) select * from t), t", ["t"]),
        ("with t as (from u |> select 1) from t |> join v using (k), t", ["u", "v"]),
        ("with t as (select 1) (select * from t union all select * from u)", ["u"]),
        ("with t as (values (1), (2)) table t", []),
        ("select * from a union all (select * from b) intersect table c", ["a", "b", "c"]),
        ("select * from a lateral view outer explode(m) e as k, v where x in (select y from b)", ["a", "b"]),
        ("select * from values 1, 2 as v(a), b", ["b"]),
        ("select * from a as x(k, l), b y, c", ["a", "b", "c"]),
        ("select array(select x from a), (select max(y) from b) from c", ["a", "b", "c"]),
        ("select a, table, from_date from t", ["t"]),
        ("select x.from, y.join from t where `from` = 1", ["t"]),
        ("select window(ts, '1 hour') from t window w as (order by x), v as (order by y)", ["t"]),
        ("select sum(x) filter (where a is not distinct from b) from t", ["t"]),
        ("select * from a order by x, y", ["a"]),
        ("select * from a where f(x, y) group by z, w having a, b", ["a"]),
        ("select * from ${schema}.t", []),
        ("select * from a; select * from b", ["a", "b"]),
    ],
)
def test_tables_of_a_query(sql: str, expected: list[str]) -> None:
    assert named(sql) == expected


def test_what_is_known_of_a_mention() -> None:
    sql = "select * from s.`t` -- note\n tablesample (1 rows) as `x y`"
    place = sql.index("s.`t`")
    end_of_sample = sql.index(")") + 1
    assert mentions(sql) == (Mention(TableName("s", "t"), place, place + 5, "x y", end_of_sample, False),)


def test_mentions_of_one_table() -> None:
    assert len(mentions("select * from s.t, S.T, t, c.s.t, spark_catalog.s.t", TableName("s", "t"))) == 3
    assert len(mentions("select * from s.t, t", TableName("", "T"))) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "select * from identifier('t')",
        "select (select count(*) from IDENTIFIER /* of */ ('a' || 'b')) from t",
        "select * from t join identifier(:name) as x using (k)",
        "with a as (table identifier('t')) select * from a",
    ],
)
def test_a_table_that_nobody_knows_before_is_refused(sql: str) -> None:
    with pytest.raises(SqlError, match="named by identifier"):
        mentions(sql)


def test_other_names_may_be_identifiers() -> None:
    assert named("select identifier('a'), identifier from identifier, s.identifier as identifier") == [
        "identifier",
        "s.identifier",
    ]
