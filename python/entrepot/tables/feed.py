"""The change feed of a table by its files, without Delta (decision 58)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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
    """The files that commits name, by what their rows are, as the log names them."""

    inserted: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, actions: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        for kind, action in actions:
            {"add": self.inserted, "remove": self.deleted, "cdc": self.told}[kind].append(action["path"])
            self.size += action.get("size") or 0

    @property
    def can_be_read(self) -> bool:
        """Whether they are few, and each once: Spark reads a file once, however often it is named."""
        lists = (self.inserted, self.deleted, self.told)
        return 0 < sum(map(len, lists)) <= MOST_FILES and all(len(set(names)) == len(names) for names in lists)


def feed_of(table: Table, from_version: int, to_version: int) -> FeedFiles | None:
    """Return the files of what has changed after a version up to another; None where Delta has to be asked.

    A commit that has files of changes means those, and another one the files that it adds and takes away (Delta's protocol, Change Data
    Files). That the table has a change feed, and the same columns all the while, is for the asker to know.

    None is where a file has rows that are marked as deleted, or more than 16 files have changed, or one more than once, and as for `files_of`.
    """
    opened = plain_at(table, to_version)
    if opened is None or table.folder is None:
        return None
    named, folder = _Named(), LocalFolder(table.folder)
    for version in range(from_version + 1, to_version + 1):
        changes = _changes(folder, version)
        if changes is None:
            return None
        named.add(changes)
    if not named.can_be_read:
        return None
    inserted, deleted, told = (paths_of(table, names) for names in (named.inserted, named.deleted, named.told))
    if inserted is None or deleted is None or told is None:
        return None
    return FeedFiles(opened.schema().to_json(), inserted, deleted, told, named.size)


def _changes(folder: LocalFolder, version: int) -> list[tuple[str, dict[str, Any]]] | None:
    """What a commit says of files whose rows are its changes, `add`, `remove` or `cdc`; None where they do not tell them, or it cannot be read."""
    try:
        lines = [json.loads(line) for line in folder.lines(f"{version:020}.json")]
    except (OSError, ValueError):  # cleaned up, or damaged, as Delta will say
        return None
    told = [("cdc", line["cdc"]) for line in lines if "cdc" in line]
    if told:
        return told
    changed = [(kind, line[kind]) for line in lines for kind in ("add", "remove") if kind in line]
    changed = [(kind, action) for kind, action in changed if action.get("dataChange")]
    return None if any(action.get("deletionVector") for _, action in changed) else changed
