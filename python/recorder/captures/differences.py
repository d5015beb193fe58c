"""What a reading of tables shows against what was seen of them before: inserts, updates and deletes by key."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from recorder.captures.envelope import Change, Table
from recorder.captures.journal import Journal
from recorder.captures.shape import Shape, shape_of

STAGES = """
drop table if exists temp.difference;
create temporary table difference (
    at_us integer not null, number integer primary key, schema text, name text, shape integer,
    op text not null, key text, before text, after text
);
drop table if exists temp.present;
create temporary table present (source text not null, key text not null, primary key (source, key)) without rowid;
drop table if exists temp.equal;
create temporary table equal (image text primary key, count integer not null) without rowid;
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A change that has no position yet, with its table and the shape that its images have."""

    table: Table
    shape: Shape
    change: Change


class TwiceError(Exception):
    """A key that was read twice in one reading; it is the argument."""


class Differences:
    """One reading. All of it happens inside of one batch of the journal, whose state remembers the rows as they are now."""

    def __init__(self, journal: Journal) -> None:
        """Nothing has been read."""
        self._journal = journal
        self._state = journal.connection
        self._numbers: dict[Shape, int] = {}
        for statement in STAGES.split(";"):
            self._state.execute(statement)

    def is_known(self, table: Table | str) -> bool:
        """Whether the table, or the one of this name, has been read before."""
        return self._journal.fact(f"read {table}") is not None

    def know(self, table: Table) -> None:
        """It has been read now."""
        self._journal.remember(f"read {table}", "yes")

    def row(self, table: Table, shape: Shape, key: str, image: str, at_us: int, first: bool = False) -> None:
        """A row as it is now; ``first`` says that it is the table's first reading, and no insert."""
        number = self._number(shape)
        seen = self._state.execute(
            "select shape, image from seen where source = ? and key = ?", (str(table), key)
        ).fetchone()
        if seen == (number, image):
            return
        before = None if seen is None else shape.kept_of(shape_of(self._journal.shape_text(seen[0])), seen[1])
        op = "u" if seen is not None else "r" if first else "c"
        self._stage(at_us, table, number, op, key, before, image)
        self._state.execute("insert or replace into seen values (?, ?, ?, ?)", (str(table), key, number, image))

    def present(self, table: Table, key: str) -> None:
        """A key that the table has now.

        :raises TwiceError: it was there already.
        """
        try:
            self._state.execute("insert into present values (?, ?)", (str(table), key))
        except sqlite3.IntegrityError as error:
            raise TwiceError(key) from error

    def numbered(self, shape: Shape, image: str) -> str:
        """A key for a row of a table without one: what it says, and how many equal rows have been read up to it."""
        checksum = hashlib.sha256(f"{self._number(shape)} {image}".encode()).hexdigest()
        self._state.execute("insert into equal values (?, 1) on conflict do update set count = count + 1", (checksum,))
        (count,) = self._state.execute("select count from equal where image = ?", (checksum,)).fetchone()
        return f"{checksum} {count}"

    def unseen(self, table: Table) -> int:
        """How many of the keys that are present belong to no row that was ever read."""
        (count,) = self._state.execute(
            "select count(*) from present where source = ?1 and not exists ("
            "select 1 from seen where seen.source = ?1 and seen.key = present.key)",
            (str(table),),
        ).fetchone()
        return int(count)

    def count(self, table: Table) -> int:
        """How many rows of the table are remembered."""
        (count,) = self._state.execute("select count(*) from seen where source = ?", (str(table),)).fetchone()
        return int(count)

    def as_before(self, table: Table, shape: Shape) -> Shape:
        """The shape in which the table's rows are remembered, if that has the same columns, in whatever order; else this one."""
        row = self._state.execute("select shape from seen where source = ? limit 1", (str(table),)).fetchone()
        if row is not None:
            earlier = shape_of(self._journal.shape_text(row[0]))
            if earlier.key == shape.key and set(earlier.columns) == set(shape.columns):
                return earlier
        return shape

    def remove_absent(self, table: Table, at_us: int) -> int:
        """Rows whose keys are not present are gone. Returns how many."""
        absent = (
            "from seen where source = ?1 and not exists ("
            "select 1 from present where present.source = ?1 and present.key = seen.key)"
        )
        gone = self._state.execute(
            "insert into difference (at_us, schema, name, shape, op, key, before) "
            f"select ?2, ?3, ?4, shape, 'd', key, image {absent}",
            (str(table), at_us, table.schema, table.name),
        ).rowcount
        self._state.execute(f"delete {absent}", (str(table),))
        return int(gone)

    def in_order(self) -> Iterator[Difference]:
        """All changes by their times, and of one time as they were found."""
        rows = self._state.execute(
            "select at_us, schema, name, shape, op, key, before, after from difference order by at_us, number"
        )
        for at_us, schema, name, shape, op, key, before, after in rows:
            known = shape_of(self._journal.shape_text(shape))
            change = Change(op, key if known.key else None, before, after, position=0, committed_us=at_us)
            yield Difference(Table(schema, name), known, change)

    def _number(self, shape: Shape) -> int:
        if shape not in self._numbers:
            self._numbers[shape] = self._journal.shape_number(shape.to_text())
        return self._numbers[shape]

    def _stage(self, at_us: int, table: Table, shape: int, op: str, key: str, before: str | None, after: str) -> None:
        self._state.execute(
            "insert into difference (at_us, schema, name, shape, op, key, before, after) values (?, ?, ?, ?, ?, ?, ?, ?)",
            (at_us, table.schema, table.name, shape, op, key, before, after),
        )
