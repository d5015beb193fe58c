"""What stands in place of tables: golden pairs, the order of places, views, and random SQL from known pieces."""

from __future__ import annotations

import random

import pytest

from entrepot.sql import SqlError, TableName, inline_views, mark_mentions, mentions, substitute, view_text_told
from tests.sql.pairs import pairs

T, U = TableName("s", "t"), TableName("s", "u")


@pytest.mark.parametrize(("sql", "expected"), pairs("substitute.sql"))
def test_golden_pairs(sql: str, expected: str) -> None:
    assert substitute(sql, {T: "X", U: "Y"}) == expected


@pytest.mark.parametrize(("sql", "expected"), pairs("substitute.sql"))
def test_line_ends_of_windows(sql: str, expected: str) -> None:
    if "\\\n" not in sql:  # Spark continues a comment behind a backslash and a line feed alone
        replaced = substitute(sql.replace("\n", "\r\n"), {T: "X", U: "Y"})
        assert replaced == expected.replace("\n", "\r\n")


def test_names_that_begin_with_digits_or_have_to_be_quoted() -> None:
    tables = {TableName("s", "2024_orders"): "X", TableName("s", "order-line"): "Y", TableName("s", "left"): "Z"}
    found = substitute("select * from s.2024_orders, s.`order-line`, s.`left`", tables)
    assert found == "select * from X as 2024_orders, Y as `order-line`, Z as `left`"


@pytest.mark.parametrize("names", [["a", "b"], ["b", "a"]])
def test_a_replacement_that_names_another_table(names: list[str]) -> None:
    rows = "(select * from s.b version as of 7)"
    texts = {"a": rows, "b": "s.b version as of 7"}
    sql = "select * from s.a join s.b on s.a.k = s.b.k"
    found = substitute(sql, {TableName("s", name): [texts[name]] for name in names})
    assert found == f"select * from {rows} as a join s.b version as of 7 as b on a.k = b.k"


def test_each_mention_has_its_own() -> None:
    sql = "select * from s.a as one, s.a as two, s.a as three"
    assert substitute(sql, {TableName("s", "a"): ["x", "y"]}) == "select * from x as one, y as two, y as three"
    assert substitute(sql, {TableName("s", "a"): ["x", None]}) == "select * from x as one, s.a as two, s.a as three"
    assert substitute(sql, {TableName("s", "a"): []}) == sql


@pytest.mark.parametrize(
    "version", ["version as of 3", "for timestamp as of '2024-01-01'", "changes from version 1 to version 2"]
)
def test_a_version_of_its_own_is_refused(version: str) -> None:
    sql = f"select *\nfrom s.t {version}\nwhere true"
    assert [mention.is_versioned for mention in mentions(sql)] == [True]
    with pytest.raises(SqlError, match="version of its own") as error:
        substitute(sql, {T: "X"})
    assert (error.value.line, error.value.column) == (2, 9)
    assert substitute(sql, {U: "Y"}) == sql


def test_marks_are_numbered_by_table_and_then_by_place() -> None:
    assert mark_mentions("select * from s.t a, s.u, s.t", [U, T]) == (
        "select * from (select * from s.t as _occurrence_1) a, (select * from s.u as _occurrence_0) as u, "
        "(select * from s.t as _occurrence_2) as t"
    )


def test_views_in_views() -> None:
    views = {TableName("s", "v"): "select * from s.w join s.t", TableName("s", "w"): "select s.u.k from s.u"}
    assert inline_views("select * from s.v as one, s.w", views.get) == (
        "select * from (\nselect * from (\nselect s.u.k from s.u\n) as w join s.t\n) as one, (\nselect s.u.k from s.u\n) as w"
    )
    with pytest.raises(SqlError, match=r"View S\.T names itself"):
        inline_views("select * from s.t", {T: "select * from S.T"}.get)


def test_a_view_as_the_catalog_tells_it() -> None:
    assert view_text_told("\r\n-- a\n/* b /* c */ */\n\n select 1 /* d */ \n") == "select 1 /* d */"
    assert view_text_told(" -- nothing") == ""


SEED = 20_241
CODE = [
    "select a.k, 's.t' as x from {}",
    "select count(*) -- s.t\nfrom {} left join {} on a.k = b.k",
    "select * from (select `s.t`, s.t from {}) as q where exists (select 1 from {} where s.t = 1)",
    "with t as (select * from {}) select * from t, {} /* s.t */, {}",
    "select extract(day from s.t) from {} union all select * except (s) from {}",
    'from {} |> where x = "s.t" |> join {} using (k)',
]
NAMES = ["s.t", "`s`.t", "S . T", "spark_catalog.s.`t`", "s./* s.t */t"]
ALIASES = [" as x", " y", " /* s.t */ as `s.t`", " -- s.t\nas z", ""]


@pytest.mark.parametrize("part", range(6))
def test_random_sql_from_known_pieces(part: int) -> None:
    random_ = random.Random(SEED + part)
    print(f"seed {SEED + part}")
    for _ in range(60):
        frame = " union all ".join(random_.choice(CODE) for _ in range(random_.randint(1, 3)))
        frame = random_.choice(["{}", "select * from ({}) as w", "-- s.t 'it\n{}"]).replace("{}", frame)
        before, after = [], []
        for number in range(frame.count("{}")):
            alias = random_.choice(ALIASES)
            before.append(random_.choice(NAMES) + alias)
            after.append(f"<{number}>" + (alias or " as t"))
        sql = frame.format(*before)
        found = substitute(sql, {T: [f"<{number}>" for number in range(len(before))]})
        assert found == frame.format(*after), sql
        assert len(mentions(sql, T)) == len(before), sql
