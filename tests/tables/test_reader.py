"""The reader of net changes between two versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from entrepot.tables.commit import Commit
from entrepot.tables.metadata import CommitMetadata
from entrepot.tables.net_changes import Sources, changes_sql
from entrepot.tables.properties import TableProperties
from entrepot.tables.reader import DAY, ChangeReader, OwnWrite, choose_reader, reader_of_own_write

NOW = 100 * DAY
FEED = TableProperties({"delta.enableChangeDataFeed": "true"})
NO_FEED = TableProperties()
APPEND = {"mode": "Append"}
OURS = CommitMetadata("raw.t", "j", {}).render()


def commit(version: int, operation: str, parameters: dict[str, str] | None = None, **facts: Any) -> Commit:
    at = facts.pop("at", NOW - 1000 + version)
    user_metadata = facts.pop("user_metadata", None)
    return Commit(
        version, at, operation, parameters or {}, {name: str(of) for name, of in facts.items()}, user_metadata
    )


FIRST = commit(3, "WRITE", APPEND, numOutputRows=9)


def never() -> bool:
    raise AssertionError("nobody asks for columns")


def choose(
    *commits: Commit,
    to: int = 4,
    properties: TableProperties = FEED,
    other_columns: Callable[[], bool] = never,
) -> ChangeReader:
    return choose_reader("raw.t", "raw.t", [*reversed(commits), FIRST], properties, (3, to), NOW, other_columns)


def test_appended_rows() -> None:
    found = choose(commit(4, "WRITE", APPEND, numOutputRows=5))
    assert found == ChangeReader("feed", rows=5, appends=True, committed_at=FIRST.at)
    assert choose(commit(4, "WRITE", APPEND, numOutputRows=5), properties=NO_FEED).kind == "difference"


def test_changed_rows() -> None:
    found = choose(
        commit(4, "UPDATE", numUpdatedRows=2), commit(5, "OPTIMIZE"), commit(6, "DELETE", numDeletedRows=1), to=6
    )
    assert found == ChangeReader("feed", rows=5, committed_at=FIRST.at)


def test_rows_that_are_not_counted() -> None:
    found = choose(
        commit(4, "WRITE", {"mode": "Overwrite"}, numOutputRows=3), commit(5, "UPDATE", numUpdatedRows=2), to=5
    )
    assert (found.kind, found.rows, found.appends) == ("feed", None, False)


def test_columns_that_may_have_changed() -> None:
    alter = commit(4, "ADD COLUMNS")
    changed = ChangeReader("none", "the columns of raw.t changed", committed_at=FIRST.at)
    assert choose(alter, other_columns=lambda: True) == changed
    assert choose(alter, other_columns=lambda: False).kind == "difference", "the feed is read with the newest columns"


def test_a_merge_does_not_say_whether_it_changed_columns() -> None:
    merge = commit(4, "MERGE", numTargetRowsInserted=1)
    assert choose(merge, other_columns=lambda: True).kind == "none"
    assert choose(merge, other_columns=lambda: False) == ChangeReader("feed", rows=1, committed_at=FIRST.at)
    assert choose(commit(4, "MERGE", numTargetRowsInserted=1, user_metadata=OURS)).kind == "feed", "ours never does"


def test_commits_above_the_newer_version() -> None:
    append = commit(4, "WRITE", APPEND, numOutputRows=5)
    for later in (commit(5, "ADD COLUMNS"), commit(5, "MERGE")):
        found = choose(append, later)
        assert (found.kind, found.rows, found.appends) == ("difference", 5, True)
    found = choose(append, commit(5, "UPDATE", numUpdatedRows=1))
    assert (found.kind, found.rows, found.appends) == ("feed", 5, True)


def test_the_switch_of_the_feed() -> None:
    switch = commit(4, "SET TBLPROPERTIES", {"properties": '{"delta.enableChangeDataFeed":"true"}'})
    assert choose(switch, commit(5, "UPDATE", numUpdatedRows=1), to=5).kind == "difference"


def test_a_commit_that_says_nothing() -> None:
    assert choose(Commit(4, NOW - 5), other_columns=lambda: False) == ChangeReader("difference", committed_at=FIRST.at)


GONE = ChangeReader("none", "version 3 of raw.t can no longer be read")


def test_a_version_that_is_not_in_the_log() -> None:
    assert choose_reader("raw.t", "raw.t", [commit(5, "DELETE"), commit(4, "DELETE")], FEED, (3, 5), NOW, never) == GONE
    assert choose_reader("raw.t", "raw.t", [commit(5, "DELETE"), FIRST], FEED, (3, 5), NOW, never) == GONE


def test_a_version_older_than_the_retention() -> None:
    assert choose(commit(4, "DELETE", at=NOW - 7 * DAY - 1)) == GONE
    assert choose(commit(4, "DELETE", at=NOW - 7 * DAY)).kind == "feed"
    month = TableProperties({"delta.deletedFileRetentionDuration": "interval 30 days"})
    assert choose(commit(4, "DELETE", at=NOW - 20 * DAY), properties=month).kind == "difference"


@pytest.mark.parametrize(
    ("parameters", "is_gone"),
    [
        ({"specifiedRetentionMillis": "0", "defaultRetentionMillis": str(7 * DAY)}, True),
        ({"defaultRetentionMillis": str(7 * DAY)}, False),
        ({"defaultRetentionMillis": "10"}, True),
        ({}, False),
    ],
)
def test_a_vacuum(parameters: dict[str, str], is_gone: bool) -> None:
    dropped = commit(4, "DELETE", at=NOW - 2 * DAY)
    found = choose(dropped, commit(5, "VACUUM START", parameters, at=NOW - DAY), to=5)
    assert (found == GONE) is is_gone


class TestOwnWrite:
    WRITE = OwnWrite(before=3, rows=5, appends=True)

    def read(
        self, write: OwnWrite, has_feed: bool | None = True, version: int = 3, at: int | None = NOW
    ) -> ChangeReader | None:
        return reader_of_own_write(write, has_feed, version, at, NOW)

    def test_one_plain_commit(self) -> None:
        assert self.read(self.WRITE) == ChangeReader("feed", rows=5, appends=True)
        assert self.read(self.WRITE, has_feed=False) == ChangeReader("difference", rows=5, appends=True)
        assert self.read(self.WRITE, at=None) is not None
        assert self.read(self.WRITE, version=4) is not None

    def test_all_rows_replaced(self) -> None:
        write = OwnWrite(before=3, is_new=True, overwrites=True, rows=9)
        assert self.read(write) == ChangeReader("difference", rows=9)

    def test_what_the_log_has_to_be_asked_for(self) -> None:
        assert self.read(OwnWrite(before=None)) is None, "somebody else wrote too"
        assert self.read(OwnWrite(before=3, is_new=True)) is None, "its columns may be others"
        assert self.read(self.WRITE, version=2) is None, "more than one commit"
        assert self.read(self.WRITE, has_feed=None) is None
        assert self.read(self.WRITE, at=NOW - 7 * DAY) is None, "Delta may have cleaned it out of the log"


def test_versions_that_cannot_be_compared_have_no_sql() -> None:
    with pytest.raises(ValueError, match=r"raw\.t version as of 3 and raw\.t version as of 4 cannot be compared: gone"):
        changes_sql(ChangeReader("none", "gone"), Sources.of_delta("raw.t", 3, 4))


def test_sql() -> None:
    feed = "select * except (_change_type, _commit_version, _commit_timestamp), "
    assert changes_sql(ChangeReader("feed"), Sources.of_delta("raw.t", 3, 5)) == (
        "select * except (_count, _copy), cast(sign(_count) as int) as _delta\nfrom (\n"
        "  select * except (_sign), sum(_sign) as _count\n  from (\n"
        f"{feed}if(_change_type in ('insert', 'update_postimage'), 1, -1) as _sign\nfrom table_changes('raw.t', 4, 5)\n"
        "  )\n  group by all\n)\nlateral view explode(sequence(1, abs(_count))) as _copy\nwhere _count <> 0"
    )
    assert (
        "\nselect *, 1 as _sign from raw.t version as of 5\nunion all\nselect *, -1 as _sign from raw.t version as of 3\n"
        in changes_sql(ChangeReader("difference", appends=True), Sources.of_delta("raw.t", 3, 5))
    )
