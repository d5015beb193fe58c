"""Reads rows of Delta tables without Spark: our own bookkeeping, which is small and has plain columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entrepot.tables.log import LogError
from entrepot.tables.table import Table


def query_rows(sql: str, tables: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Run a query on tables at their newest versions and return its rows; timestamps come with their zone, UTC.

    Args:
        sql: in DataFusion's dialect, which is close to PostgreSQL's
        tables: {name in the query: table}

    Raises:
        LogError: a table is not in a file system, or has what `deltalake` cannot read (widened types, for one)
    """
    from deltalake import DeltaTable, QueryBuilder  # 0.1 s, and only few commands need it
    from deltalake.exceptions import DeltaError, TableNotFoundError

    try:
        builder = QueryBuilder()
        for name, table in tables.items():
            builder = builder.register(name, DeltaTable(_folder(table)))
        found = builder.execute(sql).read_all().to_struct_array()
        return [row for chunk in found.chunks for row in chunk.to_pylist()]
    except (DeltaError, TableNotFoundError) as error:
        raise LogError(f"Without Spark, {', '.join(map(str, tables))} cannot be read: {error}", "Ask Spark.") from error


def _folder(table: Table) -> str:
    if table.folder is None:
        raise LogError(f"{table.relation} lies at {table.location}, where this process cannot read.", "Ask Spark.")
    return table.folder
