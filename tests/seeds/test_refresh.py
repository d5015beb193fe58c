"""The steps of a seed's run, with a stand-in for Spark: which statements are sent, and what is noted down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from entrepot.jobs import Begun, Catalogued, Engine, Job, JobOptions, Node, Project, Run
from entrepot.seeds import Checksums, File, Refresh, Seed, Sheet, applied, column_of, ended, looked_up, planned, written
from entrepot.seeds.refresh import SeedError
from entrepot.stages.stage import RowCounts
from entrepot.tables.commit import Commit
from entrepot.tables.metadata import CommitMetadata
from entrepot.tables.table import Table

NODE = Node("seed.shop.part", "seed", "part", "raw", "part", "seed", is_delta=True)
FILE = File("seeds/part.csv", Path("/x/part.csv"), is_in_sight=True, noted="new")
WANTED = Checksums(layout="layout", docs="none")
COLUMNS = (
    column_of(0, "`id`", "bigint", is_declared=False),
    column_of(1, "`price`", "decimal(4, 2)", is_declared=True),
)
SHEET = Sheet(("id", "price"), COLUMNS, [(1, "1.50"), (None, None), (2, "cheap")])
SEED = Seed(NODE, FILE, WANTED, is_there=True, is_delta=True, full_refresh=False, begun=Begun(0.0, 0))
MERGED = {"numTargetRowsInserted": "2", "numTargetRowsDeleted": "1"}


@dataclass
class Spark:
    """Stands for Spark: a table with two columns and one commit, and the answer of the check."""

    stored: str | None = "old.layout.none"
    columns_stored: Mapping[str, str] = field(default_factory=lambda: {"id": "bigint", "price": "decimal(4,2)"})
    check: Mapping[str, object] = field(default_factory=lambda: {"rows_found": 2, "_0": None, "_1": None})
    sent: list[str] = field(default_factory=list)
    said: list[str | None] = field(default_factory=list)
    commits_made: list[Commit] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.stored is not None:
            text = CommitMetadata("raw.part", "before", {}, sql_hash=self.stored).render()
            self.commits_made.append(Commit(0, 100, "CREATE TABLE AS SELECT", user_metadata=text))

    def ask(self, sql: str) -> list[dict[str, Any]]:
        self.sent.append(" ".join(sql.split()[:2]))
        if sql.startswith("select"):
            return [dict(self.check)]
        if sql.startswith("describe query"):
            return [{"col_name": "id", "data_type": "bigint"}, {"col_name": "price", "data_type": "decimal(4,2)"}]
        if "merge into" in sql:
            self.commit("MERGE", MERGED)
        return []

    def commit(self, operation: str, metrics: Mapping[str, str]) -> None:
        self.commits_made.insert(0, Commit(len(self.commits_made), 200, operation, {}, metrics, self.said[-1]))

    def statements_sent(self) -> int:
        return len(self.sent)

    def columns(self, _relation: str) -> Mapping[str, str]:
        return self.columns_stored

    def say(self, text: str | None) -> None:
        self.said.append(text)

    def drop_rows(self, view: str) -> None:
        self.sent.append(f"(drops {view})")

    def catalogued(self, _relation: str) -> Catalogued | None:
        return Catalogued(is_delta=True)

    def table(self, relation: str) -> Table:
        return Table(tuple(relation.split(".")), None)

    def log_of(self, _table: Table) -> Any:
        return self

    def commits(self, _table: Table, limit: int) -> Sequence[Commit]:
        return tuple(self.commits_made[:limit])


def job_on(spark: Spark) -> Job:
    return Job("now", cast("Engine", spark), Project([NODE]), JobOptions())


def run(spark: Spark, seed: Seed = SEED, sheet: Sheet | None = SHEET) -> tuple[Refresh, Run, Job]:
    """All steps, with the table that dbt makes between them."""
    job = job_on(spark)
    refresh = planned(job, looked_up(job, seed, list), sheet)
    applied(job, refresh)
    if refresh.created_sql:
        spark.commit("CREATE TABLE AS SELECT", {"numOutputRows": "2"})
    what = written(job, refresh)
    return refresh, ended(job, refresh, what), job


def test_a_file_that_did_not_change_sends_nothing() -> None:
    spark = Spark("new.layout.none")
    refresh, done, job = run(spark, sheet=None)
    assert (spark.sent, spark.said, refresh.describes) == ([], [], False)
    assert (done.rule, done.reason, done.path, done.rows_read) == ("skip", "the file did not change", None, 0)
    assert job.runs == [done]


def test_descriptions_that_changed_are_said_to_leave_the_rows() -> None:
    spark = Spark("new.layout.other")
    refresh, done, _ = run(spark, sheet=None)
    assert refresh.describes and refresh.sql is None and spark.sent == []
    assert spark.said == [CommitMetadata("raw.part", "now", {}, {}, "new.layout.none", "same").render(), None]
    assert done.message == "unchanged"


def test_a_file_that_changed_is_one_merge() -> None:
    spark = Spark()
    refresh, done, job = run(spark)
    assert spark.sent == ["create or", "select count(*)", "describe query", "-- entrepot:", "(drops part__seed_file)"]
    assert spark.said == [CommitMetadata("raw.part", "now", {}, {}, "new.layout.none").render(), None]
    assert refresh.describes and not refresh.makes_room and refresh.created_sql is None
    assert (done.rule, done.reason, done.path, done.rows_read) == ("seed", "the file changed", "merge", None)
    assert (done.message, done.sql) == ("seed: +2 ~0 -1", None)
    assert job.relations.contents("raw.part").sql_hash == "new.layout.none"


def test_a_file_that_changed_without_its_rows_is_known_from_then_on() -> None:
    spark = Spark()
    spark.commit = lambda *_: None  # type: ignore[method-assign]
    _, done, job = run(spark)
    assert (done.rule, done.reason, done.path, done.rows_read) == (
        "skip", "the file changed, its rows did not", None, None,
    )  # fmt: skip
    found = job.relations.contents("raw.part")
    assert (found.version, found.sql_hash, found.reads) == (0, "new.layout.none", {}), "to be published"


@pytest.mark.parametrize(
    ("reason", "stored", "columns", "facts"),
    [
        ("first build", None, {}, {"is_there": False, "is_delta": False}),
        ("full refresh", "new.layout.none", {}, {"full_refresh": True}),
        ("not a Delta table", None, {}, {"is_delta": False}),
        ("not a Delta table", "old.layout.none", {}, {"node": replace(NODE, is_delta=False)}),
        ("written by somebody else", None, {}, {}),
        ("its configuration changed", "new.other.none", {}, {}),
        ("its columns changed", "old.layout.none", {"id": "bigint"}, {}),
        ("its columns changed", "old.layout.none", {"price": "decimal(4,2)", "id": "bigint"}, {}),
    ],
)
def test_why_a_table_is_made_new(
    reason: str, stored: str | None, columns: Mapping[str, str], facts: Mapping[str, Any]
) -> None:
    spark = Spark(stored, columns)
    if stored is None:
        spark.commits_made.append(Commit(0, 100, "WRITE"))
    refresh, done, _ = run(spark, replace(SEED, **facts))
    assert (done.rule, done.reason, done.path, done.rows_read) == ("create", reason, "create", None)
    assert refresh.created_sql and refresh.created_sql.startswith("select\n")
    assert "-- entrepot:" not in spark.sent
    assert refresh.makes_room == (reason == "not a Delta table")
    assert done.rows == RowCounts(2), "as the commit says, or for another format the file"
    assert ("describe query" in spark.sent) == (reason == "its columns changed")


def test_values_that_do_not_fit_are_named_with_their_lines() -> None:
    spark = Spark(check={"rows_found": 2, "_0": "1e99", "_1": "cheap"})
    with pytest.raises(SeedError) as raised:
        run(spark)
    assert raised.value.message == (
        "Seed part (seeds/part.csv), column `id`: '1e99' does not fit bigint; "
        "line 4, column `price`: 'cheap' does not fit decimal(4, 2). "
        "Correct the file, or give the column another type: config(column_types={…})."
    )
    assert spark.said == [], "nothing is written"


def test_values_of_a_file_that_unites_others_are_named_with_theirs() -> None:
    origins = (("seeds/a/part.csv", 7), ("seeds/a/part.csv", 8), ("seeds/b/part.csv", 2))
    with pytest.raises(SeedError, match=r"seeds/b/part\.csv line 2, column `price`: 'cheap' does not fit"):
        run(
            Spark(check={"rows_found": 2, "_0": None, "_1": "cheap"}),
            replace(SEED, file=replace(FILE, origins=origins)),
        )


def test_readers_that_find_other_rows_than_each_other() -> None:
    with pytest.raises(SeedError) as raised:
        run(Spark(check={"rows_found": 3, "_0": None, "_1": None}))
    assert raised.value.message == (
        "Seed part (seeds/part.csv): dbt finds 2 rows in the file and Spark 3. Quotes must be closed and doubled inside of a "
        "quoted value, and line ends must be all of one kind (RFC 4180)."
    )


def test_rows_out_of_sparks_sight_travel_inside_of_the_statement() -> None:
    spark = Spark()
    seen: list[str] = []
    ask = spark.ask
    spark.ask = lambda sql: (seen.append(sql), ask(sql))[1]  # type: ignore[method-assign]
    run(spark, replace(SEED, file=replace(FILE, is_in_sight=False)))
    assert "from_json" in seen[0] and "using csv" not in seen[0]
