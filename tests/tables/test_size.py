"""How large a table is after commits."""

from __future__ import annotations

from typing import Any

from entrepot.tables.commit import Commit
from entrepot.tables.contents import Contents
from entrepot.tables.metadata import CommitMetadata
from entrepot.tables.size import UNKNOWN, Size, size_after

NAME, JOB = "marts.a", "j"
BEFORE = Contents(3, 3, row_count=100, bytes=1000)
APPEND = {"mode": "Append"}


def commit(
    version: int, operation: str, parameters: dict[str, str] | None = None, job: str = JOB, **metrics: Any
) -> Commit:
    texts = {name: str(value) for name, value in metrics.items()}
    return Commit(version, 0, operation, parameters or {}, texts, CommitMetadata(NAME, job, {}).render())


def after(*commits: Commit, before: Contents | None = BEFORE) -> Size:
    return size_after(NAME, JOB, before, commits)


MERGE = commit(
    4,
    "MERGE",
    numTargetRowsInserted=5,
    numTargetRowsDeleted=2,
    numTargetRowsUpdated=9,
    numTargetBytesAdded=60,
    numTargetBytesRemoved=10,
)
INSERT = commit(5, "WRITE", APPEND, numOutputRows=7, numOutputBytes=70)


def test_what_commits_add_and_take_away() -> None:
    assert after(MERGE) == Size(103, 1050)
    assert after(INSERT, commit(4, "DELETE", numDeletedRows=3, numAddedBytes=4, numRemovedBytes=5)) == Size(104, 1069)
    assert after(commit(4, "DELETE", numDeletedRows=3)) == Size(97, 1000), "by deletion vectors only"


def test_commits_before_do_not_count() -> None:
    assert after(MERGE, commit(3, "WRITE", APPEND, numOutputRows=9)) == Size(103, 1050)


def test_a_new_table() -> None:
    create = commit(0, "CREATE TABLE AS SELECT", numOutputRows=8, numOutputBytes=80)
    assert after(create, before=None) == Size(8, 80)
    assert after(commit(4, "CREATE OR REPLACE TABLE AS SELECT", numOutputRows=8)) == Size(8, 0)
    assert after(INSERT, commit(4, "REPLACE TABLE AS SELECT", numOutputRows=8, numOutputBytes=1)) == Size(15, 71)


def test_maintenance_counts_nothing() -> None:
    assert after(commit(4, "OPTIMIZE", job="theirs")) == Size(100, 1000)


def test_what_is_not_said_is_unknown() -> None:
    assert after(commit(4, "DELETE")) == UNKNOWN
    assert after(commit(4, "WRITE", {"mode": "Overwrite"}, numOutputRows=3)) == UNKNOWN
    assert after(MERGE, before=Contents(3, 3, row_count=100)) == Size(103, None)
    assert after(MERGE, before=Contents(3, 3)) == UNKNOWN


def test_somebody_elses_commit_is_unknown() -> None:
    assert after(INSERT, commit(4, "WRITE", APPEND, job="theirs", numOutputRows=3)) == UNKNOWN
    assert after(INSERT, Commit(4, 0, "WRITE", APPEND, {"numOutputRows": "3"})) == UNKNOWN


def test_commits_that_do_not_reach_back() -> None:
    assert after(INSERT) == UNKNOWN
    anew = commit(5, "CREATE OR REPLACE TABLE AS SELECT", numOutputRows=8, numOutputBytes=80)
    assert after(anew) == Size(8, 80), "whatever was before"
