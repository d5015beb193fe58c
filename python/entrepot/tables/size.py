"""How large a table is after commits that say by how much they have made it larger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.tables.commit import Commit
from entrepot.tables.contents import Contents
from entrepot.tables.metadata import metadata_of


@dataclass(frozen=True, slots=True)
class Size:
    """How large a table is, or by how much a commit has made it larger.

    Attributes:
        row_count: how many rows; None where unknown
        bytes: how large the files; None where unknown
    """

    row_count: int | None = None
    bytes: int | None = None

    def plus(self, growth: Size) -> Size:
        """Return the size after a growth; what is unknown stays so.

        >>> Size(10, None).plus(Size(5, 100))
        Size(row_count=15, bytes=None)
        """
        return Size(_sum(self.row_count, growth.row_count), _sum(self.bytes, growth.bytes))


UNKNOWN = Size()
EMPTY = Size(0, 0)


def size_after(relation: str, job: str, before: Contents | None, commits: Sequence[Commit]) -> Size:
    """Return how large a table is after the commits of a job.

    A table has more bytes than that where rows have gone by deletion vectors only, and fewer after OPTIMIZE and VACUUM of
    somebody else, and by the bytes of an empty file for each insert whose first task had no rows: Delta counts such a file,
    and leaves it out.

    Args:
        relation: the table's name, as our commits write it
        job: the job
        before: what the table contained before; None where there was no table
        commits: its newest ones, newest first
    """
    version = before.version if before and before.version is not None else -1
    has_all = commits[-1].version <= version + 1
    size = Size(before.row_count, before.bytes) if before and has_all else UNKNOWN
    for commit in reversed(commits):
        if commit.version > version and not commit.keeps_rows:
            size = (EMPTY if commit.is_new else size).plus(growth(relation, job, commit))
    return size


def growth(relation: str, job: str, commit: Commit) -> Size:
    """Return by how much a commit of a job has made a table larger; unknown where it does not say it.

    >>> from entrepot.tables.metadata import CommitMetadata
    >>> text = CommitMetadata("marts.a", "j", {}).render()
    >>> growth("marts.a", "j", Commit(3, 0, "DELETE", metrics={"numDeletedRows": "4"}, user_metadata=text))
    Size(row_count=-4, bytes=0)
    """
    metadata, metric = metadata_of(commit, relation), commit.metric
    if metadata is None or metadata.job != job:
        return UNKNOWN
    if commit.operation == "MERGE":
        is_counted = "numTargetBytesAdded" in commit.metrics
        return Size(
            metric("numTargetRowsInserted") - metric("numTargetRowsDeleted"),
            metric("numTargetBytesAdded") - metric("numTargetBytesRemoved") if is_counted else commit.bytes_more,
        )
    if commit.operation == "DELETE" and "numDeletedRows" in commit.metrics:
        return Size(-metric("numDeletedRows"), metric("numAddedBytes") - metric("numRemovedBytes"))
    if (commit.is_new or commit.appends) and "numOutputRows" in commit.metrics:
        is_counted = commit.is_new or "numOutputBytes" in commit.metrics
        return Size(metric("numOutputRows"), metric("numOutputBytes") if is_counted else commit.bytes_more)
    return UNKNOWN


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
