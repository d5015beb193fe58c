"""Output and state of a capture that agree after a kill at any moment: nothing is lost, and nothing written twice.

A batch is decided by one commit of the state, an SQLite database beside the output: what the capture knows then, and the
lines that follow from it. Only then they are appended to the output. What a kill has cut off is appended by the next run,
so lines that somebody may have read already are never withdrawn.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recorder.errors import RecordError
from recorder.output import Record, check_writable, fsync_folder

LAYOUT = "1"
CHUNK_BYTES = 1 << 20
TABLES = """
create table if not exists fact (name text primary key, value text not null) without rowid;
create table if not exists pending (number integer primary key, lines blob not null);
create table if not exists shape (number integer primary key, description text not null unique);
create table if not exists seen (
    source text not null, key text not null, shape integer not null, image text not null, primary key (source, key)
) without rowid;
"""


class Journal:
    """The state of one capture and the output that it appends to; use it as a context manager.

    A fact is what the capture has to remember, by name; ``position`` is that of the next record, and set by every batch that
    writes. :attr:`connection` is the state for what is more than that, to be changed inside of :meth:`batch` only.
    """

    def __init__(self, out: Path, state: Path, identity: dict[str, str]) -> None:
        """Open both and append what a kill has left behind. A state that is not there yet begins at the output's end.

        An output that has gone, or is empty, is begun anew: whoever has read it may archive it.

        ``identity`` is what must not change from run to run, by the words in which an error names it.

        :raises RecordError: a file cannot be used, belongs to another capture, is in use, or does not fit the other one.
        """
        self.out, self.state = out, state
        check_writable(out, "output")
        check_writable(state, "state")
        self.connection = _open(state)
        try:
            self.begins = self._identify(identity)
            self._deliver(fresh=False)
        except BaseException:
            self.close()
            raise

    def fact(self, name: str) -> str | None:
        """What is remembered under a name."""
        row = self.connection.execute("select value from fact where name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def remember(self, name: str, value: str) -> None:
        """Remember it; inside of :meth:`batch`."""
        self.connection.execute("insert or replace into fact values (?, ?)", (name, value))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """All or nothing of what happens inside, and then the lines of it in the output.

        :raises RecordError: the disk is full or a file has gone; the next run goes on where this one stood.
        """
        try:
            self.connection.execute("begin immediate")
            try:
                yield
                if self._is_begun_anew():
                    self.remember("written", "0")
                self.connection.execute("commit")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("rollback")
                raise
        except sqlite3.OperationalError as error:
            raise self._unwritten(error) from error
        try:
            self._deliver(fresh=True)
        except (OSError, sqlite3.OperationalError) as error:
            raise self._unwritten(error) from error

    def append(self, records: Iterable[Record]) -> int:
        """Add records to the batch; returns how many."""
        chunk, count = bytearray(), 0
        for record in records:
            chunk += record.to_line()
            count += 1
            if len(chunk) >= CHUNK_BYTES:
                self._wait(chunk)
                chunk.clear()
        if chunk:
            self._wait(chunk)
        return count

    def _wait(self, lines: bytearray) -> None:
        """Keep lines until they are in the output: compressed, because the schema in them is always the same."""
        self.connection.execute("insert into pending (lines) values (?)", (zlib.compress(lines, 1),))

    def shape_number(self, description: str) -> int:
        """The number under which the state keeps a shape's text."""
        self.connection.execute("insert or ignore into shape (description) values (?)", (description,))
        row = self.connection.execute("select number from shape where description = ?", (description,)).fetchone()
        return int(row[0])

    def shape_text(self, number: int) -> str:
        """The other way round."""
        row = self.connection.execute("select description from shape where number = ?", (number,)).fetchone()
        return str(row[0])

    def close(self) -> None:
        """Close the state; calling it twice is fine."""
        self.connection.close()

    def __enter__(self) -> Journal:
        """Nothing to do: the files are open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _identify(self, identity: dict[str, str]) -> bool:
        """Whether the state is new, or no batch has ever ended; else what it knows of itself must be what it is asked for."""
        known = dict(self.connection.execute("select name, value from fact").fetchall())
        if "position" not in known:
            self.connection.execute("begin immediate")
            for name, value in {"layout": LAYOUT, "written": str(self._end_of_output()), **identity}.items():
                self.remember(name, value)
            self.connection.execute("commit")
            return True
        if known["layout"] != LAYOUT:
            raise RecordError(
                f"The state {self.state} was written by a newer version: install that, or give another output."
            )
        for name, value in identity.items():
            if known.get(name) != value:
                raise RecordError(
                    f"The state {self.state} belongs to a capture whose {name} is {known.get(name)!r}, not {value!r}: "
                    "give another output, or the same options as before."
                )
        return False

    def _end_of_output(self) -> int:
        if not self.out.exists():
            return 0
        with self.out.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    raise RecordError(
                        f"The last line of {self.out} is not finished, and no state tells what it should be: "
                        "remove that line, or give another output."
                    )
        return end

    def _deliver(self, fresh: bool) -> None:
        """Append the pending lines, but for those that are in the output already, and forget them.

        ``fresh`` says that this process has made them, so that none can be in an output that has gone since then.
        """
        written = int(self.fact("written") or 0)
        pending = self.connection.execute("select number from pending order by number").fetchall()
        created = not self.out.exists()
        if self._is_begun_anew():
            if pending and created and not fresh:
                raise self._gone()
            written = 0
            self.connection.execute("begin immediate")
            self.remember("written", "0")  # before a line is written to it: a kill after that changes nothing
            self.connection.execute("commit")
        if not pending and (0 if created else self.out.stat().st_size) == written:
            return
        with self.out.open("ab+", buffering=0) as file:
            there = os.fstat(file.fileno()).st_size - written
            if there < 0:
                raise self._foreign(written, there)
            file.seek(written)
            for (number,) in pending:
                (kept,) = self.connection.execute("select lines from pending where number = ?", (number,)).fetchone()
                lines = zlib.decompress(kept)
                overlap = min(there, len(lines))
                if file.read(overlap) != lines[:overlap]:
                    raise self._foreign(written, there)
                _write(file.fileno(), lines[overlap:])
                there -= overlap
                written += len(lines)
            if there:
                raise self._foreign(written, there)
            os.fsync(file.fileno())
        if created:
            fsync_folder(self.out.parent)
        self.connection.execute("begin immediate")
        self.remember("written", str(written))
        self.connection.execute("delete from pending")
        self.connection.execute("commit")

    def _is_begun_anew(self) -> bool:
        """Whether nothing of what was written is in the output any more: it has gone, or was emptied."""
        return self.fact("written") not in (None, "0") and not (self.out.exists() and self.out.stat().st_size)

    def _gone(self) -> RecordError:
        return RecordError(
            f"The output {self.out} has gone, and the last run had been stopped before its last lines were all in it: put the file back, run this "
            "again, and move it then. If it is gone for good, put an empty file in its place; those lines come whole in that."
        )

    def _unwritten(self, error: Exception) -> RecordError:
        return RecordError(
            f"{self.out} or {self.state} could not be written ({error}): remove the cause, then run the same command "
            "again; it goes on where this one stood."
        )

    def _foreign(self, written: int, more: int) -> RecordError:
        what = f"{-more} bytes shorter than" if more < 0 else "not what"
        return RecordError(
            f"The output {self.out} is {what} this capture has written ({written} bytes, says {self.state}): put the file "
            f"back as it was, move it away if all of it has been read (another is begun then), or remove {self.state} to begin "
            "anew with all rows (deletes since then will not be told)."
        )


def _open(state: Path) -> sqlite3.Connection:
    """The state's database, held until it is closed."""
    connection = sqlite3.connect(state, isolation_level=None, timeout=1)
    try:
        connection.execute("pragma locking_mode = exclusive")
        connection.execute("pragma synchronous = extra")
        connection.execute("begin exclusive")
        for statement in TABLES.split(";"):
            connection.execute(statement)
        connection.execute("commit")
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            why = "another capture is writing with it" if "locked" in str(error) else f"it cannot be written, {error}"
            raise RecordError(f"The state {state} is not free ({why}): stop that, or give another output.") from error
        if isinstance(error, sqlite3.DatabaseError):
            raise RecordError(f"The file {state} is no state of a capture ({error}): give another output.") from error
        raise
    return connection


def _write(descriptor: int, lines: bytes) -> None:
    rest = memoryview(lines)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
