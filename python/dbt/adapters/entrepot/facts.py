"""What macros ask of Delta tables, as methods of the adapter (see `entrepot.tables`)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.tables.contents import Contents, commit_of_job, contents_of, intruder
from entrepot.tables.log import TableLog
from entrepot.tables.log_files import LogFiles
from entrepot.tables.log_sql import LogSql
from entrepot.tables.metadata import COMMIT_METADATA, CommitMetadata
from entrepot.tables.net_changes import changes_sql, net_rows_sql
from entrepot.tables.reader import ChangeReader, OwnWrite, read_reader, reader_of_own_write
from entrepot.tables.size import size_after
from entrepot.tables.table import Table, told_location

NEWEST_COMMITS = 5


class Facts(Asking):
    """Facts of Delta tables, from their log files where this process reaches them, else by statements."""

    @for_macros
    def facts_heads(self, locations: Mapping[str, str]) -> dict[str, dict[str, int]]:
        """The newest versions of tables, {relation: location}, as {relation: {version, committed_at}}."""
        tables = [_table(relation, location) for relation, location in locations.items()]
        heads = self._log_files.newest(tables) if self.is_embedded() else {}
        heads |= self._log_sql.newest(table for table in tables if table not in heads)
        return {table.relation: asdict(head) for table, head in heads.items()}

    @for_macros
    def facts_location(self, relation: str) -> str | None:
        """Where a table lies, as the catalogue knows it now; none for anything else."""
        return self.location(relation)

    @for_macros
    def facts_location_told(self, information: str | None) -> str | None:
        """Where a table lies, from what Spark's catalogue has told dbt of it; none for anything else."""
        return told_location(information)

    @for_macros
    def facts_contents(self, relation: str, depth: int, newest: int | None = None) -> dict[str, Any]:
        """What a table contains by its last `depth` commits, as it is or as it was at version `newest` (see `Contents`)."""
        table = self._table(relation)
        contents = asdict(contents_of(relation, self._log_of(table).commits(table, limit=int(depth)), newest))
        contents.pop("row_count")
        contents.pop("bytes")
        return contents

    @for_macros
    def facts_version(self, relation: str) -> int:
        """The newest version of a table."""
        table = self._table(relation)
        return self._log_of(table).commits(table, limit=1)[0].version

    @for_macros
    def facts_committed(self, relation: str, job: str, before: Mapping[str, Any]) -> dict[str, Any] | None:
        """What this job has written into a table that contained `before`; none where it has not.

        A dict: `version`, `at` (milliseconds), `operationMetrics` (JSON), `is_new`, `intruder` (the version of somebody
        else in between), `row_count` and `bytes` as they are now.
        """
        table = self._table(relation)
        commits = self._log_of(table).commits(table, limit=NEWEST_COMMITS)
        ours = commit_of_job(relation, job, commits)
        if ours is None:
            return None
        known = None
        if before.get("version") is not None:
            known = Contents(before["version"], None, row_count=before.get("row_count"), bytes=before.get("bytes"))
        return {
            "version": ours.version, "at": ours.at, "operationMetrics": json.dumps(dict(ours.metrics)),
            "is_new": ours.is_new, "intruder": intruder(relation, ours, commits),
            **asdict(size_after(relation, job, known, commits)),
        }  # fmt: skip

    @for_macros
    def facts_say(self, relation: str, job: str, reads: Mapping[str, int], about: Mapping[str, Any]) -> None:
        """Let the next commits carry what they contain of a relation; `about` has `read_at`, `sql_hash`, `base` and `part`."""
        self._say(CommitMetadata(relation, job, dict(reads), **dict(about)).render())

    @for_macros
    def facts_say_nothing(self) -> None:
        """End `facts_say`: later commits of this session carry nothing of ours."""
        self._say(None)

    @for_macros
    def facts_reader(
        self, relation: str, name: str, versions: Iterable[int], newest: int, own: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """How the net changes of a table between two versions are read (see `ChangeReader`), `kind` as `reader`.

        `own` has, where this job has written the table, the fields of `OwnWrite`, and `has_feed` and `committed_at`.
        """
        older, newer = versions
        now = int(time.time() * 1000)
        found: ChangeReader | None = None
        if own is not None:
            write = OwnWrite(**{key: own[key] for key in ("before", "is_new", "overwrites", "rows", "appends")})
            found = reader_of_own_write(write, own["has_feed"], older, own["committed_at"], now)
        if found is None:
            table = self._table(relation)
            found = read_reader(self._log_of(table), table, name, older, newer, newest, now)
        told = asdict(found)
        kind = told.pop("kind")
        return {"reader": None if kind == "none" else kind, **told}

    @for_macros
    def changes_sql(self, relation: str, reader: Mapping[str, Any], older: int, newer: int) -> str:
        """SQL of the net changes of a table between two versions, read as `facts_reader` says."""
        return changes_sql(relation, ChangeReader(reader["reader"], appends=bool(reader["appends"])), older, newer)

    @for_macros
    def net_rows_sql(self, signed: str) -> str:
        """SQL of the rows of `signed` whose signs do not cancel (see `entrepot.tables.net_changes`)."""
        return net_rows_sql(signed)

    @cached_property
    def _log_files(self) -> LogFiles:
        return LogFiles()

    @cached_property
    def _log_sql(self) -> LogSql:
        return LogSql(self.ask)

    def _say(self, text: str | None) -> None:
        if self.is_embedded():
            self.handle.set_commit_metadata(text)
        elif text is None:
            self.ask(f"reset {COMMIT_METADATA}")
        else:
            self.ask(f"set {COMMIT_METADATA} = {text}")

    def _table(self, relation: str) -> Table:
        return _table(relation, self.location(relation))

    def _log_of(self, table: Table) -> TableLog:
        """Return the reader of a table's log."""
        return self._log_files if self._reaches(table) else self._log_sql

    def _reaches(self, table: Table) -> bool:
        """Whether this process reads a table's log itself; a path means the same to Spark only where it runs here."""
        return self.is_embedded() and self._log_files.reaches(table)


def _table(relation: str, location: str | None) -> Table:
    return Table(tuple(relation.split(".")), location)
