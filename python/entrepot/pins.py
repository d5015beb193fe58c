"""Snapshots that are kept under a name: a folder that holds the files of every table as it was, whatever is vacuumed later (decision 42)."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from entrepot.errors import EntrepotError
from entrepot.ledger import Ledger
from entrepot.ledger.files import user
from entrepot.ledger.lock import lives
from entrepot.snapshots import PublishedRelation, Snapshot, published_snapshots, refuse_other_table
from entrepot.tables.table import is_elsewhere, local_folder
from entrepot.target import Place

NAME = re.compile(r"(?=.*[a-z])[a-z0-9][a-z0-9_.-]{0,62}")
FOLDER, TOLD = "pins", "snapshot.json"
MOMENTS = ("holds_through", "committed_at")
# what a version's rows are never read from
NO_ROWS = ("_change_data", "_delta_log")


class PinError(EntrepotError):
    """A snapshot cannot be kept, or there is none of that name."""


@dataclass(frozen=True)
class Pin:
    """A snapshot that is kept.

    Attributes:
        name: what it is called
        pinned_at: since when, UTC
        pinned_by: by whom
        snapshot: what it holds; its tables lie in the folder of the pin
    """

    name: str
    pinned_at: datetime
    pinned_by: str
    snapshot: Snapshot


class Pins:
    """The snapshots of a target that are kept, a folder each in `pins` of its warehouse."""

    def __init__(self, place: Place) -> None:
        """Take where the target's tables lie."""
        self._folder = place.warehouse / FOLDER / place.schema

    def names(self) -> list[str]:
        """The names of all that is kept, sorted."""
        return sorted(folder.name for folder in self._folder.glob("*") if NAME.fullmatch(folder.name))

    def get(self, name: str) -> Pin:
        """Return what is kept under a name.

        Raises:
            PinError: nothing is
        """
        folder = self._existing(name)
        try:
            return _pin(name, json.loads((folder / TOLD).read_text()), folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PinError(
                f"What is kept under the name {name!r} cannot be read: {folder / TOLD} is missing or damaged.",
                f"Say entrepot unpin {name}, and keep a snapshot anew; the tables' files beside it are as they were.",
            ) from error

    def add(self, name: str, snapshot: Snapshot) -> Pin:
        """Keep a snapshot: link the files of its tables, or copy them where the file system cannot link.

        The folder appears whole: a killed run leaves nothing under the name, and is safe to repeat.

        Raises:
            PinError: the name is taken or none; a table does not lie in this machine's file system, or its version is not there any more
            NotInSnapshotError: a table was made anew since it was published
        """
        if not NAME.fullmatch(name):
            raise PinError(
                f"{name!r} is no name of a snapshot.",
                "Write lower case letters, digits, '_', '-' and '.', with a letter in it, such as month-end or 2026-11-end.",
            )
        self._refuse_taken(name)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._remove_litter()
        making = self._folder / f".{name}.{os.getpid()}"
        try:
            for relation in snapshot.relations.values():
                if relation.version is not None:
                    refuse_other_table(relation)
                    _keep(relation, making / relation.name)
            now = datetime.now(timezone.utc)
            told = _told(snapshot, now, user())
            making.mkdir(exist_ok=True)
            (making / TOLD).write_text(json.dumps(told, indent=1))
            making.rename(self._folder / name)
        except OSError as error:
            self._refuse_taken(name)  # somebody else was faster
            raise PinError(
                f"The snapshot cannot be kept: {error.strerror or error} ({error.filename2 or error.filename}).",
                "Nothing was kept. Make room or set the rights, and say it again.",
            ) from error
        finally:
            shutil.rmtree(making, ignore_errors=True)
        return self.get(name)

    def remove(self, name: str) -> None:
        """Keep a snapshot no longer: its files go, but for those that the tables still have.

        Raises:
            PinError: nothing is kept under the name
        """
        going = self._folder / f".{name}.{os.getpid()}"
        self._existing(name).rename(going)
        shutil.rmtree(going)
        self._remove_litter()

    def _refuse_taken(self, name: str) -> None:
        if (self._folder / name).exists():
            raise PinError(f"A snapshot is kept under the name {name!r} already.", f"Say entrepot unpin {name} first.")

    def _existing(self, name: str) -> Path:
        """Return the folder of what is kept under a name, whole or not."""
        folder = self._folder / name
        if not NAME.fullmatch(name) or not folder.is_dir():
            known = ", ".join(self.names()) or "nothing"
            raise PinError(
                f"No snapshot is kept under the name {name!r}; kept is {known}.",
                "`entrepot pin NAME` keeps the newest; the number of a job names a snapshot, too.",
            )
        return folder

    def _remove_litter(self) -> None:
        """Remove what killed runs have left: folders of processes that are no more."""
        for folder in self._folder.glob(".*"):
            process = folder.name.rpartition(".")[2]
            if process.isdecimal() and not lives(int(process)):
                shutil.rmtree(folder, ignore_errors=True)


def _keep(relation: PublishedRelation, folder: Path) -> None:
    """Link or copy the files of a table at its published version, and its log up to it.

    Raises:
        PinError: the table is elsewhere, or files of the version are gone
    """
    place = local_folder(relation.location or "")
    if place is None:
        raise PinError(
            f"{relation.name} lies at {relation.location}, where this machine cannot link files.",
            "Snapshots are kept of warehouses in the file system.",
        )
    assert relation.version is not None
    source = Path(place)
    files = [*_log_files(source, relation.version), *_data_files(source, relation.version)]
    if any(map(is_elsewhere, files)):
        raise PinError(
            f"{relation.name} is a shallow clone (`dbt clone`): files of its version {relation.version} are those of another table, and its log "
            "names them there.",
            f"Keep the snapshot that the other table is published in, or build {relation.identifier} anew: dbt build --full-refresh.",
        )
    for file in files:
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _link(source / file, target)
        except FileNotFoundError:
            raise PinError(
                f"{relation.name} version {relation.version} is not whole any more: {file} is gone.",
                "Keep a newer snapshot.",
            ) from None


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # another disk, or a file system without links
        shutil.copy2(source, target)


def _log_files(table: Path, version: int) -> Iterator[str]:
    """The files of a table's log up to a version; not what points at the newest checkpoint, which may be a later one."""
    for file in sorted((table / "_delta_log").rglob("*")):
        number = file.name.split(".", 1)[0]
        is_part = file.parent.name == "_sidecars"
        if file.is_file() and (is_part or (number.isdecimal() and int(number) <= version)):
            yield str(file.relative_to(table))


def _data_files(table: Path, version: int) -> Iterator[str]:
    """The files that a version's rows are read from, with all deletion vectors; all files where deltalake does not read the table."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    everything = [
        str(file.relative_to(table))
        for file in table.rglob("*")
        if file.is_file() and not any(part in NO_ROWS for part in file.relative_to(table).parts)
    ]
    try:
        named = DeltaTable(str(table), version=version).get_add_actions(flatten=True).column("path").to_pylist()
    except (DeltaError, ValueError, OSError, KeyError):
        yield from everything
        return
    yield from (name if (table / name).exists() else unquote(name) for name in named)
    yield from (name for name in everything if name.endswith(".bin"))


def _told(snapshot: Snapshot, pinned_at: datetime, pinned_by: str) -> dict[str, Any]:
    """What the folder says of a snapshot."""
    relations = [asdict(one) for one in snapshot.relations.values()]
    return {
        "pinned_at": _text(pinned_at), "pinned_by": pinned_by, "number": snapshot.number, "job": snapshot.job,
        "published_at": _text(snapshot.published_at), "landed_through": _text(snapshot.landed_through),
        "relations": [one | {name: _text(one[name]) for name in MOMENTS} for one in relations],
    }  # fmt: skip


def _pin(name: str, told: dict[str, Any], folder: Path) -> Pin:
    """A pin by what its folder says; its tables are those in the folder."""
    relations = {}
    for one in told["relations"]:
        moments = {name: _moment(one[name]) for name in MOMENTS}
        known = moments | {"unique_key": tuple(one["unique_key"])}
        found = PublishedRelation(**one | known)
        location = f"file:{folder / found.name}" if found.version is not None else None
        relations[found.name] = replace(found, location=location)
    published_at = _moment(told["published_at"])
    assert published_at is not None
    snapshot = Snapshot(told["number"], told["job"], published_at, _moment(told["landed_through"]), relations)
    pinned_at = _moment(told["pinned_at"])
    assert pinned_at is not None
    return Pin(name, pinned_at, told["pinned_by"], snapshot)


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def snapshot_named(place: Place, ledger: Ledger, name: str) -> Snapshot:
    """Return a snapshot by the number of its job, or by the name that it is kept under.

    Raises:
        PinError: there is none
    """
    if not name.isdecimal():
        return Pins(place).get(name).snapshot
    found = next((one for one in published_snapshots(ledger) if one.number == int(name)), None)
    if found is None:
        raise PinError(f"Job {name} has published no snapshot.", "`entrepot status` lists the jobs.")
    return found
