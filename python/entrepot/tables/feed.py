"""The change feed of a table by its files, without Delta (decision 58)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from entrepot.tables.files import MOST_FILES, paths_of, plain_at
from entrepot.tables.log_folder import LocalFolder
from entrepot.tables.table import Table


@dataclass(frozen=True, slots=True)
class FeedFiles:
    """The files whose rows are a table's changes between two versions.

    Attributes:
        schema: the table's columns, as Delta's log and Spark write them (JSON)
        inserted: files that have come, absolute: their rows are inserted
        deleted: files that have gone: their rows are deleted
        told: files of changes, which say in `_change_type` what each row is
        size: how many bytes they have together
    """

    schema: str
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]
    told: tuple[str, ...]
    size: int


@dataclass(slots=True)
class _Named:
    """What commits name: files by what their rows are, {name in the log: bytes}."""

    inserted: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    size: int = 0

    def __len__(self) -> int:
        return len(self.inserted) + len(self.deleted) + len(self.told)


def feed_of(table: Table, from_version: int, to_version: int) -> FeedFiles | None:
    """Return the files of what has changed after a version up to another; None where Delta has to be asked.

    A commit that has files of changes means those, and another one the files that it adds and takes away (Delta's protocol, Change Data
    Files). That the table has a change feed, and the same columns all the while, is for the asker to know.

    None is where a file has rows that are marked as deleted, or more than 16 files have changed, and as for `files_of`.
    """
    opened = plain_at(table, to_version)
    if opened is None or table.folder is None:
        return None
    named = _Named()
    for version in range(from_version + 1, to_version + 1):
        if not _read(LocalFolder(table.folder), version, named) or len(named) > MOST_FILES:
            return None
    inserted, deleted, told = (paths_of(table, names) for names in (named.inserted, named.deleted, named.told))
    if not len(named) or inserted is None or deleted is None or told is None:
        return None
    return FeedFiles(opened.schema().to_json(), inserted, deleted, told, named.size)


def _read(folder: LocalFolder, version: int, named: _Named) -> bool:
    """Add the files of a commit; whether they tell all that it has changed."""
    try:
        actions = list(_actions(folder, version))
    except (OSError, ValueError):  # cleaned up, or damaged, as Delta will say
        return False
    told = [action for kind, action in actions if kind == "cdc"]
    changed = [(kind, action) for kind, action in actions if kind != "cdc" and action.get("dataChange")]
    if not told and any(action.get("deletionVector") for _, action in changed):
        return False
    named.told += (action["path"] for action in told)
    for kind, action in changed if not told else ():
        (named.inserted if kind == "add" else named.deleted).append(action["path"])
    named.size += sum(action.get("size") or 0 for action in told or (action for _, action in changed))
    return True


def _actions(folder: LocalFolder, version: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what a commit says of files: `add`, `remove` or `cdc`, and of which."""
    for line in folder.lines(f"{version:020}.json"):
        for kind, action in json.loads(line).items():
            if kind in ("add", "remove", "cdc"):
                yield kind, action
