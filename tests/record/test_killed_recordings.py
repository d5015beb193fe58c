"""Recorder and server are killed at random moments while an application writes: nothing is lost, and what comes again is the same event.

The application notes every transaction in a journal within it, so the database itself says what has been committed. The seed is printed:
`ENTREPOT_TEST_SEED=17 ENTREPOT_RECORD_KILLS=30 pytest tests/record/test_killed_recordings.py` repeats the workload and the moments.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recorder.checks import connect
from recorder.local_postgres import LocalPostgres, find_binaries
from tests.landing.random_records.plain_landing import PlainLanding
from tests.landing.random_records.strict_json import only_value
from tests.support.dbt_case import DbtCase

missing = [name for name in ("pydbzengine", "psycopg") if importlib.util.find_spec(name) is None]
missing += [] if find_binaries() else ["PostgreSQL's initdb and pg_ctl"]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.record,
    pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}"),
]
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
KILLS = int(os.environ.get("ENTREPOT_RECORD_KILLS", "3"))
TABLES = (
    "create table journal (number bigint primary key)",
    "create table thing (id int primary key, note text)",
    "create table keyless (a int, note text)",
    "alter table keyless replica identity full",
)


class Application(threading.Thread):
    """Writes transaction after transaction; goes on when the server is there again."""

    def __init__(self, dsn: str, draw: random.Random) -> None:
        super().__init__(daemon=True)
        self.dsn, self.draw, self.number, self.done = dsn, draw, 0, threading.Event()

    def run(self) -> None:
        import psycopg

        while not self.done.is_set():
            with (
                contextlib.suppress(psycopg.Error, OSError),
                psycopg.connect(self.dsn, connect_timeout=2) as connection,
            ):
                while not self.done.is_set():
                    self.transaction(connection)
                    time.sleep(self.draw.random() / 50)
            time.sleep(0.1)

    def transaction(self, connection: Any) -> None:
        """One transaction: its number in the journal, and some changes."""
        self.number += 1
        connection.execute("insert into journal values (%s)", [self.number])
        for _ in range(self.draw.choice((1, 3, 40))):
            key = self.draw.randint(1, 30)
            connection.execute(*self.draw.choice((
                ("insert into thing values (%s, %s) on conflict (id) do update set note = excluded.note", [key, f"n{self.number}"]),
                ("update thing set note = %s where id = %s", [f"u{self.number}", key]),
                ("delete from thing where id = %s", [key]),
                ("insert into keyless values (%s, 'same')", [key % 3]),
            )))  # fmt: skip
        connection.rollback() if self.draw.random() < 0.1 else connection.commit()


class Server:
    """A PostgreSQL of its own that can be killed with all its processes."""

    def __init__(self, folder: Path) -> None:
        self.postgres = LocalPostgres(folder)
        self.dsn = self.postgres.start()
        self.port = int(self.dsn.rpartition(":")[2].partition("/")[0])

    def kill(self) -> None:
        """Kill -9 the postmaster and its children, then start it again: it recovers."""
        postmaster = int((self.postgres.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in (postmaster, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, 9)
        wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
        self.postgres.start(self.port)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="entrepot-killed-") as folder:
        Path(folder).chmod(0o755)
        started = Server(Path(folder) / "cluster")
        try:
            yield started
        finally:
            started.postgres.stop("immediate")


def recorder(dsn: str, out: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "recorder", "capture", "--dsn", dsn, "--prefix", "kill", "--out", str(out), *more]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def rows(dsn: str, sql: str) -> list[tuple[Any, ...]]:
    with connect(dsn, autocommit=True) as connection:
        return sorted(connection.execute(sql).fetchall())


def test_nothing_is_lost(server: Server, tmp_path: Path, dbt_case: Callable[..., DbtCase]) -> None:
    seed = int(os.environ.get("ENTREPOT_TEST_SEED", random.randrange(10**6)))
    print(f"ENTREPOT_TEST_SEED={seed} ENTREPOT_RECORD_KILLS={KILLS}")
    draw = random.Random(seed)
    with connect(server.dsn, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(table)
    out = tmp_path / "kill.jsonl"
    # the tables are empty: what is recorded from here on is the log, and no snapshot
    assert recorder(server.dsn, out, "--until-idle", "1").wait(120) == 0
    application = Application(server.dsn, random.Random(seed))
    application.start()
    victims: Counter[str] = Counter()
    for _ in range(KILLS):
        running = recorder(server.dsn, out)
        # mostly while it records, now and then while it starts
        time.sleep(draw.choice((draw.uniform(0.5, 4), draw.uniform(4, 8))))
        victim = draw.choice(("recorder", "recorder", "server", "both"))
        victims[victim] += 1
        if victim == "both":
            running.kill()
        if victim != "recorder":
            server.kill()
            time.sleep(draw.uniform(0, 3))  # it may go on by itself, or give up
        running.kill()
        running.wait()
    application.done.set()
    application.join(60)
    wait_until(lambda: not rows(server.dsn, "select 1 from pg_replication_slots where active"))
    assert recorder(server.dsn, out, "--until-idle", "3").wait(300) == 0
    lines = out.read_bytes().splitlines()
    plain = PlainLanding()
    plain.land({out.name: out.read_bytes()})
    check_events(plain, server.dsn)
    landed = land(dbt_case, tmp_path)
    assert landed == len(plain.changes)
    print(f"{dict(victims)}: {len(lines)} records, {landed} changes, {application.number} transactions")


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_a_killed_snapshot_leaves_nothing(server: Server, tmp_path: Path) -> None:
    """Killed while it reads the rows that are there, of which some go before the next one begins; a table without a key has each of its rows once."""
    seed = int(os.environ.get("ENTREPOT_TEST_SEED", random.randrange(10**6)))
    print(f"ENTREPOT_TEST_SEED={seed}")
    draw = random.Random(seed)
    with connect(server.dsn, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(table)
        connection.execute("insert into thing select i, 'n' || i from generate_series(1, 40000) i")
        connection.execute("insert into keyless select i % 3, 'same' from generate_series(1, 3000) i")
    out, waiting = tmp_path / "kill.jsonl", tmp_path / "kill.jsonl.offsets.snapshot"
    killed = Counter[str]()
    for size in (1_000_000, draw.randrange(20_000_000), draw.randrange(42_000_000), 42_000_000):
        running = recorder(server.dsn, out)
        wait_until(lambda size=size: size_of(waiting) > size or size_of(out) > 0, 120)
        time.sleep(draw.random() / 10)
        running.kill()
        running.wait()
        killed["later" if size_of(out) else "in the snapshot"] += 1
        with connect(server.dsn, autocommit=True) as connection:
            gone = draw.randrange(1000)
            connection.execute("delete from thing where id %% 1000 = %s", [gone])
            connection.execute("update thing set id = -id where id %% 1000 = %s", [(gone + 1) % 1000])
            connection.execute("insert into keyless values (4, 'new')")
        wait_until(lambda: not rows(server.dsn, "select 1 from pg_replication_slots where active"))
    assert recorder(server.dsn, out, "--until-idle", "3").wait(300) == 0
    assert not waiting.exists() and killed["in the snapshot"]
    plain = PlainLanding()
    plain.land({out.name: out.read_bytes()})
    check_events(plain, server.dsn)
    print(f"{dict(killed)}: {len(plain.changes)} changes")


def check_events(plain: PlainLanding, dsn: str) -> None:
    """The changes, each once, make the tables what they are."""
    tables: dict[str, dict[Any, Any]] = {"journal": {}, "thing": {}}
    keyless: Counter[Any] = Counter()
    inserted: Counter[int] = Counter()
    in_order = sorted(
        plain.changes.values(), key=lambda event: (event.log_commit, event.log_position, event.log_serial)
    )
    for event in in_order:
        table = (event.schema_name or "").rpartition(".")[2]
        row = only_value(event.after or event.before or "{}")
        if table == "keyless":
            keyless[int(row["a"])] += 1
        elif event.op == "d":
            tables[table].pop(int(row["id"]), None)
        else:
            key = int(row["number" if table == "journal" else "id"])
            tables[table][key] = row.get("note")
            inserted[key] += table == "journal" and event.op == "c"
    assert rows(dsn, "select number from journal") == sorted((number,) for number in tables["journal"])
    assert max(inserted.values()) <= 1
    assert rows(dsn, "select id, note from thing") == sorted(tables["thing"].items())
    assert rows(dsn, "select a, count(*) from keyless group by a") == sorted(keyless.items())


def land(make: Callable[..., DbtCase], folder: Path) -> int:
    """Land the recording; how many changes that are."""
    case = make(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml"),
        project={"vars": {"landing_path": f"{folder}/*.jsonl", "entrepot_lock_minutes": 10}},
    )
    case.put("seeds/mapping/schema_attribute.csv", "schema,version,attribute,data_type,position,is_key,renamed_from\n")
    case.build()
    return len(case.spark.sql(f"select event_id from {case.table('landing', 'change_event')}"))
