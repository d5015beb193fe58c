"""Reads the logs of Delta tables from their files, without Spark."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from entrepot.tables.columns import Column, columns_of_schema
from entrepot.tables.commit import Commit, counts_no_bytes, in_deltas_words
from entrepot.tables.files import rows_of
from entrepot.tables.log import Head, LogError, rising
from entrepot.tables.log_folder import LocalFolder, LogFolder
from entrepot.tables.properties import TableProperties, table_properties
from entrepot.tables.table import Table

COMMIT = re.compile(r"(\d{20})\.json")
STAGED = re.compile(r"(\d{20})\..+\.json")
# it counts nothing where it has been given a file; and whoever sees its commit sees all of it
DELTALAKE = "delta-rs"
TRIES, PAUSE_SECONDS = 20, 0.05
# for the table's columns, before a checkpoint is asked: writers without checksum files may have thousands in a row
COMMITS_SEARCHED = 100


@dataclass(frozen=True, slots=True)
class Listing:
    """What one listing of a log's folder shows.

    Attributes:
        folder: the log
        names: its files
        versions: those that have a commit in it, oldest first; never empty
    """

    folder: LogFolder
    names: frozenset[str]
    versions: tuple[int, ...]


class LogFiles:
    """The logs of tables that lie in folders which this process can read.

    A commit is a file of JSON lines; one of them is what its writer says of it. Delta's history takes the time of the file
    for the time of the commit, unless the table has in-commit timestamps: those are in the file.
    """

    def __init__(self, open_folder: Callable[[Table], LogFolder | None] = LocalFolder.of) -> None:
        """Read logs; `open_folder` returns a table's log, None where this process cannot reach it."""
        self._open = open_folder

    def reaches(self, table: Table) -> bool:
        """Whether the table's log can be read here."""
        return self._listing(table) is not None

    def newest(self, tables: Iterable[Table]) -> dict[Table, Head]:
        """Return the newest version of each table; one listing of a folder and the beginning of one file each.

        Raises:
            LogError: a file is damaged
        """
        found = {}
        for table in tables:
            listing = self._listing(table)
            for commit, written_at in _read_all(listing.folder, listing.versions[-1:]) if listing is not None else ():
                found[table] = Head(commit.version, commit.at if written_at is None else written_at)
        return found

    def head_at(self, table: Table, version: int) -> Head | None:
        """Return when a version was committed; None where the log has not got it, be it cleaned up or not written yet.

        Raises:
            LogError: there is no log here, or the file is damaged
        """
        listing = self._wanted(table)
        for commit, written_at in _read_all(listing.folder, [one for one in listing.versions if one == version]):
            return Head(commit.version, commit.at if written_at is None else written_at)
        return None

    def commits(self, table: Table, *, limit: int | None = None, from_version: int | None = None) -> tuple[Commit, ...]:
        """Return a table's commits, newest first; one listing of a folder, and one file for each commit.

        Raises:
            LogError: there is no log here, or a file of it is damaged
        """
        listing = self._wanted(table)
        first = listing.versions[-1] - limit + 1 if limit is not None else from_version or 0
        read = _read_all(listing.folder, [version for version in listing.versions if version >= first])
        return tuple(commit for commit in reversed(_with_times(list(read))) if commit.version >= (from_version or 0))

    def properties(self, table: Table) -> TableProperties:
        """Return a table's properties.

        Raises:
            LogError: there is no log here, or it lacks files
        """
        listing = self._wanted(table)
        return table_properties(_metadata(table, listing, listing.versions[-1])["configuration"])

    def noted_bytes(self, table: Table) -> int | None:
        """Return how large the files of a table's newest version are together; none where its writer has left no checksum file.

        Raises:
            LogError: there is no log here
        """
        listing = self._wanted(table)
        size = _checksum(listing.folder, f"{listing.versions[-1]:020}.crc").get("tableSizeBytes")
        return int(size) if size is not None else None

    def noted_rows(self, table: Table, version: int) -> int | None:
        """Return how many rows a table has at a version; none where its files do not say."""
        return rows_of(table, version)

    def columns_at(self, table: Table, version: int) -> tuple[Column, ...]:
        """Return a table's columns as they were at a version.

        Raises:
            LogError: there is no log here, or the version is not in it any more
        """
        return columns_of_schema(json.loads(self.metadata(table, version)["schemaString"]))

    def metadata(self, table: Table, version: int) -> Mapping[str, Any]:
        """Return a table's columns and properties as they were at a version, as Delta's log writes them (`metaData`).

        Raises:
            LogError: there is no log here, or the version is not in it any more
        """
        found: Mapping[str, Any] = _metadata(table, self._wanted(table), version)
        return found

    def _wanted(self, table: Table) -> Listing:
        listing = self._listing(table)
        if listing is None:
            raise LogError(
                f"There is no whole Delta log of {table.relation} at {table.location}.",
                "Ask Spark where the table lies in a storage that this process cannot read, or a catalog keeps its commits.",
            )
        return listing

    def _listing(self, table: Table) -> Listing | None:
        """The listing of a table's log; None where there is none here, or only a catalog knows the newest commits."""
        folder = self._open(table)
        if folder is None:
            return None
        names = frozenset(folder.names())
        versions = sorted(int(match[1]) for name in names if (match := COMMIT.fullmatch(name)))
        staged = [int(match[1]) for name in folder.staged() if (match := STAGED.fullmatch(name))]
        if not versions or (staged and max(staged) > versions[-1]):
            return None
        return Listing(folder, names, tuple(versions))


def _read_all(folder: LogFolder, versions: Iterable[int]) -> Iterator[tuple[Commit, int | None]]:
    for version in versions:
        try:
            yield _read(folder, version)
        except FileNotFoundError:  # cleaned up or dropped since the listing
            continue


def _read(folder: LogFolder, version: int) -> tuple[Commit, int | None]:
    """A commit with the time of its file, and its in-commit timestamp where it has one."""
    name = f"{version:020}.json"
    info = _action(folder, name, "commitInfo") or {}
    metrics = _texts(info.get("operationMetrics"))
    commit = Commit(
        version,
        folder.modified(name),
        info.get("operation") or "",
        _texts(info.get("operationParameters")),
        in_deltas_words(metrics),
        info.get("userMetadata"),
        _bytes_more(folder, name) if counts_no_bytes(metrics) else None,
    )
    if commit.appends and not metrics and str(info.get("engineInfo")).startswith(DELTALAKE):
        commit = replace(commit, metrics=_counted(folder, name))
    return commit, info.get("inCommitTimestamp")


def _bytes_more(folder: LogFolder, name: str) -> int | None:
    """By how much the files that a commit adds are larger than those that it takes away; None where it does not say that of each."""
    actions = _actions(folder, name)
    added, removed = ([action[kind].get("size") for action in actions if kind in action] for kind in ("add", "remove"))
    return None if not actions or None in added + removed else sum(added) - sum(removed)


def _counted(folder: LogFolder, name: str) -> dict[str, str]:
    """What a commit that appends has not counted, by the files that it adds, maybe none; nothing where not all of them say it."""
    actions = _actions(folder, name)
    files = [action["add"] for action in actions if "add" in action]
    rows = [json.loads(file.get("stats") or "{}").get("numRecords") for file in files]
    if not actions or None in rows:
        return {}
    bytes_ = sum(file["size"] for file in files)
    return {"numFiles": str(len(files)), "numOutputRows": str(sum(rows)), "numOutputBytes": str(bytes_)}


def _actions(folder: LogFolder, name: str) -> list[dict[str, Any]]:
    """Return what a commit says; nothing where it cannot be read.

    Of a file that is still being written nobody can tell: what reads sizes asks for the commits of its own job, which are whole.
    """
    try:
        return [json.loads(line) for line in folder.lines(name)]
    except ValueError:
        return []


def _with_times(commits: list[tuple[Commit, int | None]]) -> list[Commit]:
    """Commits, oldest first, with their times as Delta's history tells them.

    Of a table that has in-commit timestamps all commits count that have one without a gap up to the newest: the setting
    may have been switched off in between, and what is older than that has the time of its file.
    """
    first = len(commits)
    while first and commits[first - 1][1] is not None:
        first -= 1
    times = rising(commit.at for commit, _ in commits[:first])
    times += [written for _, written in commits[first:] if written is not None]
    return [replace(commit, at=at) for (commit, _), at in zip(commits, times, strict=True)]


def _action(folder: LogFolder, name: str, wanted: str) -> Any:
    """An action of a commit; None where the commit has none of that kind.

    A file system may show a file that is still being written: its last line does not end yet.
    """
    starts = re.compile(rb'\s*\{\s*"%s"\s*:' % wanted.encode())
    for _ in range(TRIES):
        line = b""
        for line in folder.lines(name):
            if line.endswith(b"\n") and starts.match(line):
                return json.loads(line)[wanted]
        if line.endswith(b"\n"):
            return None
        if line and _is_whole(line):
            return json.loads(line)[wanted] if starts.match(line) else None
        time.sleep(PAUSE_SECONDS)
    raise LogError(
        f"The file {name} of {folder} ends in the middle of a line.",
        "If its writer is still at work, try again; if it is damaged, put it back from a copy.",
    )


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _texts(values: Any) -> dict[str, str]:
    """Parameters or metrics as Delta's history tells them: texts, and other values as JSON; without those that are null."""
    texts = {}
    for name, value in (values or {}).items():
        if value is not None:
            texts[name] = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return texts


def _metadata(table: Table, listing: Listing, version: int) -> Any:
    """The table's columns and properties at a version, as Delta's log writes them.

    They are in each checksum file and in the commits that change them; where neither is left, in a checkpoint.
    """
    folder, names = listing.folder, listing.names
    if version > listing.versions[-1]:
        raise LogError(
            f"{table.relation} has no version {version} yet.", f"Name one up to {listing.versions[-1]}, its newest."
        )
    for earlier in range(version, max(-1, version - COMMITS_SEARCHED), -1):
        if f"{earlier:020}.crc" in names and (found := _checksum(folder, f"{earlier:020}.crc").get("metadata")):
            return found
        if f"{earlier:020}.json" not in names:
            break
        if found := _action(folder, f"{earlier:020}.json", "metaData"):
            return found
    return folder.metadata_of_checkpoint(table, version)


def _checksum(folder: LogFolder, name: str) -> dict[str, Any]:
    """What a checksum file says; nothing where there is none."""
    try:
        said = json.loads(b"".join(folder.lines(name)))
    except (ValueError, FileNotFoundError):  # not written to the end, or cleaned up
        return {}
    return said if isinstance(said, dict) else {}
