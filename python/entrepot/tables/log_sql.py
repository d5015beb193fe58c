"""Reads the logs of Delta tables by SQL, wherever they lie."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from entrepot.tables.columns import Column
from entrepot.tables.commit import Commit, in_deltas_words
from entrepot.tables.log import Head
from entrepot.tables.properties import TableProperties, table_properties
from entrepot.tables.table import Table

Query = Callable[[str], Sequence[Mapping[str, Any]]]
CUT_OFF = re.compile(r"\.\.\. \d+ more fields")
IN_COMMIT_TIME = re.compile(r'^\s*\{\s*"commitInfo"\s*:.*?"inCommitTimestamp"\s*:\s*(\d+)')


class LogSql:
    """The logs of tables as Spark tells them: `describe history`, `show tblproperties`, and a listing of log folders."""

    def __init__(self, query: Query) -> None:
        """Read logs; `query` runs one statement and returns its rows."""
        self._query = query

    def newest(self, tables: Iterable[Table]) -> dict[Table, Head]:
        """Return the newest version of each table whose location is known, in two statements for all of them.

        `describe history` would be one statement for each table. Spark refuses to list a folder without any Delta table, so
        locations are to come from its catalog.
        """
        places = {table.location.rstrip("/"): table for table in tables if table.location}
        if not places:
            return {}
        rows = [row for row in self._query(listing_sql(places)) if row["location"] in places]
        written = self._times_in_commits([str(row["path"]) for row in rows])
        return {
            places[row["location"]]: Head(int(row["version"]), written.get(row["path"], int(row["committed_at"])))
            for row in rows
        }

    def commits(self, table: Table, *, limit: int | None = None, from_version: int | None = None) -> tuple[Commit, ...]:
        """Return a table's commits, newest first; one statement, or two where only `from_version` is given."""
        if limit is None and from_version is not None:
            limit = max(self._history(table, 1)[0].version - from_version + 1, 1)
        return tuple(commit for commit in self._history(table, limit) if commit.version >= (from_version or 0))

    def properties(self, table: Table) -> TableProperties:
        """Return a table's properties; one statement."""
        rows = self._query(f"show tblproperties {table.quoted}")
        return table_properties({str(row["key"]): str(row["value"]) for row in rows})

    def noted_bytes(self, table: Table) -> int | None:
        """Return nothing: `describe detail` is what tells it, and adds files up."""
        return None

    def noted_rows(self, table: Table, version: int) -> int | None:
        """Return nothing: it would take a statement for each table."""
        return None

    def columns_at(self, table: Table, version: int) -> tuple[Column, ...]:
        """Return a table's columns as they were at a version; one statement, and one more where a type is too long for it."""
        sql = f"select * from {table.quoted} version as of {version}"
        found = [Column(row["col_name"], row["data_type"]) for row in self._query(f"describe query\n{sql}")]
        if not any(CUT_OFF.search(column.type) for column in found):
            return tuple(found)
        row = self._query(whole_types_sql([column.name for column in found], sql))[0]
        return tuple(Column(column.name, row[f"type_{place}"]) for place, column in enumerate(found))

    def _history(self, table: Table, limit: int | None) -> list[Commit]:
        suffix = "" if limit is None else f" limit {limit}"
        return [commit_of_row(row) for row in self._query(f"describe history {table.quoted}{suffix}")]

    def _times_in_commits(self, paths: list[str]) -> dict[str, int]:
        """{path of a commit's file: its in-commit timestamp}, of those that have one."""
        if not paths:
            return {}
        found = {}
        for row in self._query(times_sql(paths)):
            if match := IN_COMMIT_TIME.match(row["value"]):
                found[row["path"]] = int(match[1])
        return found


def listing_sql(locations: Iterable[str]) -> str:
    """Return SQL of the newest commit of each table: `location`, `version`, `path` of its file, `committed_at`.

    No content is read. Tables of one folder are listed together.
    """
    return (
        "select location, max_by(path, version) as path, max(version) as version, "
        "unix_millis(max_by(modificationTime, version)) as committed_at\n"
        "from (\nselect path, modificationTime, regexp_extract(path, '^(.*)/_delta_log/', 1) as location, "
        "try_cast(regexp_extract(path, '/([0-9]{20})[.]json$', 1) as bigint) as version\n"
        f"from (\n{_files_sql('path, modificationTime', locations, '/_delta_log/*.json')}\n)\n)\n"
        "where version is not null\ngroup by location"
    )


def times_sql(paths: Iterable[str]) -> str:
    """Return SQL of the beginning of those commits' files that have an in-commit timestamp: `path` and `value`."""
    return (
        f"select * from (\n{_files_sql('path, cast(substring(content, 1, 4000) as string) as value', paths)}\n)\n"
        "where value like '%\"inCommitTimestamp\"%'"
    )


def _files_sql(columns: str, paths: Iterable[str], below: str = "") -> str:
    """SQL of files; those of tables that lie in one folder are named together, `below` follows each path."""
    folders: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        table, log, rest = path.partition("/_delta_log/")
        parent, name = table.rsplit("/", 1)
        folders[parent].append(name + log + rest)
    return "\nunion all\n".join(
        f"select {columns} from binaryFile.`{parent}/{{{','.join(names)}}}{below}`" for parent, names in folders.items()
    )


def whole_types_sql(names: Sequence[str], sql: str) -> str:
    """Return SQL of one row with the whole types of a query's columns; it reads no rows of theirs."""
    types = ", ".join(f"typeof(`{name.replace('`', '``')}`) as type_{place}" for place, name in enumerate(names))
    return f"select {types} from (select 1 as _one) left join (\n{sql}\n) on false"


def commit_of_row(row: Mapping[str, Any]) -> Commit:
    """Return a commit from a row of `describe history`.

    >>> commit_of_row({"version": 3, "timestamp": "1970-01-01 00:00:01.5", "operation": "WRITE", "operationParameters": None,
    ...                "operationMetrics": '{"numFiles": "1"}', "userMetadata": None})
    Commit(version=3, at=1500, operation='WRITE', parameters={}, metrics={'numFiles': '1'}, user_metadata=None, bytes_more=None)
    """
    return Commit(
        int(row["version"]),
        milliseconds(row["timestamp"]),
        row["operation"] or "",
        _texts(row["operationParameters"]),
        in_deltas_words(_texts(row["operationMetrics"])),
        row["userMetadata"],
    )


def milliseconds(value: datetime | str) -> int:
    """Return a timestamp that a query returned, in milliseconds since 1970, which mean the same in every process.

    Spark's session hands out local time without a zone; a server hands out text, which is taken for UTC, as profiles.yml
    sets it.

    >>> milliseconds("2026-01-02 03:04:05.678"), milliseconds(datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=timezone.utc))
    (1767323045678, 1767323045678)
    """
    if isinstance(value, str):
        whole, _, fraction = value.partition(".")
        at = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc)
        return int(at.timestamp()) * 1000 + int((fraction + "000")[:3])
    return round(value.timestamp() * 1000)


def _texts(value: Any) -> dict[str, str]:
    """A map that a query returned, as a dict, as pairs or as JSON, without values that are null."""
    found = json.loads(value) if isinstance(value, str) else value
    return {str(name): str(text) for name, text in dict(found or {}).items() if text is not None}
