"""What one capture shall do, and the Debezium configuration that follows from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recorder.errors import RecordError
from recorder.sql import quoted

CONNECTOR = "io.debezium.connector.postgresql.PostgresConnector"
MAX_IDENTIFIER = 63  # PostgreSQL's limit for the names of slots and publications, in bytes
# properties that the recorder sets and relies on, and what decides them; a name that ends in `.` stands for all below it
OWN_PROPERTIES = {
    "name": "--slot",
    "slot.name": "--slot",
    "slot.drop.on.stop": None,
    "publication.name": "--publication",
    "publication.autocreate.mode": "--publication",
    "publish.via.partition.root": None,
    "topic.": "--prefix",
    "snapshot.mode": "--snapshot",
    "schema.include.list": "--schemas",
    "table.include.list": "--tables",
    "offset.": "--offsets",
    "database.hostname": "--dsn",
    "database.port": "--dsn",
    "database.user": "--dsn",
    "database.password": "--dsn",
    "database.dbname": "--dsn",
    "database.sslmode": "--dsn",
    "database.sslrootcert": "--dsn",
    "key.converter": "--embedded-schema",
    "key.converter.": "--embedded-schema",
    "value.converter": "--embedded-schema",
    "value.converter.": "--embedded-schema",
    "header.converter": None,
    "header.converter.": None,
    "connector.class": None,
    "plugin.name": None,
    "provide.transaction.metadata": None,
    "heartbeat.interval.ms": "--heartbeats",
    "heartbeat.topics.prefix": None,
    "custom.metric.tags": None,
}


@dataclass(frozen=True)
class CaptureSettings:
    """One capture: from one database into one file.

    ``tables`` are ``schema.table`` names, ``schemas`` schema names; both empty means every table.
    ``snapshot`` is Debezium's ``initial`` (existing rows first, as ``r``) or ``no_data`` (changes only).
    ``registry`` is the address of a schema registry: keys and values are Avro then, and their schemas are registered there.
    ``properties`` are Debezium's own, by name: how it shall represent values, for example.
    ``heartbeats`` is after how many seconds without one a heartbeat is recorded, too; none records none.
    """

    dsn: str
    prefix: str
    out: Path
    offsets: Path
    schemas: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    embedded_schema: bool = False
    registry: str | None = None
    snapshot: str = "initial"
    slot: str | None = None
    publication: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    heartbeats: float | None = None

    @property
    def waiting(self) -> Path:
        """The file beside the offsets in which the first snapshot waits until it is complete."""
        return self.offsets.with_name(f"{self.offsets.name}.snapshot")

    def __post_init__(self) -> None:
        """Fail early on names that Debezium or PostgreSQL would refuse late.

        :raises RecordError: a bad prefix, slot or table name, both ``schemas`` and ``tables``, or a property that the
            recorder sets itself.
        """
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", self.prefix):
            raise RecordError(f"The prefix {self.prefix!r} is not a topic name: use letters, digits, '_', '-' and '.'.")
        if self.registry is not None and self.embedded_schema:
            raise RecordError(
                "Records in Avro have their schemas in the registry: give --avro or --embedded-schema, not both."
            )
        if self.schemas and self.tables:
            raise RecordError("Both schemas and tables were given: name the schemas, or the tables one by one.")
        for table in self.tables:
            if not re.fullmatch(r"[^.]+\.[^.]+", table):
                raise RecordError(f"The table {table!r} has no schema: write schema.table, for example public.{table}.")
        if self.slot is not None and not re.fullmatch(rf"[a-z0-9_]{{1,{MAX_IDENTIFIER}}}", self.slot):
            raise RecordError(
                f"The slot name {self.slot!r} is refused by PostgreSQL: use a-z, 0-9 and '_', at most 63."
            )
        for name in self.properties:
            _check_property(name)


@dataclass(frozen=True)
class Source:
    """The server as the checks found it: everything Debezium must be told about it."""

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)
    sslmode: str
    sslrootcert: str | None
    slot: str
    publication: str
    create_publication: str  # Debezium's publication.autocreate.mode: disabled, filtered or all_tables
    partitions: tuple[str, ...] = ()  # those of recorded tables, whose rows and changes come under these tables' names
    inherited: tuple[
        tuple[str, str], ...
    ] = ()  # schema and name of tables from which others inherit, whose rows are not theirs
    unidentified: tuple[str, ...] = ()  # published tables of which PostgreSQL refuses updates and deletes
    log_end: int = 0  # how far the server's log is written, in bytes
    confirmed: int = 0  # how far the slot has been told to be recorded; the server sends nothing before that


def default_name(prefix: str, database: str) -> str:
    """The name of slot and publication unless the user gives one: ``entrepot_<prefix>_<database>``.

    Slots share one name space per server, so the database is part of it.
    """
    name = re.sub(r"[^a-z0-9_]", "_", f"entrepot_{prefix}_{database}".lower())
    return name[:MAX_IDENTIFIER]


def debezium_properties(settings: CaptureSettings, source: Source) -> dict[str, str]:
    """The configuration of Debezium's engine and PostgreSQL connector for this capture.

    Whatever is set neither here nor in ``settings.properties`` is Debezium's default, so that the records look as they
    do everywhere else.
    """
    properties = {
        "name": source.slot,
        "connector.class": CONNECTOR,
        "database.hostname": source.host,
        "database.port": str(source.port),
        "database.user": source.user,
        "database.password": source.password,
        "database.dbname": source.database,
        "database.sslmode": source.sslmode,
        "topic.prefix": settings.prefix,
        "plugin.name": "pgoutput",
        "slot.name": source.slot,
        "publication.name": source.publication,
        "publication.autocreate.mode": source.create_publication,
        "publish.via.partition.root": "true",
        "snapshot.mode": settings.snapshot,
        "provide.transaction.metadata": "true",
        "tombstones.on.delete": "true",
        "skipped.operations": "none",  # the default leaves truncates out
        "offset.storage": "org.apache.kafka.connect.storage.FileOffsetBackingStore",
        "offset.storage.file.filename": str(settings.offsets),
        "offset.flush.interval.ms": "0",
        "poll.interval.ms": "100",
        "errors.max.retries": "3",
        "retriable.restart.connector.wait.ms": "2000",
        # heartbeats store a position even if there has been no record yet: the next run continues there
        "heartbeat.interval.ms": "1000",
        # two databases may have the same prefix: their metrics must not have the same name
        "custom.metric.tags": f"database={source.database}",
    }
    for part in ("key", "value"):
        if settings.registry is not None:
            properties[f"{part}.converter.schema.registry.url"] = settings.registry
        else:
            properties[f"{part}.converter.schemas.enable"] = str(settings.embedded_schema).lower()
    properties["header.converter.schemas.enable"] = "false"
    if source.sslrootcert:
        properties["database.sslrootcert"] = source.sslrootcert
    if settings.schemas:
        properties["schema.include.list"] = _exact_names(settings.schemas)
    if settings.tables:
        properties["table.include.list"] = _exact_names(settings.tables)
    properties |= {**_own_rows(source, settings.properties), **settings.properties}
    if source.partitions and not settings.tables:
        left_out = (settings.properties.get("table.exclude.list", ""), _exact_names(source.partitions))
        properties["table.exclude.list"] = ",".join(filter(None, left_out))
    return properties


def _own_rows(source: Source, given: Mapping[str, str]) -> dict[str, str]:
    """What makes a snapshot read tables without the rows of those that inherit from them, whose changes come under their own names.

    Who has given selects of the snapshot reads what they say.
    """
    overrides = "snapshot.select.statement.overrides"
    if overrides in given or not source.inherited:
        return {}
    tables = [f"{quoted(schema)}.{quoted(name)}" for schema, name in source.inherited]
    return {overrides: ",".join(tables), **{f"{overrides}.{table}": f"select * from only {table}" for table in tables}}


def parse_property(text: str) -> tuple[str, str]:
    """Name and value of a property written as ``name=value``; the value may be empty and hold further ``=``.

    :raises RecordError: there is no ``=``, or no name before it.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise RecordError(
            f"The property {text!r} is not name=value: write it as Debezium's documentation names it, for example "
            "decimal.handling.mode=string."
        )
    return name.strip(), value.strip()


def _check_property(name: str) -> None:
    owned = next((own for own in OWN_PROPERTIES if name == own or (own.endswith(".") and name.startswith(own))), None)
    if owned is None:
        return
    option = OWN_PROPERTIES[owned]
    instead = f"use {option}" if option else "leave it out, the recording relies on it"
    raise RecordError(f"The property {name!r} is set by the recorder itself: {instead}.")


def _exact_names(names: tuple[str, ...]) -> str:
    """Debezium wants comma separated regular expressions, and ignores case; these match exactly the given names."""
    return ",".join("(?-i:" + re.sub(r"([^A-Za-z0-9_])", r"\\\1", name) + ")" for name in names)
