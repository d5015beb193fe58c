"""The bookkeeping tables as Spark makes them, and the version of their layout."""

from __future__ import annotations

from entrepot.ledger.records import Record, columns

ISOLATION = "'delta.isolationLevel' = 'Serializable'"


def create_table(schema: str, record: type[Record]) -> str:
    """Return the statement that makes an empty bookkeeping table."""
    return f"create table if not exists {schema}.{record.table} ({_layout(record)}) using delta tblproperties ({ISOLATION})"


def replace_table(schema: str, record: type[Record]) -> str:
    """Return the statement that makes an empty bookkeeping table where a killed job has left files that the catalogue does not know.

    `create or replace table … as select` is the one statement that Delta runs there all the same; with `delta.appendOnly` it
    would not.
    """
    return (
        f"create or replace table {schema}.{record.table} using delta tblproperties ({ISOLATION}) "
        f"as select * from inline(cast(array() as array<struct<{_layout(record)}>>))"
    )


def _layout(record: type[Record]) -> str:
    return ", ".join(f"{column.name} {column.spark_type}" for column in columns(record))
