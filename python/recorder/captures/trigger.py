"""Capture by triggers and an audit table: every change of every row, in an order in which transactions can have committed.

What a poll reads is exactly what has committed since the last one: the audit's rows whose transactions the last poll's
snapshot (``pg_current_snapshot``) does not show. So a transaction that commits late is not skipped, whatever its numbers are.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from recorder.captures import audit
from recorder.captures.envelope import Change, Origin, Table, record_of
from recorder.captures.gone import Gone
from recorder.captures.journal import Journal
from recorder.captures.postgres import (
    TEXTS,
    Relation,
    clock,
    microseconds,
    naming,
    one_moment,
    read_shape,
    repeat,
    server_identifier,
    session,
)
from recorder.captures.shape import Shape
from recorder.captures.unsent import Unsent
from recorder.checks import Connection, log_end
from recorder.errors import RecordError
from recorder.output import Record
from recorder.sql import literal, quoted

CONNECTOR = "entrepot-trigger"
ROWS_AT_ONCE = 2000
NEVER = "1:1:"  # a snapshot that shows no transaction


@dataclass(frozen=True)
class TriggerSettings:
    """What to capture; ``audit_schema`` is where the audit table lies in the source."""

    dsn: str
    prefix: str
    out: Path
    state: Path
    tables: tuple[str, ...]
    audit_schema: str

    def __post_init__(self) -> None:
        """Fail early.

        :raises RecordError: no tables, or no usable name of the audit schema.
        """
        if not self.tables:
            raise RecordError("No table was given: name them with --tables schema.table,schema.other.")
        audit.check_name(self.audit_schema)


def run_trigger(settings: TriggerSettings, every: float, polls: int | None, say: Callable[[str], None]) -> int:
    """Install what is missing, then read the audit table until somebody ends it. Returns the number of records.

    :raises RecordError: what is missing, in a sentence; the state stays as the last poll has left it.
    """
    with session(settings.dsn) as connection:
        identity = {
            "connector": CONNECTOR, "prefix": settings.prefix, "database": connection.info.dbname,
            "audit schema": settings.audit_schema,
        }  # fmt: skip
        with Journal(settings.out, settings.state, identity) as journal:
            say(f"auditing {', '.join(settings.tables)} as {settings.prefix!r} into {settings.out}; Ctrl+C stops")
            gone = Gone(say)
            count = repeat(lambda: poll(settings, connection, journal, gone, say), every, polls, say)
            gone.end()
            return count


def remove_triggers(dsn: str, audit_schema: str) -> list[str]:
    """Remove the audit schema and all of its triggers. Returns the tables that had some."""
    with session(dsn) as connection:
        return audit.remove(connection, audit_schema)


def poll(
    settings: TriggerSettings, connection: Connection, journal: Journal, gone: Gone, say: Callable[[str], None]
) -> int:
    """Read once what has committed, and write it. Returns the number of records."""
    relations = gone.find_others(
        connection, settings.tables, "rp", lambda name: journal.fact(f"triggers {name}") not in (None, "null")
    )
    _ensure_audit(settings, connection, journal)
    _leave_others(settings, connection, journal, relations)
    reading = _Reading(settings, connection, journal, relations)
    reading.install(say)
    with journal.batch(), one_moment(connection):
        snapshot = reading.read()
    reading.unsent.tell(say)
    # what the state has, the audit need not keep
    connection.execute(
        f"delete from {quoted(settings.audit_schema)}.change where transaction < pg_snapshot_xmax({literal(snapshot)}) "
        f"and pg_visible_in_snapshot(transaction, {literal(snapshot)})"
    )
    return reading.count


def _ensure_audit(settings: TriggerSettings, connection: Connection, journal: Journal) -> None:
    """The audit table is there, and this capture's own; one that is damaged is made anew.

    :raises RecordError: another capture reads it.
    """
    if journal.fact("reader") is None:
        with journal.batch():
            journal.remember("reader", str(uuid.uuid4()))
    mine, reader = journal.fact("reader") or "", audit.reader_of(connection, settings.audit_schema)
    if reader is None:
        audit.create(connection, settings.audit_schema, mine)
    elif reader != mine:
        raise RecordError(
            f"The audit schema {settings.audit_schema!r} of database {connection.info.dbname!r} is read by another capture, whose state is not "
            f"{settings.state}: choose another with --audit-schema, or remove it with  python -m recorder remove-triggers."
        )
    elif not audit.is_whole(connection, settings.audit_schema):
        audit.create(connection, settings.audit_schema, mine, anew=True)


def _leave_others(
    settings: TriggerSettings, connection: Connection, journal: Journal, relations: list[Relation]
) -> None:
    """Tables that are not captured any more lose their triggers; if they come back, all of their rows are read again."""
    audit.uninstall_others(connection, settings.audit_schema, relations)
    known = journal.connection.execute(
        "select substr(name, 10) from fact where name like 'triggers %' and value <> 'null'"
    ).fetchall()
    for (name,) in known:
        if name not in settings.tables:
            with journal.batch():
                journal.remember(f"triggers {name}", "null")


class _Reading:
    """One poll: tables that have to be read whole, and the audit's rows of all others."""

    def __init__(
        self, settings: TriggerSettings, connection: Connection, journal: Journal, relations: list[Relation]
    ) -> None:
        self.count = 0
        self.unsent = Unsent()
        self._settings, self._connection, self._journal, self._relations = settings, connection, journal, relations
        self._origin = Origin(CONNECTOR, settings.prefix, connection.info.dbname)
        self._whole: set[Table] = set()  # what is read whole
        self._triggers: dict[Table, str] = {}
        self._audit = quoted(settings.audit_schema)
        self._position = 0
        self._server = server_identifier(connection)

    def install(self, say: Callable[[str], None]) -> None:
        """Put triggers where they are missing, or have not run all the time; these tables are read whole."""
        schema = self._settings.audit_schema
        set_back = self._is_set_back()
        for relation in self._relations:
            known = self._journal.fact(f"triggers {relation.table}")
            now = audit.triggers_of(self._connection, schema, relation.oid)
            if set_back or known in (None, "null") or not audit.have_run_since(known, now):
                if known not in (None, "null"):
                    say(f"the triggers of {relation.table} have not run all the time: all of its rows are read again")
                now = audit.install(self._connection, schema, relation)
                self._whole.add(relation.table)
            self._triggers[relation.table] = now

    def read(self) -> str:
        """Write everything that has committed up to a snapshot, which is returned."""
        (snapshot,) = self._connection.execute("select pg_current_snapshot()::text").fetchone()
        now = clock(self._connection)
        self._position = max(log_end(self._connection), int(self._journal.fact("position") or 0) + 1)
        self.count = self._journal.append(self._audited())
        for relation in self._relations:
            if relation.table in self._whole:
                self.count += self._journal.append(self._loaded(relation, now))
            self._journal.remember(f"triggers {relation.table}", self._triggers[relation.table])
        self._journal.remember("position", str(self._position))
        self._journal.remember("snapshot", snapshot)
        self._journal.remember("server", self._server)
        return str(snapshot)

    def _is_set_back(self) -> bool:
        """Whether the server is another one, or knows less than the last poll did: somebody has restored or upgraded it."""
        if self._journal.fact("server") not in (None, self._server):
            return True
        (set_back,) = self._connection.execute(
            f"select pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax({literal(self._since)})"
        ).fetchone()
        return bool(set_back)

    @property
    def _since(self) -> str:
        return self._journal.fact("snapshot") or NEVER

    def _next(self) -> int:
        self._position += 1
        return self._position - 1

    def _loaded(self, relation: Relation, now: int) -> Iterator[Record]:
        """All rows of a table; if it has been read before, what was there is gone first.

        Rows of tables that inherit from it (INHERITS) are theirs: their changes run their triggers. Those of partitions are its own.
        """
        if self._journal.fact(f"triggers {relation.table}") is not None:
            change = Change("t", None, None, None, self._next(), now)
            yield record_of(self._origin, relation.table, relation.shape, change)
        only = "" if relation.kind == "p" else "only "
        with self._connection.cursor(name="rows") as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(f"select {TEXTS.format(row='to_json(t.*)')} from {only}{relation.quoted} t")
            for (row,) in cursor:
                with naming(relation.table):
                    texts = relation.shape.texts(row)
                    key, image = relation.shape.key_of(texts), relation.shape.image(texts)
                change = Change("r", key, None, image, self._next(), now)
                yield record_of(self._origin, relation.table, relation.shape, self.unsent.noted(relation.table, change))

    def _audited(self) -> Iterator[Record]:
        """The audit's rows that have committed since the last poll, transaction by transaction.

        Transactions are in the order of their last changes. One that has changed a row after another one has waited for
        that other's end, so its last change is the later one: of every key the order is that of the commits.
        """
        captured = {relation.oid: relation.table for relation in self._relations if relation.table not in self._whole}
        commit = transaction = serial = 0
        for number, at, oid, op, before, after, columns in self._rows():
            table = captured.get(oid)
            if table is None:
                continue
            if number != transaction:
                transaction, commit, serial = number, self._position, 0
            shape = _shape(columns)
            with naming(table):
                changes = list(_images(shape, op, before, after))
            for kind, key, old, new in changes:
                serial += 1
                change = Change(kind, key, old, new, self._next(), at, transaction, serial, commit)
                yield record_of(self._origin, table, shape, self.unsent.noted(table, change))

    def _rows(self) -> Iterator[tuple[int, int, int, str, str | None, str | None, str]]:
        since = literal(self._since)
        (timed,) = self._connection.execute("select current_setting('track_commit_timestamp')::boolean").fetchone()
        at = "max(changed_at) over (partition by transaction)"
        if timed:  # not for transactions that committed before it was
            at = f"coalesce(pg_xact_commit_timestamp(transaction::xid), {at})"
        with self._connection.cursor(name="audit") as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(
                f"""select transaction::text::bigint, {microseconds(at)}, relation::bigint, op,
                    {TEXTS.format(row="before")}, {TEXTS.format(row="after")}, columns::text
                from {self._audit}.change
                where transaction >= pg_snapshot_xmin({since}) and not pg_visible_in_snapshot(transaction, {since})
                order by max(id) over (partition by transaction), id"""
            )
            yield from cursor


@lru_cache(maxsize=256)
def _shape(columns: str) -> Shape:
    return read_shape(json.loads(columns))


def _images(
    shape: Shape, op: str, before: str | None, after: str | None
) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    """Op, key and images of a change; a changed key is a delete and an insert."""
    if op == "t":
        yield op, None, None, None
        return
    old = None if before is None else shape.texts(before)
    new = None if after is None else shape.texts(after)
    old_image = None if old is None else shape.image(old)
    new_image = None if new is None else shape.image(new)
    old_key = None if old is None else shape.key_of(old)
    new_key = None if new is None else shape.key_of(new)
    if op == "u" and old_key != new_key:
        yield "d", old_key, old_image, None
        yield "c", new_key, None, new_image
    else:
        yield op, new_key if old is None else old_key, old_image, new_image
