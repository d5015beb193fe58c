"""Output and state agree after an end at any moment: nothing is lost, nothing is written twice, nothing is withdrawn."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.captures import journal as module
from recorder.captures.journal import Journal
from recorder.errors import RecordError
from recorder.output import Record

IDENTITY = {"connector": "entrepot-test", "prefix": "it"}


class Killed(BaseException):
    """The process ends here."""


class Connection(sqlite3.Connection):
    """A connection whose statements may be the last thing that a process does."""

    step: Callable[[], None] = staticmethod(lambda: None)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        Connection.step()
        return super().execute(*arguments)


def open_journal(folder: Path) -> Journal:
    return Journal(folder / "out.jsonl", folder / "out.jsonl.state", IDENTITY)


def write(journal: Journal, number: int, size: int) -> None:
    with journal.batch():
        journal.remember("last", str(number))
        journal.remember("position", str(number))
        journal.append(Record("t", None, (), None, "x" * size) for _ in range(2))
        journal.append([Record(f"batch {number}", None, (), None, None)])


def batches(out: Path) -> list[int]:
    """The numbers of the batches in the output, each of which has to be whole."""
    lines = out.read_bytes().splitlines() if out.exists() else []
    numbers = [int(line.split(b"batch ")[1].split(b'"')[0]) for line in lines if b"batch " in line]
    assert len(lines) == 3 * len(numbers)
    return numbers


class Life:
    """The steps of a process, of which the one with number ``fatal`` is its last; 0 is none."""

    def __init__(self) -> None:
        self.steps = self.fatal = 0

    def step(self) -> None:
        self.steps += 1
        if self.steps == self.fatal:
            raise Killed


@pytest.fixture
def life(monkeypatch: pytest.MonkeyPatch) -> Life:
    """Every statement, write and fsync of the journal is a step."""
    found = Life()
    step = found.step

    def torn(descriptor: int, data: Any) -> int:
        """Half of what was asked for; every call is a step."""
        step()
        return real_write(descriptor, data[: max(1, len(data) // 2)])

    real_write, real_fsync, real_connect = module.os.write, module.os.fsync, sqlite3.connect
    monkeypatch.setattr(module.os, "write", torn)
    monkeypatch.setattr(module.os, "fsync", lambda descriptor: (step(), real_fsync(descriptor)))
    monkeypatch.setattr(
        module.sqlite3, "connect", lambda *args, **more: real_connect(*args, factory=Connection, **more)
    )
    monkeypatch.setattr(module, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(Connection, "step", staticmethod(step))
    return found


def test_killed_at_every_step(tmp_path: Path, life: Life) -> None:
    """Whatever statement, write or fsync is the last of a process, the next one goes on as if nothing had happened."""
    for fatal in range(1, 400):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        life.steps, life.fatal, seen = 0, fatal, b""
        try:
            with open_journal(folder) as journal:
                for number in range(2):
                    write(journal, number, 700)
            break
        except Killed:
            seen = (folder / "out.jsonl").read_bytes() if (folder / "out.jsonl").exists() else b""
        life.fatal = 0
        with open_journal(folder) as journal:
            decided = -1 if journal.fact("last") is None else int(journal.fact("last") or 0)
            assert batches(folder / "out.jsonl") == list(range(decided + 1))
            assert not seen or (folder / "out.jsonl").read_bytes().startswith(seen)
            write(journal, decided + 1, 10)
        assert batches(folder / "out.jsonl") == list(range(decided + 2))
    assert fatal > 40


def test_an_output_that_is_moved_away_is_begun_anew(tmp_path: Path, life: Life) -> None:
    """Between two runs, and between two batches of one; whatever step is the last one, every line is in one file once."""
    with open_journal(tmp_path) as journal:
        write(journal, 0, 10)
    for fatal in range(1, 400):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        shutil.copy(tmp_path / "out.jsonl.state", folder)
        out, moved = folder / "out.jsonl", folder / "moved"
        life.steps, life.fatal = 0, fatal
        try:
            with open_journal(folder) as journal:
                write(journal, 1, 10)
                out.rename(moved)
                write(journal, 2, 700)
            break
        except Killed:
            life.fatal = 0
        with open_journal(folder) as journal:
            decided = int(journal.fact("last") or 0)
            write(journal, decided + 1, 10)
        assert batches(moved) + batches(out) == list(range(1, decided + 2))
    assert fatal > 40


def test_an_output_that_goes_before_its_last_lines_were_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows which of them it has: it is asked for, unless an empty file says that it will not come back."""
    out, real_write = tmp_path / "out.jsonl", os.write

    def half(descriptor: int, data: Any) -> int:
        real_write(descriptor, data[: len(data) // 2])
        raise Killed

    with open_journal(tmp_path) as journal:
        write(journal, 0, 1)
        monkeypatch.setattr(module.os, "write", half)
        with pytest.raises(Killed):
            write(journal, 1, 100)
    monkeypatch.undo()
    out.rename(tmp_path / "moved")
    for _ in range(2):
        with pytest.raises(RecordError, match=r"has gone, and the last run .* put the file back"):
            open_journal(tmp_path)
        assert not out.exists()
    shutil.copy(tmp_path / "out.jsonl.state", tmp_path / "state")
    shutil.copy(tmp_path / "moved", out)
    with open_journal(tmp_path):
        assert batches(out) == [0, 1]
    shutil.copy(tmp_path / "state", tmp_path / "out.jsonl.state")
    out.write_bytes(b"")
    with open_journal(tmp_path) as journal:
        assert batches(out) == [1]
        write(journal, 2, 1)
    assert batches(out) == [1, 2]


def test_a_failure_within_a_batch_leaves_nothing(tmp_path: Path) -> None:
    with open_journal(tmp_path) as journal:
        write(journal, 0, 1)
        with pytest.raises(ZeroDivisionError), journal.batch():
            journal.remember("last", "9")
            journal.append([Record("batch 9", None, (), None, None)])
            raise ZeroDivisionError
        assert journal.fact("last") == "0"
    assert batches(tmp_path / "out.jsonl") == [0]


def test_a_new_state_begins_at_the_end_of_the_output(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"{}\n")
    with open_journal(tmp_path) as journal:
        assert journal.begins
        write(journal, 0, 1)
    assert out.read_bytes().startswith(b"{}\n{")
    with open_journal(tmp_path) as journal:
        assert not journal.begins


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"{}\n{")
    with pytest.raises(RecordError, match="is not finished"):
        open_journal(tmp_path)
    out.unlink()
    with open_journal(tmp_path) as journal:
        write(journal, 0, 1)
    whole = out.read_bytes()
    for content, words in (
        (whole[:-1], "1 bytes shorter than"),
        (whole + b"x", "not what"),
        (b"{}\n", "bytes shorter"),
    ):
        out.write_bytes(content)
        with pytest.raises(RecordError, match=words):
            open_journal(tmp_path)
        assert out.read_bytes() == content
    out.write_bytes(whole)
    with open_journal(tmp_path) as journal, pytest.raises(RecordError, match="another capture is writing"):
        assert journal
        open_journal(tmp_path)
    with pytest.raises(RecordError, match="whose prefix is 'it', not 'other'"):
        Journal(out, tmp_path / "out.jsonl.state", IDENTITY | {"prefix": "other"})
    (tmp_path / "other.state").write_bytes(b"not a database, but longer than a hundred bytes" * 3)
    with pytest.raises(RecordError, match="is no state of a capture"):
        Journal(out, tmp_path / "other.state", IDENTITY)
    with pytest.raises(RecordError, match="existing folder"):
        Journal(tmp_path / "missing" / "out", tmp_path / "state", IDENTITY)


def test_bytes_that_somebody_else_wrote_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is pending is compared with what is in the output, not taken for it."""
    with open_journal(tmp_path) as journal:
        write(journal, 0, 1)
        monkeypatch.setattr(module.os, "fsync", lambda descriptor: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            write(journal, 1, 1)
    monkeypatch.undo()
    out = tmp_path / "out.jsonl"
    content = bytearray(out.read_bytes())
    place = random.Random(3).randrange(len(content) - 100, len(content))
    content[place] ^= 1
    out.write_bytes(content)
    with pytest.raises(RecordError, match="not what"):
        open_journal(tmp_path)


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    with open_journal(tmp_path) as journal:
        write(journal, 0, 1)
        monkeypatch.setattr(module.os, "write", full)
        with pytest.raises(RecordError, match=r"No space left on device.*run the same command again"):
            write(journal, 1, 1)
    monkeypatch.undo()
    with open_journal(tmp_path) as journal:
        assert (journal.fact("last"), batches(tmp_path / "out.jsonl")) == ("1", [0, 1])
