"""The note by which a query finds the process that has a warehouse: where its socket is.

The socket lies in a folder of its own that only its user may enter, because a path of a socket is short (108 characters) and that of a
warehouse need not be. A note that a killed process has left leads to a socket that nobody listens at.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from entrepot.errors import EnvironmentProblemError
from entrepot.target import Place

PREFIX = "entrepot-run-"
SOCKET = "queries"


@dataclass(frozen=True, slots=True)
class Note:
    """What the note of a running process says.

    Attributes:
        process: its id
        socket: where it listens
        version: the version of entrepot
    """

    process: int
    socket: str
    version: str


def own_version() -> str:
    """Return the version of this entrepot."""
    return version("entrepot")


def note_file(place: Place) -> Path:
    """Return where the note of a target's warehouse lies: schemas of one warehouse have a note each."""
    return place.warehouse / f"run.{place.schema}.json"


def read_note(place: Place) -> Note | None:
    """Return the note of the process that has a warehouse; None where there is none, or only one that is not to be trusted.

    Only what this user, or root, has written is: whoever else could write one could answer in the name of the warehouse.
    """
    file = note_file(place)
    try:
        told = json.loads(file.read_text())
        note = Note(int(told["process"]), str(told["socket"]), str(told["version"]))
        # root's own process asks only what root has written
        is_ours = file.stat().st_uid == os.geteuid() == Path(note.socket).stat().st_uid
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return note if is_ours else None


@contextmanager
def the_only_one(place: Place) -> Iterator[Path]:
    """Be the one `entrepot run` of a warehouse; gives the path for its socket, which goes with its folder and the note in the end.

    Raises:
        EnvironmentProblemError: another process is
    """
    place.warehouse.mkdir(parents=True, exist_ok=True)
    file = note_file(place)
    with file.with_suffix(".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other = read_note(place)
            raise EnvironmentProblemError(
                f"Another `entrepot run`{f', process {other.process},' if other else ''} has the warehouse {place.warehouse}.",
                "One is enough: end it first (SIGTERM), or leave it running.",
            ) from None
        _remove_litter(place)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        try:
            yield folder / SOCKET
        finally:
            file.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)


def write_note(place: Place, socket: Path) -> None:
    """Say where this process listens; whoever reads it reads it whole."""
    file = note_file(place)
    written = file.with_suffix(".new")
    written.unlink(missing_ok=True)
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as note:
        json.dump(asdict(Note(os.getpid(), str(socket), own_version())), note)
    written.replace(file)


def _remove_litter(place: Place) -> None:
    """Remove what a killed process has left: its note, and the folder of its socket."""
    note = read_note(place)
    if note and Path(note.socket).parent.name.startswith(PREFIX):
        shutil.rmtree(Path(note.socket).parent, ignore_errors=True)
    with suppress(OSError):
        note_file(place).unlink()
