"""Records one story in four forms at once: envelopes with their schema, flattened with and without, and Avro with its schemas in a registry.

make setup-record postgres registry
python -m tests.landing.recorded_formats.record
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recorder.checks import Connection, connect
from recorder.errors import RecordError
from recorder.local_postgres import throw_away_postgres
from recorder.session import SlotWatch
from tests.landing.recorded_types.record import compressed
from tests.support import apicurio

FOLDER = Path(__file__).parent
PREFIX = "forms"
ADDED = "op,table,lsn,source.name,source.db,source.schema,source.ts_us,source.txId,source.sequence,source.connector,transaction.total_order"
FLATTENED = {
    "transforms": "unwrap",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.unwrap.delete.tombstone.handling.mode": "rewrite",
    "transforms.unwrap.add.fields": ADDED,
}
COLUMNS = (
    "id integer, line smallint, name text, price numeric(12,2), amount numeric, at timestamp, at_zone timestamptz, on_day date, at_time time, "
    "document jsonb, tags text[], code uuid, is_open boolean, content bytea, weight double precision, size real, total bigint, large text, "
    "primary key (id, line)"
)
FULL = (
    "'Größe \"M\", {1}', 1.50, 2.50, '2026-01-02 03:04:05.123456', '2026-01-02 03:04:05+02', '2026-01-02', '03:04:05.5', "
    '\'{"a": 1.10, "__op": "x"}\', '
    "'{a,NULL}', 'b68a35a7-17ad-35b3-af2a-ae46edb4545a', true, '\\x0001ff', 1.5e300, 0.25, 9007199254740993"
)
NAMES = "name, price, amount, at, at_zone, on_day, at_time, document, tags, code, is_open, content, weight, size, total"
STORY = (
    ("insert into sales.item (id, line) values (2, 1)",),
    ("update sales.item set name = 'changed', weight = 'NaN' where id = 1",),
    ("update sales.item set line = 7 where id = 1", "insert into sales.item (id, line, size) values (3, 1, '-Infinity')"),
    ("insert into sales.plain values (1, 'no key'), (1, 'no key')", "update sales.plain set text = 'other'"),
    ("alter table sales.item rename column name to title", "alter table sales.item add column extra bigint not null default 7"),
    ("insert into sales.item (id, line, title) values (4, 1, null)",),
    ("delete from sales.item where id = 1", "delete from sales.item where id = 2"),
    ("insert into sales.item (id, line, title) values (2, 1, 'again')",),
)  # fmt: skip


IDLE_SECONDS, PATIENCE_SECONDS = 6, 120


def main() -> None:
    """Record everything; the files are replaced when all is recorded."""
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="entrepot-forms-")))
        dsn = stack.enter_context(throw_away_postgres())
        registry = stack.enter_context(apicurio.registry(work / "registry.log"))
        connection = stack.enter_context(connect(dsn, autocommit=True))
        prepare(connection)
        flattened = [f"--property={name}={value}" for name, value in FLATTENED.items()]
        forms = {
            "enveloped": ["--embedded-schema"],
            "flattened": flattened,
            "flattened_schema": [*flattened, "--embedded-schema"],
            "avro": ["--avro", registry],
        }
        captures = {name: started(dsn, work, name, options) for name, options in forms.items()}
        for name in captures:
            wait_for(connection, name)
        for statements in STORY:
            with connection.transaction():
                for statement in statements:
                    connection.execute(statement)
        for name, capture in captures.items():
            if capture.wait(PATIENCE_SECONDS):
                raise RecordError(f"The capture {name} failed; what it said stands above.")
            (FOLDER / f"{name}.jsonl.gz").write_bytes(compressed((work / f"{name}.jsonl").read_bytes()))
        (FOLDER / "subjects.json").write_text(json.dumps(registered(registry), indent=1) + "\n")


def prepare(connection: Connection) -> None:
    """Make the tables, with a row that is there before the captures begin."""
    for statement in (
        "set timezone = 'UTC'",
        "create schema sales",
        f"create table sales.item ({COLUMNS})",
        "alter table sales.item alter column large set storage external",
        "create table sales.plain (number integer, text text)",
        "alter table sales.plain replica identity full",
        "create publication forms for all tables",
        f"insert into sales.item (id, line, {NAMES}, large) values (1, 1, {FULL}, repeat('x', 3000))",
    ):
        connection.execute(statement)


def started(dsn: str, work: Path, name: str, options: list[str]) -> subprocess.Popen[bytes]:
    """Start a capture in a process of its own: Debezium's metrics have one name for one prefix."""
    out = [
        f"--out={work / name}.jsonl",
        f"--prefix={PREFIX}",
        f"--slot={name}",
        "--publication=forms",
        f"--until-idle={IDLE_SECONDS}",
    ]
    return subprocess.Popen([sys.executable, "-m", "recorder", "capture", "--dsn", dsn, *out, *options])


def wait_for(connection: Connection, slot: str) -> None:
    """Wait until a capture follows the log."""
    watch, deadline = SlotWatch(connection, slot), time.monotonic() + PATIENCE_SECONDS
    while not watch.is_streaming():
        if time.monotonic() > deadline:
            raise RecordError(f"Debezium does not stream into {slot}.")
        time.sleep(0.1)


def registered(registry: str) -> list[dict[str, Any]]:
    """What the registry has, version by version, as it answers."""

    def ask(path: str) -> Any:
        with urllib.request.urlopen(registry + path, timeout=60) as answer:
            return json.load(answer)

    places = [
        (subject, number) for subject in ask("/subjects") for number in ask(f"/subjects/{quote(subject, '')}/versions")
    ]
    return sorted(
        (ask(f"/subjects/{quote(subject, '')}/versions/{number}") for subject, number in places),
        key=lambda one: int(one["id"]),
    )


if __name__ == "__main__":
    main()
