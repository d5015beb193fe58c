"""What must be true of a PostgreSQL before Debezium is started on it, each with its own sentence."""

from __future__ import annotations

import os
from typing import Any

from entrepot.record.errors import RecordError
from entrepot.record.optional import load
from entrepot.record.settings import CaptureSettings, Source, default_name

Connection = Any  # psycopg.Connection; the package is optional
CONNECT_TIMEOUT_SECONDS = 10


def connect(dsn: str, **options: Any) -> Connection:
    """Open a psycopg connection; the caller closes it.

    :raises RecordError: a malformed connection string, no server, wrong password, no such database.
    """
    psycopg = load("psycopg")
    try:
        parts = psycopg.conninfo.conninfo_to_dict(dsn)
        options.setdefault("connect_timeout", parts.get("connect_timeout", CONNECT_TIMEOUT_SECONDS))
        return psycopg.connect(dsn, application_name="entrepot record", **options)
    except psycopg.ProgrammingError as error:
        raise RecordError(
            f"The connection string is malformed ({_first_line(error)}): "
            "write postgresql://user:password@host:port/database."
        ) from error
    except psycopg.OperationalError as error:
        where = f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}/{parts.get('dbname', '')}"
        raise RecordError(
            f"PostgreSQL at {where} cannot be used ({_first_line(error)}): "
            "check that it runs, and host, port, database, user and password."
        ) from error


def check_source(settings: CaptureSettings) -> Source:
    """Look at the server once and describe it, or say what is missing and how to get it.

    :raises RecordError: see the sentences below.
    """
    with connect(settings.dsn, autocommit=True) as connection:
        _check_wal_level(connection)
        _check_replication_privilege(connection)
        _check_tables(connection, settings)
        source = _describe(connection, settings)
        _check_slot(connection, source)
        _check_publication(connection, settings, source)
        return source


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


def _check_tables(connection: Connection, settings: CaptureSettings) -> None:
    known = _tables(connection)
    if settings.tables:
        missing = sorted(set(settings.tables) - known)
        if missing:
            raise RecordError(
                f"{_listed('Table', missing)} not found in database {connection.info.dbname!r}: "
                f"write schema.table exactly as PostgreSQL stores it; there are {_some(sorted(known))}."
            )
    schemas = {table.split(".")[0] for table in known}
    missing = sorted(set(settings.schemas) - schemas)
    if missing:
        raise RecordError(
            f"{_listed('Schema', missing)} not found, or without tables, in database {connection.info.dbname!r}: "
            f"schemas with tables are {_some(sorted(schemas))}."
        )
    wanted = [
        table
        for table in sorted(known)
        if table in settings.tables
        or table.split(".")[0] in settings.schemas
        or not (settings.tables or settings.schemas)
    ]
    unreadable = [table for table in wanted if not _may_read(connection, table)]
    if settings.snapshot == "initial" and unreadable:
        raise RecordError(
            f"The user {connection.info.user!r} may not read {', '.join(unreadable)}: GRANT SELECT (and USAGE on the schema), "
            "or record only changes with --snapshot no_data."
        )


def _tables(connection: Connection) -> set[str]:
    rows = connection.execute(
        """select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where c.relkind in ('r', 'p') and c.relpersistence = 'p'
             and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'"""
    )
    return {row[0] for row in rows}


def _may_read(connection: Connection, table: str) -> bool:
    schema, name = table.split(".", 1)
    query = (
        "select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') "
        "from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = %s and c.relname = %s"
    )
    return bool(_value(connection, query, (schema, name)))


def _describe(connection: Connection, settings: CaptureSettings) -> Source:
    info = connection.info
    if not info.host or info.host.startswith("/"):
        raise RecordError(
            f"Debezium reaches PostgreSQL by TCP only, not through the socket in {info.host or 'the default folder'}: "
            "put a host into the connection string, for example postgresql://user:password@localhost:5432/database."
        )
    parameters = load("psycopg").conninfo.conninfo_to_dict(settings.dsn)
    sslmode = parameters.get("sslmode") or os.environ.get("PGSSLMODE") or "prefer"
    name = default_name(settings.prefix, info.dbname)
    publication = settings.publication or name
    exists = _value(connection, "select exists (select from pg_publication where pubname = %s)", (publication,))
    if exists and settings.publication:
        create = "disabled"  # somebody's own publication is used as it is
    else:
        create = "filtered" if settings.tables or settings.schemas else "all_tables"
    return Source(
        host=info.host,
        port=info.port,
        database=info.dbname,
        user=info.user,
        password=info.password or "",
        sslmode=sslmode,
        slot=settings.slot or name,
        publication=publication,
        create_publication=create,
    )


def _check_slot(connection: Connection, source: Source) -> None:
    row = connection.execute(
        "select database, plugin, active, wal_status from pg_replication_slots where slot_name = %s", (source.slot,)
    ).fetchone()
    if row is None:
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
            f"The server has already thrown away changes that the slot {source.slot!r} needed, so the recording would have "
            f"a gap: select pg_drop_replication_slot('{source.slot}'), delete the offsets file and start a new recording."
        )


def _check_publication(connection: Connection, settings: CaptureSettings, source: Source) -> None:
    """Debezium creates the publication; that takes a superuser, or the owner of the tables for a filtered one."""
    exists = _value(connection, "select exists (select from pg_publication where pubname = %s)", (source.publication,))
    if source.create_publication == "disabled" or (exists and source.create_publication == "all_tables"):
        return
    if _value(connection, "select rolsuper from pg_roles where rolname = current_user"):
        return
    tables = sorted(
        table for table in _tables(connection) if table in settings.tables or table.split(".")[0] in settings.schemas
    )
    owned = all(
        _value(
            connection,
            "select pg_has_role(c.relowner, 'usage') from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            "where n.nspname = %s and c.relname = %s",
            tuple(table.split(".", 1)),
        )
        for table in tables
    )
    may_create = _value(connection, "select has_database_privilege(current_database(), 'create')")
    if source.create_publication == "all_tables" or not (owned and may_create):
        target = "FOR ALL TABLES" if source.create_publication == "all_tables" else f"FOR TABLE {', '.join(tables)}"
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
