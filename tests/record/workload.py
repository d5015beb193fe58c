"""A random life of one table: transactions of two sessions, some of them rolled back, with polls in between."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recorder.checks import Connection, connect
from recorder.optional import load
from tests.record.sources import Event, replayed, sql

ROOT = Path(__file__).parents[2]
TABLE = 'app."Odd ""thing"" %s"'
NAME = 'app.Odd "thing" %s'
KEY = ("id", "Part's")
CREATE = (
    "create schema app",
    f"""create table {TABLE} (
        id int, "Part's" text, name text, amount numeric(12,2), free numeric, at timestamp, day date, flag boolean,
        raw bytea, doc jsonb, tags text[], updated_at timestamptz, primary key (id, "Part's"))""",
    """create function app.touch() returns trigger language plpgsql as
        $$ begin new.updated_at = clock_timestamp(); return new; end $$""",
    f"create trigger touch before insert or update on {TABLE} for each row execute function app.touch()",
)
COLUMNS = {
    "name": lambda r: r.choice([None, "", "plain", 'it\'s "q" \\ \n 😀', "null"]),
    "amount": lambda r: r.choice([None, r.randrange(-(10**12) + 1, 10**12) / 100, 0]),
    "free": lambda r: r.choice([None, f"{r.randrange(10**30)}.{r.randrange(10**20)}", "-0.10"]),
    "at": lambda r: r.choice([None, f"{r.randrange(1, 9999):04}-03-01 10:11:12.{r.randrange(10**6):06}"]),
    "day": lambda r: r.choice([None, f"{r.randrange(1, 9999):04}-02-28"]),
    "flag": lambda r: r.choice([None, True, False]),
    "raw": lambda r: r.choice([None, b"", bytes(r.randrange(256) for _ in range(5))]),
    "doc": lambda r: r.choice([None, json.dumps({"a": [r.randrange(9), 1.5, "x"]})]),
    "tags": lambda r: r.choice([None, [], ["a,b", 'c"d', ""]]),
}


def seed() -> int:
    """As given by ENTREPOT_TEST_SEED, else a new one; pytest shows it of a test that fails."""
    chosen = int(os.environ.get("ENTREPOT_TEST_SEED") or random.randrange(10**6))
    print(f"ENTREPOT_TEST_SEED={chosen}")
    return chosen


class Session:
    """One connection, and how many rows its open transaction has changed; a changed key counts twice."""

    def __init__(self, dsn: str, generator: random.Random) -> None:
        self.connection: Connection = connect(dsn, autocommit=True)
        self.connection.execute("set lock_timeout = '20ms'")
        self.generator = generator
        self.open, self.pending, self.committed = False, 0, 0

    def step(self) -> None:
        """Begin, change something, or end; what waits for the other session is rolled back."""
        generator = self.generator
        if not self.open:
            self.connection.execute("begin")
            self.open = True
        try:
            for _ in range(generator.randrange(1, 4)):
                before = self.pending
                if generator.random() < 0.2:
                    self.connection.execute("savepoint maybe")
                    self.change()
                    if generator.random() < 0.5:
                        self.connection.execute("rollback to maybe")
                        self.pending = before
                else:
                    self.change()
        except load("psycopg").Error:
            self.finish("rollback")
            return
        if generator.random() < 0.6:
            self.finish("commit" if generator.random() < 0.8 else "rollback")

    def finish(self, how: str) -> None:
        """End the transaction."""
        if self.open:
            self.connection.execute(how)
        self.committed += self.pending if how == "commit" else 0
        self.open, self.pending = False, 0

    def change(self) -> None:
        generator = self.generator
        kind = generator.choice(["insert", "insert", "update", "update", "update", "delete", "rekey"])
        where = f"where id % 5 = {generator.randrange(5)}"
        if kind == "insert":
            names = [name for name in COLUMNS if generator.random() < 0.8]
            values = [COLUMNS[name](generator) for name in names]
            columns = ", ".join(["id", '"Part\'s"', *names])
            places = ", ".join(["%s"] * (len(names) + 2))
            statement = f"insert into {TABLE.replace('%', '%%')} ({columns}) values ({places}) on conflict do nothing"
            done = self.connection.execute(statement, (generator.randrange(30), generator.choice("abc"), *values))
        elif kind == "update":
            name = generator.choice(list(COLUMNS))
            statement = f"update {TABLE.replace('%', '%%')} set {name} = %s {where.replace('%', '%%')}"
            done = self.connection.execute(statement, (COLUMNS[name](generator),))
        elif kind == "delete":
            done = self.connection.execute(f"delete from {TABLE} {where} and \"Part's\" = 'a'")
        else:
            done = self.connection.execute(f"update {TABLE} set id = id + 30 {where} and id < 30 and \"Part's\" = 'b'")
            self.pending += done.rowcount
        self.pending += done.rowcount


def live(dsn: str, generator: random.Random, steps: int, poll: Callable[[], Any]) -> int:
    """Let the table live, and poll now and then. Returns how many rows were changed by what was committed."""
    sessions = [Session(dsn, generator) for _ in range(2)]
    for _ in range(steps):
        generator.choice(sessions).step()
        if generator.random() < 0.2:
            poll()
    for session in sessions:
        session.finish("commit")
        session.connection.close()
    poll()
    return sum(session.committed for session in sessions)


def rows_as_they_are(dsn: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The table by key, as PostgreSQL has it."""
    names = ("id", "Part's", *COLUMNS, "updated_at")
    rows = sql(dsn, f"select {', '.join(chr(34) + name + chr(34) for name in names)} from {TABLE}")
    return {row[:2]: dict(zip(names, row, strict=True)) for row in rows}


def is_replayed(dsn: str, found: list[Event]) -> bool:
    """Whether the events lead to the table as it is, each one from the row that was there before."""
    told, there = replayed([event for event in found if event.table == NAME], KEY), rows_as_they_are(dsn)
    for key in sorted(told.keys() | there.keys()):
        if told.get(key) != there.get(key):
            print(key, told.get(key), there.get(key), sep="\n")
    return told == there


def live_while_killed(kind: str, dsn: str, generator: random.Random, out: Path) -> int:
    """Let the table live while a capture of it is killed again and again; how many versions were committed.

    What has once been in the output stays there.
    """
    command = [
        sys.executable, "-m", "recorder", kind, "--dsn", dsn, "--prefix", "it", "--tables", NAME, "--every", "0", "--out", str(out),
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    seen, changed = b"", 0
    for _ in range(int(os.environ.get("ENTREPOT_TEST_KILLS", "6"))):
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        changed += live(dsn, generator, 15, lambda: time.sleep(generator.random() * 0.1))
        time.sleep(generator.random() * 0.3)
        process.kill()
        assert process.wait(30) == -signal.SIGKILL
        now = out.read_bytes() if out.exists() else b""
        assert now.startswith(seen)
        seen = now
    return changed
