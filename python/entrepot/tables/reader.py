"""How the net changes of a table between two versions are read: the cheapest way that is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from entrepot.tables.commit import Commit, Touches
from entrepot.tables.log import TableLog
from entrepot.tables.metadata import metadata_of
from entrepot.tables.properties import TableProperties
from entrepot.tables.retention import is_removed
from entrepot.tables.table import Table

DAY = 86_400_000
# others may write while this job reads
MORE_COMMITS = 20


@dataclass(frozen=True, slots=True)
class ChangeReader:
    """How the net changes of a table between two versions are read.

    Attributes:
        kind: `feed`, the change feed; `difference` of the two versions; `none` where they cannot be compared
        why: in that last case, in words
        rows: how many rows the commits in between say that they have changed, an update counting as two: never fewer than
            there are net changes; None where they do not say it
        appends: whether all that they did was to append rows
        committed_at: when the older version was committed, in milliseconds since 1970; None where that is not known
    """

    kind: Literal["feed", "difference", "none"]
    why: str | None = None
    rows: int | None = None
    appends: bool = False
    committed_at: int | None = None


@dataclass(frozen=True, slots=True)
class OwnWrite:
    """What this job has done to a table in one commit, or in two that belong together.

    Attributes:
        before: the version that it was worked out from; None where somebody else has written in between
        is_new: whether it has made the table anew
        overwrites: whether it has replaced all rows; the columns are the same
        rows: how many rows it has changed, an update counting as two
        appends: whether all that it did was to append rows
    """

    before: int | None
    is_new: bool = False
    overwrites: bool = False
    rows: int | None = None
    appends: bool = False


def reader_of_own_write(
    write: OwnWrite, has_feed: bool | None, from_version: int, committed_at: int | None, now: int
) -> ChangeReader | None:
    """Return the reader where all that has happened since a version is one plain commit of this job; it costs no statement.

    None where more may have happened, so that the log has to be asked.

    Args:
        write: what this job has done to the table
        has_feed: whether the table has a change feed; None where that is not known
        from_version: the older version
        committed_at: when that was committed; None where unknown. Delta may have cleaned an old one out of the log
        now: the time; both in milliseconds since 1970
    """
    is_anew = write.is_new and not write.overwrites
    if write.before is None or from_version < write.before or is_anew or has_feed is None:
        return None
    if committed_at is not None and committed_at <= now - 7 * DAY:
        return None
    kind: Literal["feed", "difference"] = "feed" if has_feed and not write.overwrites else "difference"
    return ChangeReader(kind, rows=write.rows, appends=write.appends)


def read_reader(
    log: TableLog, table: Table, name: str, from_version: int, to_version: int, newest: int, now: int
) -> ChangeReader:
    """Return the reader by what the table's log says: two statements by SQL, four where its columns may have changed.

    Args:
        log: where to ask
        table: the table
        name: what the user calls it
        from_version: the older version
        to_version: the newer version
        newest: the newest version that is known
        now: the time, in milliseconds since 1970
    """
    limit = max(newest, to_version) - from_version + MORE_COMMITS
    commits = log.commits(table, limit=limit, from_version=from_version)

    def has_other_columns() -> bool:
        return log.columns_at(table, from_version) != log.columns_at(table, to_version)

    properties = log.properties(table)
    return choose_reader(table.relation, name, commits, properties, (from_version, to_version), now, has_other_columns)


def choose_reader(
    relation: str,
    name: str,
    commits: Iterable[Commit],
    properties: TableProperties,
    versions: tuple[int, int],
    now: int,
    has_other_columns: Callable[[], bool],
) -> ChangeReader:
    """Return the reader between two versions.

    Args:
        relation: the table's name, as our commits write it
        name: what the user calls it
        commits: its commits from the older version on. Those above the newer one count too, because Delta reads a change
            feed with the newest columns
        properties: the table's
        versions: the older and the newer version
        now: the time, in milliseconds since 1970
        has_other_columns: whether the columns differ between the two; asked only where they may
    """
    from_version, to_version = versions
    known = {commit.version: commit for commit in commits if commit.version >= from_version}
    if is_removed(known, from_version, properties, now):
        return ChangeReader("none", f"version {from_version} of {name} can no longer be read")
    committed_at = known[from_version].at
    later = [commit for version, commit in known.items() if version > from_version]
    between = [commit for commit in later if commit.version <= to_version]
    touched = {commit.version: commit.touches(is_ours=metadata_of(commit, relation) is not None) for commit in later}
    columns = {Touches.COLUMNS, Touches.PERHAPS_COLUMNS}
    if any(touched[commit.version] in columns for commit in between) and has_other_columns():
        return ChangeReader("none", f"the columns of {name} changed", committed_at=committed_at)
    keeps_feed = all(
        touches is Touches.ROWS or (touches is Touches.PERHAPS_COLUMNS and version <= to_version)
        for version, touches in touched.items()
    )
    return ChangeReader(
        "feed" if properties.has_change_feed and keeps_feed else "difference",
        rows=_sum(commit.changed_rows for commit in between),
        appends=all(commit.keeps_rows or commit.appends for commit in between),
        committed_at=committed_at,
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None where a part is not known."""
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total
