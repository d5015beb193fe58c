"""Columns that a newer release of a model has, and its table not yet."""

from __future__ import annotations

from collections.abc import Mapping

from entrepot.jobs.columns import Columns
from entrepot.jobs.state import Job
from entrepot.sql import quoted
from entrepot.tables.log import LogError


def missing_columns(job: Job, relation: str, described: Mapping[str, str]) -> list[str]:
    """Return the columns of a description that a table has not, as clauses of `alter table … add columns`.

    Args:
        job: the job, which knows the table's version
        relation: the table
        described: {column: type}
    """
    stored = {name for name, _type in stored_columns(job, relation)}
    return [f"{quoted(name)} {type_}" for name, type_ in described.items() if stored and name not in stored]


def stored_columns(job: Job, relation: str) -> Columns:
    """Return the columns that a table has in this job, and their types; none where it has no versions."""
    version = job.relations.pin(relation)
    return [] if version is None else columns_at(job, relation, version)


def columns_at(job: Job, relation: str, version: int) -> Columns:
    """Return the columns that a table had at a version, and their types; today's where its log no longer tells."""
    table = job.engine.table(relation)
    try:
        return [(column.name, column.type) for column in job.engine.log_of(table).columns_at(table, version)]
    except LogError:
        return list(job.engine.columns(relation).items())
