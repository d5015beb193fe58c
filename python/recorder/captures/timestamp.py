"""Capture by a timestamp column: tables are polled for rows whose timestamp is new, and for keys that are gone.

A row is compared with what was seen of it last, so rows that are read twice give no change. Every poll begins where no
transaction that was running at the last one can have set an earlier timestamp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from recorder.captures.differences import Differences, TwiceError
from recorder.captures.envelope import Origin, record_of
from recorder.captures.gone import Gone
from recorder.captures.journal import Journal
from recorder.captures.postgres import (
    TEXTS,
    Relation,
    clock,
    microseconds,
    naming,
    one_moment,
    repeat,
    server_identifier,
    session,
)
from recorder.captures.shape import Texts
from recorder.captures.unsent import Unsent
from recorder.checks import Connection, log_end
from recorder.errors import RecordError
from recorder.sql import literal, quoted

CONNECTOR = "entrepot-timestamp"
SECOND = 1_000_000
YEAR_ONE = -62_135_596_800 * SECOND  # when it begins in UTC; no commit can be earlier
MARGIN = SECOND  # between a transaction's start and the moment when the server shows it
ROWS_AT_ONCE = 2000
ZONED, PLAIN = ("timestamp with time zone",), ("timestamp without time zone", "date")


@dataclass(frozen=True)
class TimestampSettings:
    """What to poll: ``column`` is the timestamp column of all tables, ``key`` the key of a view (of one relation only).

    ``lag`` are the seconds by which a commit may come after the timestamp that it has set; None asks the server.
    ``zone`` is the time zone of timestamps without one.
    """

    dsn: str
    prefix: str
    out: Path
    state: Path
    tables: tuple[str, ...]
    column: str
    key: tuple[str, ...] = ()
    lag: float | None = None
    zone: str = "UTC"
    deletes: bool = True

    def __post_init__(self) -> None:
        """Fail early.

        :raises RecordError: no tables, or one key for several.
        """
        if not self.tables:
            raise RecordError("No table was given: name them with --tables schema.table,schema.other.")
        if self.key and len(self.tables) > 1:
            raise RecordError("--key is the key of one table, and several were given: capture that one by itself.")


def run_timestamp(
    settings: TimestampSettings, full: bool, every: float, polls: int | None, say: Callable[[str], None]
) -> int:
    """Poll until somebody ends it. Returns the number of records; ``full`` reads all rows in the first poll.

    :raises RecordError: what is missing, in a sentence; the state stays as the last poll has left it.
    """
    with session(settings.dsn) as connection:
        identity = {"connector": CONNECTOR, "prefix": settings.prefix, "database": connection.info.dbname}
        with Journal(settings.out, settings.state, identity) as journal:
            say(f"polling {', '.join(settings.tables)} as {settings.prefix!r} into {settings.out}; Ctrl+C stops")
            first, gone = iter([full]), Gone(say)
            count = repeat(
                lambda: poll(settings, connection, journal, gone, say, next(first, False)), every, polls, say
            )
            gone.end()
            return count


def poll(
    settings: TimestampSettings,
    connection: Connection,
    journal: Journal,
    gone: Gone,
    say: Callable[[str], None],
    full: bool = False,
) -> int:
    """Read once what has changed, and write it. Returns the number of records."""
    horizon = _horizon(settings, connection)
    with journal.batch(), one_moment(connection):
        now, end, server = clock(connection), log_end(connection), server_identifier(connection)
        if journal.fact("server") not in (None, server) or int(journal.fact("log end") or 0) > end:
            say("the server was restored, or is another one: all rows are read again")
            full = True
        journal.remember("server", server)
        journal.remember("log end", str(end))
        position = max(end, int(journal.fact("position") or 0) + 1)
        differences = Differences(journal)
        for relation in _relations(settings, connection, gone, differences):
            with naming(relation.table):
                _read(settings, connection, journal, differences, _Reading(relation, now, full))
            if horizon is not None:
                journal.remember(f"horizon {relation.table}", str(horizon))
        origin, unsent = Origin(CONNECTOR, settings.prefix, connection.info.dbname), Unsent()
        count = journal.append(
            record_of(
                origin,
                found.table,
                found.shape,
                unsent.noted(found.table, replace(found.change, position=position + number)),
            )
            for number, found in enumerate(differences.in_order())
        )
        journal.remember("position", str(position + count))
    unsent.tell(say)
    return count


@dataclass(frozen=True)
class _Reading:
    """One table in one poll at ``now``; ``full`` reads all of its rows."""

    relation: Relation
    now: int
    full: bool


def _read(
    settings: TimestampSettings, connection: Connection, journal: Journal, differences: Differences, reading: _Reading
) -> None:
    table = reading.relation.table
    horizon = None if reading.full else journal.fact(f"horizon {table}")
    _read_rows(settings, connection, differences, reading, None if horizon is None else int(horizon))
    if settings.deletes:
        _read_keys(connection, differences, reading.relation)
        if differences.unseen(table):
            # they have an older timestamp than they may: all rows are read, and whatever else the timestamps did not tell is found
            _read_rows(settings, connection, differences, reading, None)
        differences.remove_absent(table, reading.now)
    differences.know(table)


def _read_rows(
    settings: TimestampSettings, connection: Connection, differences: Differences, reading: _Reading, since: int | None
) -> None:
    """Compare the rows whose timestamp is not before ``since``, or null, with what was seen of them."""
    relation = reading.relation
    column = f"t.{quoted(settings.column)}"
    type_ = _base(relation.shape.column(settings.column).type)
    moment, bound = column, f"to_timestamp({(since or 0) // SECOND})"
    if type_ not in ZONED:
        zone = f"at time zone {literal(settings.zone)}"
        moment = f"({column}::timestamp {zone})"
        # where summer time ends within the next hour, times go back to come
        bound = f"least({bound} {zone}, ({bound} + interval '1 hour') {zone} - interval '1 hour')::{type_}"
    where = "" if since is None else f"where {column} >= {bound} or {column} is null"
    # what is farther away, in years that no timestamp has as a number of microseconds, counts as the poll's moment
    near = f"{column} between '0001-01-01' and '9999-12-31'"
    first = not differences.is_known(relation.table)
    with connection.cursor(name="rows") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        cursor.execute(
            f"select case when {near} then {microseconds(moment)} end, {TEXTS.format(row='to_json(t.*)')} "
            f"from {relation.quoted} t {where}"
        )
        for at, row in cursor:
            texts = relation.shape.texts(row)
            key = _key(relation, texts)
            at_us = reading.now if at is None or int(at) < YEAR_ONE else min(int(at), reading.now)
            differences.row(relation.table, relation.shape, key, relation.shape.image(texts), at_us, first)


def _read_keys(connection: Connection, differences: Differences, relation: Relation) -> None:
    columns = ", ".join(f"t.{quoted(name)}" for name in relation.shape.key)
    with connection.cursor(name="keys") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        cursor.execute(f"select {TEXTS.format(row='to_json(k.*)')} from (select {columns} from {relation.quoted} t) k")
        for (row,) in cursor:
            try:
                differences.present(relation.table, _key(relation, relation.shape.texts(row)))
            except TwiceError as error:
                raise RecordError(
                    f"Two rows of {relation.table} have the key {error}: give another --key, whose values are never equal."
                ) from error


def _key(relation: Relation, texts: Texts) -> str:
    try:
        key = relation.shape.key_of(texts)
    except ValueError as error:
        raise RecordError(f"A row of {relation.table} has no key ({error}): give another --key.") from error
    assert key is not None
    return key


def _relations(
    settings: TimestampSettings, connection: Connection, gone: Gone, differences: Differences
) -> list[Relation]:
    """The tables with their keys.

    :raises RecordError: a table without a key, or without the column.
    """
    found = []
    for relation in gone.find_others(connection, settings.tables, "rpvmf", differences.is_known):
        names = [column.name for column in relation.shape.columns]
        unknown = [name for name in (settings.column, *settings.key) if name not in names]
        if unknown:
            raise RecordError(f"{relation.table} has no column {unknown[0]!r}: its columns are {', '.join(names)}.")
        if settings.key:
            relation = replace(relation, shape=replace(relation.shape, key=settings.key))
        if not relation.shape.key:
            raise RecordError(
                f"{relation.table} has no primary key, and no unique index on columns that are never null, so deleted rows cannot be "
                "told: give its key with --key a,b, or use  python -m recorder trigger, which needs none."
            )
        type_ = relation.shape.column(settings.column).type
        if _base(type_) not in ZONED + PLAIN:
            raise RecordError(
                f"Column {settings.column!r} of {relation.table} is {type_}: it has to be a timestamp, with or without time zone, or a date."
            )
        found.append(relation)
    return found


def _base(type_: str) -> str:
    """A type without its number of digits."""
    before, _, after = type_.partition("(")
    return (before + after.partition(")")[2]).replace("  ", " ").strip()


def _horizon(settings: TimestampSettings, connection: Connection) -> int | None:
    """The moment from which on the next poll has to read: no commit to come sets an earlier timestamp by the server's clock.

    It is taken before the rows are read. None while a prepared transaction waits: nobody knows when it began.

    :raises RecordError: the server does not show when transactions of others began, and no lag was given.
    """
    now = clock(connection)
    if settings.lag is not None:
        return now - round(settings.lag * SECOND)
    standby, may_see = connection.execute(
        "select pg_is_in_recovery(), rolsuper or pg_has_role('pg_read_all_stats', 'usage') from pg_roles where rolname = current_user"
    ).fetchone()
    if standby or not may_see:
        why = "is a standby" if standby else "does not show the transactions of others to this user"
        way = "" if standby else f'GRANT pg_read_all_stats TO "{connection.info.user}", or '
        raise RecordError(
            f"The server {why}, so that a row that is committed late could be missed: {way}give with --lag by how many seconds a commit "
            "may come after the timestamp that it has set."
        )
    (began,) = connection.execute(
        f"select {microseconds('min(xact_start)')} from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()"
    ).fetchone()
    # after those that run: one that is prepared in between is found here
    (waiting,) = connection.execute(
        "select exists (select from pg_prepared_xacts where database = current_database())"
    ).fetchone()
    if waiting:
        return None
    return min(now, now if began is None else int(began)) - MARGIN
