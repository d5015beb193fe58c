"""What the captures by timestamp and by trigger ask a PostgreSQL: its tables, their shapes, its log's end and its clock."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

from recorder.captures.envelope import Table
from recorder.captures.shape import Column, Shape
from recorder.captures.wire import SESSION
from recorder.checks import Connection, connect
from recorder.errors import RecordError
from recorder.optional import load
from recorder.sql import literal, quoted

OLDEST_VERSION = 13  # snapshots with 64-bit numbers of transactions

# SQL of the columns of relation {oid} as a JSON array of name, type and place in the key (null outside of it): a domain is
# its base type; the key is the primary key, else a unique index on columns that are never null
COLUMNS = """
(select json_agg(json_build_array(
        a.attname,
        (select case
                when t.typtype <> 'd' then format_type(a.atttypid, a.atttypmod)
                else (select case
                        when base.typtype <> 'd' then format_type(t.typbasetype, t.typtypmod)
                        else format_type(base.typbasetype, base.typtypmod)
                    end from pg_type base where base.oid = t.typbasetype)
            end from pg_type t where t.oid = a.atttypid),
        array_position((
            select string_to_array(i.indkey::text, ' ')::int2[] from pg_index i
            where i.indrelid = {oid} and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null and i.indexprs is null
                and i.indnkeyatts = i.indnatts and not exists (
                    select from pg_attribute part
                    where part.attrelid = {oid} and part.attnum = any(i.indkey) and not part.attnotnull)
            order by i.indisprimary desc, i.indisreplident desc, i.indexrelid limit 1
        ), a.attnum)
    ) order by a.attnum)
    from pg_attribute a
    where a.attrelid = {oid} and a.attnum > 0 and not a.attisdropped)
"""
# SQL of a row, which is JSON, as a JSON object of the JSON texts of its values: digits and blanks within them are kept
TEXTS = "(select json_object_agg(key, value::text) from json_each({row}))::text"


class MissingTableError(RecordError):
    """There is no table of this name, or not any more."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table as the database knows it at this moment; ``kind`` is PostgreSQL's relkind, ``owned`` whether the user owns it."""

    table: Table
    oid: int
    kind: str
    owned: bool
    shape: Shape

    @property
    def quoted(self) -> str:
        """Its name in SQL."""
        return f"{quoted(self.table.schema)}.{quoted(self.table.name)}"


@contextmanager
def session(dsn: str) -> Iterator[Connection]:
    """A connection in autocommit mode that writes values as :mod:`recorder.captures.wire` reads them.

    :raises RecordError: no connection, too old a server, or the server went away in the middle.
    """
    with connect(dsn, autocommit=True) as connection:
        version = connection.info.server_version // 10_000
        if version < OLDEST_VERSION:
            raise RecordError(
                f"PostgreSQL {version} is too old for this capture: it needs {OLDEST_VERSION} or newer; the log can be captured "
                "with  python -m recorder capture."
            )
        for name, value in SESSION.items():
            connection.execute(f"set {name} = {literal(value)}")
        try:
            yield connection
        except load("psycopg").OperationalError as error:
            reason = " ".join(str(error).split())
            raise RecordError(f"PostgreSQL went away ({reason}): run the same command again to continue.") from error
        except load("psycopg").Error as error:
            reason = " ".join(str(error).split())
            raise RecordError(
                f"PostgreSQL refuses ({reason}): put that right, then run the same command again."
            ) from error


@contextmanager
def one_moment(connection: Connection) -> Iterator[None]:
    """Everything that is read inside is as it was at one moment."""
    connection.execute("begin isolation level repeatable read, read only")
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("rollback")


@contextmanager
def naming(table: Table) -> Iterator[None]:
    """What goes wrong inside is the table's fault, and the sentence names it.

    :raises RecordError: the server refuses what a row would need, or a row has a value that is none of its column's type.
    """
    psycopg = load("psycopg")
    way = "put that right, or leave it out of --tables; the other tables go on then"
    try:
        yield
    except psycopg.OperationalError:
        raise
    except (ValueError, psycopg.Error) as error:
        raise RecordError(f"{table} cannot be recorded ({' '.join(str(error).split())}): {way}.") from error


def find_relations(connection: Connection, names: tuple[str, ...], kinds: str) -> list[Relation]:
    """The relations that are called ``schema.table``, in this order; ``kinds`` are the relkinds that are accepted.

    :raises RecordError: one is not there, is of another kind, or may not be read.
    """
    found = []
    for name in names:
        row = connection.execute(
            f"""select n.nspname, c.relname, c.oid::bigint, c.relkind::text, pg_has_role(c.relowner, 'usage'),
                   has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'), {COLUMNS.format(oid="c.oid")}
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname || '.' || c.relname = %s and c.relkind in ('r', 'p', 'v', 'm', 'f')""",
            (name,),
        ).fetchone()
        if row is None:
            raise _missing(connection, name)
        schema, short_name, oid, kind, owned, readable, columns = row
        if kind not in kinds:
            what = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}[kind]
            raise RecordError(f"{name} is {what}, and this capture needs a table: name the tables below it.")
        if not readable:
            raise RecordError(
                f"The user {connection.info.user!r} may not read {name}: GRANT SELECT ON the table, and USAGE on its schema."
            )
        found.append(Relation(Table(schema, short_name), oid, kind, owned, read_shape(columns or [])))
    return found


def read_shape(columns: list[tuple[str, str, int | None]]) -> Shape:
    """The shape that the SQL of :data:`COLUMNS` has found."""
    key = sorted((place, name) for name, _, place in columns if place is not None)
    return Shape(tuple(Column(name, type_) for name, type_, _ in columns), tuple(name for _, name in key))


def server_identifier(connection: Connection) -> str:
    """PostgreSQL's system identifier: a server that was restored from a dump, or upgraded, has another one."""
    (identifier,) = connection.execute("select system_identifier::text from pg_control_system()").fetchone()
    return str(identifier)


def clock(connection: Connection) -> int:
    """The server's time in microseconds since 1970."""
    (now,) = connection.execute(f"select {microseconds('clock_timestamp()')}").fetchone()
    return int(now)


def microseconds(moment: str) -> str:
    """SQL of a timestamptz as microseconds since 1970."""
    return f"(extract(epoch from {moment}) * 1000000)::bigint"


def repeat(poll: Callable[[], int], every: float, polls: int | None, say: Callable[[str], None]) -> int:
    """Poll so many times (None: until Ctrl+C), with pauses of ``every`` seconds. Returns the number of records."""
    total, number = 0, 0
    with _interrupt() as asked:
        while True:
            total += poll()
            number += 1
            if polls is not None and number >= polls:
                return total
            try:
                asked.get(timeout=every)
            except Empty:
                continue
            say("stopped")
            return total


@contextmanager
def _interrupt() -> Iterator[SimpleQueue[None]]:
    """What Ctrl+C puts something into: within a poll an exception would leave a command of the connection half done. A second Ctrl+C is one.

    An event would not do: a signal that comes while it is looked at waits for its lock for good.
    """
    asked: SimpleQueue[None] = SimpleQueue()

    def ask(_signal: int, _frame: FrameType | None) -> None:
        asked.put(None)
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT) or signal.SIG_DFL
    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def state_of(out: Path, state: Path | None) -> Path:
    """Where the state lies: where it was said, else beside the output."""
    return state or out.with_name(out.name + ".state")


def _missing(connection: Connection, name: str) -> MissingTableError:
    rows = connection.execute(
        """select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%%'
        order by 1 limit 9"""
    ).fetchall()
    there = ", ".join(row[0] for row in rows[:8]) + (" and more" if len(rows) > 8 else "") or "none"
    return MissingTableError(
        f"Table {name} was not found in database {connection.info.dbname!r}, or it was dropped since the last run: write schema.table "
        f"exactly as PostgreSQL stores it, or leave it out; there are {there}. What was captured of it stays as it is."
    )
