"""Bookkeeping tables in files that this process can reach: read and written without Spark, some milliseconds each."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from arro3.core import Array, DataType, Table
from deltalake import CommitProperties, DeltaTable, Field, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.schema import PrimitiveType

from entrepot.errors import EntrepotError
from entrepot.ledger.layout import LAYOUT, PROPERTY, layout_told
from entrepot.ledger.records import RECORDS, AnyRecord, JobEvent, Record, columns
from entrepot.ledger.store import ALL, Wanted
from entrepot.tables.log_files import COMMIT

ARROW_TYPES = {
    str: DataType.utf8(),
    int: DataType.int64(),
    float: DataType.float64(),
    bool: DataType.bool(),
    datetime: DataType.timestamp("us", tz="UTC"),
}
HOURS_KEPT = 168
DELTA_TYPES = {str: "string", int: "long", float: "double", bool: "boolean", datetime: "timestamp"}


class DamagedBooksError(EntrepotError):
    """A bookkeeping table cannot be read."""


class UnwrittenBooksError(EntrepotError):
    """A bookkeeping table cannot be written."""


class FileStore:
    """Bookkeeping tables by the folders that they lie in."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """Take {table name: folder}; a table whose folder is not there has no rows."""
        self._folders = dict(folders)
        self._open: dict[str, DeltaTable] = {}

    def newest(self, record: type[Record]) -> int | None:
        """Return the highest job number in a table, from the statistics of its files; None where it is empty."""
        if not self._exists(record):
            return None
        files = self._table(record, fresh=True).get_add_actions(flatten=True)
        if not files.num_rows or "max.number" not in files.schema.names:
            return None
        numbers = [number for number in files.column("max.number").to_pylist() if number is not None]
        return max(numbers) if numbers else None

    def read(self, record: type[AnyRecord], wanted: Wanted = ALL) -> list[AnyRecord]:
        """Return rows of a table, in no order."""
        if not self._exists(record):
            return []
        table = self._table(record, fresh=True)
        wanted = wanted.of_layout(record, {field.name for field in table.schema().fields})
        names = [column.name for column in wanted.columns(record)]
        engine = QueryBuilder().register("book", table)
        found = engine.execute(f"select {', '.join(names)} from book{wanted.where(_text)}").read_all()
        if not found.num_rows:
            return []
        return [wanted.record(record, row) for row in zip(*(_values(found, name) for name in names), strict=True)]

    def append(self, records: Sequence[Record]) -> None:
        """Append rows, all of one table, in one commit.

        Raises:
            UnwrittenBooksError: the disk refuses them
        """
        if records:
            try:
                write_deltalake(self._table(type(records[0])), _arrow(records), mode="append")
            except (DeltaError, OSError) as error:
                raise _unwritten(error) from error

    def append_next(self, event: JobEvent) -> bool:
        """Append an event as the version after the one that was last read; False where somebody else has written that.

        Raises:
            UnwrittenBooksError: the disk refuses it
        """
        try:
            write_deltalake(
                self._table(JobEvent), _arrow([event]), mode="append",
                commit_properties=CommitProperties(max_commit_retries=0),
            )  # fmt: skip
        except CommitFailedError:
            return False
        except (DeltaError, OSError) as error:
            raise _unwritten(error) from error
        return True

    def has(self, record: type[Record]) -> bool:
        """Whether a table is there."""
        return self._exists(record)

    def layout(self) -> int:
        """Return the version of the tables' layout; the program's own where there are no tables yet."""
        if not self._exists(JobEvent):
            return LAYOUT
        return layout_told(self._table(JobEvent, fresh=True).metadata().configuration.get(PROPERTY))

    def upgrade(self) -> None:
        """Add the columns that tables of an older layout lack, and note the layout last."""
        for record in RECORDS:
            if self._exists(record):
                table = self._table(record, fresh=True)
                known = {field.name for field in table.schema().fields}
                missing = [column for column in columns(record) if column.name not in known]
                if missing:
                    table.alter.add_columns([Field(one.name, PrimitiveType(DELTA_TYPES[one.type])) for one in missing])
        self._table(JobEvent, fresh=True).alter.set_table_properties({PROPERTY: str(LAYOUT)}, raise_if_not_exists=False)
        self._open.clear()

    def compact(self) -> None:
        """Write the rows of many small files into few."""
        for record in RECORDS:
            if self._exists(record):
                self._table(record, fresh=True).optimize.compact()

    def clean(self) -> None:
        """Remove files that no version of the last seven days names, and old entries of the tables' logs."""
        for record in RECORDS:
            if self._exists(record):
                table = self._table(record, fresh=True)
                table.create_checkpoint()
                table.cleanup_metadata()
                table.vacuum(retention_hours=HOURS_KEPT, dry_run=False)

    def delete(self, record: type[Record], where: str) -> None:
        """Delete the rows of a table that meet a condition."""
        self._table(record, fresh=True).delete(where)

    def folder(self) -> Path:
        """Return the folder that the tables lie in."""
        return Path(self._folders[JobEvent.table]).parent

    def owner(self) -> str:
        """Return the user of this process."""
        return user()

    def _exists(self, record: type[Record]) -> bool:
        return record.table in self._open or Path(self._folders[record.table], "_delta_log").is_dir()

    def _table(self, record: type[Record], fresh: bool = False) -> DeltaTable:
        """Return a table as it was last read, or with `fresh` as it is now.

        Raises:
            DamagedBooksError: a file of its log cannot be read, or is empty
        """
        folder = self._folders[record.table]
        try:
            if (fresh or record.table not in self._open) and (empty := _empty_commit(folder)):
                raise _damaged(folder, f"{empty} is empty")
            if record.table not in self._open:
                self._open[record.table] = DeltaTable(folder)
            elif fresh:
                self._open[record.table].update_incremental()
        except (DeltaError, OSError) as error:
            raise _damaged(folder, _words(error)) from error
        return self._open[record.table]


def _empty_commit(folder: str) -> str | None:
    """Return a commit without a byte, which deltalake takes for one that did nothing: a machine that went down leaves such files."""
    with os.scandir(Path(folder, "_delta_log")) as files:
        return next((file.name for file in files if COMMIT.fullmatch(file.name) and not file.stat().st_size), None)


def _damaged(folder: str, why: str) -> DamagedBooksError:
    return DamagedBooksError(
        f"The books cannot be read: {folder}: {why}.",
        "Put the damaged file of _delta_log back from a copy. The tables themselves are as they were.",
    )


def user() -> str:
    """Return the user of this process; its number where the system has no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _unwritten(error: BaseException) -> UnwrittenBooksError:
    return UnwrittenBooksError(
        f"The books cannot be written: {_words(error)}.",
        "Make room, or set the rights, and run `dbt build` again: it takes up what this job has written.",
    )


def _words(error: BaseException) -> str:
    """Return what deltalake says, without the stack of its own language.

    >>> _words(OSError("Generic error\\n  No space left on device (os error 28)\\n   0: <unknown>\\n             at ./x.c:1"))
    'Generic error No space left on device (os error 28)'
    """
    lines = [line for line in str(error).splitlines() if not re.match(r"\s*\d+: |\s+at |.*backtrace", line)]
    return " ".join(" ".join(lines).split()).rstrip(".")


def _arrow(records: Sequence[Record]) -> Table:
    """Return records as an Arrow table with the columns of their layout."""
    rows = [record.values() for record in records]
    return Table.from_pydict(
        {column.name: _array([row[column.name] for row in rows], column.type) for column in columns(type(records[0]))}
    )


def _array(values: list[Any], kind: type) -> Array:
    """Return values as an Arrow array; moments as microseconds since 1970."""
    if kind is datetime:
        micros = [None if value is None else round(value.timestamp() * 1_000_000) for value in values]
        return Array(micros, type=DataType.int64()).cast(ARROW_TYPES[datetime])
    return Array([None if value is None else kind(value) for value in values], type=ARROW_TYPES[kind])


def _values(table: Table, name: str) -> list[Any]:
    """Return the values of a column; moments in UTC."""
    return [
        value.astimezone(timezone.utc) if isinstance(value, datetime) else value
        for value in table.column(name).to_pylist()
    ]


def _text(value: str) -> str:
    """Return a text as a literal of the query engine.

    >>> _text("marts.o'neill")
    "'marts.o''neill'"
    """
    return "'" + value.replace("'", "''") + "'"
