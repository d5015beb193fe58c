"""What the files of a table at a version tell without Delta: how many rows there are, and where they are few files the rows (decision 23)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from entrepot.tables.table import Table, local_folder

if TYPE_CHECKING:
    from deltalake import DeltaTable

MOST_FILES = 16
# what has no more is one task's work
MOST_BYTES = 2**20
# Spark takes a path with one of these for a pattern, and a name with a colon for an address
PATTERN = re.compile(r"[*?\[\]{}\\]")
ELSEWHERE = re.compile(r"[:%*?\[\]{}\\]")
READABLE_FEATURES = frozenset({"timestampNtz"})
DELETION_VECTORS = "deletionVectors"
PLAIN_METADATA = frozenset({"comment"})


@dataclass(frozen=True, slots=True)
class TableFiles:
    """What a version of a table consists of.

    Attributes:
        schema: its columns, as Delta's log and Spark write them (JSON)
        paths: its files, absolute
        size: how many bytes they have together
    """

    schema: str
    paths: tuple[str, ...]
    size: int


def files_of(table: Table, version: int) -> TableFiles | None:
    """Return the files of a table at a version; None where Delta has to be asked.

    That is where the table does not lie in this machine's file system; has more than 16 files; is partitioned; or where its rows are
    not what its files contain: rows marked as deleted, mapped or widened columns, types that Delta keeps beside the columns.
    """
    found = plain_at(table, version)
    if found is None:
        return None
    added = found.get_add_actions(flatten=True)
    names, sizes = (added.column(name).to_pylist() for name in ("path", "size_bytes"))
    if not 0 < len(names) <= MOST_FILES or _has_marks(found):
        return None
    paths = paths_of(table, names)
    return TableFiles(found.schema().to_json(), paths, sum(sizes)) if paths is not None else None


def plain_at(table: Table, version: int) -> DeltaTable | None:
    """Return a table at a version whose files tell its rows, unless rows of them are marked as deleted; None where Delta has to be asked."""
    if table.folder is None or PATTERN.search(table.folder):
        return None
    found = opened_at(table.folder, version)
    if found is None or not _is_readable(found, READABLE_FEATURES | {DELETION_VECTORS}):
        return None
    return None if found.metadata().partition_columns or not is_plain(found.schema().to_json()) else found


def paths_of(table: Table, names: Iterable[str]) -> tuple[str, ...] | None:
    """Return where the files lie that a table's log names; None where one lies elsewhere, or is gone: VACUUM takes those of old versions away."""
    assert table.folder is not None, "its files are here"
    wanted = list(names)
    paths = [Path(table.folder, name) for name in wanted]
    if any(map(ELSEWHERE.search, wanted)) or not all(path.is_file() for path in paths):
        return None
    return tuple(map(str, paths))


def rows_of(table: Table, version: int) -> int | None:
    """Return how many rows a table has at a version; None where not all of its files say it, or rows of them may be deleted."""
    found = opened_at(table.folder, version) if table.folder is not None else None
    if found is None or DELETION_VECTORS in _features(found):
        return None
    added = found.get_add_actions(flatten=True)
    if not added.num_rows:
        return 0
    counts = added.column("num_records").to_pylist() if "num_records" in added.schema.names else [None]
    return None if None in counts else sum(counts)


def opened_at(folder: str, version: int) -> DeltaTable | None:
    """Return a table at a version; None where that version is not there any more, or has more than deltalake understands."""
    from deltalake import DeltaTable  # 0.1 s
    from deltalake.exceptions import DeltaError

    if "%" in folder:  # deltalake would look for another one
        return None
    try:
        found = DeltaTable(folder, version=version)
        found.schema()  # fails at types that it does not know
    except (DeltaError, ValueError, OSError):
        return None
    return found


def _features(opened: DeltaTable) -> frozenset[str]:
    return frozenset(opened.protocol().reader_features or ())


def _is_readable(opened: DeltaTable, features: Set[str]) -> bool:
    return opened.protocol().min_reader_version != 2 and _features(opened) <= features


def _has_marks(opened: DeltaTable) -> bool:
    """Whether rows of a table's files are marked as deleted, or may be; all marks are read for it, a value for each row of a file with any."""
    from deltalake.exceptions import DeltaError

    if DELETION_VECTORS not in _features(opened):
        return False
    try:
        return any(marked.num_rows for marked in opened.deletion_vectors())
    except (DeltaError, OSError, ValueError):
        return True  # such as a file of marks that is gone, as Spark will say


def is_plain(schema: str) -> bool:
    """Whether nothing stands beside the columns but comments.

    >>> is_plain('{"type":"struct","fields":[{"name":"a","type":"string","nullable":true,"metadata":{"comment":"x"}}]}')
    True
    >>> is_plain('{"type":"struct","fields":[{"name":"a","type":"string","metadata":{"__CHAR_VARCHAR_TYPE_STRING":"char(3)"}}]}')
    False
    """
    return all(set(metadata) <= PLAIN_METADATA for metadata in _metadata(json.loads(schema)))


def _metadata(part: Any) -> Iterator[dict[str, Any]]:
    """Yield what stands beside each column, nested ones included."""
    if isinstance(part, dict):
        if "name" in part:
            yield part.get("metadata") or {}
        for value in part.values():
            yield from _metadata(value)
    elif isinstance(part, list):
        for value in part:
            yield from _metadata(value)


def rows_in_arrow(table: Table, version: int, names: Collection[str] | None = None) -> tuple[Any, Any] | None:
    """Return the rows of a table at a version, and the table's schema, as Arrow that every library can take; None where Delta has to be asked.

    Other than `files_of` it takes tables of any size, partitioned ones too. The rows may have other types than the schema says, such as
    views of texts: it is for the taker to cast them. Tables with moments in nanoseconds are Delta's: `has_nanoseconds`.

    Args:
        table: its name and place
        version: the version
        names: the columns that are wanted, as far as it has them; all where none
    """
    if table.folder is None:
        return None
    found = opened_at(table.folder, version)
    if found is None or not _is_readable(found, READABLE_FEATURES):
        return None
    if not is_plain(found.schema().to_json()) or has_nanoseconds(found):
        return None
    from deltalake import QueryBuilder

    schema = found.schema().to_arrow()
    wanted = [name for name in schema.names if names is None or name in names]
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
    try:
        rows = QueryBuilder().register("stored", found).execute(f"select {columns} from stored").read_all()
    except Exception:
        # a file is gone, as Spark will say; or has texts that are no UTF-8, which deltalake reports by no class of its own
        return None
    return rows, schema


def has_nanoseconds(opened: DeltaTable) -> bool:
    """Whether a file of a table has timestamps as Parquet's INT96: a day and nanoseconds, which Spark writes unless it is told otherwise.

    deltalake counts the nanoseconds since 1970 in 64 bits. That reaches from 1677 to 2262, and it gives other moments for those outside.
    """
    if '"timestamp"' not in opened.schema().to_json():
        return False
    from pyarrow.parquet import read_metadata

    for uri in opened.file_uris():
        path = local_folder(unquote(uri))
        if path is None or not Path(path).is_file():
            return True  # in another storage, or gone: Spark will say
        columns = read_metadata(path).schema
        if any(columns.column(number).physical_type == "INT96" for number in range(len(columns))):
            return True
    return False
