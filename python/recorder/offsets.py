"""What Debezium has noted of its position, and a copy of it that no kill tears.

Kafka's ``FileOffsetBackingStore`` writes its file in place, so that a kill or a power cut can leave a part of it. The copy is as
new as the file whenever the file is whole: the server is told of a position, and forgets what is before it, only when the file
has it. A copy that is older than what the server was told is refused, as any such position.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from recorder.errors import RecordError
from recorder.output import fsync_folder

POSITIONS = ("lsn", "lsn_proc", "lsn_commit")


class Offsets:
    """The position of one connector, by its ``name`` and ``prefix``, in a file and a copy of it."""

    def __init__(self, jpype: Any, path: Path, name: str, prefix: str) -> None:
        """Nothing is read yet."""
        self.path = path
        self.copy = copy_of(path)
        self._jpype = jpype
        self._key = [name, {"server": prefix}]
        self._kept: bytes | None = None

    def mend(self) -> None:
        """Put the copy in the place of a file that is damaged; without the file, the copy goes, too: the recording begins anew.

        :raises RecordError: both are damaged.
        :raises OSError: the disk is full.
        """
        if not self.path.exists():
            self.copy.unlink(missing_ok=True)
        elif self._entries(self.path.read_bytes()) is None:
            content = self.copy.read_bytes() if self.copy.exists() else b""
            if self._entries(content) is None:
                raise RecordError(
                    f"Debezium's position in {self.path} is damaged, and there is no copy of it: put it back from a backup of the same moment, or "
                    f"delete it and give another --out to start a new recording with a snapshot (deletes since then will not be told)."
                )
            _replace(self.path, content)

    def keep(self) -> None:
        """Copy the file if it is whole; to be called when Debezium has noted its position.

        :raises OSError: the disk is full.
        """
        content = self.path.read_bytes() if self.path.exists() else b""
        if content != self._kept and self._entries(content):
            _replace(self.copy, content)
            self._kept = content

    def is_snapshot_complete(self) -> bool:
        """Whether the connector goes on behind its snapshot, as Debezium's ``PostgresOffsetContext`` reads its position."""
        position = self._position()
        if position is None:
            return False
        done = position.get("last_snapshot_record") or position.get("snapshot_completed")
        return bool(done) or not position.get("snapshot")

    def reached(self) -> int:
        """How far the server's log has been recorded, in bytes; 0 where nothing has been."""
        position = self._position() or {}
        return max(int(position.get(name) or 0) for name in POSITIONS)

    def _position(self) -> dict[str, Any] | None:
        content = self.path.read_bytes() if self.path.exists() else b""
        return next((value for key, value in self._entries(content) or [] if key == self._key), None)

    def _entries(self, content: bytes) -> list[tuple[Any, dict[str, Any]]] | None:
        """Keys and values of the file's content, a Java map of JSON to JSON, both as bytes; None of what is none."""
        jpype = self._jpype
        try:
            stream = jpype.JClass("java.io.ByteArrayInputStream")(content)
            found = jpype.JClass("java.io.ObjectInputStream")(stream).readObject()
            entries = [(json.loads(bytes(one.getKey())), json.loads(bytes(one.getValue()))) for one in found.entrySet()]
        except (jpype.JException, AttributeError, TypeError, ValueError):
            return None
        return entries if all(isinstance(value, dict) for _, value in entries) else None


def copy_of(path: Path) -> Path:
    """Where the copy of a position lies."""
    return path.with_name(f"{path.name}.copy")


def _replace(path: Path, content: bytes) -> None:
    """Have all of the content in a file, or what was there before."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    fsync_folder(path.resolve().parent)
