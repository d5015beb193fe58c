"""SQL that reads what is at hand: tables of few files by those, and what is in memory already (decision 23)."""

from __future__ import annotations

from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.sql import SqlError, TableName, substitute, tables_of_query


def read_at_hand(job: Job, node: Node, sql: str) -> str:
    """Return SQL in which tables stand as what is at hand of their pinned versions, and views as their texts.

    A table stays as it is where nothing is at hand, and all of the SQL does where it reads such a table at a version of its own, or cannot
    be read, as Spark will say.

    Args:
        job: the job, which holds the chain's lock
        node: whose SQL it is, which says what views it may name
        sql: a query
    """
    try:
        body = job.views.inlined(sql, node)
        kept = job.memory.at_hand(body)
        found: dict[TableName, str] = {}
        for table in tables_of_query(body):
            named = job.project.of_table(table)
            if named is None or named.is_view:
                continue
            version = job.relations.pin_if_there(named.relation)
            if version is not None and (view := kept.get(f"{named.relation}@{version}")):
                found[table] = view
        return substitute(body, found) if found else sql
    except SqlError:
        return sql
