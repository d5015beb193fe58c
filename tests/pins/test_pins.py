"""Snapshots that are kept are read as they were, whatever becomes of the tables; and what has changed between two is counted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from entrepot.differences import Difference, differences
from entrepot.errors import NotInSnapshotError
from entrepot.ledger import Ledger
from entrepot.ledger.files import FileStore
from entrepot.ledger.records import PublishedRelation as Published
from entrepot.pins import PinError, Pins
from entrepot.snapshots import PublishedRelation, Snapshot, newest_whole, refuse_other_table, refuse_unreadable
from entrepot.tables.log_files import LogFiles
from entrepot.tables.table import Table
from entrepot.target import Place
from tests.ledger.conftest import open_store
from tests.support.spark import Spark

__all__ = ["open_store"]

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
SCHEMA = "pinned_tables"
TABLES = {
    "plain": "using delta",
    "parts": "using delta partitioned by (part) tblproperties ('delta.checkpointInterval' = '2')",
    "vectors": "using delta tblproperties ('delta.enableDeletionVectors' = 'true')",
    "mapped": "using delta tblproperties ('delta.columnMapping.mode' = 'name')",
}
ROWS = "select id, concat('a b/', id % 3) as part, id * 10 as v from range(1, 9)"


class Warehouse:
    """Tables of each kind, a few versions each."""

    def __init__(self, spark: Spark, folder: Path, kinds: tuple[str, ...]) -> None:
        self.spark, self.place, self.kinds = spark, Place("pins_test", folder), kinds
        self.pins = Pins(self.place)
        spark.sql(f"create schema if not exists {SCHEMA}")
        for name in kinds:
            spark.sql(f"create table {SCHEMA}.{name} {TABLES[name]} as {ROWS}")
            spark.change(f"update {SCHEMA}.{name} set v = 0 where id = 2")
            spark.change(f"delete from {SCHEMA}.{name} where id = 3")

    def snapshot(self, number: int, **keys: tuple[str, ...]) -> Snapshot:
        """What there is now, as a job would publish it."""
        warehouse = Path(os.environ["ENTREPOT_WAREHOUSE"])
        relations = {}
        for name in self.kinds:
            folder = warehouse / f"{SCHEMA}.db" / name
            table = Table(("marts", name), f"file:{folder}")
            head = LogFiles().newest([table])[table]
            relations[f"marts.{name}"] = PublishedRelation(
                f"marts.{name}",
                head.version,
                table.location,
                None,
                unique_key=keys.get(name, ()),
                committed_at=datetime.fromtimestamp(head.committed_at / 1000, timezone.utc),
            )
        relations["marts.view"] = PublishedRelation("marts.view", None, None, "select * from marts.plain", "")
        return Snapshot(number, f"job{number}", NOON, None, relations)

    def rows(self, snapshot: Snapshot, name: str) -> list[tuple[object, ...]]:
        one = snapshot.relations[f"marts.{name}"]
        return self.spark.rows(f"select id, part, v from delta.`{one.location}` version as of {one.version}")

    def ask(self, sql: str) -> list[dict[str, object]]:
        return [row.asDict() for row in self.spark.sql(sql)]


@pytest.fixture
def warehouse(spark: Spark, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Warehouse]:
    found = Warehouse(spark, tmp_path, request.param)
    yield found
    spark.sql(f"drop schema {SCHEMA} cascade")


def expected(*without: int) -> list[tuple[object, ...]]:
    rows = [(number, f"a b/{number % 3}", 0 if number == 2 else number * 10) for number in range(1, 9)]
    return sorted((row for row in rows if row[0] not in without), key=repr)


@pytest.mark.parametrize("warehouse", [tuple(TABLES)], ids=[""], indirect=True)
def test_what_is_kept_stays_whatever_becomes_of_its_tables(warehouse: Warehouse) -> None:
    pins, spark = warehouse.pins, warehouse.spark
    kept = pins.add("month-end", warehouse.snapshot(7)).snapshot
    assert (kept.number, kept.published_at, sorted(kept.relations)) == (
        7,
        NOON,
        sorted(warehouse.snapshot(7).relations),
    )
    assert kept.relations["marts.view"].definition == "select * from marts.plain"
    retention = "spark.databricks.delta.retentionDurationCheck.enabled"
    spark.session.conf.set(retention, "false")
    try:
        for name in TABLES:
            spark.change(f"update {SCHEMA}.{name} set v = v + 1")
            spark.sql(
                f"alter table {SCHEMA}.{name} set tblproperties ('delta.deletedFileRetentionDuration' = 'interval 0 seconds')"
            )
            spark.sql(f"vacuum {SCHEMA}.{name} retain 0 hours")
    finally:
        spark.session.conf.unset(retention)
    again = Pins(warehouse.place).get("month-end")
    for name in TABLES:
        assert warehouse.rows(again.snapshot, name) == expected(3), name
    before = warehouse.snapshot(8)
    spark.sql(f"drop table {SCHEMA}.plain")
    made_anew = f"create table {SCHEMA}.plain using delta as select 100L + id as id, part, v from ({ROWS})"
    for _ in range(2):
        # first it has too few versions, then as many, with other rows
        spark.sql(made_anew)
        made_anew = f"insert into {SCHEMA}.plain values (1, 'x', 1)"
        for refused in (
            lambda: refuse_other_table(before.relations["marts.plain"]),
            lambda: pins.add("late", before),
            lambda: list(differences(before, warehouse.snapshot(9), warehouse.ask, ["plain"])),
        ):
            with pytest.raises(
                NotInSnapshotError, match=r"marts\.plain has been made anew since version \d was published"
            ):
                refused()
    for _ in range(5):
        spark.sql(made_anew)
    with pytest.raises(NotInSnapshotError, match="made anew"):
        refuse_other_table(before.relations["marts.plain"])
    assert warehouse.rows(again.snapshot, "plain") == expected(3)
    assert pins.names() == ["month-end"]
    pins.remove("month-end")
    assert pins.names() == [] and list((warehouse.place.warehouse / "pins").rglob("*.parquet")) == []


@pytest.mark.parametrize("warehouse", [("plain",)], ids=[""], indirect=True)
def test_what_cannot_be_kept_leaves_nothing(warehouse: Warehouse) -> None:
    snapshot = warehouse.snapshot(1)
    missing = next((Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{SCHEMA}.db/plain").glob("*.parquet"))
    content = missing.read_bytes()
    for file in missing.parent.glob("*.parquet"):
        file.unlink()
    with pytest.raises(PinError, match=r"marts\.plain version 2 is not whole any more: .* is gone"):
        warehouse.pins.add("x1", snapshot)
    missing.write_bytes(content)
    elsewhere = PublishedRelation("marts.far", 1, "s3a://bucket/far", None)
    with pytest.raises(PinError, match="lies at s3a://bucket/far, where this machine cannot link files"):
        warehouse.pins.add("x1", Snapshot(1, "j", NOON, None, {"marts.far": elsewhere}))
    assert warehouse.pins.names() == [] and not list(warehouse.place.warehouse.glob("pins/*/*"))
    with pytest.raises(PinError, match="No snapshot is kept under the name 'x1'; kept is nothing"):
        warehouse.pins.get("x1")


@pytest.mark.parametrize("warehouse", [("parts",)], ids=[""], indirect=True)
def test_a_shallow_clone_is_read_and_cannot_be_kept(warehouse: Warehouse) -> None:
    spark = warehouse.spark
    spark.sql(f"create table {SCHEMA}.cloned shallow clone {SCHEMA}.parts")
    warehouse.kinds = ("cloned",)
    before = warehouse.snapshot(1)
    spark.change(f"insert into {SCHEMA}.cloned values (9, 'x', 90)")
    for snapshot in (before, warehouse.snapshot(2)):
        refuse_unreadable(snapshot.relations["marts.cloned"])
        with pytest.raises(PinError, match=r"marts\.cloned is a shallow clone .* or build cloned anew"):
            warehouse.pins.add("x1", snapshot)
    assert warehouse.rows(before, "cloned") == expected(3) and warehouse.pins.names() == []
    for file in (Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{SCHEMA}.db/parts").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(NotInSnapshotError, match="cannot be read any more"):
        refuse_unreadable(before.relations["marts.cloned"])


@pytest.mark.parametrize("what", ["the table", "its log"])
def test_a_table_that_is_gone_is_no_matter_of_java(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "marts.db" / "a"
    if what == "its log":
        folder.mkdir(parents=True)
    for location in (str(folder), folder.as_uri()):
        with pytest.raises(
            NotInSnapshotError, match=r"marts\.a is not there any more: .*/a has no log .*makes the table anew"
        ):
            refuse_unreadable(PublishedRelation("marts.a", 1, location, None))


@pytest.mark.parametrize("name", ["", "12", "Month", "../x", ".hidden", "a b", "a" * 64])
def test_names_that_are_none(name: str, tmp_path: Path) -> None:
    with pytest.raises(PinError, match="is no name of a snapshot"):
        Pins(Place("s", tmp_path)).add(name, Snapshot(1, "j", NOON, None, {}))
    with pytest.raises(PinError, match="No snapshot is kept"):
        Pins(Place("s", tmp_path)).get(name)


def test_a_name_is_kept_once(tmp_path: Path) -> None:
    pins = Pins(Place("s", tmp_path))
    pins.add("a", Snapshot(1, "j", NOON, None, {}))
    with pytest.raises(PinError, match="kept under the name 'a' already"):
        pins.add("a", Snapshot(2, "k", NOON, None, {}))
    assert pins.get("a").snapshot.number == 1
    assert Pins(Place("other", tmp_path)).names() == [], "each schema of a profile has its own"


def test_of_two_at_once_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pins, theirs = Pins(Place("s", tmp_path)), tmp_path / "pins" / "s" / "a" / "snapshot.json"

    def somebody() -> str:
        theirs.parent.mkdir()
        theirs.write_text("theirs")
        return "me"

    monkeypatch.setattr("entrepot.pins.user", somebody)
    with pytest.raises(PinError, match="kept under the name 'a' already"):
        pins.add("a", Snapshot(1, "j", NOON, None, {}))
    assert theirs.read_text() == "theirs" and [path.name for path in theirs.parent.parent.iterdir()] == ["a"]


def test_what_killed_runs_leave_is_removed_and_shown_to_nobody(tmp_path: Path) -> None:
    pins = Pins(Place("s", tmp_path))
    folder = tmp_path / "pins" / "s"
    dead = subprocess.Popen(["true"])
    dead.wait()
    for litter in (f".a.{dead.pid}", f".b.{os.getpid()}"):
        (folder / litter).mkdir(parents=True)
        (folder / litter / "snapshot.json").write_text("{}")
    assert pins.names() == []
    pins.add("a", Snapshot(1, "j", NOON, None, {}))
    assert sorted(path.name for path in folder.iterdir()) == [f".b.{os.getpid()}", "a"], "one is at work"
    for content in ("{", "{}", None):
        (folder / "broken").mkdir()
        if content:
            (folder / "broken" / "snapshot.json").write_text(content)
        assert pins.names() == ["a", "broken"]
        with pytest.raises(PinError, match=r"'broken' cannot be read: .* Say entrepot unpin broken"):
            pins.get("broken")
        pins.remove("broken")
    assert pins.names() == ["a"]


def test_the_snapshot_of_a_part_is_not_kept_by_accident(open_store: Callable[[], FileStore]) -> None:
    ledger = Ledger(open_store())
    ledger.write([Published("j", 1, f"marts.{name}", 1, published_at=NOON) for name in "abc"])
    assert newest_whole(ledger, "").number == 1
    ledger.write([Published("k", 2, "marts.a", 2, published_at=NOON)])
    with pytest.raises(
        NotInSnapshotError,
        match=r"of job 2, has 1 relations; 2 that jobs before have published are not in it, such as marts\.b.* or say --job 2\.",
    ):
        newest_whole(ledger, "say --job {}")


@pytest.mark.parametrize("warehouse", [("plain", "parts", "vectors")], ids=[""], indirect=True)
def test_differences_are_those_that_plain_python_counts(warehouse: Warehouse) -> None:
    keys = {"plain": ("id",), "vectors": ("id", "part")}
    before = warehouse.pins.add("before", warehouse.snapshot(1, **keys)).snapshot
    spark = warehouse.spark
    for name in ("plain", "parts", "vectors"):
        spark.change(f"update {SCHEMA}.{name} set v = if(id = 1, null, v + 1) where id in (1, 4)")
        spark.change(f"delete from {SCHEMA}.{name} where id in (5, 6, 7)")
        spark.change(f"insert into {SCHEMA}.{name} values (11, 'n', null)")
    spark.sql(f"alter table {SCHEMA}.vectors add columns (w int)")
    after = warehouse.snapshot(2, **keys)
    found = {one.relation: one for one in differences(before, after, warehouse.ask)}
    assert found == {
        "marts.plain": Difference("marts.plain", added=1, removed=3, changed=2),
        "marts.parts": Difference("marts.parts", added=3, removed=5),
        "marts.vectors": Difference("marts.vectors", added=1, removed=3, changed=2, columns=("+w",)),
    }
    assert not any(one.is_none for one in found.values())
    assert all(one.is_none for one in differences(after, after, warehouse.ask))
    back = {one.relation: one for one in differences(after, before, warehouse.ask, ["plain", "marts.parts"])}
    assert back == {
        "marts.plain": Difference("marts.plain", added=3, removed=1, changed=2),
        "marts.parts": Difference("marts.parts", added=5, removed=3),
    }
    fewer = Snapshot(3, "j", NOON, None, {"marts.plain": after.relations["marts.plain"]})
    alone = [one for one in differences(fewer, after, warehouse.ask) if one.only_in]
    assert {one.relation for one in alone} == {"marts.parts", "marts.vectors"}
    assert {one.only_in for one in alone} == {"after"}
    with pytest.raises(NotInSnapshotError, match="Neither snapshot has nothing"):
        list(differences(before, after, warehouse.ask, ["nothing"]))
