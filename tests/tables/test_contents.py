"""What a table contains, from its commits."""

from __future__ import annotations

from typing import Any

import pytest

from entrepot.tables.commit import Commit
from entrepot.tables.contents import (
    Contents,
    MissingHistoryError,
    commit_of_job,
    contents_of,
    intruder,
    keeps_rows_since,
)
from entrepot.tables.metadata import CommitMetadata

NAME = "marts.a"


def ours(version: int, job: str = "j", operation: str = "MERGE", **facts: Any) -> Commit:
    metadata = CommitMetadata(NAME, job, {"raw.b": version}, {"raw.b": 10 * version}, "hash", **facts)
    return Commit(version, 100 * version, operation, user_metadata=metadata.render())


def theirs(at: int, operation: str = "UPDATE", /, **parameters: str) -> Commit:
    return Commit(at, 100 * at, operation, parameters)


def contents(*commits: Commit, newest: int | None = None) -> Contents:
    return contents_of(NAME, commits, newest)


def test_a_commit_of_ours() -> None:
    assert contents(ours(3), ours(2)) == Contents(3, 3, {"raw.b": 3}, "hash", {"raw.b": 30}, 300)


def test_maintenance_keeps_the_rows() -> None:
    found = contents(theirs(5, "VACUUM END"), theirs(4, "OPTIMIZE"), ours(3))
    assert found == Contents(5, 3, {"raw.b": 3}, "hash", {"raw.b": 30}, 500)


def test_a_commit_of_somebody_else_has_unknown_reads() -> None:
    assert contents(theirs(4), ours(3)) == Contents(4, 4, committed_at=400)
    assert contents(Commit(4, 400), ours(3)) == Contents(4, 4, committed_at=400), "nor does one that says nothing"


def test_nothing_but_maintenance_in_sight() -> None:
    assert contents(theirs(9, "OPTIMIZE"), theirs(8, "OPTIMIZE")) == Contents(9, 8, committed_at=900)


def test_a_restore_brings_back_rows_and_reads() -> None:
    found = contents(theirs(5, "RESTORE", version="3"), theirs(4), ours(3), ours(2))
    assert (found.version, found.data_version, found.reads) == (5, 5, {"raw.b": 3})
    assert contents(theirs(5, "RESTORE", version="2"), theirs(4), ours(3), ours(2)).reads == {"raw.b": 2}


def test_a_restore_of_a_restore() -> None:
    commits = (theirs(6, "RESTORE", version="5"), theirs(5, "RESTORE", version="1"), ours(4), ours(3), ours(1))
    assert contents(*commits).reads == {"raw.b": 1}


def test_a_restore_to_a_time_or_to_what_is_out_of_sight() -> None:
    assert contents(theirs(5, "RESTORE", timestamp="2026-01-01"), ours(4)).reads is None
    assert contents(theirs(5, "RESTORE", version="1"), ours(4)).reads is None
    assert contents(theirs(5, "RESTORE", version="0"), ours(4), ours(0)).reads == {"raw.b": 0}


def test_a_restore_of_ours_says_itself_what_it_contains() -> None:
    assert contents(ours(5, operation="RESTORE"), ours(4)).reads == {"raw.b": 5}


def test_the_first_of_two_commits() -> None:
    found = contents(ours(4, part="first", base=3), ours(3))
    assert (found.restore_to, found.reads) == (3, {"raw.b": 4})
    assert contents(ours(5, base=3), ours(4, part="first", base=3), ours(3)).restore_to is None


def test_a_half_applied_write_that_was_undone() -> None:
    found = contents(theirs(5, "RESTORE", version="3"), ours(4, part="first", base=3), ours(3))
    assert (found.restore_to, found.reads) == (None, {"raw.b": 3})


def test_as_it_was_at_a_version() -> None:
    assert contents(theirs(5), ours(4, part="first", base=3), ours(3), newest=3) == contents(ours(3))


def test_nothing_that_old_in_sight() -> None:
    with pytest.raises(MissingHistoryError, match=r"no commit up to version 3 among the 2 .* entrepot_history_depth"):
        contents(theirs(5), theirs(4), newest=3)


def test_somebody_else_between_our_commit_and_its_base() -> None:
    assert contents(ours(5, base=3), theirs(4), ours(3)).reads is None
    assert contents(ours(5, base=3), theirs(4, "OPTIMIZE"), ours(3)).reads == {"raw.b": 5}
    assert contents(ours(5), theirs(4), ours(3)).reads == {"raw.b": 5}, "all rows are new"
    assert contents(ours(5, base=3), ours(4, "other", base=3), ours(3)).reads is None, "another job"
    assert contents(ours(5, base=3), ours(4, part="first", base=3), ours(3)).reads == {"raw.b": 5}, "the same job"


def test_what_commits_do_not_reach_back_to_counts_as_somebody_elses() -> None:
    assert intruder(NAME, ours(9, base=3), [ours(9, base=3), theirs(8, "OPTIMIZE")]) == 4
    assert intruder(NAME, ours(9, base=7), [ours(9, base=7), theirs(8, "OPTIMIZE")]) is None


def test_a_commit_of_somebody_else_has_no_intruder() -> None:
    assert intruder(NAME, theirs(3), [theirs(3), theirs(2)]) is None


def test_our_commit_is_not_always_the_newest() -> None:
    commits = [theirs(6), ours(5, part="first", base=4), ours(4), ours(3, "earlier")]
    assert commit_of_job(NAME, "j", commits) == commits[2]
    assert commit_of_job(NAME, "later", commits) is None


def test_rows_that_are_kept_since_a_version() -> None:
    kept = [
        Commit(6, 60, "VACUUM END"),
        Commit(5, 50, "VACUUM START"),
        Commit(4, 40, "OPTIMIZE"),
        Commit(3, 30, "MERGE"),
    ]
    assert keeps_rows_since(kept, 3, 30) and keeps_rows_since(kept, 3, None) and keeps_rows_since(kept[-1:], 3, 30)
    assert not keeps_rows_since(kept, 3, 29), "another table's, which was made later"
    assert not keeps_rows_since(kept, 2, 30) and not keeps_rows_since([], 3, 30), "the log does not reach back so far"
    assert not keeps_rows_since([Commit(7, 70, "WRITE"), *kept], 3, 30)
