"""Landing: files of any name and any state land, wait, or are listed with why not; none of them stops another."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.landing.records import Log
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome

ODD_NAMES = (
    "plain.jsonl", "with space.jsonl", "12:30:00.jsonl", "_hidden.jsonl", ".hidden.jsonl", "ünïcödé €.jsonl", "new\nline.jsonl",
    "100%.jsonl", "a%20b.jsonl", "[1].jsonl", "{a,b}.jsonl", "star*.jsonl", "what?.jsonl", "back\\slash.jsonl", "quote'\".jsonl", "#1+2=3&4.jsonl",
    "tick`.jsonl", "-rf.jsonl", "x.gz.jsonl", "e\u0301.jsonl",
)  # fmt: skip


@dataclass
class Files:
    """The landing part of the project, with a landing folder of folders; what has to be in its tables by name of file."""

    case: DbtCase
    folder: Path
    log: Log
    outcomes: list[Outcome] = field(default_factory=list)
    landed: dict[str, int] = field(default_factory=dict)
    whole: bytes = b""
    too_long: list[str] = field(default_factory=list)

    def changes(self, name: str, count: int = 1) -> bytes:
        """Lines of so many new changes, which the file of a name is to hold."""
        self.landed[name] = self.landed.get(name, 0) + count
        lines = []
        for _ in range(count):
            number = len(self.log.written)
            line = self.log.change(f"{number}", "c", key={"id": number}, after={"id": number, "file": name})
            lines.append(f"{line.text}\n")
        return "".join(lines).encode()

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        tables = ("change_event", "rejected_event", "landed_file")
        return self.case.spark.answer(sql.format(**{table: self.case.table("landing", table) for table in tables}))

    def found(self) -> dict[str, int]:
        """How many changes have landed of each file, {the name that its rows say: rows}."""
        return dict(Counter(json.loads(after)["file"] for (after,) in self.query("select after from {change_event}")))

    def problems(self) -> dict[str, str]:
        """Why files could not be read, {last part of where they lie: reason}."""
        rows = self.query("select landed_from, problem from {landed_file} where problem is not null")
        return {landed_from.rpartition("/")[2]: problem for landed_from, problem in rows}


@pytest.fixture(scope="module")
def files(module_case: Callable[..., DbtCase], tmp_path_factory: pytest.TempPathFactory) -> Files:
    root = tmp_path_factory.mktemp("arriving: 1")
    folder = root / "in [1]"
    folder.mkdir()
    case = module_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml", "seeds/mapping/schema_attribute.csv"),
        project={"vars": {"landing_path": f"{root}/in*/*", "entrepot_lock_minutes": 10}},
    )
    files = Files(case, folder, Log("shop"))

    def arrive(event: Any) -> None:
        """Let a file arrive when the job has looked at the folder, and its tables are being made."""
        if "START sql incremental model" in event.info.msg and "landed_file" in event.info.msg:
            (folder / "in the middle of the first job").write_bytes(files.changes("in the middle of the first job"))

    # nothing is there yet
    case.watch = arrive
    files.outcomes.append(case.build(*WITHOUT_TESTS))
    case.watch = lambda event: None
    assert files.landed

    for name in ODD_NAMES:
        (folder / name).write_bytes(files.changes(name))
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress(files.changes("packed", 3)))
    (folder / "packed, and nobody says so").write_bytes(gzip.compress(files.changes("secretly packed", 2)))
    (folder / "not packed.gz").write_bytes(files.changes("not packed"))
    (folder / "members.gz").write_bytes(
        gzip.compress(files.changes("members")) + gzip.compress(files.changes("members"))
    )
    (folder / "unended.gz").write_bytes(gzip.compress(files.changes("unended").rstrip(b"\n")))
    (folder / "half.gz").write_bytes(gzip.compress(files.changes("half", 50))[:-200])
    (folder / "text_behind_bzip2").write_bytes(bz2.compress(files.changes("packed", 0)) + files.changes("half"))
    (folder / "bom").write_bytes(b"\xef\xbb\xbf" + files.changes("bom"))
    (folder / "windows bom").write_bytes(b"\xef\xbb\xbf" + files.changes("windows bom", 2).replace(b"\n", b"\r\n"))
    (folder / "empty").touch()
    (folder / "empty.gz").write_bytes(gzip.compress(b""))
    files.whole = files.changes("growing", 2)
    (folder / "growing").write_bytes(files.whole[:-30])
    (folder / "shrinking").write_bytes(files.changes("shrinking", 3))
    (folder / "replaced").write_bytes(files.changes("replaced", 2))
    long = files.log.change("long", "c", key={"id": -1}, after={"id": -1, "file": "long", "text": "x" * 3_000_000})
    (folder / "long").write_text(f"{long.text}\n")
    files.landed["long"] = 1
    record = files.log.change("too long", "c", key={"id": -2}, after={"id": -2, "text": "y" * 30_000_000}).text
    files.too_long = [record, "z" + record]
    (folder / "too long").write_text(
        "\n".join([files.too_long[0], files.changes("too long").decode() + files.too_long[1], ""])
    )
    outside = root / "outside"
    outside.write_bytes(files.changes("linked"))
    (folder / "linked").symlink_to(outside)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "nowhere").symlink_to(folder / "nothing")
    os.mkfifo(folder / "pipe")
    (folder / "sub" / "deeper").mkdir(parents=True)
    (folder / "sub" / "inside.jsonl").write_bytes(files.changes("inside"))
    (folder / "round").symlink_to(folder)
    files.outcomes.append(case.build())
    return files


def test_an_empty_folder_is_no_error(files: Files) -> None:
    assert files.outcomes[0].success


def test_every_file_lands_once_or_says_why_not(files: Files) -> None:
    expected = dict(files.landed) | {"growing": 1}
    del expected["half"]
    assert files.found() == expected
    assert files.query("select distinct landed_from like '%/too%20long' from {rejected_event}") == [(True,)]
    problems = files.problems()
    for name in ("half.gz", "text_behind_bzip2"):
        assert problems.pop(name) == "it is damaged or incomplete: it cannot be decompressed to its end"
    assert problems.pop("loop") == "it is a loop of links"
    assert problems.pop("nowhere") == "it cannot be found: No such file or directory"
    assert problems.pop("pipe").startswith("it is no file but a pipe")
    assert problems.pop("deeper").startswith("it is a folder within the landing folder")
    # the folder once more, by its link: what was a problem there is one here
    assert set(problems) <= {"sub", "round"}


def test_files_that_were_not_read_to_their_end_wait_for_a_person(files: Files) -> None:
    unread = (
        f"select regexp_extract(landed_from, '([^/]*)$', 1), finding from {files.case.table('ops', 'ops_unread_file')}"
    )
    assert dict(files.case.spark.rows(unread)) == files.problems() | {"growing": "its last line has no end"}


def test_a_line_that_is_too_long_is_rejected_and_can_be_told_from_others(files: Files) -> None:
    """The JSON reader stops at texts of 20 million characters; two lines of 100 MB were more than Spark's memory."""
    kept = [
        f"{line[:10_000]}… ({len(line)} bytes, sha256 {hashlib.sha256(line.encode()).hexdigest()})"
        for line in files.too_long
    ]
    rows = files.query("select reason, landed_offset, line from {rejected_event} order by landed_offset")
    assert rows == [("too_long: over 20 MB", 1, kept[0]), ("too_long: over 20 MB", 3, kept[1])]


def test_files_are_called_what_spark_calls_them(files: Files) -> None:
    listed = set(
        files.case.spark.answer(
            f"select landed_from, file_size, file_modified_at from {files.case.table('landing', 'arrived_file')}"
        )
    )
    noted = set(files.query("select landed_from, file_size, file_modified_at from {landed_file}"))
    assert len(listed) > len(ODD_NAMES)
    assert listed <= noted


def test_what_has_landed_is_not_read_again(files: Files) -> None:
    before = files.query("select count(*) from {landed_file}")
    outcome = files.case.build(*WITHOUT_TESTS)
    assert outcome.messages["change_event"] == outcome.messages["landed_file"] == "unchanged"
    assert files.query("select count(*) from {landed_file}") == before


def test_files_that_change_are_read_again(files: Files) -> None:
    folder = files.folder
    (folder / "growing").write_bytes(files.whole + files.changes("growing again", 2))
    # what has landed of a file stays, whatever becomes of the file
    (folder / "shrinking").write_bytes((folder / "shrinking").read_bytes().splitlines(True)[0])
    (folder / "replaced").write_bytes(files.changes("replaced", 1))
    (folder / "half.gz").write_bytes(gzip.compress(files.changes("whole", 5)))
    (folder / "loop").unlink()
    (folder / "loop").write_bytes(files.changes("no loop"))
    shutil.move(folder / "plain.jsonl", folder / "archived.jsonl")
    files.case.build()
    unread = f"select landed_from from {files.case.table('ops', 'ops_unread_file')} where landed_from rlike 'growing|half|loop'"
    assert files.case.spark.rows(unread) == []
    assert files.found() == {name: count for name, count in files.landed.items() if name != "half"}


@pytest.mark.long
def test_zstandard(files: Files) -> None:
    if shutil.which("zstd") is None:
        pytest.skip("not installed: zstd")
    plain = files.folder.parent / "to pack"
    plain.write_bytes(files.changes("zstandard", 4))
    subprocess.run(["zstd", "-q", str(plain), "-o", str(files.folder / "z")], check=True)
    files.case.build()
    assert files.found()["zstandard"] == 4


def test_a_backlog_becomes_several_jobs(files: Files) -> None:
    """The oldest files first, by when they were last changed; each job lands what it has room for, and one file at least."""
    # by the link to the folder itself each file would come twice
    (files.folder / "round").unlink()
    before, sizes = files.found(), {}
    for name, changed_at in (("third", 1.2e9), ("first", 1e9), ("second", 1.1e9), ("fourth", 1.3e9)):
        path = files.folder / f"{len(sizes)} of a backlog"
        path.write_bytes(files.changes(name, 2))
        os.utime(path, (0, changed_at))
        sizes[name] = path.stat().st_size
    room = sizes["second"] + sizes["third"]
    for most, expected, waiting in ((1, ["first"], 3), (room, ["second", "third"], 1)):
        outcome = files.case.build("--vars", f"{{landing_batch_bytes: {most}}}", *WITHOUT_TESTS)
        before |= dict.fromkeys(expected, 2)
        assert files.found() == before, outcome.text
        assert (f" files; {waiting} with " in outcome.text) == bool(waiting)
    refused = files.case.dbt("build", "--vars", "{landing_batch_bytes: much}").text
    assert "It is how many bytes of files one job lands" in refused


def test_a_folder_emptied_by_archiving_is_no_error(files: Files) -> None:
    for path in files.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    before = files.found()
    assert files.case.build(*WITHOUT_TESTS).success
    assert files.found() == before


def test_a_folder_that_is_not_there_is_told(files: Files) -> None:
    outcome = files.case.dbt("build", "--vars", "{landing_path: /no/such/place/*.jsonl}")
    assert not outcome.success
    assert "/no/such/place" in outcome.text
    assert "landing_path" in outcome.text
