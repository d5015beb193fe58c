"""Few rows that a job adds to a table as they are: they come to the driver, and no Spark job writes them (decision 55)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entrepot.jobs.new_columns import stored_columns
from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.rules import Stored, temporary_name
from entrepot.sql import quoted
from entrepot.stages.stage import RowCounts
from entrepot.stages.write import Target, new_rows_sql
from entrepot.tables.merge import UPSERT, FewRows


@dataclass(frozen=True, slots=True)
class Appended:
    """Rows that have been appended.

    Attributes:
        rows: how many they are
        changes: SQL of them as changes, for the readers of their table
    """

    rows: RowCounts
    changes: str


def has_columns(kept: Mapping[str, str], columns: Mapping[str, str]) -> bool:
    """Whether kept rows have columns of a table with its types, {name: type}; letters count alike. What has to be cast is Spark's to write."""
    found = {name.lower(): type_ for name, type_ in kept.items()}
    return all(found.get(name.lower()) == type_ for name, type_ in columns.items())


def append_few(job: Job, node: Node, sql: str, rows_read: int) -> Appended | None:
    """Append the rows of a query to a table without Spark, in one commit that says which job it was.

    Args:
        job: the job, which holds the chain's lock
        node: the model or seed that the table belongs to; it reads no other
        sql: the query
        rows_read: how many rows it reads that have arrived

    Returns:
        what they are, maybe no row and no commit; none where Spark has to be asked: the table is not plain, the rows are many or of
        other types than the table's, or somebody else writes it
    """
    relation = node.relation
    version = job.relations.contents(relation).version
    if version is None or not job.engine.can_keep(rows_read) or not job.engine.may_append(relation, version):
        return None
    view = temporary_name("append", Stored(node.table, relation))
    count = job.memory.keep(view, f"select true as {UPSERT}, * from (\n{sql}\n)")
    if count is None:
        return None
    stored = dict(stored_columns(job, relation))
    kept = job.engine.columns(view)
    few = FewRows(view, tuple(stored), version)
    # a column that the table has not is an error, which Spark says
    if (
        not has_columns(kept, stored)
        or len(kept) != len(stored) + 1
        or (count and not job.engine.merge_few(relation, few, job.commit_metadata(relation, {})))
    ):
        job.memory.drop([view])
        return None
    target = Target(relation, (), tuple((quoted(name), type_) for name, type_ in stored.items()))
    return Appended(RowCounts(inserted=count), new_rows_sql(target, view))
