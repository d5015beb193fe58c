"""Reading logs from their files: which files are read, and what is made of them. Test tables are written by hand."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from entrepot.tables.columns import Column
from entrepot.tables.commit import Commit
from entrepot.tables.log import Head, LogError
from entrepot.tables.log_files import LogFiles
from entrepot.tables.log_folder import LocalFolder
from entrepot.tables.properties import TableProperties
from entrepot.tables.table import Table

SCHEMA = {"type": "struct", "fields": [{"name": "id", "type": "integer", "nullable": True, "metadata": {}}]}
START = 1_700_000_000_000


def metadata(*names: str, **properties: str) -> dict[str, Any]:
    fields = [{"name": name, "type": "integer", "nullable": True, "metadata": {}} for name in names or ("id",)]
    schema = json.dumps({"type": "struct", "fields": fields})
    configuration = {name.replace("_", "."): value for name, value in properties.items()}
    return {"metaData": {"id": "x", "schemaString": schema, "configuration": configuration}}


def info(operation: str, **facts: Any) -> dict[str, Any]:
    return {"commitInfo": {"timestamp": 1, "operation": operation, **facts}}


class Log:
    """A log that a test writes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "_delta_log"
        self.path.mkdir(parents=True)
        self.table = Table(("raw", folder.name), str(folder))

    def put(self, name: str, text: str, at: int = START) -> Path:
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.utime(path, ns=(at * 1_000_000,) * 2)
        return path

    def commit(self, version: int, *actions: dict[str, Any], at: int | None = None) -> Path:
        text = "".join(json.dumps(action, separators=(",", ":")) + "\n" for action in actions)
        return self.put(f"{version:020}.json", text, START + 1000 * version if at is None else at)


class Counting(LocalFolder):
    """Counts what is read."""

    counts: ClassVar[Counter[str]] = Counter()

    def names(self) -> list[str]:
        Counting.counts["listed"] += 1
        return super().names()

    def lines(self, name: str) -> Iterator[bytes]:
        Counting.counts["read"] += 1
        for line in super().lines(name):
            Counting.counts["lines"] += 1
            yield line


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A table of ten commits; each has the lines of two files, too."""
    log = Log(tmp_path / "t")
    log.commit(0, info("CREATE TABLE"), {"protocol": {"minReaderVersion": 1}}, metadata())
    for version in range(1, 10):
        log.commit(version, info("WRITE", operationParameters={"mode": "Append"}), {"add": {"path": "a"}}, {"add": {}})
    return log


def counted() -> LogFiles:
    Counting.counts.clear()
    return LogFiles(Counting.of)


def test_what_is_read_for_the_newest_versions(tmp_path: Path) -> None:
    logs = [Log(tmp_path / name) for name in ("a", "b", "c")]
    for place, log in enumerate(logs):
        for version in range(place + 2):
            log.commit(version, info("WRITE"), {"add": {}})
    files = counted()
    found = files.newest([log.table for log in logs])
    assert found == {log.table: Head(place + 1, START + 1000 * (place + 1)) for place, log in enumerate(logs)}
    assert Counting.counts == {"listed": 3, "read": 3, "lines": 3}


def test_what_is_read_for_commits(log: Log) -> None:
    files = counted()
    assert [commit.version for commit in files.commits(log.table, limit=5)] == [9, 8, 7, 6, 5]
    assert Counting.counts == {"listed": 1, "read": 5, "lines": 5}


def test_what_is_read_for_properties_and_columns(log: Log) -> None:
    files = counted()
    assert files.properties(log.table) == TableProperties()
    assert Counting.counts["read"] == 10, "back to the commit that set them"
    log.put(f"{9:020}.crc", json.dumps({"metadata": metadata("id", "v", delta_x="1")["metaData"]}))
    files = counted()
    assert files.properties(log.table) == TableProperties({"delta.x": "1"})
    assert files.columns_at(log.table, 9) == (Column("id", "int"), Column("v", "int"))
    assert Counting.counts["read"] == 2, "a checksum says all"
    assert files.columns_at(log.table, 8) == (Column("id", "int"),)
    with pytest.raises(LogError, match=r"raw\.t has no version 10 yet\. Name one up to 9"):
        files.columns_at(log.table, 10)


def test_a_checksum_that_is_not_written_to_the_end(log: Log) -> None:
    log.put(f"{9:020}.crc", '{"metadata": {"sch')
    assert LogFiles().columns_at(log.table, 9) == (Column("id", "int"),)


def test_commits_from_a_version_on(log: Log) -> None:
    files = counted()
    assert [commit.version for commit in files.commits(log.table, from_version=7)] == [9, 8, 7]
    assert Counting.counts == {"listed": 1, "read": 3, "lines": 3}
    assert [commit.version for commit in files.commits(log.table, limit=2, from_version=3)] == [9, 8]
    assert files.commits(log.table, from_version=10) == ()
    assert len(files.commits(log.table, limit=1000)) == len(files.commits(log.table)) == 10


def test_a_commit(tmp_path: Path) -> None:
    log = Log(tmp_path / "t")
    parameters = {"mode": "Append", "partitionBy": "[]", "predicate": None, "flag": True, "list": ["a", 1]}
    log.commit(0, info("WRITE", operationParameters=parameters, operationMetrics={"numFiles": "1"}, userMetadata="x"))
    texts = {"mode": "Append", "partitionBy": "[]", "flag": "true", "list": '["a",1]'}
    assert LogFiles().commits(log.table) == (Commit(0, START, "WRITE", texts, {"numFiles": "1"}, "x"),)


def test_foreign_writers(tmp_path: Path) -> None:
    """One says nothing of itself, one says it at the end, one with spaces, one without an end of the last line."""
    log = Log(tmp_path / "t")
    log.commit(0, {"add": {"path": "commitInfo"}})
    log.commit(1, {"add": {"stats": '{"commitInfo": 1}'}}, info("WRITE"))
    log.put(f"{2:020}.json", ' { "commitInfo" : {"operation": "MERGE"}}\n{"add": {}}\n')
    log.put(f"{3:020}.json", '{"add": {}}\n{"commitInfo": {"operation": "DELETE"}}')
    log.put(f"{4:020}.json", '{"txn": {}}')
    assert [commit.operation for commit in LogFiles().commits(log.table)] == ["", "DELETE", "MERGE", "WRITE", ""]


def test_times_rise(tmp_path: Path) -> None:
    log = Log(tmp_path / "t")
    for version, at in enumerate([500, 400, 600, 600]):
        log.commit(version, info("WRITE"), at=at)
    assert [commit.at for commit in LogFiles().commits(log.table)] == [601, 600, 501, 500]
    assert [commit.at for commit in LogFiles().commits(log.table, limit=3)] == [601, 600, 400], "as Delta does"


def test_in_commit_timestamps(tmp_path: Path) -> None:
    """Switched on, off and on again: those of the first time do not count any more."""
    log = Log(tmp_path / "t")
    for version, written in enumerate([None, 11, None, 13, 12]):
        log.commit(version, info("WRITE", **({"inCommitTimestamp": written} if written else {})), at=1000 + version)
    assert [commit.at for commit in LogFiles().commits(log.table)] == [12, 13, 1002, 1001, 1000]
    assert LogFiles().newest([log.table]) == {log.table: Head(4, 12)}


def test_other_files_of_a_log(log: Log) -> None:
    for name in (
        f"{5:020}.checkpoint.parquet",
        f"{9:020}.checkpoint.0000.json",
        f"{0:020}.{11:020}.compacted.json",
        f"{12:020}.json.tmp",
        f".{12:020}.json.crc",
        "_last_checkpoint",
        f"_staged_commits/{9:020}.6e09.json",
    ):
        log.put(name, "no commit")
    assert LogFiles().newest([log.table])[log.table].version == 9


def test_commits_that_only_a_catalog_knows(log: Log) -> None:
    log.put(f"_staged_commits/{10:020}.6e09.json", "")
    assert LogFiles().newest([log.table]) == {}
    assert not LogFiles().reaches(log.table)
    with pytest.raises(LogError, match=r"no whole Delta log of raw\.t at .* a catalog keeps its commits"):
        LogFiles().commits(log.table)


def test_a_table_that_is_not_there(log: Log, tmp_path: Path) -> None:
    (tmp_path / "empty/_delta_log").mkdir(parents=True)
    missing = [
        Table(("a", "b")),
        Table(("a", "c"), "s3://bucket/c"),
        Table(("a", "d"), f"{tmp_path}/d"),
        Table(("a", "e"), f"file:{tmp_path}/empty"),
    ]
    files = LogFiles()
    assert list(files.newest([*missing, log.table])) == [log.table]
    assert [files.reaches(table) for table in [*missing, log.table]] == [False] * 4 + [True]
    for table in missing:
        with pytest.raises(LogError, match=f"no whole Delta log of {table.relation}"):
            files.commits(table)


def test_a_location_is_no_address(tmp_path: Path) -> None:
    """Spark's catalogue tells it as SQL names it: a blank is one, and so is what would stand for one in an address."""
    log = Log(tmp_path / "my table%20x")
    log.commit(0, info("WRITE"))
    table = Table(("a", "b"), f"file:{tmp_path}/my table%20x")
    assert LogFiles().newest([table])[table].version == 0


def test_a_commit_that_is_being_written(log: Log) -> None:
    """A local disk shows a commit before it is written to the end."""
    path = log.put(f"{10:020}.json", "")

    def write() -> None:
        for part in ('{"commitInfo":{"operation"', ':"MERGE"}}\n', '{"add":{'):
            time.sleep(0.1)
            with path.open("a") as file:
                file.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert LogFiles().commits(log.table, limit=1)[0].operation == "MERGE"
    finally:
        writer.join()


@pytest.mark.parametrize(
    ("actions", "more"),
    [
        ('{"add":{"path":"b","size":70}}\n{"cdc":{"path":"c","size":9}}\n{"remove":{"path":"a","size":50}}\n', 20),
        ('{"add":{"path":"b","size":70}}\n{"remove":{"path":"a"}}\n', None),
        ('{"add":{"path":"b","size":70}}\n{"remove":{"pa', None),
        ("", 0),
    ],
    ids=["sizes", "one without a size", "not written to the end", "nothing"],
)
def test_bytes_that_deltalake_does_not_count(log: Log, actions: str, more: int | None) -> None:
    first = json.dumps(info("MERGE", operationMetrics={"num_target_rows_inserted": 1}))
    log.put(f"{10:020}.json", f"{first}\n{actions}")
    (commit,) = LogFiles().commits(log.table, limit=1)
    assert (commit.metric("numTargetRowsInserted"), commit.bytes_more) == (1, more)


def test_a_commit_that_is_never_written_to_the_end(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrepot.tables.log_files.PAUSE_SECONDS", 0)
    log.put(f"{10:020}.json", '{"commitInfo":{"oper')
    with pytest.raises(LogError, match=r"00010.json of .* ends in the middle of a line"):
        LogFiles().commits(log.table, limit=1)


def test_a_commit_that_is_cleaned_up_after_the_listing(log: Log) -> None:
    class Late(LocalFolder):
        def lines(self, name: str) -> Iterator[bytes]:
            if name == f"{0:020}.json":
                raise FileNotFoundError
            return super().lines(name)

    assert [commit.version for commit in LogFiles(Late.of).commits(log.table)] == list(range(9, 0, -1))
    other = Log(log.path.parent.parent / "dropped")
    other.commit(0, info("WRITE"))
    assert list(LogFiles(Late.of).newest([other.table, log.table])) == [log.table]


def test_a_version_that_is_not_in_the_log_any_more(log: Log) -> None:
    for version in range(9):
        (log.path / f"{version:020}.json").unlink()
    with pytest.raises(LogError, match=r"Version 9 of raw\.t is not in its log any more"):
        LogFiles().columns_at(log.table, 9)
