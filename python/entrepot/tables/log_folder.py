"""The folder of a Delta table's log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from entrepot.tables.log import LogError
from entrepot.tables.table import Table


class LogFolder(Protocol):
    """What is asked of the folder of a table's log, whatever storage it lies in."""

    def names(self) -> list[str]:
        """Return the names of the log's files; empty where there is no such folder."""

    def staged(self) -> list[str]:
        """Return the names of commits that a catalog knows and the log perhaps not yet."""

    def modified(self, name: str) -> int:
        """Return when a file was written, in milliseconds since 1970."""

    def lines(self, name: str) -> Iterator[bytes]:
        """Return the lines of a file, read as far as they are asked for."""

    def metadata_of_checkpoint(self, table: Table, version: int) -> Any:
        """Return what the checkpoint before a version says of the table's columns and properties, as the log writes it."""


class LocalFolder:
    """A log in this machine's file system, mounted storages included."""

    def __init__(self, table_folder: str) -> None:
        """Read the log of the table in a folder."""
        self._table = table_folder
        self._path = Path(table_folder, "_delta_log")

    @classmethod
    def of(cls, table: Table) -> LocalFolder | None:
        """Return the log of a table; None where it does not lie in a file system."""
        return cls(table.folder) if table.folder is not None else None

    def __str__(self) -> str:
        """Where it is."""
        return str(self._path)

    def names(self) -> list[str]:
        """Return the names of the log's files; empty where there is no such folder."""
        return _names(self._path)

    def staged(self) -> list[str]:
        """Return the names of commits that a catalog knows and the log perhaps not yet."""
        return _names(self._path / "_staged_commits")

    def modified(self, name: str) -> int:
        """Return when a file was written, in milliseconds since 1970."""
        return (self._path / name).stat().st_mtime_ns // 1_000_000

    def lines(self, name: str) -> Iterator[bytes]:
        """Return the lines of a file, read as far as they are asked for."""
        with (self._path / name).open("rb") as file:
            yield from file

    def metadata_of_checkpoint(self, table: Table, version: int) -> Any:
        """Return what the checkpoint before a version says of the table's columns and properties, as the log writes it."""
        from deltalake import DeltaTable  # 0.1 s, and few logs need it
        from deltalake.exceptions import DeltaError

        try:
            found = DeltaTable(self._table, version=version)
        except DeltaError as error:
            raise LogError(
                f"Version {version} of {table.relation} is not in its log any more: {error}",
                "Name a version that `describe history` lists.",
            ) from error
        return {"configuration": found.metadata().configuration, "schemaString": found.schema().to_json()}


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (names only: a log has thousands)
    except (FileNotFoundError, NotADirectoryError):
        return []
