"""Both readers of logs tell the same facts, whatever has happened to a table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from entrepot.spark.files import frame_of
from entrepot.tables.contents import contents_of
from entrepot.tables.feed import feed_of
from entrepot.tables.files import files_of
from entrepot.tables.log import TableLog
from entrepot.tables.log_files import LogFiles
from entrepot.tables.log_sql import LogSql
from entrepot.tables.metadata import metadata_of
from entrepot.tables.net_changes import Sources, changes_sql
from entrepot.tables.reader import read_reader
from entrepot.tables.table import Table
from tests.support.spark import Spark
from tests.support.stored import BY_SPARK, rows_of_table
from tests.tables.by_files import agree
from tests.tables.scenarios import SCENARIOS, Outside, Scenario

pytestmark = pytest.mark.slow
SCHEMA = "tables"
# parts of a history: each is a statement, so all are asked of the tables where they differ, and of a plain one
ASKED_OF = ("inserted", "times out of order", "log cleaned up")
PARTS: tuple[dict[str, int], ...] = (
    {"limit": 3},
    {"from_version": 1},
    {"limit": 1},
    {"limit": 1000},
    {"limit": 2, "from_version": 1},
)


@dataclass(frozen=True, slots=True)
class Logs:
    """The tables of all scenarios, and both readers of their logs.

    Attributes:
        spark: made them
        statements: what the reader by SQL has sent
        sql, files: the readers
        tables: by scenario
    """

    spark: Spark
    statements: list[str]
    sql: TableLog
    files: TableLog
    tables: Mapping[str, Table]

    def answers(self, sql: str) -> bool:
        """Whether Spark understands a query: of a version that is no longer there it does not."""
        try:
            self.spark.session.sql(sql)
        except Exception:
            return False
        return True

    def rows(self, table: Table, version: int) -> Counter[tuple[Any, ...]] | None:
        """How often each row is in a version of a table; None where the version can no longer be read, or is before the first."""
        query = f"select * from {table.quoted} version as of {version}"
        if not self.answers(query):
            return None
        stored = self.stored(table, version)
        return Counter(self.spark.rows(query) if stored is None else stored)

    def stored(self, table: Table, version: int) -> list[tuple[Any, ...]] | None:
        """The rows of a version as deltalake reads them; None where Spark has to."""
        return None if BY_SPARK else rows_of_table(*table.name, version)


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest, spark: Spark) -> Iterator[Logs]:
    """The scenarios, played; the long ones where a test asks for one."""
    with_long = any(item.path == request.path and item.get_closest_marker("long") for item in request.session.items)
    spark.sql(f"create schema if not exists {SCHEMA}")
    statements: list[str] = []

    def query(sql: str) -> list[dict[str, Any]]:
        statements.append(sql)
        return [row.asDict(recursive=True) for row in spark.sql(sql)]

    tables = {scenario.name: play(spark, scenario) for scenario in SCENARIOS if with_long or not scenario.long}
    yield Logs(spark, statements, LogSql(query), LogFiles(), tables)
    spark.sql(f"drop schema {SCHEMA} cascade")


def play(spark: Spark, scenario: Scenario) -> Table:
    """Do all that a scenario says."""
    folder = Path(os.environ["ENTREPOT_WAREHOUSE"], f"{SCHEMA}.db", scenario.table)
    name = f"{SCHEMA}.{scenario.table}"
    for step in scenario.steps:
        if isinstance(step, Outside):
            spark.change(step.statement.format(t=name))
        elif isinstance(step, str):
            spark.sql(step.format(t=name, first=f"{SCHEMA}.inserted"))
        else:
            step(folder)
            spark.forget_logs(folder)
    lines = spark.sql(f"describe table extended {name}")
    return Table((SCHEMA, scenario.table), next(row.data_type for row in lines if row.col_name == "Location"))


@pytest.mark.parametrize(
    "name", [pytest.param(of.name, marks=[pytest.mark.long] if of.long else []) for of in SCENARIOS]
)
class TestBothReadersTellTheSame:
    def test_commits(self, logs: Logs, name: str) -> None:
        table = logs.tables[name]
        commits = logs.files.commits(table)
        assert commits == logs.sql.commits(table)
        every = [*PARTS, {"from_version": commits[0].version + 1}]
        for part in every if name in ASKED_OF else every[:2]:
            assert logs.files.commits(table, **part) == logs.sql.commits(table, **part), part

    def test_properties(self, logs: Logs, name: str) -> None:
        assert logs.files.properties(logs.tables[name]) == logs.sql.properties(logs.tables[name])

    def test_columns(self, logs: Logs, name: str) -> None:
        table = logs.tables[name]
        versions = [
            commit.version
            for commit in logs.files.commits(table)
            if logs.answers(f"describe query select * from {table.quoted} version as of {commit.version}")
        ]
        assert versions
        for version in versions:
            assert logs.files.columns_at(table, version) == logs.sql.columns_at(table, version), version

    def test_what_follows_from_them(self, logs: Logs, name: str) -> None:
        table = logs.tables[name]
        found = [contents_of(table.relation, log.commits(table, limit=50)) for log in (logs.files, logs.sql)]
        assert found[0] == found[1]
        head = found[0].version or 0
        now = (found[0].committed_at or 0) + 1
        readers = [read_reader(log, table, name, max(head - 2, 0), head, head, now) for log in (logs.files, logs.sql)]
        assert readers[0] == readers[1]

    def test_what_has_changed(self, logs: Logs, name: str) -> None:
        """Between any version that can be read and the newest one: the rows that one has more often than the other.

        The change feed is read by Delta, and by its files where they tell it.
        """
        table = logs.tables[name]
        commits = logs.files.commits(table)
        head, now = commits[0].version, commits[0].at + 1
        readable = {at: rows for at in {1, head // 2, head - 1} if (rows := logs.rows(table, at)) is not None}
        newest = logs.rows(table, head)
        assert newest is not None
        for version in set(readable) - {head}:
            reader = read_reader(logs.files, table, name, version, head, head, now)
            if reader.kind == "none":
                assert logs.files.columns_at(table, version) != logs.files.columns_at(table, head), reader.why
                continue
            come, gone = newest - readable[version], readable[version] - newest
            signed = {(*row, 1): n for row, n in come.items()} | {(*row, -1): n for row, n in gone.items()}
            sources = [Sources.of_delta(table.quoted, version, head)]
            if reader.kind == "feed" and (feed := feed_of(table, version, head)) is not None:
                frame_of(logs.spark.session, feed).createOrReplaceTempView("feed_by_files")
                sources.append(replace(sources[0], feed="feed_by_files", beside="_change_type"))
            for one in sources:
                assert Counter(logs.spark.rows(f"select * from ({changes_sql(reader, one)})")) == Counter(signed), one

    def test_what_its_files_contain(self, logs: Logs, name: str) -> None:
        """Whatever is read by its files has the rows and columns that Delta tells."""
        table = logs.tables[name]
        head = logs.files.commits(table, limit=1)[0].version
        for version in {1, head // 2, head}:
            files = files_of(table, version)
            if files is not None:
                agree(logs.spark, table, version, files, logs.stored(table, version))

    def test_how_large_it_is(self, logs: Logs, name: str) -> None:
        table = logs.tables[name]
        head = logs.files.commits(table, limit=1)[0].version
        newest = logs.rows(table, head)
        assert newest is not None and logs.files.noted_rows(table, head) in (None, newest.total())
        noted = logs.files.noted_bytes(table)
        assert noted in (None, logs.spark.sql(f"describe detail {table.quoted}")[0].sizeInBytes)


def test_the_newest_versions_of_all_tables_at_once(logs: Logs) -> None:
    first = next(iter(logs.tables.values()))
    tables = [*logs.tables.values(), Table(("a", "b")), Table(("a", "c"), f"{first.location}_that_is_not_there")]
    logs.statements.clear()
    found = logs.sql.newest(tables)
    assert len(logs.statements) == 2
    assert logs.files.newest(tables) == found
    assert set(found) == set(logs.tables.values())
    for table, head in found.items():
        newest = logs.files.commits(table, limit=1)[0]
        assert (head.version, head.committed_at) == (newest.version, newest.at)


def test_statements(logs: Logs) -> None:
    """As many as the macros took: one for commits, one for properties, one for columns."""
    table = logs.tables["altered"]
    logs.statements.clear()
    logs.sql.commits(table, limit=5)
    logs.sql.properties(table)
    logs.sql.columns_at(table, 1)
    assert [sql.split()[0] for sql in logs.statements] == ["describe", "show", "describe"]


def test_types_that_spark_cuts_off(logs: Logs) -> None:
    """`describe query` leaves out fields of a struct beyond the twenty-fifth; two columns that differ there are not the same."""
    column = logs.sql.columns_at(logs.tables["types"], 1)[0]
    assert column.type.startswith("struct<f0:int,f1:int") and column.type.endswith(",f29:int>")


def test_what_deltalake_cannot_tell(logs: Logs) -> None:
    """Why commits are read from their files (docs/decisions/0016-delta-logs-without-spark.md): if this fails, ask again."""
    for table in logs.tables.values():
        assert DeltaTable(table.folder or "").version() == logs.files.newest([table])[table].version
    with pytest.raises(DeltaError, match="integer `-1`, expected u64"):
        DeltaTable(logs.tables["copied"].folder or "").history()
    other = logs.tables["times out of order"]
    history = DeltaTable(other.folder or "").history()
    assert [commit["timestamp"] for commit in history] != [commit.at for commit in logs.files.commits(other)]


def test_our_metadata(logs: Logs) -> None:
    table = logs.tables["metadata"]
    ours = [metadata_of(commit, table.relation) for commit in logs.files.commits(table)]
    assert [metadata and metadata.job for metadata in ours] == [None, "a", None, None, None, None]


def test_a_changed_type_does_not_show_in_the_commit(logs: Logs) -> None:
    """Delta 4.4 writes a CHANGE COLUMN that widens a type as it writes one that sets a comment: it counts as keeping rows.

    So a model of a table in which nothing but a type was widened is not maintained before the table's rows change too.
    """
    widened = next(commit for commit in logs.files.commits(logs.tables["altered"]) if commit.version == 11)
    assert (widened.operation, set(widened.parameters), widened.keeps_rows) == ("CHANGE COLUMN", {"column"}, True)
