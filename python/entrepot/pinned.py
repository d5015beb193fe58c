"""SQL of one snapshot: every table that a text names at its published version, every view as its published text."""

from __future__ import annotations

from collections.abc import Callable

from entrepot.errors import QueryError
from entrepot.snapshots import PublishedRelation, Snapshot, refuse_unreadable
from entrepot.sql import TableName, substitute, tables_of_query


def _nothing(_: TableName) -> str | None:
    return None


def at_version(relation: PublishedRelation) -> str:
    """Return how SQL reads a published table by Delta."""
    return f"delta.`{relation.location}` version as of {relation.version}"


def pinned(
    sql: str,
    snapshot: Snapshot,
    elsewhere: Callable[[TableName], str | None] = _nothing,
    of_table: Callable[[PublishedRelation], str] = at_version,
    view: str | None = None,
) -> str:
    """Return a query with every table at its published version, and views as their text.

    Args:
        sql: the query, or the text of a view
        snapshot: what it reads
        elsewhere: what stands in place of a name that the snapshot has not, such as of the bookkeeping; none where it stays
        of_table: how a published table is read
        view: the name of the view whose text it is

    Raises:
        QueryError: a view reads what is not published
        NotInSnapshotError: a table was made anew since, or the files of its version are gone
        SqlError: a table is read at a version that the query itself gives
    """
    texts: dict[TableName, str] = {}
    for table in tables_of_query(sql):
        relation = snapshot.resolve(table.plain)
        if relation is not None:
            texts[table] = pinned_relation(relation, snapshot, elsewhere, of_table)
        elif (text := elsewhere(table)) is not None:
            texts[table] = text
        elif view is not None and "/" not in table.identifier:
            raise QueryError(
                f"View {view} reads {table.plain}, which no job publishes: snapshots have the Delta tables and views that dbt makes.",
                "Ask a model over it that has rows of its own, such as one with incremental_strategy delta.",
            )
    return substitute(sql, texts)


def pinned_relation(
    relation: PublishedRelation,
    snapshot: Snapshot,
    elsewhere: Callable[[TableName], str | None] = _nothing,
    of_table: Callable[[PublishedRelation], str] = at_version,
) -> str:
    """Return what stands in a query for one relation of a snapshot; takes and raises what `pinned` does."""
    if relation.definition is not None:
        return f"(\n{pinned(relation.definition, snapshot, elsewhere, of_table, relation.name)}\n)"
    refuse_unreadable(relation)
    return of_table(relation)
