"""What can be asked of the logs of Delta tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Protocol

from entrepot.errors import EnvironmentProblemError
from entrepot.tables.columns import Column
from entrepot.tables.commit import Commit
from entrepot.tables.properties import TableProperties
from entrepot.tables.table import Table


class LogError(EnvironmentProblemError):
    """The log of a table cannot be read."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest version of a Delta table.

    Attributes:
        version: its number
        committed_at: when it was committed, in milliseconds since 1970
    """

    version: int
    committed_at: int


def is_later(committed_at: int | None, noted: int | None) -> bool:
    """Whether a version was committed later than it was when it was noted down.

    It is another table's then, which has taken the name. Either may be unknown.
    """
    return committed_at is not None and noted is not None and committed_at > noted


def millis(moment: datetime | None) -> int | None:
    """Return a moment in milliseconds since 1970."""
    return None if moment is None else round(moment.timestamp() * 1000)


def moment(millis: int | None) -> datetime | None:
    """Return what milliseconds since 1970 are, UTC."""
    return None if millis is None else datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=millis)


class TableLog(Protocol):
    """A reader of the logs of Delta tables; all of them tell the same facts."""

    def newest(self, tables: Iterable[Table]) -> Mapping[Table, Head]:
        """Return the newest version of each table; those that are no Delta tables, or that nobody can find, are left out."""

    def commits(self, table: Table, *, limit: int | None = None, from_version: int | None = None) -> tuple[Commit, ...]:
        """Return a table's commits, newest first, as far as the log still has them.

        Args:
            table: the table
            limit: the newest ones only, how many
            from_version: only those of this version and later ones
        """

    def properties(self, table: Table) -> TableProperties:
        """Return a table's properties."""

    def noted_bytes(self, table: Table) -> int | None:
        """Return how large the files of a table's newest version are together, where its log says so without adding them up."""

    def noted_rows(self, table: Table, version: int) -> int | None:
        """Return how many rows a table has at a version, where its log says so without reading them."""

    def columns_at(self, table: Table, version: int) -> tuple[Column, ...]:
        """Return a table's columns as they were at a version."""


def rising(times: Iterable[int]) -> list[int]:
    """Return the times of commits, oldest first, as Delta's history tells them: none is before or at the one before it.

    >>> rising([5, 5, 3, 9])
    [5, 6, 7, 9]
    """
    found: list[int] = []
    for time in times:
        found.append(time if not found or time > found[-1] else found[-1] + 1)
    return found
