"""Capture by triggers: what docs/recording.md says that it sees, and what it says that it can miss."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from recorder.checks import connect
from recorder.local_postgres import LocalPostgres, throw_away_postgres
from tests.record import workload
from tests.record.sources import (
    database,
    events,
    needs_postgres,
    positions_are_right,
    refused,
    replayed,
    run,
    server,
    sql,
    whole_lines,
)

__all__ = ["database", "server"]
pytestmark = [pytest.mark.slow, *needs_postgres]
ROOT = Path(__file__).parents[2]
THING = "create table thing (id int primary key, note text)"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "it.jsonl"


def poll(dsn: str, out: Path, *more: object, tables: str = "public.thing") -> list[tuple[Any, ...]]:
    """Poll once; returns what has been added."""
    before = whole_lines(out).count(b"\n")
    run("trigger", "--dsn", dsn, "--prefix", "it", "--tables", tables, "--polls", 1, "--out", out, *more)
    return [event.short for event in events(out)[before:]]


def test_every_version_and_whole_transactions(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    assert sorted(poll(database, out)) == [("r", 1, "a"), ("r", 2, "b")]
    assert poll(database, out) == []
    sql(
        database,
        "update thing set note = 'c' where id = 1",
        "begin; update thing set note = 'd' where id = 1; insert into thing values (9, 'short'); delete from thing where id = 9; commit",
        "begin; insert into thing values (10, 'never'); rollback",
        "begin; savepoint s; insert into thing values (11, 'never'); rollback to s; insert into thing values (12, 'x'); commit",
        "update thing set id = 3 where id = 2",
    )
    assert poll(database, out) == [
        ("u", 1, "c"), ("u", 1, "d"), ("c", 9, "short"), ("d", 9, "short"), ("c", 12, "x"), ("d", 2, "b"), ("c", 3, "b"),
    ]  # fmt: skip
    found = events(out)
    positions_are_right(found)
    assert [e.transaction and e.transaction["total_order"] for e in found[2:]] == [1, 1, 2, 3, 1, 1, 2]
    assert len({event.source["txId"] for event in found[2:]}) == 4
    assert found[2].before == {"id": 1, "note": "a"}
    assert {(e.source["connector"], e.source["name"], e.source["db"]) for e in found} == {
        ("entrepot-trigger", "it", database.rpartition("/")[2])
    }
    sql(database, "truncate thing", "insert into thing values (1, 'new')")
    assert poll(database, out) == [("t",), ("c", 1, "new")]
    assert replayed(events(out)) == {(1,): {"id": 1, "note": "new"}}
    assert sql(database, "select count(*) from entrepot_audit.change") == [(0,)]


def test_a_transaction_that_commits_late_is_not_skipped(database: str, out: Path) -> None:
    """Its rows have smaller numbers in the audit table than those that were read before."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    poll(database, out)
    with connect(database) as late:
        late.execute("update thing set note = 'late' where id = 1")
        sql(database, "update thing set note = 'soon' where id = 2")
        assert poll(database, out) == [("u", 2, "soon")]
        assert poll(database, out) == []
        late.execute("update thing set note = 'later' where id = 1")
        late.commit()
    assert poll(database, out) == [("u", 1, "late"), ("u", 1, "later")]


def test_transactions_that_wait_for_each_other_are_in_the_order_of_their_commits(database: str, out: Path) -> None:
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b'), (3, 'c')")
    poll(database, out)
    with connect(database) as first, connect(database) as second:
        second.execute("update thing set note = 'second' where id = 3")  # writes first
        first.execute("update thing set note = 'first' where id = 1")
        first.commit()
        second.execute("update thing set note = 'second' where id = 1")
        second.commit()
    assert poll(database, out) == [("u", 1, "first"), ("u", 3, "second"), ("u", 1, "second")]
    positions_are_right(events(out))


def test_transactions_without_a_common_row_are_in_the_order_of_their_last_changes(database: str, out: Path) -> None:
    """Between two polls; those of two polls are in the order of the polls."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    poll(database, out)
    with connect(database) as first:
        first.execute("update thing set note = 'changed first, committed last' where id = 1")
        sql(database, "update thing set note = 'committed first' where id = 2")
        first.commit()
    assert [change[1] for change in poll(database, out)] == [1, 2]


def test_changes_while_it_is_installed_come_once(database: str, out: Path) -> None:
    """A transaction that has begun before is waited for; what commits between installation and first reading is in it."""
    sql(database, THING)
    command = [
        sys.executable, "-m", "recorder", "trigger", "--dsn", database, "--prefix", "it", "--tables", "public.thing",
        "--every", "0", "--out", str(out),
    ]  # fmt: skip
    with connect(database) as before:
        before.execute("insert into thing values (0, 'before')")
        process = subprocess.Popen(
            command, env=os.environ | {"PYTHONPATH": str(ROOT / "python")}, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 60
        while not sql(database, "select 1 from pg_locks where not granted"):
            assert time.monotonic() < deadline
        before.commit()
    for number in range(1, 200):
        sql(database, f"insert into thing values ({number}, 'x')")
    # it is interrupted while it polls: before, an interrupt ends the installation
    while not (out.exists() and out.stat().st_size):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    poll(database, out)
    assert sorted(event.key["id"] for event in events(out) if event.key) == list(range(200))


def test_who_writes_does_not_matter(database: str, out: Path) -> None:
    """Roles without rights on the audit table, other settings, replication's role, bulk loads, row by row and by foreign keys."""
    sql(
        database,
        "create table thing (id int primary key, at timestamptz, raw bytea, span interval, cost money, ratio float8)",
        "create table child (id int primary key references thing on delete cascade)",
        "create role writer",
        "grant all on thing, child to writer",
    )
    both = "public.thing,public.child"
    try:
        poll(database, out, tables=both)
        with connect(database, autocommit=True) as session:
            for setting in (
                "timezone = 'Asia/Tokyo'", "datestyle = 'German'", "intervalstyle = 'sql_standard'", "bytea_output = 'escape'",
                "extra_float_digits = -10", "role = writer", "search_path = ''",
            ):  # fmt: skip
                session.execute(f"set {setting}")
            session.execute(
                "insert into public.thing values (1, '2026-03-01 09:00:00+09', '\\x0041', '1 day 2 hours', '1234.5', 0.1)"
            )
            session.execute("insert into public.child values (1)")
            session.execute("reset role")
            session.execute("set session_replication_role = replica")
            session.execute("insert into public.thing values (2, null, null, null, null, null)")
            session.execute("set session_replication_role = origin")
            with session.cursor().copy("copy public.thing (id) from stdin") as copy:
                copy.write("3\n4\n")
            session.execute("delete from public.thing where id = 1")
        added = poll(database, out, tables=both)
        assert [row[:2] for row in added] == [("c", 1), ("c", 1), ("c", 2), ("c", 3), ("c", 4), ("d", 1), ("d", 1)]
        after = events(out)[0].after
        assert after is not None
        assert after["at"].isoformat() == "2026-03-01T00:00:00+00:00"
        assert (after["raw"], after["span"], str(after["cost"]), after["ratio"]) == (b"\0A", "P1DT2H", "1234.50", 0.1)
    finally:
        sql(database, "drop owned by writer", "drop role writer")


def test_triggers_that_did_not_run_are_noticed(database: str, out: Path) -> None:
    """The table is read again: what was there is gone (op t), and what is there comes (op r)."""
    sql(database, THING, "insert into thing values (1, 'a'), (2, 'b')")
    poll(database, out)
    sql(
        database,
        "alter table thing disable trigger all",
        "update thing set note = 'missed' where id = 1",
        "delete from thing where id = 2",
        "alter table thing enable trigger all",
    )
    assert poll(database, out) == [("t",), ("r", 1, "missed")]
    sql(
        database,
        "insert into thing values (3, 'seen')",
        "drop table thing",
        THING,
        "insert into thing values (4, 'new')",
    )
    assert poll(database, out) == [("t",), ("r", 4, "new")]
    sql(
        database,
        "insert into thing values (5, 'x')",
        "drop schema entrepot_audit cascade",
        "delete from thing where id = 4",
    )
    assert poll(database, out) == [("t",), ("r", 5, "x")]
    sql(database, "insert into thing values (6, 'y')")
    assert poll(database, out) == [("c", 6, "y")]
    positions_are_right(events(out))
    assert replayed(events(out)) == {(5,): {"id": 5, "note": "x"}, (6,): {"id": 6, "note": "y"}}


@pytest.mark.parametrize(
    "ddl", ["drop table entrepot_audit.change", "alter table entrepot_audit.change drop column op"]
)
def test_an_audit_table_that_is_damaged_is_made_anew(database: str, out: Path, ddl: str) -> None:
    """Until the next poll the triggers cannot write, so that nobody can; it begins again as where the whole schema has gone."""
    sql(database, THING, "insert into thing values (1, 'a')")
    poll(database, out)
    sql(database, "insert into thing values (2, 'lost')", ddl)
    with pytest.raises(Exception, match="entrepot_audit"):
        sql(database, "insert into thing values (3, 'not written')")
    assert poll(database, out) == [("t",), ("r", 1, "a"), ("r", 2, "lost")]
    sql(database, "insert into thing values (3, 'c')")
    assert poll(database, out) == [("c", 3, "c")]
    positions_are_right(events(out))


def test_a_table_that_is_renamed_is_another_one(database: str, out: Path) -> None:
    """What a table is called when it is read counts, and not what it was called when its triggers were made."""
    sql(database, THING, "create table other (like thing including all)", "insert into thing values (1, 'a')")
    poll(database, out)
    swap = ("alter table thing rename to old", "alter table other rename to thing")
    sql(database, *swap, "insert into thing values (50, 'swapped')", "insert into old values (98, 'old')")
    assert poll(database, out) == [("t",), ("r", 50, "swapped")]
    sql(database, "insert into thing values (51, 'x')", "insert into old values (99, 'old')")
    assert poll(database, out) == [("c", 51, "x")]
    triggers = "select count(*) from pg_trigger where tgrelid = 'old'::regclass and not tgisinternal"
    assert sql(database, triggers, "select count(*) from entrepot_audit.change") == sql(database, triggers) == [(0,)]
    # under another name for a while, it is the same one
    sql(database, "alter table thing rename to away", "insert into away values (52, 'y')")
    sql(database, "alter table away rename to thing", "insert into thing values (53, 'z')")
    assert poll(database, out) == [("c", 52, "y"), ("c", 53, "z")]
    # two that are captured, and change their names
    both = "public.thing,public.old"
    assert sorted(poll(database, out, tables=both)) == [("r", 1, "a"), ("r", 98, "old"), ("r", 99, "old")]
    sql(
        database,
        "alter table thing rename to away",
        "alter table old rename to thing",
        "alter table away rename to old",
        "insert into old values (54, 'x')",
    )
    found = len(events(out))
    poll(database, out, tables=both)
    assert [(event.table, event.op) for event in events(out)[found:]] == [
        ("public.thing", "t"), *[("public.thing", "r")] * 3, ("public.old", "t"), *[("public.old", "r")] * 5,
    ]  # fmt: skip


def test_tables_that_inherit_are_by_themselves(database: str, out: Path) -> None:
    """The first reading has the rows whose changes the triggers note: the table's own, or, of a partitioned one, all."""
    sql(
        database,
        THING,
        "create table child (extra int) inherits (thing)",
        "insert into thing values (1, 'parent')",
        "insert into child values (2, 'child', 3)",
    )
    assert poll(database, out) == [("r", 1, "parent")]
    sql(database, "update thing set note = note || '!'", "insert into child values (3, 'x', 4)")
    assert poll(database, out) == [("u", 1, "parent!")]
    assert sorted(poll(database, out, tables="public.thing,public.child")) == [("r", 2, "child!", 3), ("r", 3, "x", 4)]
    sql(database, "update thing set note = 'y'")
    assert sorted(poll(database, out, tables="public.thing,public.child")) == [
        ("u", 1, "y"), ("u", 2, "y", 3), ("u", 3, "y", 4),
    ]  # fmt: skip


@pytest.mark.parametrize(("fact", "value"), [("snapshot", "999999:999999:"), ("server", "1")])
def test_a_server_that_was_set_back_is_noticed(database: str, out: Path, fact: str, value: str) -> None:
    """The last poll has seen transactions that the server does not know any more, or was of another server."""
    sql(database, THING, "insert into thing values (1, 'a')")
    poll(database, out)
    with contextlib.closing(sqlite3.connect(out.with_name("it.jsonl.state"))) as state, state:
        state.execute("update fact set value = ? where name = ?", (value, fact))
    sql(database, "insert into thing values (2, 'b')")
    assert poll(database, out) == [("t",), ("r", 1, "a"), ("r", 2, "b")]


def test_missed_where_no_trigger_runs(database: str, out: Path) -> None:
    """DDL that rewrites values; partitions that come with rows, or are truncated by themselves."""
    sql(
        database,
        "create table thing (id int primary key, note text) partition by range (id)",
        "create table low partition of thing for values from (0) to (100)",
        "insert into thing values (1, '5')",
    )
    assert poll(database, out) == [("r", 1, "5")]
    sql(
        database,
        "create table high (id int primary key, note text)",
        "insert into high values (100, '6')",
        "alter table thing attach partition high for values from (100) to (200)",
    )
    assert poll(database, out) == []
    sql(
        database,
        "insert into thing values (101, '7')",
        "truncate low",
        "alter table thing alter column note type int using note::int * 10",
    )
    assert poll(database, out) == [("c", 101, "7")]
    sql(database, "update thing set note = 71 where id = 101")
    assert poll(database, out) == [("u", 101, 71)]
    assert events(out)[-1].before == {"id": 101, "note": 70}
    # a partition that goes takes its triggers with it, which is noticed
    sql(database, "alter table thing detach partition high")
    assert poll(database, out) == [("t",)]


def test_missed_order_where_a_trigger_changes_rows_of_its_statement(database: str, out: Path) -> None:
    """The row that a trigger of the source changes is noted before the statement's own change of it; a row's own is right."""
    sql(
        database,
        THING,
        "create function other() returns trigger language plpgsql as "
        "$$ begin update thing set note = note || '!' where id = new.id + 1; return null; end $$",
        "insert into thing values (1, 'a'), (2, 'b')",
    )
    poll(database, out)
    sql(
        database,
        "create trigger a_first after update on thing for each row when (pg_trigger_depth() = 0) execute function other()",
        "update thing set note = 'x'",
    )
    assert poll(database, out) == [("u", 1, "x"), ("u", 2, "x!"), ("u", 2, "x")]


def test_images_have_the_columns_of_their_time(database: str, out: Path) -> None:
    """Columns that are retyped, renamed, added and dropped before their changes are read."""
    sql(database, "create table thing (id int primary key, size numeric(5,2), note text)")
    poll(database, out)
    sql(
        database,
        "insert into thing values (1, 1.25, 'a')",
        "alter table thing alter column size type numeric(6,3)",
        "update thing set size = 1.125",
        "alter table thing drop column size, add column more jsonb",
        "alter table thing rename column id to number",
        "update thing set more = '{\"a\": 1}'",
        "delete from thing",
    )
    poll(database, out)
    found = events(out)
    assert [(event.op, event.key) for event in found] == [
        ("c", {"id": 1}), ("u", {"id": 1}), ("u", {"number": 1}), ("d", {"number": 1}),
    ]  # fmt: skip
    assert [{name: str(value) for name, value in (event.after or {}).items()} for event in found[:3]] == [
        {"id": "1", "size": "1.25", "note": "a"},
        {"id": "1", "size": "1.125", "note": "a"},
        {"number": "1", "note": "a", "more": "{'a': 1}"},
    ]
    assert found[1].before is not None and str(found[1].before["size"]) == "1.250"


def test_a_key_that_is_redeclared_with_an_update_is_a_delete_and_an_insert(database: str, out: Path) -> None:
    sql(database, 'create table "T x" (a int not null, "b\'s" text not null, t int, old json, primary key ("b\'s", a))')
    poll(database, out, tables="public.T x")
    sql(database, "insert into \"T x\" values (1, 'x'), (2, 'y')", 'update "T x" set a = a + 1 where a = 2')
    poll(database, out, tables="public.T x")
    assert [(event.op, event.key) for event in events(out)] == [
        ("c", {"b's": "x", "a": 1}), ("c", {"b's": "y", "a": 2}), ("d", {"b's": "y", "a": 2}), ("c", {"b's": "y", "a": 3}),
    ]  # fmt: skip


def test_a_table_without_a_key(database: str, out: Path) -> None:
    sql(database, "create table thing (id int, note text)", "insert into thing values (1, 'a'), (1, 'a')")
    assert poll(database, out) == [("r", 1, "a"), ("r", 1, "a")]
    sql(database, "update thing set note = 'b'", "delete from thing")
    assert poll(database, out) == [("u", 1, "b"), ("u", 1, "b"), ("d", 1, "b"), ("d", 1, "b")]
    assert {event.key and 1 for event in events(out)} == {None}
    assert [event.before for event in events(out)[2:4]] == [{"id": 1, "note": "a"}] * 2
    positions_are_right(events(out))


def test_keys_that_no_record_can_carry_stop_nothing(database: str, out: Path) -> None:
    """NaN of numeric, JSON's null: such a row has null in its key, who polls is told, and the audit table is emptied."""
    both = "public.thing,public.measure,public.document"
    arguments = ("trigger", "--dsn", database, "--prefix", "it", "--polls", 1, "--out", out, "--tables")
    sql(
        database, THING, "create table measure (k numeric primary key, note text)", "create table document (k jsonb primary key)",
        "insert into measure values ('NaN', 'a'), (1, 'b')", "insert into document values ('null')",
    )  # fmt: skip
    said = run(*arguments, both)
    assert "public.measure: 1 change of a row with NaN in key column 'k', which no record can carry" in said
    assert "public.document: 1 change of a row with null in key column 'k'" in said
    sql(
        database,
        "update measure set note = 'c' where k = 'NaN'",
        "update measure set k = 'Infinity' where k = 'NaN'",
        "insert into thing values (1, 'after')",
        "update measure set k = 'NaN' where k = 1",
        "delete from measure",
    )
    said = run(*arguments, both)
    assert "public.measure: 4 changes of rows with NaN in key column 'k'" in said
    assert "public.measure: 2 changes of rows with Infinity in key column 'k'" in said
    found = events(out)
    assert sorted((event.op, str(event.key)) for event in found[:3]) == [
        ("r", "{'k': Decimal('1')}"), ("r", "{'k': None}"), ("r", "{'k': None}"),
    ]  # fmt: skip
    assert [(*event.short, event.key and event.key.get("k")) for event in found[3:]] == [
        ("u", None, "c", None), ("d", None, "c", None), ("c", None, "c", None), ("c", 1, "after", None),
        ("d", 1, "b", 1), ("c", None, "b", None), ("d", None, "c", None), ("d", None, "b", None),
    ]  # fmt: skip
    positions_are_right(found)
    assert sql(database, "select count(*) from entrepot_audit.change") == [(0,)]
    assert "no record can carry" not in run(*arguments, both)


def test_tables_come_and_go(database: str, out: Path) -> None:
    sql(database, THING, "create table other (id int primary key, note text)", "insert into thing values (1, 'a')")
    both = "public.thing,public.other"
    poll(database, out)
    sql(database, "insert into other values (7, 'x')", "insert into thing values (2, 'b')")
    assert sorted(poll(database, out, tables=both)) == [("c", 2, "b"), ("r", 7, "x")]
    assert poll(database, out, tables="public.other") == []
    sql(database, "insert into thing values (3, 'c')", "delete from thing where id = 1")
    assert sql(database, "select count(*) from entrepot_audit.change") == [(0,)]
    assert sorted(poll(database, out, tables=both)) == [("r", 2, "b"), ("r", 3, "c"), ("t",)]
    sql(database, "drop table thing", "insert into other values (8, 'y')")
    common = ("trigger", "--dsn", database, "--prefix", "it", "--out", out, "--polls", 1, "--tables")
    found = len(events(out))
    assert "public.thing is not there any more" in refused(*common, both)
    assert [event.short for event in events(out)[found:]] == [("c", 8, "y")]
    assert "public.never was not found" in refused(*common, "public.other,public.never")
    sql(database, THING, "insert into thing values (4, 'new')", "insert into other values (9, 'z')")
    assert poll(database, out, tables=both) == [("c", 9, "z"), ("t",), ("r", 4, "new")]
    sql(database, "drop table thing, other")
    assert "public.thing was not found" in refused(*common, both)


def test_commit_times(out: Path) -> None:
    """Of the server where it keeps them, else of the transaction's last change."""
    with throw_away_postgres() as dsn:
        sql(dsn, THING)
        poll(dsn, out)
        for timed in (False, True):
            if timed:
                sql(dsn, "insert into thing values (7, 'before')")
                sql(dsn, "alter system set track_commit_timestamp = on")
                again = LocalPostgres(Path(sql(dsn, "show data_directory")[0][0]).parent)
                again.stop()
                dsn = again.start(durable=False)
            with connect(dsn) as session:
                session.execute("insert into thing values (%s, 'x')", (int(timed),))
                session.execute("select pg_sleep(0.5)")
                changed = time.time()
                session.commit()
            poll(dsn, out)
            late = changed - events(out)[-1].source["ts_us"] / 1e6
            assert late < 0.4 if timed else late > 0.4


def test_errors_and_removal(database: str, out: Path, tmp_path: Path) -> None:
    sql(database, THING, "create view seen as select * from thing", "create role plain login password 'x'")
    common = ("trigger", "--prefix", "it", "--polls", 1, "--dsn")
    plain = f"postgresql://plain:x@{database.rpartition('@')[2]}"
    try:
        assert "is a view" in refused(*common, database, "--out", out, "--tables", "public.seen")
        assert "may not read public.thing" in refused(*common, plain, "--out", out, "--tables", "public.thing")
        sql(database, "grant select on thing to plain")
        assert "GRANT CREATE ON DATABASE" in refused(*common, plain, "--out", out, "--tables", "public.thing")
        sql(database, f'grant create on database "{database.rpartition("/")[2]}" to plain')
        assert "does not own public.thing" in refused(*common, plain, "--out", out, "--tables", "public.thing")
        assert "There is no audit schema 'x'" in refused("remove-triggers", "--dsn", database, "--audit-schema", "x")
        assert "too long" in refused(
            *common, database, "--out", out, "--tables", "public.thing", "--audit-schema", "x" * 51
        )
        other = tmp_path / "other.jsonl"
        assert "is read by another capture" in refused(*common, database, "--out", other, "--tables", "public.thing")
        odd = ("--audit-schema", 'Audit "2"')
        assert poll(database, other, *odd) == []
        run("remove-triggers", "--dsn", database)
        assert poll(database, out) == []
        sql(database, "insert into thing values (1, 'a')")
        assert poll(database, out) == poll(database, other, *odd) == [("c", 1, "a")]
        said = run("remove-triggers", "--dsn", database) + run("remove-triggers", "--dsn", database, *odd)
        assert said.count("triggers of: public.thing") == 2
        assert sql(database, "select count(*) from pg_trigger where not tgisinternal") == [(0,)]
        assert sql(database, "select count(*) from pg_namespace where nspname ilike '%audit%'") == [(0,)]
        with connect(database) as busy:
            busy.execute("insert into thing values (2, 'b')")
            assert "a transaction has held the table for 10 seconds" in refused(
                *common, database, "--out", out, "--tables", "public.thing"
            )
    finally:
        sql(database, "drop owned by plain cascade", "drop role plain")


@pytest.mark.campaign
def test_a_random_life_is_replayed_version_by_version(database: str, out: Path) -> None:
    generator = random.Random(workload.seed())
    sql(database, *workload.CREATE)
    poll(database, out, tables=workload.NAME)
    changed = workload.live(
        database, generator, int(os.environ.get("ENTREPOT_TEST_JOBS", "3")) * 30,
        lambda: run("trigger", "--dsn", database, "--prefix", "it", "--tables", workload.NAME, "--polls", 1, "--out", out),
    )  # fmt: skip
    found = events(out)
    positions_are_right(found)
    assert workload.is_replayed(database, found)
    assert len(found) == changed


@pytest.mark.campaign
def test_killed_at_any_moment(database: str, out: Path) -> None:
    """Whenever a capture is killed, the next one goes on: every version comes, and none comes twice."""
    generator = random.Random(workload.seed())
    sql(database, *workload.CREATE)
    poll(database, out, tables=workload.NAME)
    changed = workload.live_while_killed("trigger", database, generator, out)
    seen = whole_lines(out)
    poll(database, out, tables=workload.NAME)
    assert out.read_bytes().startswith(seen)
    found = events(out)
    positions_are_right(found)
    assert workload.is_replayed(database, found)
    assert len(found) == changed
