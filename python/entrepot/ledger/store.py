"""Where bookkeeping tables lie: read and appended to, never changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from entrepot.ledger.records import AnyRecord, Column, JobEvent, Record, columns


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of a bookkeeping table are wanted, and which of their columns are not.

    Attributes:
        since: the lowest job number
        of: the relations; None for all
        without: columns that are left out; their values are None
    """

    since: int = 0
    of: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()

    def columns(self, record: type[Record]) -> tuple[Column, ...]:
        """Return the columns that are asked for."""
        return tuple(column for column in columns(record) if column.name not in self.without)

    def of_layout(self, record: type[Record], known: Collection[str]) -> Wanted:
        """Return the same of a table that has these columns: one of an older layout, which no job has brought forward yet."""
        missing = tuple(column.name for column in columns(record) if column.name not in known)
        return replace(self, without=(*self.without, *missing)) if missing else self

    def where(self, literal: Callable[[str], str]) -> str:
        """Return the SQL clause that selects the rows; `literal` writes a text as SQL."""
        conditions = [f"number >= {self.since}"] if self.since else []
        if self.of is not None:
            conditions.append(f"relation in ({', '.join(literal(name) for name in self.of)})")
        return f" where {' and '.join(conditions)}" if conditions else ""

    def record(self, record: type[AnyRecord], values: Iterable[Any]) -> AnyRecord:
        """Return a row from the values of the columns that were asked for."""
        found = dict(zip((column.name for column in self.columns(record)), values, strict=True))
        return record(**dict.fromkeys(self.without), **found)


ALL = Wanted()


class Store(Protocol):
    """The bookkeeping tables of one warehouse."""

    def newest(self, record: type[Record]) -> int | None:
        """Return the highest job number in a table; None where it is empty."""

    def read(self, record: type[AnyRecord], wanted: Wanted = ALL) -> list[AnyRecord]:
        """Return rows of a table, in no order."""

    def append(self, records: Sequence[Record]) -> None:
        """Append rows, all of one table, in one commit."""

    def append_next(self, event: JobEvent) -> bool:
        """Append an event that begins a job, unless another job has begun since the table was last read; say whether it was."""

    def has(self, record: type[Record]) -> bool:
        """Whether a table is there."""

    def layout(self) -> int:
        """Return the version of the tables' layout; the program's own where there are no tables yet.

        Raises:
            LayoutError: it is newer than this program
        """

    def upgrade(self) -> None:
        """Bring tables of an older layout to the program's own. May be killed and done again."""

    def compact(self) -> None:
        """Write the rows of many small files into few, so that reads do not grow with the number of jobs."""

    def clean(self) -> None:
        """Remove files that no version of the last seven days names, and old entries of the tables' logs."""

    def delete(self, record: type[Record], where: str) -> None:
        """Delete the rows of a table that meet a condition."""

    def folder(self) -> Path | None:
        """Return the folder that the tables lie in; none where this process does not reach it."""

    def owner(self) -> str:
        """Return the name of the user who runs this process or session."""
