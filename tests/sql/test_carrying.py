"""Which SELECTs can give a column of a joined table besides their own, by their text."""

from __future__ import annotations

import pytest

from entrepot.sql import TableName, carrying, mentions

TABLE = TableName("s", "a")


def carried(sql: str) -> str | None:
    return carrying(sql, "_delta as _sign", mentions(sql, TABLE)[0].start)


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
    ],
)  # fmt: skip
def test_a_plain_select(sql: str, expected: str) -> None:
    assert carried(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        "select * from s.a",
        "select x, a.* from s.a",
        "select all x from s.a",
        "select distinct x from s.a",
        "select transform(x) using 'cat' as y from s.a",
        "from s.a select x",
        "from s.a |> select x",
        "select x from s.a |> where x > 1",
        "with a as (select x from s.a) select x from a",
        "with b as (select 1) select x from s.a",
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
