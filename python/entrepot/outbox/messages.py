"""The messages of a published table since a position: rows that are new or that have changed, in the order of their commits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from entrepot.errors import EntrepotError
from entrepot.outbox.folder import Position
from entrepot.snapshots import PublishedRelation, Snapshot, snapshot_for
from entrepot.tables.log_files import LogFiles
from entrepot.tables.net_changes import Sources, changes_sql
from entrepot.tables.reader import read_reader
from entrepot.tables.table import Table
from entrepot.warehouse import Warehouse

MESSAGE_COLUMNS = ("commit_position", "message_key", "message")


class OutgoingError(EntrepotError):
    """A table cannot be published, or no longer from where it was."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is to be published of a table.

    Attributes:
        reached: what its messages reach
        sql: their SQL, one column `line`; None where there is nothing new
    """

    reached: Position
    sql: str | None

    def lines(self, warehouse: Warehouse) -> Iterator[str]:
        """Read the messages, one JSON text each, a part of them at a time."""
        if self.sql is not None:
            for row in warehouse.reader.session.sql(self.sql).toLocalIterator():
                yield row.line


def outgoing_of(warehouse: Warehouse, relation: str, since: Position | None) -> Outgoing:
    """Return what the newest snapshot has of a table that has not been published yet.

    An update counts as its new row, and a row that is gone as nothing: a message cannot be taken back.

    Args:
        warehouse: where it is
        relation: the table, as a query names it
        since: how far it has been published; None for not at all

    Raises:
        NothingPublishedError, NotInSnapshotError: no job has published the table
        OutgoingError: it has no messages, it is not the table that was published before, or what has changed since cannot be told any more
    """
    snapshot = snapshot_for(warehouse.target.ledger(), [relation])
    found = snapshot.resolve(relation)
    assert found is not None
    if found.version is None or found.location is None:
        raise OutgoingError(
            f"{found.name} is a view: what has changed in it is not known.", "Make it an incremental model."
        )
    table = Table(("delta", found.location), found.location)
    log = LogFiles()
    columns = {column.name for column in log.columns_at(table, found.version)}
    if missing := [name for name in MESSAGE_COLUMNS if name not in columns]:
        raise OutgoingError(
            f"{found.name} has no messages: it lacks {', '.join(missing)}.",
            "Publish models that are made by {{ outgoing_messages(…) }} (docs/mapping.md, Outgoing messages).",
        )
    reached = Position(found.name, found.version, _committed_at(log, table, found.version), snapshot.number)
    if since is None:
        return Outgoing(reached, _lines_sql(f"select * from {table.quoted} version as of {found.version}"))
    return Outgoing(reached, _changed(log, table, found, since, snapshot))


def _changed(log: LogFiles, table: Table, found: PublishedRelation, since: Position, snapshot: Snapshot) -> str | None:
    """Return the SQL of the messages since a position; None where the table has not changed."""
    assert found.version is not None
    if since.relation != found.name:
        raise OutgoingError(
            f"The folder has the messages of {since.relation}, and {found.name} is to be published.",
            "Name another folder with --out.",
        )
    if (
        since.version > found.version
        or _committed_at(log, table, since.version, since.committed_at) != since.committed_at
    ):
        raise OutgoingError(
            f"{found.name} is not the table that was published up to job {since.job}: it was made anew, or set back.",
            "Publish it into another folder with --out, from the beginning.",
        )
    if since.version == found.version:
        return None
    newest = log.newest([table])[table].version
    reader = read_reader(log, table, found.name, since.version, found.version, newest, int(time.time() * 1000))
    if reader.kind == "none":
        raise OutgoingError(
            f"What has changed in {found.name} since job {since.job} cannot be told: {reader.why}.",
            "Publish it into another folder with --out, from the beginning.",
        )
    changes = changes_sql(reader, Sources.of_delta(table.quoted, since.version, found.version))
    return _lines_sql(f"select * from (\n{changes}\n) where _delta = 1")


def _committed_at(log: LogFiles, table: Table, version: int, otherwise: int = 0) -> int:
    """When a version was committed, in milliseconds since 1970; `otherwise` where the log no longer has it."""
    commits = log.commits(table, from_version=version)
    return next((commit.at for commit in commits if commit.version == version), otherwise)


def _lines_sql(rows: str) -> str:
    """SQL of the lines of a file: key and value of each message, in the order of their commits."""
    return (
        """select concat('{"key":', coalesce(message_key, 'null'), ',"value":', message, '}') as line\n"""
        f"from (\n{rows}\n)\norder by commit_position"
    )
