"""An outbox is written exactly once, wherever its writer is killed, and whatever its consumer takes away."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from entrepot.errors import EntrepotError
from entrepot.outbox import Outbox, Position

SENT = [3, 0, 2, 1]  # messages that are new in each run


class KilledError(BaseException):
    """The process ends here."""


@pytest.fixture(autouse=True)
def no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process loses nothing that it has written; waiting for the disk is for power cuts."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)


def reaching(version: int) -> Position:
    return Position("outgoing.thing", version, 1000 + version, version)


def run(folder: Path, version: int) -> int:
    """Publish what is new up to a version: its messages are numbers, as many as `SENT` says for each version."""
    outbox = Outbox(folder)
    with outbox.locked():
        known = outbox.position()
        before = sum(SENT[: known.version if known else 0])
        return outbox.write(map(str, range(before, sum(SENT[:version]))), reaching(version))[0]


def consume(folder: Path, keeps: bool) -> list[str]:
    """What a consumer finds in whole files; it takes them away, or knows by their names which ones it has."""
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        found += file.read_text().splitlines()
        if not keeps:
            file.unlink()
    return found


def killed_at(step: int, patch: pytest.MonkeyPatch) -> None:
    """Let the process end at its n-th step on the disk."""
    steps = count(1)

    def counted(name: str, real: Any) -> Any:
        def one(*arguments: Any, **named: Any) -> Any:
            if next(steps) == step:
                raise KilledError(name)
            return real(*arguments, **named)

        return one

    patch.setattr(os, "fsync", counted("fsync", os.fsync))
    for name in ("rename", "replace", "unlink", "open"):
        patch.setattr(Path, name, counted(name, getattr(Path, name)))


@pytest.mark.parametrize("keeps", [True, False], ids=["files stay", "files are taken away"])
@pytest.mark.parametrize("killed_run", range(len(SENT)))
def test_a_kill_at_every_step(tmp_path: Path, killed_run: int, keeps: bool) -> None:
    step = 0
    was_killed = True
    while was_killed:
        step += 1
        folder = tmp_path / f"at {step}"
        found: list[str] = []
        for version in range(1, len(SENT) + 1):
            was_here = version == killed_run + 1
            with pytest.MonkeyPatch.context() as patch:
                if was_here:
                    killed_at(step, patch)
                try:
                    run(folder, version)
                    was_killed = was_killed and not was_here
                except KilledError:
                    was_killed = True
            found = consume(folder, keeps) if keeps else found + consume(folder, keeps)
            run(folder, version)
            found = consume(folder, keeps) if keeps else found + consume(folder, keeps)
        assert found == [str(number) for number in range(sum(SENT))], f"killed in run {killed_run} at step {step}"
    assert step > 5


def test_a_full_disk_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(EntrepotError, match=r"No space left on device.*Remove the cause"):
            run(tmp_path, 1)
    assert consume(tmp_path, keeps=True) == []
    assert run(tmp_path, 1) == 3


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with Outbox(tmp_path).locked(), pytest.raises(EntrepotError, match="Another process publishes into"):
        run(tmp_path, 1)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}'])
def test_a_damaged_position_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "_position.json").write_text(text)
    with pytest.raises(EntrepotError, match=r"_position.json cannot be read .*Put it back"):
        run(tmp_path, 1)


def test_a_position_that_is_lost_is_told_and_no_file_is_written_over(tmp_path: Path) -> None:
    assert [run(tmp_path, version) for version in range(1, 5)] == SENT
    position = (tmp_path / "_position.json").read_bytes()
    (tmp_path / "_position.json").unlink()
    (tmp_path / "0000000001.jsonl").unlink()
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for names in (["0000000002.jsonl", "0000000003.jsonl"], ["0000000003.jsonl.part"]):
        for _ in range(2):
            with pytest.raises(EntrepotError, match=rf"_position.json is not there, and {names[-1]} is.*Put it back"):
                run(tmp_path, 4)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == left
        if len(names) > 1:
            (tmp_path / "0000000002.jsonl").unlink()
            (tmp_path / "0000000003.jsonl").rename(tmp_path / "0000000003.jsonl.part")
            left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "_position.json").write_bytes(position)
    assert run(tmp_path, 4) == 0 and (tmp_path / "0000000003.jsonl").exists()


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "thing").write_text("")
    with pytest.raises(EntrepotError, match="cannot be written"):
        run(tmp_path / "thing", 1)
