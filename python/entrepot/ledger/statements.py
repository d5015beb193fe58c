"""Bookkeeping tables behind a Spark server: read and written by SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from entrepot.ledger.layout import LAYOUT, PROPERTY, layout_told
from entrepot.ledger.records import EPOCH, RECORDS, AnyRecord, Column, JobEvent, Record, columns
from entrepot.ledger.store import ALL, Wanted

Row: TypeAlias = dict[str, Any]


class StatementStore:
    """Bookkeeping tables by the schema that they are in."""

    def __init__(self, schema: str, query: Callable[[str], list[Row]], literal: Callable[[Any], str]) -> None:
        """Take the schema, what runs one statement and returns its rows, and what writes a value as SQL."""
        self._schema, self._query, self._literal = schema, query, literal
        self._seen: int | None = None

    def newest(self, record: type[Record]) -> int | None:
        """Return the highest job number in a table; None where it is empty."""
        found = self._query(f"select max(number) as number from {self._name(record)}")[0]["number"]
        return None if found is None else int(found)

    def read(self, record: type[AnyRecord], wanted: Wanted = ALL) -> list[AnyRecord]:
        """Return rows of a table, in no order."""
        layout = wanted.columns(record)
        asked = ", ".join(_asked(column) for column in layout)
        rows = self._query(f"select {asked} from {self._name(record)}{wanted.where(self._literal)}")
        found = [wanted.record(record, (_value(row[column.name], column.type) for column in layout)) for row in rows]
        if record is JobEvent:
            self._seen = max((int(row["number"]) for row in rows), default=None)
        return found

    def append(self, records: Sequence[Record]) -> None:
        """Append rows, all of one table, in one commit."""
        if records:
            rows = ",\n".join(f"({self._values(record)})" for record in records)
            self._query(f"{self._into(type(records[0]))} values\n{rows}")

    def append_next(self, event: JobEvent) -> bool:
        """Append an event unless another job has begun since the table was last read; say whether it was.

        The insert reads the table, so that Delta refuses it beside another one (isolation level Serializable).
        """
        seen = "null" if self._seen is None else str(self._seen)
        self._query(
            f"{self._into(JobEvent)} select {self._values(event)} from (select max(number) as number from "
            f"{self._name(JobEvent)}) as newest where newest.number <=> {seen}"
        )
        began = self._query(f"select job from {self._name(JobEvent)} where number = {event.number}")
        return [row["job"] for row in began] == [event.job]

    def has(self, record: type[Record]) -> bool:
        """Whether a table is there; a job makes all of them before it opens the books."""
        return True

    def layout(self) -> int:
        """Return the version of the tables' layout."""
        rows = self._query(f"show tblproperties {self._name(JobEvent)}")
        return layout_told(next((row["value"] for row in rows if row["key"] == PROPERTY), None))

    def upgrade(self) -> None:
        """Add the columns that tables of an older layout lack, and note the layout last."""
        for record in RECORDS:
            known = {row["col_name"] for row in self._query(f"describe {self._name(record)}")}
            missing = [f"{one.name} {one.spark_type}" for one in columns(record) if one.name not in known]
            if missing:
                self._query(f"alter table {self._name(record)} add columns ({', '.join(missing)})")
        self._query(f"alter table {self._name(JobEvent)} set tblproperties ('{PROPERTY}' = '{LAYOUT}')")

    def compact(self) -> None:
        """Write the rows of many small files into few."""
        for record in RECORDS:
            self._query(f"optimize {self._name(record)}")

    def clean(self) -> None:
        """Remove files that no version of the last seven days names; Delta removes old entries of logs by itself."""
        for record in RECORDS:
            self._query(f"vacuum {self._name(record)}")

    def delete(self, record: type[Record], where: str) -> None:
        """Delete the rows of a table that meet a condition."""
        self._query(f"delete from {self._name(record)} where {where}")

    def folder(self) -> None:
        """None: the tables are reached by statements."""

    def owner(self) -> str:
        """Return the session's user."""
        return str(self._query("select current_user() as owner")[0]["owner"])

    def _name(self, record: type[Record]) -> str:
        return f"{self._schema}.{record.table}"

    def _into(self, record: type[Record]) -> str:
        return f"insert into {self._name(record)} ({', '.join(column.name for column in columns(record))})"

    def _values(self, record: Record) -> str:
        values = record.values()
        return ", ".join(self._sql(values[column.name]) for column in columns(type(record)))

    def _sql(self, value: Any) -> str:
        if isinstance(value, datetime):
            return f"timestamp_micros({(value - EPOCH) // timedelta(microseconds=1)})"
        return self._literal(value)


def _asked(column: Column) -> str:
    """Return a column as it is asked for: moments as microseconds, which mean the same in every time zone."""
    return f"unix_micros({column.name}) as {column.name}" if column.type is datetime else column.name


def _value(value: Any, kind: type) -> Any:
    """Return a value that a server handed out, numbers perhaps as text or decimals, with the type of its column."""
    if value is None:
        return None
    return EPOCH + timedelta(microseconds=int(value)) if kind is datetime else kind(value)
