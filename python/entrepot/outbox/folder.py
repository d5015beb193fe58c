"""A folder of files with messages: each file appears whole, each message once, whenever the writer is killed."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.writing import replace

POSITION = "_position.json"
LOCK = "_lock"
FILE = re.compile(r"\d{10,}\.jsonl(\.part)?")


class OutboxError(EntrepotError):
    """A folder is no outbox, or another one's."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a table has been published into a folder.

    Attributes:
        relation: the table, such as `outgoing.customer`
        version: its Delta version
        committed_at: when that was committed, in milliseconds since 1970: versions of a table that is made anew count from 0
        job: number of the job whose snapshot it is of
        files: how many files have been written
        file: the newest one; None where nothing has been written yet
    """

    relation: str
    version: int
    committed_at: int
    job: int
    files: int = 0
    file: str | None = None


class Outbox:
    """The files of one table, numbered, and the position that they reach.

    A file is first written beside its place, then the position names it, which is the commit, then it is moved to its place; what a
    killed writer has left is finished or removed by the next one. Files may be moved away or removed by whoever consumes them.
    """

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made when something is written."""
        self.folder = folder

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder, and put right what a killed writer has left.

        Raises:
            OutboxError: another process writes into it, or its position is lost
            EnvironmentProblemError: it cannot be written
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / LOCK).open("w")
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OutboxError(
                    f"Another process publishes into {self.folder}.",
                    "Wait for its end, then run the same command again.",
                ) from None
            try:
                self._put_right()
            except OSError as error:
                raise _unwritable(self.folder, error) from error
            yield

    def position(self) -> Position | None:
        """Return how far the table has been published; None where nothing has been.

        Raises:
            OutboxError: the folder's position cannot be read, or there is none although files have been written
        """
        path = self.folder / POSITION
        try:
            values: Any = json.loads(path.read_text(encoding="utf-8"))
            return Position(**values)
        except FileNotFoundError:
            self._refuse_lost()
            return None
        except (OSError, ValueError, TypeError) as error:
            raise OutboxError(
                f"{path} cannot be read ({error}): it says how far {self.folder.name} has been published.",
                "Put it back, or publish into another folder with --out, from the beginning.",
            ) from error

    def write(self, lines: Iterable[str], reached: Position) -> tuple[int, Path | None]:
        """Write messages as the next file, and with it how far they reach; without messages the position only.

        Args:
            lines: one JSON text each
            reached: what they reach; its `files` and `file` are filled in here

        Returns:
            how many messages there were, and their file

        Raises:
            EnvironmentProblemError: the disk is full, or the folder cannot be written
        """
        known = self.position()
        number = (known.files if known else 0) + 1
        name = _file_name(number)
        part = self.folder / f"{name}.part"
        try:
            written = self._write_part(lines, part)
            if not written:
                part.unlink()
                last = known.file if known else None
                self._set(_reaching(reached, number - 1, last))
                return 0, None
            self._set(_reaching(reached, number, name))
            self._put_right()
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        return written, self.folder / name

    def _refuse_lost(self) -> None:
        """Refuse a folder without a position that has files: the next one would take the place of the first.

        Raises:
            OutboxError: a file is there, or part of one that is not the first
        """
        first = f"{_file_name(1)}.part"
        if files := sorted(
            path.name for path in self.folder.glob("*") if FILE.fullmatch(path.name) and path.name != first
        ):
            raise OutboxError(
                f"{self.folder / POSITION} is not there, and {files[-1]} is: nothing says how far {self.folder.name} has been published.",
                "Put it back, or publish into another folder with --out, from the beginning.",
            )

    def _write_part(self, lines: Iterable[str], part: Path) -> int:
        written = 0
        with part.open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(line + "\n")
                written += 1
            file.flush()
            os.fsync(file.fileno())
        return written

    def _set(self, position: Position) -> None:
        replace(self.folder / POSITION, (json.dumps(asdict(position), indent=1) + "\n").encode())
        self._sync()

    def _put_right(self) -> None:
        """Move the file that the position names to its place, if it is not there yet; remove what no position names."""
        position = self.position()
        for part in self.folder.glob("*.part"):
            if position and part.name == f"{position.file}.part":
                part.rename(part.with_suffix(""))
            else:
                part.unlink()
        self._sync()

    def _sync(self) -> None:
        """Have the names of the folder's files on the disk, too."""
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _file_name(number: int) -> str:
    return f"{number:010}.jsonl"


def _reaching(position: Position, files: int, file: str | None) -> Position:
    return Position(position.relation, position.version, position.committed_at, position.job, files, file)


def _unwritable(folder: Path, error: OSError) -> EnvironmentProblemError:
    return EnvironmentProblemError(
        f"{folder} cannot be written ({error.strerror or error}).",
        "Remove the cause, then run the same command again: no message gets lost or is written twice.",
    )
