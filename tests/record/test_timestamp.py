"""Capture by a timestamp column: what docs/recording.md says that it sees, and what it says that it can miss."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from recorder.checks import connect
from recorder.local_postgres import LocalPostgres, _binary, _run, throw_away_postgres
from tests.record import workload
from tests.record.sources import (
    database,
    events,
    needs_postgres,
    positions_are_right,
    refused,
    replayed,
    run,
    sql,
    whole_lines,
)

__all__ = ["database"]
pytestmark = [pytest.mark.slow, *needs_postgres]
THING = "create table thing (id int primary key, note text, updated_at timestamptz default now())"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server that knows prepared transactions."""
    with throw_away_postgres() as dsn:
        sql(dsn, "alter system set max_prepared_transactions = 5")
        again = LocalPostgres(Path(sql(dsn, "show data_directory")[0][0]).parent)
        again.stop()
        yield again.start(durable=False)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "it.jsonl"


def poll(dsn: str, out: Path, *more: object, tables: str = "public.thing") -> list[tuple[Any, ...]]:
    """Poll once; returns what has been added, without the timestamps."""
    before = whole_lines(out).count(b"\n")
    run("timestamp", "--dsn", dsn, "--prefix", "it", "--tables", tables, "--polls", 1, "--out", out, *more)
    return [event.short[:3] for event in events(out)[before:]]


def set_note(note: str, number: int = 1, more: str = "updated_at = clock_timestamp()") -> str:
    return f"update thing set note = '{note}'{', ' + more if more else ''} where id = {number}"


@pytest.mark.parametrize(("fact", "value"), [("log end", "9" * 15), ("server", "1")])
def test_a_server_that_was_set_back_is_noticed(database: str, out: Path, fact: str, value: str) -> None:
    """What a restore takes back has the timestamp of before, which no poll would read again."""
    sql(
        database,
        THING,
        "insert into thing values (1, 'a', now() - interval '1 day')",
        "create table kept as table thing",
    )
    poll(database, out)
    sql(database, set_note("b"))
    assert poll(database, out) == [("u", 1, "b")]
    sql(database, "update thing set (note, updated_at) = (select note, updated_at from kept)")
    assert poll(database, out) == []
    with contextlib.closing(sqlite3.connect(out.with_name("it.jsonl.state"))) as state, state:
        state.execute("update fact set value = ? where name = ?", (value, fact))
    assert poll(database, out) == [("u", 1, "a")]
    assert poll(database, out) == []
    positions_are_right(events(out))


def test_inserts_updates_and_deletes(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    assert poll(database, out) == [("r", 1, "a"), ("r", 2, "b")]
    assert poll(database, out) == []
    sql(database, set_note("c"), "delete from thing where id = 2", "insert into thing values (3, null)")
    assert poll(database, out) == [("u", 1, "c"), ("c", 3, None), ("d", 2, "b")]
    found = events(out)
    positions_are_right(found)
    assert [event.source["snapshot"] for event in found] == ["true", "true", "false", "false", "false"]
    assert {(e.source["connector"], e.source["name"], e.source["db"]) for e in found} == {
        ("entrepot-timestamp", "it", database.rpartition("/")[2])
    }
    update = found[2]
    assert update.before is not None and update.before["note"] == "a"
    # the commit time is the row's own, of a delete the poll's
    assert update.after is not None
    assert update.source["ts_us"] == round(update.after["updated_at"].timestamp() * 1_000_000)
    assert found[4].source["ts_us"] >= max(event.source["ts_us"] for event in found[:4])
    assert replayed(found).keys() == {(1,), (3,)}


def test_a_commit_that_is_late_is_not_missed(database: str, out: Path) -> None:
    """Its timestamp is older than what the polls before have seen."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    poll(database, out)
    with connect(database) as late:
        late.execute("update thing set note = 'late', updated_at = now() where id = 1")
        time.sleep(1.5)
        sql(database, set_note("soon", 2))
        assert poll(database, out) == [("u", 2, "soon")]
        assert poll(database, out) == []
        late.commit()
    assert poll(database, out) == [("u", 1, "late")]


def test_with_a_lag_that_is_too_small_a_late_commit_is_missed(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    lag = ("--lag", 0)
    poll(database, out, *lag)
    with connect(database) as late:
        late.execute("update thing set note = 'late', updated_at = now() where id = 1")
        time.sleep(1.5)
        assert poll(database, out, *lag) == []
        late.commit()
    assert poll(database, out, *lag) == []
    assert poll(database, out, "--lag", 0, "--full") == [("u", 1, "late")]


def test_a_prepared_transaction_is_not_missed(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a')")
    poll(database, out)
    with connect(database, autocommit=True) as session:
        session.execute("begin")
        session.execute("update thing set note = 'prepared', updated_at = now()")
        session.execute("prepare transaction 'it'")
    time.sleep(1.5)
    assert poll(database, out) == poll(database, out) == []
    sql(database, "commit prepared 'it'")
    assert poll(database, out) == [("u", 1, "prepared")]


def test_missed_between_two_polls(database: str, out: Path) -> None:
    """Intermediate states, rows that came and went, and that a key was deleted and inserted again."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b'), (3, 'c')")
    poll(database, out)
    sql(
        database,
        set_note("b"),
        set_note("c"),
        "insert into thing values (9, 'short')",
        "delete from thing where id = 9",
    )
    sql(database, "delete from thing where id = 2", "insert into thing values (2, 'again')")
    assert poll(database, out) == [("u", 1, "c"), ("u", 2, "again")]
    sql(database, "truncate thing")
    assert poll(database, out) == [("d", 1, "c"), ("d", 2, "again"), ("d", 3, "c")]


def test_missed_where_the_timestamp_does_not_tell(database: str, out: Path) -> None:
    """Updates that leave the timestamp, or set it back; a poll of all rows finds them."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    sql(database, "update thing set updated_at = now() - interval '1 day'")
    poll(database, out)
    time.sleep(1.5)
    poll(database, out)
    sql(database, set_note("silent", 1, ""), set_note("back", 2, "updated_at = now() - interval '1 hour'"))
    assert poll(database, out) == []
    assert sorted(poll(database, out, "--full")) == [("u", 1, "silent"), ("u", 2, "back")]
    positions_are_right(events(out))


def test_rows_without_or_with_old_timestamps_are_not_missed(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a', null)")
    assert poll(database, out) == [("r", 1, "a")]
    sql(database, set_note("b", 1, ""), "insert into thing values (2, 'old', '1999-01-01'), (3, 'far', 'infinity')")
    assert sorted(poll(database, out)) == [("c", 2, "old"), ("c", 3, "far"), ("u", 1, "b")]
    sql(database, "insert into thing values (4, 'tomorrow', now() + interval '1 day')")
    now = time.time()
    assert poll(database, out) == [("c", 4, "tomorrow")]
    assert abs(events(out)[-1].source["ts_us"] / 1e6 - now) < 60


def test_timestamps_that_no_commit_can_have_are_the_polls(database: str, out: Path) -> None:
    """Years that are no number of microseconds, and those before the first, for which landing has no place."""
    sql(
        database, THING, "create table plain (id int primary key, note text, updated_at timestamp)",
        "create table daily (id int primary key, note text, updated_at date)",
        *(
            f"insert into {table} values (1, 'far', '294276-12-31'), (2, 'bc', '0044-03-15 BC'), "
            "(3, 'first', '0001-01-01'), (4, 'never', '-infinity')"
            for table in ("thing", "plain", "daily")
        ),
        "insert into daily values (5, 'farther', '5874897-12-31')",
    )  # fmt: skip
    now = time.time()
    tables = "public.thing,public.plain,public.daily"
    run(
        "timestamp",
        "--dsn",
        database,
        "--prefix",
        "it",
        "--tables",
        tables,
        "--polls",
        1,
        "--out",
        out,
        "--zone",
        "Asia/Tokyo",
    )
    found = [json.loads(json.loads(line)["value"])["payload"] for line in out.read_text().splitlines()]
    assert len(found) == 13
    # the first day in Tokyo begins in the year before, where UTC is
    old = [event for event in found if event["source"]["ts_us"] / 1e6 < now - 60]
    assert [(event["source"]["table"], event["after"]["note"], event["source"]["ts_us"]) for event in old] == [
        ("thing", "first", -62_135_596_800_000_000)
    ]


def test_keys_that_no_record_can_carry_stop_nothing(database: str, out: Path) -> None:
    """NaN and the infinities of numeric are rows of their own, with null in their key; who polls is told."""
    sql(
        database, "create table measure (k numeric primary key, note text, updated_at timestamptz default now())",
        THING, "insert into measure values ('NaN', 'a'), ('Infinity', 'b'), (1, 'c')", "insert into thing values (1, 'x')",
    )  # fmt: skip
    both = "public.measure,public.thing"
    said = run("timestamp", "--dsn", database, "--prefix", "it", "--tables", both, "--polls", 1, "--out", out)
    assert "public.measure: 1 change of a row with NaN in key column 'k', which no record can carry" in said
    assert sorted(map(str, (event.short[:3] for event in events(out)))) == [
        "('r', 1, 'x')", "('r', Decimal('1'), 'c')", "('r', None, 'a')", "('r', None, 'b')",
    ]  # fmt: skip
    sql(
        database, "delete from measure where k = 'NaN'", "update measure set note = 'd', updated_at = now() where k > 1"
    )
    assert poll(database, out, tables=both) == [("u", None, "d"), ("d", None, "a")]
    assert [event.key for event in events(out)[-2:]] == [{"k": None}] * 2
    # what the server refuses is said of the table
    sql(database, "create view broken as select id, note, updated_at, 1 / (id - id) as x from thing")
    said = refused(
        "timestamp", "--dsn", database, "--prefix", "it", "--tables", "public.broken", "--key", "id", "--polls", 1,
        "--out", out.with_name("other"),
    )  # fmt: skip
    assert said.startswith("public.broken cannot be recorded (division by zero)") and "leave it out of --tables" in said


def test_deletes_are_not_looked_for_on_request(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    poll(database, out, "--no-deletes")
    sql(database, "delete from thing where id = 1", set_note("c", 2))
    assert poll(database, out, "--no-deletes") == [("u", 2, "c")]
    assert poll(database, out) == [("d", 1, "a")]


def test_columns_come_and_go_between_polls(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b'), (3, 'c')")
    poll(database, out)
    time.sleep(2.1)
    poll(database, out)
    sql(database, "alter table thing add column size numeric(5,2) default 1.25", set_note("b"))
    assert poll(database, out) == [("u", 1, "b")]
    added = events(out)[-1]
    assert added.after is not None and added.before is not None
    assert (str(added.after["size"]), "size" in added.before) == ("1.25", False)
    sql(database, "alter table thing alter column size type numeric(5,3)", set_note("c"))
    # the default and the type that DDL has given the other rows are missed, until all are read
    assert poll(database, out) == [("u", 1, "c")]
    retyped = events(out)[-1]
    assert retyped.after is not None and retyped.before is not None
    assert (str(retyped.after["size"]), "size" in retyped.before) == ("1.250", False)
    assert retyped.before["note"] == "b"
    sql(
        database,
        "alter table thing drop column size",
        "delete from thing where id = 1",
        "delete from thing where id = 2",
    )
    assert sorted(poll(database, out)) == [("d", 1, "c"), ("d", 2, "b")]
    # a deleted row is told as it was seen last, with the types of then
    gone = {event.before["id"]: event for event in events(out)[-2:] if event.before}
    assert (str(gone[1].before and gone[1].before["size"]), "size" in gone[2].types) == ("1.250", False)


def test_a_table_that_is_dropped(database: str, out: Path) -> None:
    sql(database, THING, "create table other (like thing including all)", "insert into thing values (1, 'a')")
    both = "public.thing,public.other"
    assert poll(database, out, tables=both) == [("r", 1, "a")]
    sql(database, "drop table thing", "insert into other values (7, 'x')")
    common = ("timestamp", "--dsn", database, "--prefix", "it", "--out", out, "--polls", 1, "--tables")
    # the other one goes on, and whoever runs it is told in the end
    said = refused(*common, both, "--polls", 2, "--every", 0)
    assert "public.thing is not there any more" in said and "leave it out of --tables" in said
    assert [event.short[:3] for event in events(out)[1:]] == [("c", 7, "x")]
    sql(database, "alter table other rename to another")
    said = refused(*common, both)
    assert "public.thing was not found" in said and "dropped" in said and "public.another" in said
    sql(database, "alter table another rename to other")
    assert "public.never was not found" in refused(*common, "public.other,public.never")
    assert poll(database, out, tables="public.other") == []
    # a table that comes again under its name is what it is now
    sql(database, THING, "insert into thing values (2, 'new')")
    assert poll(database, out, tables=both) == [("c", 2, "new"), ("d", 1, "a")]


def test_keys(database: str, out: Path) -> None:
    sql(
        database,
        'create table parts ("The Id" int, "b,\'c" text, v int, changed timestamp default now(), primary key ("b,\'c", "The Id"))',
        "insert into parts values (1, 'x', 1), (1, 'y', 2)",
        "create table loose (a int not null, b int, t int, k int, changed date default current_date, unique (b, a))",
        "create unique index on loose (a)",
        "insert into loose values (1, null, 5, 6)",
    )
    options = ("--column", "changed", "--zone", "Europe/Berlin")
    poll(database, out, *options, tables="public.parts,public.loose")
    assert [(event.table, event.key) for event in events(out)] == [
        ("public.loose", {"a": 1}),
        ("public.parts", {"b,'c": "x", "The Id": 1}),
        ("public.parts", {"b,'c": "y", "The Id": 1}),
    ]
    sql(database, 'update parts set "The Id" = 9, changed = now() where v = 2', "update loose set a = 2")
    changed = poll(database, out, *options, tables="public.parts,public.loose")
    assert sorted(changed, key=str) == [("c", 2, None), ("c", 9, "y"), ("d", 1, "y"), ("d", 1, None)]


def test_timestamps_without_time_zone(database: str, out: Path) -> None:
    """They are of the zone that is given."""
    sql(
        database,
        "create table thing (id int primary key, note text, updated_at timestamp)",
        "insert into thing values (1, 'a', '2026-03-01 12:00:00')",
    )
    assert poll(database, out, "--zone", "Europe/Berlin") == [("r", 1, "a")]
    assert datetime.fromtimestamp(events(out)[0].source["ts_us"] / 1e6, timezone.utc).hour == 11
    sql(database, "update thing set note = 'b', updated_at = now() at time zone 'Europe/Berlin'")
    assert poll(database, out, "--zone", "Europe/Berlin") == [("u", 1, "b")]
    assert (
        timedelta(0)
        < datetime.now(timezone.utc) - datetime.fromtimestamp(events(out)[1].source["ts_us"] / 1e6, timezone.utc)
        < timedelta(minutes=1)
    )
    sql(database, "alter table thing alter column updated_at type date", "update thing set note = 'c'")
    assert poll(database, out) == [("u", 1, "c")]
    sql(database, "update thing set note = 'd'")
    assert poll(database, out) == [("u", 1, "d")]


def test_the_end_of_summer_time(database: str, out: Path) -> None:
    """The poll before was at 2:50 in summer time, the change is at 2:10 in winter time, 20 minutes later."""
    sql(
        database,
        "create table thing (id int primary key, note text, updated_at timestamp)",
        "insert into thing values (1, 'a')",
    )
    before = datetime(2025, 10, 26, 0, 50, tzinfo=timezone.utc)
    options = (
        "--zone",
        "Europe/Berlin",
        "--no-deletes",
        "--lag",
        (datetime.now(timezone.utc) - before).total_seconds(),
    )
    sql(database, "update thing set updated_at = '2025-10-26 01:00'")
    assert poll(database, out, *options) == [("r", 1, "a")]
    sql(database, "update thing set note = 'b', updated_at = '2025-10-26 02:10'")
    assert poll(database, out, *options) == [("u", 1, "b")]


def test_views_have_the_key_that_is_given(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')", "create view seen as select * from thing")
    assert poll(database, out, "--key", "id", tables="public.seen") == [("r", 1, "a"), ("r", 2, "b")]
    sql(database, "insert into thing values (3, 'a')")
    common = ("timestamp", "--dsn", database, "--prefix", "it", "--polls", 1, "--out", out.with_name("other"))
    assert "no primary key" in refused(*common, "--tables", "public.seen")
    assert "Two rows of public.seen have the key" in refused(*common, "--tables", "public.seen", "--key", "note")
    sql(database, "update thing set note = null")
    assert "belongs to the key and is null" in refused(*common, "--tables", "public.seen", "--key", "note")
    assert "is the key of one table" in refused(*common, "--tables", "public.seen,public.thing", "--key", "id")


def test_errors(database: str, out: Path) -> None:
    sql(database, THING, "create table plain (id int primary key)", "create role reader login password 'x'")
    common = ("timestamp", "--prefix", "it", "--polls", 1, "--out", out, "--dsn")
    try:
        assert "has no column 'updated_at': its columns are id" in refused(
            *common, database, "--tables", "public.plain"
        )
        assert "is integer: it has to be a timestamp" in refused(
            *common, database, "--tables", "public.thing", "--column", "id"
        )
        assert "public.nothing was not found" in refused(*common, database, "--tables", "public.nothing")
        assert "No table was given" in refused(*common, database, "--tables", " ")
        reader = f"postgresql://reader:x@{database.rpartition('@')[2]}"
        assert 'GRANT pg_read_all_stats TO "reader"' in refused(*common, reader, "--tables", "public.thing")
        assert "may not read public.thing" in refused(*common, reader, "--tables", "public.thing", "--lag", 5)
        sql(database, "grant select on thing to reader", "insert into thing values (1, 'a')")
        assert poll(reader, out, "--lag", 5) == [("r", 1, "a")]
        sql(database, "alter table thing alter column updated_at type timestamp")
        assert "time zone" in refused(*common, database, "--tables", "public.thing", "--zone", "Nowhere")
        other = database.rpartition("/")[0] + "/postgres"
        assert "whose database is" in refused(*common, other, "--tables", "public.thing")
        assert "whose prefix is 'it', not 'new'" in refused(
            "timestamp", "--prefix", "new", "--out", out, "--dsn", database, "--tables", "public.thing"
        )
    finally:
        sql(database, "drop owned by reader", "drop role reader")


def test_a_standby_needs_a_lag(database: str, out: Path) -> None:
    """It does not show the transactions of its primary; with a lag it is polled like any other server."""
    sql(database, THING, "insert into thing values (1, 'a')")
    primary = Path(sql(database, "show data_directory")[0][0]).parent
    standby = LocalPostgres(primary.with_name("standby"))
    standby.directory.mkdir()
    if os.geteuid() == 0:
        shutil.chown(standby.directory, primary.owner(), primary.group())
    copy: list[str | Path] = [
        _binary("pg_basebackup"),
        "-D",
        standby.data,
        "-d",
        database,
        "-R",
        "-X",
        "stream",
        "-c",
        "fast",
    ]
    _run(copy, standby.directory)
    (standby.directory / "dsn").write_text((primary / "dsn").read_text())
    copied = standby.start(durable=False).rpartition("/")[0] + "/" + database.rpartition("/")[2]
    try:
        common = (
            "timestamp",
            "--prefix",
            "it",
            "--tables",
            "public.thing",
            "--polls",
            1,
            "--out",
            out,
            "--dsn",
            copied,
        )
        said = refused(*common)
        assert "The server is a standby" in said and "--lag" in said
        assert poll(copied, out, "--lag", 5) == [("r", 1, "a")]
        sql(database, "insert into thing values (2, 'b')")
        deadline = time.monotonic() + 30
        while not sql(copied, "select 1 from thing where id = 2"):
            assert time.monotonic() < deadline
        assert poll(copied, out, "--lag", 5) == [("c", 2, "b")]
        positions_are_right(events(out))
    finally:
        standby.stop()


@pytest.mark.campaign
def test_a_random_life_is_replayed(database: str, out: Path) -> None:
    generator = random.Random(workload.seed())
    sql(database, *workload.CREATE)
    workload.live(
        database, generator, int(os.environ.get("ENTREPOT_TEST_JOBS", "3")) * 30,
        lambda: run("timestamp", "--dsn", database, "--prefix", "it", "--tables", workload.NAME, "--polls", 1, "--out", out),
    )  # fmt: skip
    found = events(out)
    positions_are_right(found)
    assert workload.is_replayed(database, found)


@pytest.mark.campaign
def test_killed_at_any_moment(database: str, out: Path) -> None:
    """Whenever a capture is killed, the next one goes on: nothing is lost, nothing comes twice, nothing is withdrawn."""
    generator = random.Random(workload.seed())
    sql(database, *workload.CREATE)
    workload.live_while_killed("timestamp", database, generator, out)
    seen = whole_lines(out)
    poll(database, out, tables=workload.NAME)
    assert out.read_bytes().startswith(seen)
    found = events(out)
    positions_are_right(found)
    assert workload.is_replayed(database, found)
    assert len({json.dumps([event.source["lsn"]]) for event in found}) == len(found)
