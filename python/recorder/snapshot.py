"""The first snapshot of a capture waits beside the offsets until it is complete, and only then comes into the output.

Debezium begins a snapshot that was not finished again, and never tells what has been deleted in the meantime: rows of the
one that was not finished would stay for ever. What Debezium has noted in its offsets decides, after a kill as well: they call
the snapshot complete only when all of its records lie in the file that waits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from recorder.errors import RecordError
from recorder.output import COPY_BYTES, Record, RecordFile, fsync_folder


class CaptureOutput:
    """Where the records of a capture go: to its output, and until the first snapshot is complete to a file that waits."""

    def __init__(self, out: Path, waiting: Path, takes_snapshot: bool, is_complete: Callable[[], bool]) -> None:
        """Open the file; what a kill has left of a snapshot comes into the output if it is complete, else it is removed.

        ``is_complete`` says whether Debezium goes on behind a snapshot, ``takes_snapshot`` whether it takes one where it does not.

        :raises RecordError: a file cannot be written, or a snapshot is to be taken and the output has records already.
        :raises OSError: the disk is full.
        """
        self._out, self._waiting = out, waiting
        self._is_complete = is_complete
        self.waits = False
        self._file = RecordFile(out)
        if is_complete():
            if waiting.exists():
                self._put_in_place()
            return
        waiting.unlink(missing_ok=True)
        if not takes_snapshot:
            return
        self._file.close()
        if out.stat().st_size > 0:
            raise RecordError(
                f"{out} has records, but no position says that its snapshot is complete, and the rows of two snapshots do not "
                "go together: give another --out, or move it away."
            )
        self._file = RecordFile(waiting)
        self.waits = True

    @property
    def path(self) -> Path:
        """The file that is written to."""
        return self._waiting if self.waits else self._out

    def append(self, records: Iterable[Record]) -> None:
        """Write ``records`` and fsync.

        :raises OSError: see :meth:`RecordFile.append`.
        """
        self._file.append(records)

    def settle(self) -> None:
        """Put the snapshot into the output if it is complete by now; to be called when Debezium has noted its position.

        :raises OSError: the disk is full; the next run does it then.
        :raises RecordError: the output cannot be written.
        """
        if self.waits and self._is_complete():
            self._file.close()
            self.waits = False
            self._file = RecordFile(self._out)
            self._put_in_place()

    def close(self) -> None:
        """Close the file; calling it twice is fine."""
        self._file.close()

    def _put_in_place(self) -> None:
        """Copy the file that waits into the output, which has a part of it where this was killed before."""
        with self._waiting.open("rb") as lines, self._out.open("rb") as there:
            left = there.seek(0, os.SEEK_END)
            there.seek(0)
            while left:
                chunk = there.read(min(left, COPY_BYTES))
                left -= len(chunk)
                if lines.read(len(chunk)) != chunk:
                    raise FileExistsError(
                        f"it has other records than the snapshot that waits in {self._waiting}: move it away"
                    )
            self._file.append_lines(lines)
        fsync_folder(self._out.resolve().parent)
        self._waiting.unlink()
