"""What must be true of a PostgreSQL before Debezium is started on it, each with its own sentence."""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from recorder.errors import RecordError
from recorder.optional import load
from recorder.settings import CaptureSettings, Source, default_name

Connection = Any  # psycopg.Connection; the package is optional
CONNECT_TIMEOUT_SECONDS = 10
SLOT_PATIENCE_SECONDS = 10
# ordinary and partitioned tables; with a table its partitions are published, and tables that inherit from it
TABLES = """
select n.nspname, c.relname, pg_has_role(c.relowner, 'usage'),
       has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'),
       c.relkind = 'p', c.relkind = 'r' and exists (select 1 from pg_inherits where inhparent = c.oid),
       array(select an.nspname || '.' || a.relname
             from pg_partition_ancestors(c.oid) p join pg_class a on a.oid = p.relid join pg_namespace an on an.oid = a.relnamespace
             where a.oid <> c.oid),
       array(with recursive below (oid) as (
                 select c.oid union select i.inhrelid from pg_inherits i join below b on b.oid = i.inhparent)
             select ln.nspname || '.' || l.relname
             from below b join pg_class l on l.oid = b.oid join pg_namespace ln on ln.oid = l.relnamespace
             where l.relpersistence = 'p' and l.relkind = 'r' and l.relreplident <> 'f' and not exists (
                 select 1 from pg_index i
                 where i.indrelid = l.oid and i.indisvalid and i.indimmediate
                   and case l.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end)
             order by 1)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relpersistence = 'p'
  and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
order by 1, 2
"""


@dataclass(frozen=True)
class _Table:
    """A table, whether the user owns it, and whether the user may read it.

    ``ancestors`` are the partitioned tables that it is a partition of, by name; ``unidentified`` are those of itself,
    its partitions and the tables that inherit from it, whose updates and deletes PostgreSQL refuses as soon as they are published.
    """

    schema: str
    short_name: str
    owned: bool
    readable: bool
    partitioned: bool
    inherited: bool
    ancestors: tuple[str, ...]
    unidentified: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.schema}.{self.short_name}"


def connect(dsn: str, **options: Any) -> Connection:
    """Open a psycopg connection; the caller closes it.

    :raises RecordError: a malformed connection string, no server, wrong password, no such database.
    """
    psycopg = load("psycopg")
    try:
        parts = psycopg.conninfo.conninfo_to_dict(dsn)
        options.setdefault("connect_timeout", parts.get("connect_timeout", CONNECT_TIMEOUT_SECONDS))
        return psycopg.connect(dsn, application_name="python -m recorder", **options)
    except psycopg.ProgrammingError as error:
        # libpq's own message would repeat the password
        raise RecordError(
            "The connection string is malformed: write postgresql://user:password@host:port/database "
            "(other characters than letters and digits as %XX)."
        ) from error
    except psycopg.OperationalError as error:
        where = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
        raise RecordError(
            f"PostgreSQL at {where} cannot be used ({_first_line(error)}): "
            "check that it runs, and host, port, database, user and password."
        ) from error


def log_end(connection: Connection) -> int:
    """How far the server's log is written (on a standby: replayed), in bytes."""
    (position,) = connection.execute(
        "select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint"
    ).fetchone()
    return int(position)


def check_registry(address: str) -> None:
    """Whether a schema registry answers; what it answers is Debezium's business.

    :raises RecordError: nobody does, or the address is none.
    """
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open(f"{address.rstrip('/')}/subjects", timeout=CONNECT_TIMEOUT_SECONDS).close()
    except urllib.error.HTTPError:
        return
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise RecordError(
            f"The schema registry at {address} does not answer ({reason}): check that it runs, and the address after --avro, "
            "such as http://registry:8080/apis/ccompat/v7; then run the same command again."
        ) from error


def check_source(settings: CaptureSettings) -> Source:
    """Look at the server once and describe it, or say what is missing and how to get it.

    :raises RecordError: see the sentences below.
    """
    with connect(settings.dsn, autocommit=True) as connection:
        _check_wal_level(connection)
        _check_replication_privilege(connection)
        tables, partitions = _find_tables(connection, settings)
        source = _describe(connection, settings)
        _check_slot(connection, settings, source)
        mode = _publication_mode(connection, settings, source, tables)
        unidentified = tuple(sorted({name for table in tables for name in table.unidentified}))
        if unidentified and mode != "disabled":
            raise RecordError(
                f"{unidentified_sentence(unidentified)} or leave them out: name the others with --tables."
            )
        inherited = tuple((table.schema, table.short_name) for table in tables if table.inherited)
        return replace(
            source,
            create_publication=mode,
            partitions=partitions,
            inherited=inherited,
            unidentified=unidentified,
            confirmed=_confirmed(connection, source.slot),
        )


def _check_wal_level(connection: Connection) -> None:
    level = _value(connection, "show wal_level")
    if level != "logical":
        raise RecordError(
            f"The server's wal_level is {level!r} and change capture needs 'logical': run  "
            "ALTER SYSTEM SET wal_level = 'logical'  as a superuser and restart PostgreSQL "
            "(managed services have a parameter for it, for example rds.logical_replication)."
        )


def _check_replication_privilege(connection: Connection) -> None:
    allowed = _value(
        connection,
        """select r.rolsuper or r.rolreplication or exists (
               select from pg_roles g
               where g.rolname in ('rds_replication') and pg_has_role(r.oid, g.oid, 'member'))
           from pg_roles r where r.rolname = current_user""",
    )
    if not allowed:
        user = connection.info.user
        raise RecordError(
            f'The user {user!r} has no replication privilege: run  ALTER ROLE "{user}" REPLICATION  as a superuser '
            "(Amazon RDS: GRANT rds_replication)."
        )


def _find_tables(connection: Connection, settings: CaptureSettings) -> tuple[list[_Table], tuple[str, ...]]:
    """The tables that shall be recorded, by name, and the names of partitions that have rows of them."""
    known = [
        _Table(schema, name, owned, readable, partitioned, inherited, tuple(above), tuple(unidentified))
        for schema, name, owned, readable, partitioned, inherited, above, unidentified in connection.execute(TABLES)
    ]
    database = connection.info.dbname
    missing = sorted(set(settings.tables) - {table.name for table in known})
    if missing:
        raise RecordError(
            f"{_listed('Table', missing)} not found in database {database!r}: write schema.table exactly as "
            f"PostgreSQL stores it; there are {_some([table.name for table in known])}."
        )
    schemas = sorted({table.schema for table in known})
    missing = sorted(set(settings.schemas) - set(schemas))
    if missing:
        raise RecordError(
            f"{_listed('Schema', missing)} not found, or without tables, in database {database!r}: "
            f"schemas with tables are {_some(schemas)}."
        )
    everything = not (settings.tables or settings.schemas)
    wanted, partitions = _without_partitions(
        [one for one in known if everything or one.name in settings.tables or one.schema in settings.schemas], settings
    )
    unreadable = [table.name for table in wanted if not table.readable]
    if settings.snapshot == "initial" and unreadable:
        raise RecordError(
            f"The user {connection.info.user!r} may not read {_some(unreadable)}: "
            "GRANT SELECT (and USAGE on the schema), or record only changes with --snapshot no_data."
        )
    return wanted, partitions


def _without_partitions(tables: list[_Table], settings: CaptureSettings) -> tuple[list[_Table], tuple[str, ...]]:
    """The tables without partitions of others among them, and the names of these: a partitioned table is one table.

    :raises RecordError: the user has named a table and its partition.
    """
    names = {table.name for table in tables}
    partitions = [table for table in tables if names.intersection(table.ancestors)]
    if partitions and settings.tables:
        one = partitions[0]
        of = sorted(names.intersection(one.ancestors))[0]
        raise RecordError(
            f"Table {one.name} is a partition of {of}, which is named, too, and has its rows and changes: leave {one.name} out."
        )
    return [one for one in tables if not names.intersection(one.ancestors)], tuple(one.name for one in partitions)


def unidentified_sentence(names: Sequence[str]) -> str:
    """What is wrong with published tables of which nothing identifies a row; its end is left to the caller."""
    return (
        f"Of {_some(list(names))} nothing identifies a row (no primary key, no replica identity), so PostgreSQL refuses "
        f"updates and deletes of them while they are published: run  ALTER TABLE {names[0]} REPLICA IDENTITY FULL  (each of them),"
    )


def _describe(connection: Connection, settings: CaptureSettings) -> Source:
    info = connection.info
    if not info.host or info.host.startswith("/"):
        raise RecordError(
            f"Debezium reaches PostgreSQL by TCP only, not through the socket in {info.host or 'the default folder'}: "
            "put a host into the connection string, for example postgresql://user:password@localhost:5432/database."
        )
    parameters = load("psycopg").conninfo.conninfo_to_dict(settings.dsn)
    sslmode = parameters.get("sslmode") or os.environ.get("PGSSLMODE") or "prefer"
    certificates = parameters.get("sslrootcert") or os.environ.get("PGSSLROOTCERT")
    name = default_name(settings.prefix, info.dbname)
    return Source(
        host=info.host,
        port=info.port,
        database=info.dbname,
        user=info.user,
        password=info.password or "",
        sslmode=str(sslmode),
        sslrootcert=None if certificates is None else str(certificates),
        slot=settings.slot or name,
        publication=settings.publication or name,
        create_publication="disabled",
        log_end=log_end(connection),
    )


def wait_for_readers(connection: Connection, condition: str, values: Sequence[Any]) -> None:
    """Wait until nobody reads the replication slots of a condition (SQL) any more, 10 seconds at most.

    The server takes a moment to see that a reader has gone.
    """
    deadline = time.monotonic() + SLOT_PATIENCE_SECONDS
    being_read = f"select 1 from pg_replication_slots where active and {condition}"
    while connection.execute(being_read, values).fetchone() and time.monotonic() < deadline:
        time.sleep(0.1)


def _check_slot(connection: Connection, settings: CaptureSettings, source: Source) -> None:
    wait_for_readers(connection, "slot_name = %s", (source.slot,))
    row = connection.execute(
        "select database, plugin, active, wal_status from pg_replication_slots where slot_name = %s", (source.slot,)
    ).fetchone()
    if row is None:
        if settings.offsets.exists() and settings.offsets.stat().st_size > 0:
            raise RecordError(
                f"{settings.offsets} continues a recording, but its replication slot {source.slot!r} is gone, "
                f"and with it the changes since: delete {settings.offsets} and give another --out to start a new recording with a snapshot."
            )
        free = _value(
            connection, "select current_setting('max_replication_slots')::int > count(*) from pg_replication_slots"
        )
        if not free:
            raise RecordError(
                "All replication slots of the server are taken: drop an unused one "
                "(select pg_drop_replication_slot('name')) or raise max_replication_slots and restart."
            )
        return
    database, plugin, active, wal_status = row
    if database != source.database or plugin != "pgoutput":
        raise RecordError(
            f"The replication slot {source.slot!r} belongs to database {database!r} and plugin {plugin!r}: "
            "choose another name with --slot."
        )
    if active:
        raise RecordError(
            f"The replication slot {source.slot!r} is in use, probably by another recording: "
            "stop that one, or choose another name with --slot."
        )
    if wal_status == "lost":
        raise RecordError(
            f"The server no longer has all changes for the slot {source.slot!r}, so the recording would have a gap: "
            f"select pg_drop_replication_slot('{source.slot}'), delete {settings.offsets} and start a new recording with another --out."
        )


def _confirmed(connection: Connection, slot: str) -> int:
    query = "select (confirmed_flush_lsn - '0/0'::pg_lsn)::bigint from pg_replication_slots where slot_name = %s"
    return int(_value(connection, query, (slot,)) or 0)


def _publication_mode(connection: Connection, settings: CaptureSettings, source: Source, tables: list[_Table]) -> str:
    """Debezium's ``publication.autocreate.mode``: it shall create or adapt our own publication, and never another's.

    :raises RecordError: a publication that does not publish everything that is wanted, or no right to create one.
    """
    everything = not (settings.tables or settings.schemas)
    existing = connection.execute(
        "select puballtables, pubviaroot from pg_publication where pubname = %s", (source.publication,)
    ).fetchone()
    if existing is not None:
        _check_names_of_partitions(connection, settings, source, tables, *existing)
    if existing is not None and (existing[0] or (everything and settings.publication)):
        return "disabled"
    if existing is not None and everything:
        raise RecordError(
            f"The publication {source.publication!r} of an earlier recording is for some tables only, and PostgreSQL "
            "cannot make it one for all: name the tables with --tables or --schemas."
        )
    if existing is not None and settings.publication:
        _check_published(connection, source.publication, tables)
        return "disabled"
    _check_may_publish(connection, source, tables, everything)
    return "all_tables" if everything else "filtered"


def _check_names_of_partitions(
    connection: Connection,
    settings: CaptureSettings,
    source: Source,
    tables: list[_Table],
    for_all: bool,
    via_root: bool,
) -> None:
    """An existing publication has to name changes of partitions as the recording does: else none of them would be recorded."""
    name = source.publication
    partitioned = [table.name for table in tables if table.partitioned]
    if partitioned and not via_root:
        raise RecordError(
            f"The publication {name!r} tells changes of {_some(partitioned)} under the names of partitions: let its owner "
            f"run  ALTER PUBLICATION {name} SET (publish_via_partition_root = true); a recording that has begun with it "
            f"has to begin anew: select pg_drop_replication_slot('{source.slot}'), delete {settings.offsets}, give another --out."
        )
    if not via_root or not (for_all or settings.publication):
        return  # ours for some tables, which become those that are wanted now
    published = _published(connection, name)
    for table in tables:
        above = sorted(published.intersection(table.ancestors))
        if above:
            raise RecordError(
                f"The publication {name!r} tells changes of {table.name} as those of {above[0]}, of which it is a partition: "
                f"name {above[0]} with --tables, or another publication with --publication."
            )


def _published(connection: Connection, publication: str) -> set[str]:
    """The names under which a publication tells changes."""
    rows = connection.execute(
        "select schemaname || '.' || tablename from pg_publication_tables where pubname = %s", (publication,)
    )
    return {row[0] for row in rows}


def _check_published(connection: Connection, publication: str, tables: list[_Table]) -> None:
    missing = sorted({table.name for table in tables} - _published(connection, publication))
    if missing:
        raise RecordError(
            f"The publication {publication!r} does not publish {_some(missing)}: let its owner run  "
            f"ALTER PUBLICATION {publication} ADD TABLE {', '.join(missing)}."
        )


def _check_may_publish(connection: Connection, source: Source, tables: list[_Table], everything: bool) -> None:
    """A publication of all tables takes a superuser, one of some tables their owner."""
    allowed = _value(
        connection,
        "select rolsuper or (%s and has_database_privilege(current_database(), 'create')) "
        "from pg_roles where rolname = current_user",
        (not everything and all(table.owned for table in tables),),
    )
    if not allowed:
        target = "FOR ALL TABLES" if everything else f"FOR TABLE {', '.join(table.name for table in tables)}"
        raise RecordError(
            f"The user {source.user!r} may not create the publication: let a superuser run  CREATE PUBLICATION "
            f"{source.publication} {target}  and give its name with --publication {source.publication}."
        )


def _value(connection: Connection, query: str, parameters: tuple[Any, ...] = ()) -> Any:
    row = connection.execute(query, parameters).fetchone()
    return None if row is None else row[0]


def _listed(what: str, names: list[str]) -> str:
    return f"{what} {names[0]} was" if len(names) == 1 else f"{what}s {', '.join(names)} were"


def _some(names: list[str], limit: int = 8) -> str:
    if not names:
        return "none"
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
