"""Rows that a job adds to a small table as they are: they come to the driver, and no Spark job writes them (decision 55)."""

from __future__ import annotations

from collections.abc import Mapping

from entrepot.jobs.new_columns import stored_columns
from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.rules import Stored, temporary_name
from entrepot.stages.stage import RowCounts
from entrepot.tables.merge import UPSERT, FewRows


def has_columns(kept: Mapping[str, str], columns: Mapping[str, str]) -> bool:
    """Whether kept rows have columns of a table with its types, {name: type}; letters count alike. What has to be cast is Spark's to write."""
    found = {name.lower(): type_ for name, type_ in kept.items()}
    return all(found.get(name.lower()) == type_ for name, type_ in columns.items())


def append_few(job: Job, node: Node, sql: str, rows_read: int) -> RowCounts | None:
    """Append the rows of a query to a table without Spark, in one commit that says which job it was.

    Args:
        job: the job, which holds the chain's lock
        node: the model or seed that the table belongs to; it reads no other
        sql: the query
        rows_read: how many rows it reads that have arrived

    Returns:
        how many there were, maybe no row and no commit; none where Spark has to be asked: the table is not small and plain, the rows are
        many or of other types than the table's, or somebody else writes it
    """
    relation = node.relation
    version = job.relations.pin(relation)
    if version is None or not job.engine.can_keep(rows_read) or not job.engine.may_merge(relation, version):
        return None
    view = temporary_name("append", Stored(node.table, relation))
    count = job.memory.keep(view, f"select true as {UPSERT}, * from (\n{sql}\n)")
    if count is None:
        return None
    try:
        stored = dict(stored_columns(job, relation))
        kept = job.engine.columns(view)
        # a column that the table has not is an error, which Spark says
        if not has_columns(kept, stored) or len(kept) != len(stored) + 1:
            return None
        few = FewRows(view, tuple(stored), version)
        if count and not job.engine.merge_few(relation, few, job.commit_metadata(relation, {})):
            return None
        return RowCounts(inserted=count)
    finally:
        job.memory.drop([view])
