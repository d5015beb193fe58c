"""Statements that write a plan, in DuckDB where it can run them, else as text."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest
import sqlglot

from entrepot.stages.write import (
    Target,
    changes_written_sql,
    difference_sql,
    insert_sql,
    merge_sql,
    net_by_key_sql,
    source_sql,
)

TARGET = Target("t", ("k",), (("k", "int"), ("v", "string")))
STORED = "select * from values (1, 'a'), (2, 'b'), (3, 'c'), (null, 'n') as t(k, v)"
UPSERT = "select * from values (1, 'a'), (2, 'B'), (4, 'd'), (null, 'N') as t(k, v)"
GONE = "select k from values (2), (3), (3), (5) as t(k)"


def rows(sql: str) -> list[tuple[object, ...]]:
    text = sqlglot.transpile(sql, read="spark", write="duckdb")[0]
    return sorted(duckdb.connect(":memory:").execute(text).fetchall(), key=repr)


@pytest.mark.parametrize(
    ("upsert", "gone", "expected"),
    [
        (UPSERT, None, [(True, 1, "a"), (True, 2, "B"), (True, 4, "d"), (True, None, "N")]),
        (UPSERT, GONE, [(None, 3, None), (None, 5, None), (True, 1, "a"), (True, 2, "B"), (True, 4, "d"), (True, None, "N")]),
        (None, GONE, [(None, 2), (None, 3), (None, 5)]),
    ],
)  # fmt: skip
def test_a_source_has_each_key_once(upsert: str | None, gone: str | None, expected: list[tuple[object, ...]]) -> None:
    assert rows(source_sql(upsert, gone, TARGET.keys)) == expected


def test_what_differs_is_what_is_to_be_written() -> None:
    source = f"({source_sql(UPSERT, GONE, TARGET.keys)})"
    assert rows(difference_sql(TARGET, source, f"({STORED}) as _stored", True)) == [
        (None, 3, None, True),
        (True, 2, "B", True),
        (True, 4, "d", False),
        (True, None, "N", True),
    ]
    source = f"({source_sql(None, GONE, TARGET.keys)})"
    assert rows(difference_sql(TARGET, source, f"({STORED}) as _stored", False)) == [(None, 2, True), (None, 3, True)]


def test_net_changes_are_one_row_for_each_key() -> None:
    net = (
        "select * from values (1, 'a', 1), (2, 'b', -1), (2, 'B', 1), (3, 'c', -1), (null, 'n', -1) as t(k, v, _delta)"
    )
    assert rows(net_by_key_sql(net, TARGET.keys)) == [
        (1, "a", True, False),
        (2, "B", True, True),
        (3, "c", None, True),
        (None, "n", None, True),
    ]


def test_a_merge_writes_only_what_differs() -> None:
    target = Target("s.t", ("k",), (("k", "int"), ("`odd name`", "map<int,int>")))
    assert merge_sql(target, "select 1", True) == (
        "merge into s.t as _stored\nusing (\nselect 1\n) as _new\non _stored.k <=> _new.k\n"
        "when matched and _new._upsert is null then delete\n"
        "when matched and not (_stored.k <=> _new.k and false) then update set k = _new.k, `odd name` = _new.`odd name`\n"
        "when not matched and _new._upsert then insert (k, `odd name`) values (_new.k, _new.`odd name`)"
    )
    assert merge_sql(target, "select 1", False).endswith("then delete")
    assert insert_sql("s.t", "select 1") == "insert into s.t by name\nselect 1"


@pytest.mark.parametrize(("upsert", "gone"), [(UPSERT, GONE), (UPSERT, None), (None, GONE)])
def test_changes_that_are_handed_over_lead_from_the_old_rows_to_the_new_ones(
    upsert: str | None, gone: str | None
) -> None:
    source = f"({source_sql(upsert, gone, TARGET.keys)})"
    difference = difference_sql(TARGET, source, f"({STORED}) as _stored", bool(upsert), with_old=True)
    connection = duckdb.connect(":memory:")
    for name, sql in (
        ("difference", difference), ("stored", STORED), ("upsert", upsert or f"{STORED} limit 0"), ("gone", gone or "select 1 as k limit 0"),
    ):  # fmt: skip
        connection.execute(f"create table {name} as {sqlglot.transpile(sql, read='spark', write='duckdb')[0]}")
    changes = changes_written_sql(TARGET, "difference", bool(upsert)).replace("string", "varchar")
    signs = Counter[tuple[object, ...]]()
    for *row, sign in connection.execute(changes).fetchall():
        signs[tuple(row)] += sign
    expected = Counter(connection.execute("select * from upsert").fetchall())
    expected.update(
        connection.execute(
            "select * from stored where not exists (select 1 from upsert where upsert.k is not distinct from stored.k) "
            "and not exists (select 1 from gone where gone.k is not distinct from stored.k)"
        ).fetchall()
    )
    expected.subtract(connection.execute("select * from stored").fetchall())
    assert {row: sign for row, sign in signs.items() if sign} == {row: sign for row, sign in expected.items() if sign}
