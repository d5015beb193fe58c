"""Records how values of PostgreSQL's types travel through Debezium, and what PostgreSQL says that they are.

    make setup-record
    python -m recorder local-postgres /tmp/types-postgres
    python -m tests.landing.recorded_types.record --dsn "$(cat /tmp/types-postgres/dsn)"

The database ``entrepot_types`` is created and dropped for each of the twelve recordings; one that is there already is only
dropped with ``--replace``. The files are replaced when all recordings are complete.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from recorder.capture import Capture
from recorder.checks import Connection, check_source, connect
from recorder.errors import RecordError
from recorder.session import SlotWatch
from recorder.settings import CaptureSettings
from recorder.steelworks.actors import database_dsn
from recorder.steelworks.recording import PATIENCE_SECONDS, FinishedTransactions
from tests.landing.recorded_types.values import LARGE, RUNS, TABLES, TYPES, Column, Table

FOLDER = Path(__file__).parent
DATABASE = "entrepot_types"
PREFIX = "types"
SCHEMA = "recorded"
SESSION = (
    "set timezone = 'UTC'",
    "set datestyle = 'ISO'",
    "set intervalstyle = 'iso_8601'",
    "set extra_float_digits = 1",
    "set bytea_output = 'hex'",
)
Rows = dict[str, dict[str, str | None]]  # row id -> column -> text
Types = dict[str, str]  # column -> type
BEFORE, DURING = "r", "c"  # the last part of a row's id: the op of its first record


@click.command()
@click.option("--dsn", required=True, help="postgresql://user:password@host:port/postgres, a superuser's")
@click.option("--replace", is_flag=True, help=f"Drop the database {DATABASE} if it is there already.")
@click.option("--run", "runs", multiple=True, type=click.Choice(list(RUNS)), help="Only these runs.  [default: all]")
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Folder of the files.")
def main(dsn: str, replace: bool, runs: Sequence[str], out: Path) -> None:
    """Record all runs, each without and with embedded schema."""
    os.environ["TZ"] = "UTC"  # Java's time zone: some values depend on it (README.md)
    # recordings, offsets and logs; it stays if something goes wrong
    work = Path(tempfile.mkdtemp(prefix="entrepot-types-"))
    with connect(dsn, autocommit=True) as admin:
        if not replace and admin.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone():
            raise RecordError(f"The database {DATABASE} is there already: give --replace to drop it.")
        said: tuple[Rows, Types] | None = None
        for run in runs or RUNS:
            for form in ("plain", "schema"):
                click.echo(f"recording {run}_{form}", err=True)
                found = record_run(admin, database_dsn(dsn, DATABASE), RUNS[run], work / f"{run}_{form}.jsonl")
                if said not in (None, found):
                    raise RecordError(f"PostgreSQL says something else in {run}_{form} than before.")
                said = found
        admin.execute(f"drop database {DATABASE} with (force)")
    for recording in sorted(work.glob("*.jsonl")):
        (out / f"{recording.name}.gz").write_bytes(compressed(recording.read_bytes()))
    for name, document in zip(("expected.json", "columns.json"), said or (), strict=True):
        (out / name).write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    shutil.rmtree(work)


def record_run(admin: Connection, dsn: str, properties: dict[str, str], out: Path) -> tuple[Rows, Types]:
    """Record one file; returns what PostgreSQL says of all rows before the last deletes, and the columns' types."""
    admin.execute(f"drop database if exists {DATABASE} with (force)")
    admin.execute(f"create database {DATABASE} template template0 encoding 'UTF8'")
    finished = FinishedTransactions(PREFIX)
    with connect(dsn, autocommit=True) as connection:
        for statement in (*SESSION, *TYPES, f"create schema {SCHEMA}"):
            connection.execute(statement)
        for table in TABLES:
            create(connection, table)
            insert(connection, table, BEFORE)
        settings = CaptureSettings(
            dsn=dsn,
            prefix=PREFIX,
            out=out,
            offsets=out.with_suffix(".offsets"),
            embedded_schema=out.stem.endswith("schema"),
            properties=properties,
        )
        with Capture(settings, check_source(settings), finished) as capture:
            if not capture.wait(SlotWatch(connection, capture.source.slot).is_streaming, PATIENCE_SECONDS):
                raise RecordError(f"Debezium does not stream: see {capture.log}.")
            committed = set()
            for table in TABLES:
                with connection.transaction():
                    insert(connection, table, DURING)
                    committed.add(transaction_number(connection))
            with connection.transaction():
                connection.execute(f"update {SCHEMA}.{LARGE.name} set changed = changed + 1")
                committed.add(transaction_number(connection))
            said = expected(connection), column_types(connection)
            with connection.transaction():
                for table in TABLES:
                    connection.execute(
                        f"delete from {SCHEMA}.{table.name} where id = %s", (row_id(table, "ordinary", DURING),)
                    )
                committed.add(transaction_number(connection))
            finished.wait_for(capture, committed)
        drop_slot(connection, capture.source.slot)
    return said


def drop_slot(connection: Connection, slot: str) -> None:
    """Drop the slot as soon as the server has noticed that nobody reads it any more."""
    query = "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = %s and not active"
    deadline = time.monotonic() + PATIENCE_SECONDS
    while connection.execute(query, (slot,)).fetchone() is None:
        if time.monotonic() > deadline:
            raise RecordError(f"The replication slot {slot} is still in use.")
        time.sleep(0.1)


def create(connection: Connection, table: Table) -> None:
    """Create a table. The values of ``large`` are stored out of the row, however short they are."""
    columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
    connection.execute(f"create table {SCHEMA}.{table.name} (id text primary key, {columns})")
    if table is LARGE:
        connection.execute(f"alter table {SCHEMA}.{table.name} set (toast_tuple_target = 128)")
        for column in table.columns:
            if column.name != "changed":
                connection.execute(
                    f'alter table {SCHEMA}.{table.name} alter column "{column.name}" set storage external'
                )


def row_id(table: Table, row: str, op: str) -> str:
    """The key of a row in all files."""
    return f"{table.name}.{row}.{op}"


def insert(connection: Connection, table: Table, op: str) -> None:
    """Insert all rows."""
    types = {column.name: column.type for column in table.columns}
    for row, values in table.rows():
        names = ", ".join(["id", *(f'"{name}"' for name in values)])
        places = ", ".join(["%s", *(f"%s::{types[name]}" for name in values)])
        connection.execute(
            f"insert into {SCHEMA}.{table.name} ({names}) values ({places})",
            (row_id(table, row, op), *values.values()),
        )


def transaction_number(connection: Connection) -> int:
    """The number of the current transaction as Debezium shows it."""
    return int(connection.execute("select pg_current_xact_id()::text::bigint").fetchone()[0]) % 2**32


def expected(connection: Connection) -> Rows:
    """What PostgreSQL says the values are."""
    rows: Rows = {}
    for table in TABLES:
        queried = ", ".join(["id", *(_as_text(column) for column in table.columns)])
        # the protocol's own texts: what psql shows; a cast to text is something else for char(n), inet and boolean
        result = connection.execute(f"select {queried} from {SCHEMA}.{table.name} order by id").pgresult
        for number in range(result.ntuples):
            texts = [_decoded(result.get_value(number, place)) for place in range(result.nfields)]
            rows[str(texts[0])] = dict(zip((column.name for column in table.columns), texts[1:], strict=True))
    return rows


def _as_text(column: Column) -> str:
    return f'to_json("{column.name}")' if column.type.endswith("[]") or column.type == "hstore" else f'"{column.name}"'


def _decoded(text: Any) -> str | None:
    return None if text is None else bytes(text).decode()


def column_types(connection: Connection) -> Types:
    """The type of each column as ``format_type`` prints it; a column has the same type in all tables."""
    found = connection.execute(
        """select attname, format_type(atttypid, atttypmod) from pg_attribute
           where attrelid in (select oid from pg_class where relnamespace = %s::regnamespace and relkind = 'r')
             and attnum > 0 order by attrelid, attnum""",
        (SCHEMA,),
    ).fetchall()
    types: Types = dict(found)
    assert all(types[name] == type_ for name, type_ in found)
    return types


def compressed(content: bytes) -> bytes:
    """The content as a gzip file that says nothing about when and where it was made."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
