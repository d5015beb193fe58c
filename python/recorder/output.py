"""The recorded file: one JSON line per Debezium record, append only, never a torn line in the middle."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from recorder.errors import RecordError

COPY_BYTES = 1 << 20


@dataclass(frozen=True)
class Header:
    """One Kafka Connect header: its name and its value, serialised as JSON text."""

    key: str
    value: str | None


@dataclass(frozen=True)
class Record:
    """One record as Debezium emitted it; ``key`` and ``value`` are serialised JSON text, or with ``encoding`` "base64" bytes in Base64.

    ``key`` is None for a table without a primary key, ``value`` is None for a tombstone,
    ``partition`` is None unless Debezium chose one.
    """

    destination: str
    partition: int | None
    headers: tuple[Header, ...]
    key: str | None
    value: str | None
    encoding: str | None = None

    def to_line(self) -> bytes:
        """The record as one line of ASCII JSON, line feed included."""
        document: dict[str, object] = {
            "destination": self.destination,
            "partition": self.partition,
            "headers": [{"key": header.key, "value": header.value} for header in self.headers],
            "key": self.key,
            "value": self.value,
        }
        if self.encoding is not None:
            document["encoding"] = self.encoding
        return json.dumps(document).encode("ascii") + b"\n"


class RecordFile:
    """Appends records to a file; :meth:`append` returns only when they are on the disk."""

    def __init__(self, path: Path) -> None:
        """Open ``path`` for appending and cut off a torn last line that a crash has left.

        A torn line belongs to a batch that Debezium was never told to commit, so it comes again.

        :raises RecordError: the path cannot be written.
        """
        self.path = path
        self._file = _open_for_append(path)
        _cut_torn_line(self._file)

    def append(self, records: Iterable[Record]) -> None:
        """Write ``records`` and fsync.

        :raises OSError: the disk is full or the file has gone; nothing may be committed then.
        """
        self._write(b"".join(record.to_line() for record in records))
        os.fsync(self._file.fileno())

    def append_lines(self, lines: BinaryIO) -> None:
        """Write whole lines, from where ``lines`` stands to its end, and fsync.

        :raises OSError: as :meth:`append`; some of the lines may be there then.
        """
        while chunk := lines.read(COPY_BYTES):
            self._write(chunk)
        os.fsync(self._file.fileno())

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """Close the file; calling it twice is fine."""
        self._file.close()

    def __enter__(self) -> RecordFile:
        """Nothing to do: the file is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


def check_writable(path: Path, what: str) -> None:
    """Check, without leaving anything behind, that ``path`` can be written; ``what`` names it in the error.

    :raises RecordError: it is a folder, its folder is missing, or permissions are.
    """
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise RecordError(_not_writable(path, what, error)) from error
    if not existed:
        path.unlink()


def fsync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk.

    :raises OSError: the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_for_append(path: Path) -> FileIO:
    try:
        path.touch(exist_ok=True)
        handle = path.open("r+b", buffering=0)
    except OSError as error:
        raise RecordError(_not_writable(path, "output", error)) from error
    return handle


def _not_writable(path: Path, what: str, error: OSError) -> str:
    return (
        f"The {what} file {path} cannot be written ({error.strerror or error}): "
        "give the path of a file in an existing folder that you may write to."
    )


def _cut_torn_line(handle: FileIO, step: int = 1 << 16) -> None:
    """Truncate after the last line feed and leave the position at the end."""
    end = handle.seek(0, os.SEEK_END)
    keep = end
    while keep > 0:
        start = max(0, keep - step)
        handle.seek(start)
        found = handle.read(keep - start).rfind(b"\n")
        if found >= 0:
            keep = start + found + 1
            break
        keep = start
    if keep < end:
        handle.truncate(keep)
    handle.seek(0, os.SEEK_END)
