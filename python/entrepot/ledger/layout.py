"""The bookkeeping tables as Spark makes them, and the version of their layout.

The version is a property of `job_event`. Tables of an older layout, or of none, are brought forward in place by the first job that
opens them: columns that they lack are added (`Store.upgrade`).
"""

from __future__ import annotations

from entrepot.errors import EntrepotError
from entrepot.ledger.records import Record, columns

# one more with every change of `records`; columns can be added, and stay where they are
LAYOUT = 7
PROPERTY = "entrepot.layout"
PROPERTIES = f"'delta.isolationLevel' = 'Serializable', '{PROPERTY}' = '{LAYOUT}'"


class LayoutError(EntrepotError):
    """The books are laid out in a way that this program does not know."""


def layout_told(value: str | None) -> int:
    """Return the layout that a table's property says; 0 where it says none, as before there were versions.

    Raises:
        LayoutError: a newer entrepot has written these books
    """
    told = value or "0"
    if not told.isdecimal() or int(told) > LAYOUT:
        raise LayoutError(
            f"The books of this warehouse (schema ops) have layout {told}; this entrepot knows layouts up to {LAYOUT}.",
            "A newer entrepot has written them. Install that one, or a newer one: pip install --upgrade entrepot.",
        )
    return int(told)


def create_table(schema: str, record: type[Record]) -> str:
    """Return the statement that makes an empty bookkeeping table."""
    return f"create table if not exists {schema}.{record.table} ({_layout(record)}) using delta tblproperties ({PROPERTIES})"


def replace_table(schema: str, record: type[Record]) -> str:
    """Return the statement that makes an empty bookkeeping table where a killed job has left files that the catalogue does not know.

    `create or replace table … as select` is the one statement that Delta runs there all the same; with `delta.appendOnly` it
    would not.
    """
    return (
        f"create or replace table {schema}.{record.table} using delta tblproperties ({PROPERTIES}) "
        f"as select * from inline(cast(array() as array<struct<{_layout(record)}>>))"
    )


def _layout(record: type[Record]) -> str:
    return ", ".join(f"{column.name} {column.spark_type}" for column in columns(record))
