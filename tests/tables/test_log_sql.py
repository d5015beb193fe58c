"""Reading logs by SQL: which statements are sent, and what is made of their rows. No Spark."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import pytest

from entrepot.tables.columns import Column
from entrepot.tables.commit import Commit
from entrepot.tables.log import Head
from entrepot.tables.log_sql import LogSql, commit_of_row, listing_sql, milliseconds, times_sql
from entrepot.tables.properties import TableProperties
from entrepot.tables.table import Table

TABLE = Table(("history", "a"), "file:/w/history.db/a")


class Answers:
    """Answers statements from a list, and keeps them."""

    def __init__(self, *answers: Sequence[dict[str, Any]]) -> None:
        self.answers, self.statements = list(answers), list[str]()

    def __call__(self, sql: str) -> Sequence[dict[str, Any]]:
        self.statements.append(sql)
        return self.answers.pop(0)


def row(version: int, **facts: Any) -> dict[str, Any]:
    empty = {"operation": "WRITE", "operationParameters": None, "operationMetrics": None, "userMetadata": None}
    return {"version": version, "timestamp": "1970-01-01 00:00:01", **empty, **facts}


def history(newest: int, limit: int) -> list[dict[str, Any]]:
    return [row(version) for version in range(newest, max(newest - limit, -1), -1)]


def test_commits() -> None:
    query = Answers(history(9, 3))
    assert [commit.version for commit in LogSql(query).commits(TABLE, limit=3)] == [9, 8, 7]
    assert query.statements == ["describe history `history`.`a` limit 3"]


def test_all_commits() -> None:
    query = Answers(history(9, 10))
    assert len(LogSql(query).commits(TABLE)) == 10
    assert query.statements == ["describe history `history`.`a`"]


def test_commits_from_a_version_on() -> None:
    query = Answers(history(90, 1), history(90, 2))
    assert [commit.version for commit in LogSql(query).commits(TABLE, from_version=89)] == [90, 89]
    assert [sql.split()[-1] for sql in query.statements] == ["1", "2"]
    query = Answers(history(90, 1), history(91, 2))
    assert [commit.version for commit in LogSql(query).commits(TABLE, from_version=89)] == [91, 90], "written meanwhile"
    query = Answers(history(90, 1), history(90, 1))
    assert LogSql(query).commits(TABLE, from_version=95) == ()
    query = Answers(history(90, 5))
    assert [commit.version for commit in LogSql(query).commits(TABLE, limit=5, from_version=89)] == [90, 89]


@pytest.mark.parametrize("parameters", [{"mode": "Append", "x": None}, '{"mode": "Append"}', [("mode", "Append")]])
def test_maps_as_connections_return_them(parameters: object) -> None:
    assert commit_of_row(row(3, operationParameters=parameters)) == Commit(3, 1000, "WRITE", {"mode": "Append"})


def test_a_commit_that_says_nothing() -> None:
    assert commit_of_row(row(3, operation=None)) == Commit(3, 1000)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-01 00:00:01", 1000),
        ("1970-01-01 00:00:01.5", 1500),
        ("1970-01-01 00:00:01.0789", 1078),
        (datetime(1970, 1, 1, 0, 0, 1, 999000, tzinfo=timezone.utc), 1999),
        (datetime.fromtimestamp(5.25), 5250),
    ],
)
def test_times(value: datetime | str, expected: int) -> None:
    assert milliseconds(value) == expected


def test_properties() -> None:
    query = Answers(
        [{"key": "delta.enableChangeDataFeed", "value": "true"}, {"key": "delta.minReaderVersion", "value": "1"}]
    )
    assert LogSql(query).properties(TABLE) == TableProperties({"delta.enableChangeDataFeed": "true"})
    assert query.statements == ["show tblproperties `history`.`a`"]


def test_columns() -> None:
    query = Answers([{"col_name": "id", "data_type": "int", "comment": None}])
    assert LogSql(query).columns_at(TABLE, 3) == (Column("id", "int"),)
    assert query.statements == ["describe query\nselect * from `history`.`a` version as of 3"]


def test_types_that_are_cut_off() -> None:
    cut = [{"col_name": "a`b", "data_type": "struct<a:int,... 5 more fields>"}, {"col_name": "c", "data_type": "int"}]
    query = Answers(cut, [{"type_0": "struct<a:int,b:int>", "type_1": "int"}])
    assert LogSql(query).columns_at(TABLE, 3) == (Column("a`b", "struct<a:int,b:int>"), Column("c", "int"))
    assert query.statements[1] == (
        "select typeof(`a``b`) as type_0, typeof(`c`) as type_1 from (select 1 as _one) left join (\n"
        "select * from `history`.`a` version as of 3\n) on false"
    )


def test_the_newest_versions() -> None:
    other, unknown = Table(("raw", "b"), "file:/w/raw.db/b/"), Table(("raw", "c"))
    listed = [
        {
            "location": "file:/w/history.db/a",
            "version": 3,
            "committed_at": 30,
            "path": "file:/w/history.db/a/_delta_log/3.json",
        },
        {
            "location": "file:/w/raw.db/b",
            "version": 4,
            "committed_at": 40,
            "path": "file:/w/raw.db/b/_delta_log/4.json",
        },
        {"location": "file:/w/raw.db/z", "version": 5, "committed_at": 50, "path": "z"},
    ]
    timed = [{"path": listed[1]["path"], "value": '{"commitInfo":{"inCommitTimestamp":41,"timestamp":1}}'}]
    query = Answers(listed, timed)
    assert LogSql(query).newest([TABLE, other, unknown]) == {TABLE: Head(3, 30), other: Head(4, 41)}
    assert len(query.statements) == 2


def test_no_tables_no_statement() -> None:
    query = Answers([])
    assert LogSql(query).newest([Table(("a", "b"))]) == {} == LogSql(Answers()).newest([])
    assert query.statements == []
    query = Answers([])
    assert LogSql(query).newest([TABLE]) == {}
    assert len(query.statements) == 1


def test_tables_of_one_folder_are_listed_together() -> None:
    sql = listing_sql(["s3://b/w/x", "s3://b/w/y", "s3://b/v/z"])
    assert (
        "binaryFile.`s3://b/w/{x,y}/_delta_log/*.json`" in sql and "binaryFile.`s3://b/v/{z}/_delta_log/*.json`" in sql
    )


def test_commits_are_looked_into_together() -> None:
    sql = times_sql(["s3://b/w/x/_delta_log/3.json", "s3://b/w/y/_delta_log/4.json", "s3://b/v/z/_delta_log/5.json"])
    assert "binaryFile.`s3://b/w/{x/_delta_log/3.json,y/_delta_log/4.json}`" in sql
    assert "binaryFile.`s3://b/v/{z/_delta_log/5.json}`" in sql
