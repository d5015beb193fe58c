"""What maintenance would do with tables of files, and what it would leave for whom; no Spark."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from arro3.core import Array, DataType
from arro3.core import Table as Arrow
from click.testing import CliRunner
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, write_deltalake

from entrepot.cli import main
from entrepot.errors import NotInSnapshotError
from entrepot.ledger import JobEvent, PublishedRelation, TableHealth
from entrepot.ledger.lock import Holder, LockError, this_process
from entrepot.outbox.folder import POSITION, Position
from entrepot.outbox.known import note_outbox
from entrepot.snapshots import published_snapshots, refuse_unreadable
from entrepot.tables.health import checkpoints, health_of, oldest_readable, unneeded_files
from entrepot.tables.log_files import LogFiles
from entrepot.tables.metadata import CommitMetadata
from entrepot.tables.table import Table
from entrepot.target import Place
from entrepot.upkeep import plan, stored_tables
from tests.support.books import Shop

DAY = 86_400
NOW = datetime.now(timezone.utc)


def rows(*numbers: int) -> Arrow:
    return Arrow.from_pydict({"id": Array(numbers, type=DataType.int64())})


class Lake(Shop):
    """A project with books and tables, whose commits are as old as the test says."""

    def folder(self, relation: str) -> Path:
        schema, name = relation.split(".")
        return self.path / "warehouse" / f"{schema}.db" / name

    def write(self, relation: str, *ages: float, mode: str = "overwrite", reads: dict[str, int] | None = None) -> Lake:
        """Let a table be written, so many days ago; each commit replaces its rows."""
        folder = self.folder(relation)
        for age in ages:
            text = CommitMetadata(relation, "j", reads).render()
            version = DeltaTable(str(folder)).version() + 1 if (folder / "_delta_log").exists() else 0
            properties = CommitProperties(custom_metadata={"userMetadata": text})
            hooks = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
            write_deltalake(  # type: ignore[call-overload]
                str(folder), rows(version), mode=mode, commit_properties=properties, post_commithook_properties=hooks
            )
            self.age(folder, version, time.time() - age * DAY)
        return self

    def age(self, folder: Path, version: int, at: float) -> None:
        log = folder / "_delta_log" / f"{version:020}.json"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        for line in lines:
            if "remove" in line:
                line["remove"]["deletionTimestamp"] = int(at * 1000)
            if "add" in line:
                line["add"]["modificationTime"] = int(at * 1000)
                os.utime(folder / line["add"]["path"], (at, at))
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(log, (at, at))

    def publish(self, number: int, age: float, **versions: int | tuple[int, dict[str, int]]) -> Lake:
        """Let a job have published tables of schema marts at versions, so many days ago, with what they have read."""
        published = []
        for name, told in versions.items():
            version, reads = told if isinstance(told, tuple) else (told, {})
            relation = f"marts.{name}"
            log = self.folder(relation) / "_delta_log" / f"{version:020}.json"
            at = datetime.fromtimestamp(log.stat().st_mtime, timezone.utc)
            published.append(
                PublishedRelation(
                    "j", number, relation, version, location=str(self.folder(relation)), committed_at=at,
                    reads=json.dumps(reads), published_at=NOW - timedelta(days=age),
                )
            )  # fmt: skip
        self.job(number, *published)
        return self

    def plan(self, *options: str) -> str:
        return self.says("maintain", *options)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def test_files_go_when_the_retention_has_passed_since_they_were_dropped(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 9, 8, 2).publish(1, 2, a=4)
    said = lake.plan()
    # Delta's own retention is a week: versions 0 to 2 were dropped 40, 9 and 8 days ago, version 3 two days ago
    assert "marts.a │ vacuum │ no version of the last 7 days has them │ removes 3" in said
    assert "Nothing was done: say --apply." in said and "Kept" not in said
    assert "removes 1 " in lake.plan("--retain", "20d") and "removes 4 " in lake.plan("--retain", "1h")
    assert len(list(lake.folder("marts.a").glob("*.parquet"))) == 5, "nothing was removed"


def test_a_table_is_there_once_and_tables_of_other_programs_are_let_alone(lake: Lake) -> None:
    lake.write("marts.order", 50, 40).write("raw.line", 50, 40)
    rows = [
        PublishedRelation("j", 1, name, 1, location=str(lake.folder(name.lower())), node=node, published_at=NOW)
        for name, node in (("marts.Order", "model.shop.Order"), ("raw.line", "source.shop.raw.line"))
    ]
    lake.job(1, *rows)
    place = Place("default", lake.path / "warehouse")
    assert [one.relation for one in stored_tables(place, lake.ledger.published_tables())] == ["marts.Order"]


def test_snapshots_keep_their_versions_until_the_retention_has_passed_since_the_next_one(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 9, 8, 2).publish(1, 39, a=1).publish(2, 6, a=3).publish(3, 2, a=4)
    said = lake.plan()
    assert "removes 1 " in said, "queries have read version 1 until six days ago"
    assert "Kept of marts.a: 2 files (" in said and ") of version 1 and later, for the snapshot of job 1." in said
    assert "removes 3 " in lake.plan("--retain", "3d"), "nor was version 3 to be read after two days ago"


def test_a_published_snapshot_that_is_the_newest_keeps_its_versions_whatever_theirage(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 9, 2).publish(1, 45, a=0)
    assert "vacuum" not in (said := lake.plan("--retain", "1h"))
    assert "Kept of marts.a: 3 files" in said and "of version 0 and later, for the snapshot of job 1." in said


def test_who_has_not_read_everything_keeps_what_it_has_not(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 6, 5, 4, 2).write("marts.b", 5.5).publish(1, 0, a=5, b=(0, {"marts.a": 2}))
    said = lake.plan("--retain", "1d")
    assert "removes 2 " in said
    assert "Kept of marts.a: 3 files" in said and "for marts.b, which has read it up to version 2." in said
    lake.write("marts.b", 1, reads={"marts.a": 4})
    assert "for marts.b, which has read it up to version 4." in lake.plan("--retain", "1d"), "as its commit says now"
    lake.publish(2, 0, b=(1, {"marts.a": 5}))
    assert "Kept of marts.a" not in lake.plan("--retain", "1d")


def test_a_reader_that_has_fallen_back_too_far_computes_in_full_anyway(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 9, 2).write("marts.b", 45).publish(1, 0, a=3, b=(0, {"marts.a": 0}))
    assert "removes 3 " in (said := lake.plan("--retain", "1d")) and "Kept" not in said


def test_messages_that_have_not_been_written_keep_their_rows(lake: Lake, tmp_path: Path) -> None:
    lake.write("marts.a", 50, 40, 6, 2).publish(1, 0, a=3)
    out = tmp_path / "out" / "marts.a"
    note_outbox(Place("default", tmp_path / "warehouse"), out)
    assert "Kept" not in lake.plan("--retain", "1d"), "nothing has been written there yet"
    out.mkdir(parents=True)
    at = round((lake.folder("marts.a") / "_delta_log" / f"{1:020}.json").stat().st_mtime * 1000)
    (out / POSITION).write_text(json.dumps(asdict(Position("marts.a", 1, at, 1))))
    assert f"for messages in {out}, which has read it up to version 1." in lake.plan("--retain", "1d")


def test_small_files_are_written_together(lake: Lake) -> None:
    lake.write("marts.a", *[1] * 10, mode="append").publish(1, 1, a=9)
    assert "compact" not in lake.plan()
    lake.write("marts.a", 1, mode="append").publish(2, 1, a=10)
    assert "marts.a │ compact │ 11 files are smaller than 16 MiB │ rewrites 11" in lake.plan("--cluster")
    assert "Nothing to remove" not in lake.plan() and "No table" not in lake.plan("--select", "marts.*")
    place = ["--project-dir", str(lake.path), "--profiles-dir", str(lake.path)]
    result = CliRunner().invoke(main, [*place, "maintain", "--select", "mart.a"])
    assert result.exit_code == 2 and "No table is called 'mart.a'. Of this target there are: marts.a." in result.output
    result = CliRunner().invoke(main, [*place, "maintain", "--retain", "10m"])
    assert result.exit_code == 2 and "queries that are running need 1h at least" in result.output


def test_files_that_no_commit_names_go_and_hidden_ones_stay(lake: Lake) -> None:
    lake.write("marts.a", 50, 2).publish(1, 1, a=1)
    folder = lake.folder("marts.a")
    for name in ("left.parquet", "_change_data/old.parquet", "_hidden/x.parquet", ".crc", "young.parquet"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
        if name != "young.parquet":
            os.utime(folder / name, (time.time() - 20 * DAY,) * 2)
    found = unneeded_files(str(folder), round((time.time() - 7 * DAY) * 1000))
    assert sorted(found) == ["_change_data/old.parquet", "left.parquet"]


def test_a_version_without_its_files_is_refused(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 2).publish(1, 45, a=0).publish(2, 1, a=2)
    newest, oldest = published_snapshots(lake.ledger)
    for name in unneeded_files(str(lake.folder("marts.a")), round(time.time() * 1000)):
        (lake.folder("marts.a") / name).unlink()
    refuse_unreadable(newest.relations["marts.a"])
    with pytest.raises(NotInSnapshotError, match=r"marts.a version 0 cannot be read any more.*Ask a newer snapshot"):
        refuse_unreadable(oldest.relations["marts.a"])


def test_a_table_of_its_own_is_not_one_that_was_made_anew(lake: Lake) -> None:
    lake.write("marts.a", 50, 40, 2).publish(1, 45, a=1)
    lake.ledger.write(
        [
            PublishedRelation(
                "j",
                2,
                "marts.a",
                0,
                location=str(lake.folder("marts.a")),
                committed_at=NOW - timedelta(days=80),
                published_at=NOW,
            )
        ]
    )
    assert "Kept" in lake.plan("--retain", "1d"), "job 2 has published another table"


def test_health_is_as_the_log_and_the_files_tell(lake: Lake) -> None:
    lake.write("marts.a", 9, 8, 7, mode="append").write("marts.a", 3)
    table = Table(("marts", "a"), str(lake.folder("marts.a")))
    health = health_of(table, LogFiles().commits(table))
    assert health is not None
    size = sum(
        one.stat().st_size
        for one in sorted(lake.folder("marts.a").glob("*.parquet"), key=lambda one: one.stat().st_mtime)[-1:]
    )
    assert (health.version, health.oldest_version, health.files, health.bytes, health.row_count) == (3, 0, 1, size, 1)
    assert (health.small.files, health.mergeable, health.compacted_at) == (1, 0, None)


def test_a_maintenance_writes_down_how_tables_lie_and_locks_jobs_out(lake: Lake) -> None:
    lake.write("marts.a", 3, 2).publish(1, 2, a=1)
    ended = lake.says("maintain", "--apply").split(". ")
    assert ended[0].startswith("Nothing to remove"), "and Spark was not started for it"
    (found,) = lake.store.read(TableHealth)
    assert (found.number, found.relation, found.version, found.oldest_version, found.files) == (2, "marts.a", 1, 0, 1)
    # as a maintenance of a living process holds it, an embedded metastore or not
    lock = lake.ledger.begin(Holder("m", "maintain", 10, is_alone=False, process=this_process()))
    for is_alone in (True, False):
        with pytest.raises(LockError, match="is running on this warehouse"):
            lake.ledger.begin(Holder("d", "build", 10, is_alone, this_process()))
    lock.release("failed", None)
    host, pid, _ = this_process().split(":")
    lake.ledger.begin(Holder("m", "maintain", 10, is_alone=False, process=f"{host}:{pid}:1"))
    assert lake.ledger.begin(Holder("d", "build", 10, False, this_process())).killed == 4, "that process is no more"


def test_why_it_failed_is_kept_and_said(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.write("marts.a", 50, 40, 9, 8, 2).publish(1, 2, a=4)
    told: list[str] = []
    monkeypatch.setattr(type(lake.ledger), "tell", lambda _self, progress: told.append(str(progress)))
    monkeypatch.setenv("JAVA_HOME", "/nowhere[1]")
    assert lake.run("maintain", "--apply").exit_code == 3
    reason = "Spark needs Java 17 or 21, but JAVA_HOME is /nowhere[1], where there is no bin/java."
    assert f"failed: {reason}" in lake.says("status") and told == ["None"]
    (newest, _) = json.loads(lake.run("status", "--json").output)["jobs"]
    assert newest["failed"].startswith(reason)


def test_it_is_as_patient_as_the_project_says(lake: Lake) -> None:
    lake.write("marts.a", 3, 2).publish(1, 2, a=1)
    settings = lake.path / "dbt_project.yml"
    lake.store.append([JobEvent("e", 2, "started", "ann", "build", datetime.now(timezone.utc) - timedelta(minutes=3))])
    assert "10 minutes after the last heartbeat" in lake.run("maintain", "--apply").output.replace("\n", " ")
    settings.write_text("{name: shop, profile: shop, vars: {shop: {entrepot_lock_minutes: five}}}")
    assert "entrepot_lock_minutes is 'five'." in lake.run("maintain", "--apply").output
    settings.write_text("{name: shop, profile: shop, vars: {entrepot_lock_minutes: 2}}")
    assert "Nothing to remove" in lake.says("maintain", "--apply")


def test_logs_go_before_a_checkpoint_that_is_older_than_their_retention(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "LOG_FILES", 2)
    lake.write("marts.a", 0, 0, 0)
    log = lake.folder("marts.a") / "_delta_log"
    assert checkpoints(str(lake.folder("marts.a"))) == []
    DeltaTable(str(lake.folder("marts.a"))).create_checkpoint()
    for version, days in enumerate((50, 45, 40)):
        lake.age(lake.folder("marts.a"), version, time.time() - days * DAY)
    for file in log.glob("*.checkpoint.parquet"):
        os.utime(file, (time.time() - 40 * DAY,) * 2)
    lake.write("marts.a", 2).publish(1, 1, a=3)
    assert "marts.a │ log │ the log is kept 30 days, and a checkpoint is younger │ removes 2 " in lake.plan()
    for version in (0, 1):
        (log / f"{version:020}.json").unlink()
    commits = LogFiles().commits(Table(("marts", "a"), str(lake.folder("marts.a"))))
    assert oldest_readable(commits, checkpoints(str(lake.folder("marts.a")))) == 2
    assert "log │" not in lake.plan()


def test_files_are_counted_partition_by_partition(lake: Lake) -> None:
    folder = lake.folder("marts.parts")
    for _ in range(3):
        values = {"id": Array([1, 2], type=DataType.int64()), "part": Array(["a b", "c"], type=DataType.utf8())}
        write_deltalake(str(folder), Arrow.from_pydict(values), mode="append", partition_by=["part"])  # type: ignore[arg-type, call-overload]
    table = Table(("marts", "parts"), str(folder))
    health = health_of(table, LogFiles().commits(table))
    assert health is not None and (health.files, health.small.files, health.mergeable) == (6, 6, 4)
    assert unneeded_files(str(folder), round(time.time() * 1000) + DAY) == {}, (
        "files of partitions are found by their names"
    )


def test_more_days_than_there_are_is_refused() -> None:
    result = CliRunner().invoke(main, ["maintain", "--keep-days", "9999999"])
    assert result.exit_code == 2 and "9999999 is not in the range 0<=x<=100000" in result.output, result.output
