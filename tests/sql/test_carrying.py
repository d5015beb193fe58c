"""Which SELECTs can give a column of a joined table besides their own, by their text."""

from __future__ import annotations

import pytest

from entrepot.sql import TableName, carrying, mentions

TABLE = TableName("s", "a")


def carried(sql: str) -> str | None:
    return carrying(sql, "_delta", "_sign", mentions(sql, TABLE)[0].start)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select x from s.a", "select _delta as _sign, x from s.a"),
        ("-- why\nselect\n  x -- it\nfrom s.a", "-- why\nselect\n  _delta as _sign, x -- it\nfrom s.a"),
        ("select /*+ broadcast(a) */ x from s.b join s.a", "select /*+ broadcast(a) */ _delta as _sign, x from s.b join s.a"),
        ("SELECT 2 * x, count * y FROM s.a", "SELECT _delta as _sign, 2 * x, count * y FROM s.a"),
        ("select '*', `union`, (select max(y) from s.b) as y from s.b, s.a where x in (1, 2)",
         "select _delta as _sign, '*', `union`, (select max(y) from s.b) as y from s.b, s.a where x in (1, 2)"),
        ("select a is distinct from b as c from s.a", "select _delta as _sign, a is distinct from b as c from s.a"),
        ("select * from s.a", "select _delta as _sign, * except (_delta) from s.a"),
        ("select\n*\nfrom s.b join s.a", "select\n_delta as _sign, * except (_delta)\nfrom s.b join s.a"),
        ("select (a), a.b.c from s.a where exists (select * from s.b)",
         "select _delta as _sign, (a), a.b.c from s.a where exists (select * from s.b)"),
        ("with b as (select 1) select x from s.a", "with b as (select 1) select _delta as _sign, x from s.a"),
        ("with a as (select * from s.a), b as (select * from s.b), final as (select a.x, b.y from a join b) select * from final",
         "with a as (select * from s.a), b as (select * from s.b), final as (select _delta, a.x, b.y from a join b) "
         "select _delta as _sign, * except (_delta) from final"),
        ("select x from s.a join (select y from s.b) as b on (x = y)", "select _delta as _sign, x from s.a join (select y from s.b) as b on (x = y)"),
        ("select x from s.b inner join s.a as t using (k)", "select _delta as _sign, x from s.b inner join s.a as t using (k)"),
        ("WITH `A` AS (SELECT f(x) AS x FROM s.a) SELECT A.x FROM A WHERE A.x > 1",
         "WITH `A` AS (SELECT _delta, f(x) AS x FROM s.a) SELECT _delta as _sign, A.x FROM A WHERE A.x > 1"),
    ],
)  # fmt: skip
def test_a_plain_select(sql: str, expected: str) -> None:
    assert carried(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "select x, a.* from s.a",
        "select *, 1 as y from s.a",
        "select * except (x) from s.a",
        "select all x from s.a",
        "select x from s.a as t (x, y)",
        "select x from s.a t(x, y) join s.b",
        "with a as (select x from s.a) select y from a as t(y)",
        "select distinct x from s.a",
        "select transform(x) using 'cat' as y from s.a",
        "from s.a select x",
        "from s.a |> select x",
        "select x from s.a |> where x > 1",
        "with a as (select x from s.a) select 1",
        "with a as (select x from s.a) select p.x from a as p join a as q",
        "with a as (select x from s.a) select a from a",
        "with a as (select x from s.a) select x from b order by x, a",
        "with a as (select x from s.a) select b, a from b",
        "with a (x) as (select y from s.a) select x from a",
        "with a as (select x from s.a join a) select x from b",
        "with a as (select x from s.a) select x from (select x from a)",
        "with a as (with b as (select x from s.a) select x from b) select x from a",
        "with a as (select distinct x from s.a) select x from a",
        "with recursive a as (select x from s.a) select x from a",
        "select x from (select x from s.a) as a",
        "select x from (s.a join s.b)",
        "select x from s.b left semi join s.a on x = y",
        "select x from s.b where x in (select y from s.a)",
        "select x from s.a union all select y from s.b",
        "(select x from s.a)",
        "table s.a",
    ],
)
def test_what_is_left_as_it_is(sql: str) -> None:
    assert carried(sql) is None
