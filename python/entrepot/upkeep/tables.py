"""The Delta tables of a target, as their logs and the books tell; no Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from entrepot.ledger import PublishedRelation
from entrepot.ledger.records import BOOKS
from entrepot.tables.commit import Commit
from entrepot.tables.contents import contents_of, keeps_rows_since
from entrepot.tables.log import LogError, is_later, millis
from entrepot.tables.log_files import LogFiles
from entrepot.tables.properties import TableProperties
from entrepot.tables.table import Table
from entrepot.target import Place


@dataclass(frozen=True)
class Stored:
    """A Delta table of a target.

    Attributes:
        table: its name and place
        commits: all that its log has, newest first
        properties: its properties
        published: its rows in published snapshots, newest first; none that tell of another table of its name
    """

    table: Table
    commits: tuple[Commit, ...]
    properties: TableProperties
    published: tuple[PublishedRelation, ...] = ()

    @property
    def relation(self) -> str:
        """Its name."""
        return self.table.relation

    @property
    def folder(self) -> str:
        """Where it lies."""
        folder = self.table.folder
        assert folder is not None, "tables elsewhere are left out"
        return folder

    @property
    def version(self) -> int:
        """Its newest version."""
        return self.commits[0].version

    @property
    def unique_key(self) -> tuple[str, ...]:
        """The columns that tell its rows apart, as last published."""
        told = self.published[0].unique_key if self.published else None
        return tuple(json.loads(told)) if told else ()

    def dropped_at(self, version: int) -> int | None:
        """Return when a version was followed by another, in milliseconds since 1970; None of the newest, and where the log has forgotten it."""
        return next((commit.at for commit in self.commits if commit.version == version + 1), None)

    def consumed(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return what the next job takes for consumed: {relation: version}, and {relation: when that was committed} as far as known."""
        newest = self.published[0] if self.published else None
        if newest is not None and newest.version is not None and newest.reads:
            since = [commit for commit in self.commits if commit.version >= newest.version]
            if keeps_rows_since(since, newest.version, millis(newest.committed_at or newest.published_at)):
                return _versions(json.loads(newest.reads)), _versions(json.loads(newest.read_at or "{}"))
        contents = contents_of(self.relation, self.commits)
        return _versions(contents.reads or {}), dict(contents.read_at)


def stored_tables(place: Place, rows: Sequence[PublishedRelation]) -> list[Stored]:
    """Return the Delta tables of a target, by name: those that its jobs have published, and others in the same schemas.

    The books are left out, tables that do not lie in this machine's file system, and what cannot be read as a log.

    Args:
        place: where the target's tables lie
        rows: all rows of tables in its published snapshots, newest first
    """
    locations: dict[str, str] = {}
    for row in rows:
        if row.location:
            locations.setdefault(row.relation, row.location)
    # catalogues write names in small letters, whatever a model's file is called
    known = {Table(tuple(relation.split(".")), location).folder for relation, location in locations.items()}
    for schema in {row.relation.rpartition(".")[0] for row in rows}:
        for log in sorted((place.warehouse / f"{schema}.db").glob("*/_delta_log")):
            if str(log.parent) not in known:
                locations.setdefault(f"{schema}.{log.parent.name}", str(log.parent))
    reader, found = LogFiles(), []
    for relation, location in sorted(locations.items()):
        table = Table(tuple(relation.split(".")), location)
        if (
            table.name[-1] in BOOKS
            or table.folder is None
            or not Path(table.folder).is_dir()
            or not reader.reaches(table)
        ):
            continue
        try:
            commits, properties = reader.commits(table), reader.properties(table)
        except LogError:
            continue
        published = tuple(_of_this_table((row for row in rows if row.relation == relation), commits))
        found.append(Stored(table, commits, properties, published))
    return found


def _of_this_table(rows: Iterable[PublishedRelation], commits: Sequence[Commit]) -> Iterable[PublishedRelation]:
    """The rows that tell of the table that is there now: one that was made anew counts its versions from 0 again."""
    times = {commit.version: commit.at for commit in commits}
    for row in rows:
        assert row.version is not None
        if row.version <= commits[0].version and not is_later(times.get(row.version), millis(row.committed_at)):
            yield row


def _versions(told: dict[str, int | None] | object) -> dict[str, int]:
    assert isinstance(told, dict)
    return {name: version for name, version in told.items() if version is not None}
