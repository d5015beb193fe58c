"""The audit table and the triggers that fill it, in the source: installed, looked after and removed.

A row of the audit table is a change with the number of its transaction, both images, and the columns as they were then. Its table
is a number (of a partition its partitioned table's), because a table that is renamed keeps its triggers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from recorder.captures.envelope import Table
from recorder.captures.postgres import COLUMNS, Relation
from recorder.captures.wire import SESSION
from recorder.checks import Connection
from recorder.errors import RecordError
from recorder.optional import load
from recorder.sql import literal, quoted

LOCK_SECONDS = 10
LONGEST_NAME = 50  # of the schema: it is part of the triggers' names, which have at most 63 bytes

# `!` sorts before letters and digits: of several triggers of a row this one runs first, before others change rows themselves
ROWS, TRUNCATES = "!{schema} row", "!{schema} truncate"

CREATE = """
create schema {schema};
create table {schema}.reader (id text not null);
create table {schema}.change (
    id bigint generated always as identity primary key,
    transaction xid8 not null default pg_current_xact_id(),
    changed_at timestamptz not null default clock_timestamp(),
    relation oid not null,
    op text not null,
    before json,
    after json,
    columns json not null
);
create index on {schema}.change (transaction);
create function {schema}.note() returns trigger language plpgsql security definer {settings} as $entrepot$
begin
    insert into {schema}.change (relation, op, before, after, columns)
    values (
        tg_argv[0]::oid,
        case tg_op when 'INSERT' then 'c' when 'UPDATE' then 'u' when 'DELETE' then 'd' else 't' end,
        case when tg_op in ('UPDATE', 'DELETE') then to_json(old) end,
        case when tg_op in ('INSERT', 'UPDATE') then to_json(new) end,
        {columns}
    );
    return null;
end
$entrepot$;
insert into {schema}.reader values ({reader})
"""
COLUMNS_OF_CHANGE = ["id", "transaction", "changed_at", "relation", "op", "before", "after", "columns"]

INSTALL = """
drop trigger if exists {rows} on {table};
create trigger {rows} after insert or update or delete on {table}
    for each row execute function {schema}.note('{oid}');
alter table {table} enable always trigger {rows};
drop trigger if exists {truncates} on {table};
create trigger {truncates} after truncate on {table}
    for each statement execute function {schema}.note('{oid}');
alter table {table} enable always trigger {truncates}
"""


def check_name(schema: str) -> None:
    """Fail early on a name of the audit schema that is too long.

    :raises RecordError: it is.
    """
    if not 0 < len(schema.encode()) <= LONGEST_NAME:
        raise RecordError(
            f"The audit schema {schema!r} has no name, or too long a one: it may have {LONGEST_NAME} bytes."
        )


def reader_of(connection: Connection, schema: str) -> str | None:
    """Which capture the audit table is read by; None if there is no audit table."""
    (there,) = connection.execute("select to_regclass(%s) is not null", (f"{quoted(schema)}.reader",)).fetchone()
    if not there:
        return None
    row = connection.execute(f"select id from {quoted(schema)}.reader").fetchone()
    return "" if row is None else str(row[0])


def is_whole(connection: Connection, schema: str) -> bool:
    """Whether the audit table itself is there, with the columns that its triggers write."""
    (there,) = connection.execute(
        """select coalesce(array_agg(attname::text), '{}') @> %s::text[] from pg_attribute
        where attrelid = to_regclass(%s) and attnum > 0 and not attisdropped""",
        (COLUMNS_OF_CHANGE, f"{quoted(schema)}.change"),
    ).fetchone()
    return bool(there)


def create(connection: Connection, schema: str, reader: str, anew: bool = False) -> None:
    """Make schema, audit table and function, for this reader; ``anew`` removes what is there of them first, with all triggers.

    :raises RecordError: the user may not, or a schema of this name is there.
    """
    settings = {**SESSION, "search_path": "pg_catalog, pg_temp"}
    values = {name: value if name == "search_path" else literal(value) for name, value in settings.items()}
    statement = CREATE.format(
        schema=quoted(schema),
        settings=" ".join(f"set {name} = {value}" for name, value in values.items()),
        columns=COLUMNS.format(oid="tg_relid"),
        reader=literal(reader),
    )
    with _changing(
        connection,
        f"The audit schema {schema!r} could not be made",
        f"GRANT CREATE ON DATABASE {connection.info.dbname}",
    ):
        if anew:
            connection.execute(f"drop schema {quoted(schema)} cascade")
        connection.execute(statement)


def install(connection: Connection, schema: str, relation: Relation) -> str:
    """Put the triggers on a table; when this returns, all of its changes are noted. Returns what :func:`triggers_of` says.

    :raises RecordError: the user does not own the table, or it is in use for too long.
    """
    if not relation.owned:
        raise RecordError(
            f"The user {connection.info.user!r} does not own {relation.table}, and triggers that always run are its owner's to make: "
            "run this once as its owner."
        )
    statement = INSTALL.format(
        rows=quoted(ROWS.format(schema=schema)),
        truncates=quoted(TRUNCATES.format(schema=schema)),
        table=relation.quoted,
        schema=quoted(schema),
        oid=relation.oid,
    )
    with _changing(connection, f"The triggers of {relation.table} could not be made", "ask its owner"):
        connection.execute(statement)
        return triggers_of(connection, schema, relation.oid)


def triggers_of(connection: Connection, schema: str, oid: int) -> str:
    """JSON of the triggers of a table and its partitions that run: the number of each, and what changes whenever it is altered."""
    (found,) = connection.execute(
        """select coalesce(json_object_agg(t.oid::text, t.xmin::text), '{}')::text from pg_trigger t
        where t.tgname in (%s, %s) and t.tgenabled in ('A', 'O')
            and t.tgrelid in (select %s::oid union all select relid from pg_partition_tree(%s::oid::regclass))""",
        (ROWS.format(schema=schema), TRUNCATES.format(schema=schema), oid, oid),
    ).fetchone()
    return str(found)


def have_run_since(known: str | None, now: str) -> bool:
    """Whether the triggers that were known are all there, unaltered; of new partitions there may be more."""
    there = json.loads(now)
    return known is not None and all(there.get(number) == altered for number, altered in json.loads(known).items())


def uninstall_others(connection: Connection, schema: str, relations: list[Relation]) -> None:
    """Take the triggers off all tables but these: such as are not captured any more, and such as were captured under another name.

    :raises RecordError: the user does not own one, or it is in use for too long.
    """
    others = connection.execute(
        """select distinct n.nspname, c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = to_regnamespace(%s) and t.tgparentid = 0 and not c.oid = any(%s::oid[]) order by 1, 2""",
        (quoted(schema), [relation.oid for relation in relations]),
    ).fetchall()
    for table in (Table(*row) for row in others):
        with _changing(connection, f"The triggers of {table} could not be removed", "ask its owner"):
            for name in (ROWS, TRUNCATES):
                trigger = quoted(name.format(schema=schema))
                connection.execute(f"drop trigger if exists {trigger} on {quoted(table.schema)}.{quoted(table.name)}")


def remove(connection: Connection, schema: str) -> list[str]:
    """Remove the audit schema with all of its triggers. Returns the names of the tables that had some.

    :raises RecordError: there is no audit schema of this name, or the user may not.
    """
    if reader_of(connection, schema) is None:
        raise RecordError(
            f"There is no audit schema {schema!r} in database {connection.info.dbname!r}: give its name with --audit-schema."
        )
    tables = connection.execute(
        """select distinct n.nspname || '.' || c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
        where p.pronamespace = %s::regnamespace order by 1""",
        (quoted(schema),),
    ).fetchall()
    with _changing(connection, f"The audit schema {schema!r} could not be removed", "ask its owner"):
        connection.execute(f"drop schema {quoted(schema)} cascade")
    return [row[0] for row in tables]


@contextmanager
def _changing(connection: Connection, what: str, way: str) -> Iterator[None]:
    """One transaction that waits for locks for some seconds only: whoever waits behind it waits as long.

    :raises RecordError: the lock or the right is missing.
    """
    errors = load("psycopg").errors
    try:
        with connection.transaction():
            connection.execute(f"set local lock_timeout = '{LOCK_SECONDS}s'")
            connection.execute("set local client_min_messages = warning")
            yield
    except errors.LockNotAvailable as error:
        raise RecordError(
            f"{what}: a transaction has held the table for {LOCK_SECONDS} seconds; run this again when long transactions have ended."
        ) from error
    except errors.InsufficientPrivilege as error:
        raise RecordError(f"{what} ({' '.join(str(error).split())}): {way}.") from error
