"""What the story is made of: transactions and schema changes at simulated times.

A change names columns as they were called when the story began. :class:`Layout` follows the schema changes and turns a
change into SQL for the columns that exist at that moment, so that the authors of the story need not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Statement:
    """SQL with ``%s`` placeholders and their values."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Change:
    """One row written: ``table`` is ``schema.table``; an insert has no ``key``, a delete no ``values``."""

    kind: Literal["insert", "update", "delete"]
    table: str
    key: Values = field(default_factory=dict)
    values: Values = field(default_factory=dict)


def insert(table: str, **values: Any) -> Change:
    """A new row; columns that the table has not (yet, any more) are left out when it is written."""
    return Change("insert", table, {}, values)


def update(table: str, key: Values, **values: Any) -> Change:
    """New values for the row with this key (any columns may be the key)."""
    return Change("update", table, key, values)


def delete(table: str, **key: Any) -> Change:
    """Delete the rows with these values."""
    return Change("delete", table, key, {})


@dataclass(frozen=True)
class Step:
    """Something that happens in one database at one simulated time (UTC)."""

    at: datetime
    database: str


@dataclass(frozen=True)
class Transaction(Step):
    """Changes (or plain SQL) in one transaction, committed unless ``rolled_back``."""

    writes: tuple[Change | Statement, ...]
    rolled_back: bool = False


@dataclass(frozen=True)
class Interleaved(Step):
    """Two transactions on two connections: begin A, begin B, write A, write B, …, commit B, commit A."""

    first: tuple[Change | Statement, ...]
    second: tuple[Change | Statement, ...]


@dataclass(frozen=True)
class SchemaChange(Step):
    """``alter table``: ``to`` is the type of an added or retyped column, or the new name of a renamed one."""

    table: str
    action: Literal["add", "rename", "retype", "drop"]
    column: str
    to: str = ""

    def sql(self, physical: str) -> str:
        """The statement; ``physical`` is the present name of the column."""
        action = {
            "add": f"add column {physical} {self.to}",
            "rename": f"rename column {physical} to {self.to}",
            "retype": f"alter column {physical} type {self.to}",
            "drop": f"drop column {physical}",
        }[self.action]
        return f"alter table {self.table} {action}"


class Layout:
    """The columns of every table at one moment: the first name of a column to its present one."""

    def __init__(self, columns: Mapping[str, tuple[str, ...]]) -> None:
        """Start with ``schema.table`` → column names."""
        self._columns = {table: {name: name for name in names} for table, names in columns.items()}

    def alter(self, change: SchemaChange) -> Statement:
        """Take the change over and return its SQL.

        :raises KeyError: the table or column is not there: a mistake in the story.
        """
        columns = self._columns[change.table]
        if change.action == "add":
            columns[change.column] = change.column
        physical = columns[change.column]
        if change.action == "rename":
            columns[change.column] = change.to
        if change.action == "drop":
            del columns[change.column]
        return Statement(change.sql(physical))

    def statement(self, write: Change | Statement) -> Statement | None:
        """The SQL of one write, or None for an update that only concerns columns that are not there."""
        if isinstance(write, Statement):
            return write
        columns = self._columns[write.table]
        values = {columns[name]: value for name, value in write.values.items() if name in columns}
        key = {columns[name]: value for name, value in write.key.items()}
        if write.kind == "insert":
            names = ", ".join(values)
            marks = ", ".join(["%s"] * len(values))
            return Statement(f"insert into {write.table} ({names}) values ({marks})", tuple(values.values()))
        where = " and ".join(f"{name} = %s" for name in key)
        if write.kind == "delete":
            return Statement(f"delete from {write.table} where {where}", tuple(key.values()))
        if not values:
            return None
        changes = ", ".join(f"{name} = %s" for name in values)
        return Statement(f"update {write.table} set {changes} where {where}", (*values.values(), *key.values()))
