"""How a Delta table lies on its disk: how many files, how small, which no version needs any more, how far back it can be read. No Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from entrepot.tables.commit import Commit
from entrepot.tables.retention import limits
from entrepot.tables.table import Table, is_there

# a file that is worth being written together with others
SMALL_BYTES = 16 * 2**20
LOG, CHANGES = "_delta_log", "_change_data"
COMMIT = re.compile(r"(\d{20})\.json")
CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\..*(?:parquet|json)")
NUMBERED = re.compile(r"\d{20}\..+")
REWRITES = ("OPTIMIZE", "REORG")


@dataclass(frozen=True, slots=True)
class Amount:
    """So many files, and how large they are together, in bytes."""

    files: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """How a table lies on its disk.

    Attributes:
        version: its newest version
        committed_at: when that was committed; all moments are in milliseconds since 1970
        oldest_version: the oldest version that can still be read, as its log tells; a VACUUM that did not log itself is not seen
        oldest_at: when that was committed; None where the log no longer says it
        files: how many files the newest version is read from
        bytes: how large they are
        small: those of them below 16 MiB
        mergeable: how many files fewer there would be if small ones were written together, partition by partition
        deletion_vectors: how many of its files have rows that are deleted by a mark only
        deleted_rows: how many rows these are; the files still hold them
        row_count: how many rows the newest version has; None where its files do not say
        compacted_at: when its files were last written together; None where the log knows of no time
    """

    version: int
    committed_at: int
    oldest_version: int
    oldest_at: int | None
    files: int
    bytes: int
    small: Amount
    mergeable: int
    deletion_vectors: int = 0
    deleted_rows: int = 0
    row_count: int | None = None
    compacted_at: int | None = None


def health_of(table: Table, commits: Sequence[Commit]) -> Health | None:
    """Return how a table lies on its disk; None where it has more than deltalake understands.

    Args:
        table: a table in this machine's file system
        commits: all that its log has, newest first
    """
    from deltalake import DeltaTable  # 0.1 s
    from deltalake.exceptions import DeltaError

    assert table.folder is not None
    newest = commits[0]
    try:
        added = DeltaTable(table.folder, version=newest.version).get_add_actions(flatten=True)
    except (DeltaError, ValueError, OSError):
        return None
    sizes = [int(size) for size in added.column("size_bytes").to_pylist()]
    keys = [name for name in added.schema.names if name.startswith("partition.")]
    partitions = list(zip(*(added.column(key).to_pylist() for key in keys), strict=True)) or [()] * len(sizes)
    small: dict[tuple[Any, ...], int] = {}
    for size, partition in zip(sizes, partitions, strict=True):
        if size < SMALL_BYTES:
            small[partition] = small.get(partition, 0) + 1
    counts = added.column("num_records").to_pylist() if "num_records" in added.schema.names else [None] * len(sizes)
    told = _checksum(table.folder, newest.version)
    deleted = int(told.get("numDeletedRecordsOpt") or 0)
    oldest = oldest_readable(commits, checkpoints(table.folder))
    return Health(
        version=newest.version,
        committed_at=newest.at,
        oldest_version=oldest,
        oldest_at=next((commit.at for commit in commits if commit.version == oldest), None),
        files=len(sizes),
        bytes=sum(sizes),
        small=Amount(sum(small.values()), sum(size for size in sizes if size < SMALL_BYTES)),
        mergeable=sum(count - 1 for count in small.values()),
        deletion_vectors=int(told.get("numDeletionVectorsOpt") or 0),
        deleted_rows=deleted,
        row_count=None if None in counts else sum(counts) - deleted,
        compacted_at=next((commit.at for commit in commits if commit.operation.startswith(REWRITES)), None),
    )


def oldest_readable(commits: Sequence[Commit], checkpointed: Sequence[int]) -> int:
    """Return the oldest version that a log still tells wholly, and whose files no VACUUM of the log may have removed.

    >>> gone = Commit(3, 9000, "VACUUM START", {"specifiedRetentionMillis": "1000"})
    >>> written = [Commit(2, 8500, "WRITE"), Commit(1, 5000, "WRITE"), Commit(0, 1000, "WRITE")]
    >>> oldest_readable([gone, *written], []), oldest_readable(written, []), oldest_readable(written[:2], [1])
    (1, 0, 1)

    Args:
        commits: all that the log has, newest first
        checkpointed: the versions that have a checkpoint
    """
    first = commits[0].version
    for commit in commits[1:]:
        if commit.version != first - 1:
            break
        first = commit.version
    told = 0 if first == 0 else min((one for one in checkpointed if one >= first - 1), default=first)
    gone = [commit.at - min(limits(commit), default=0) for commit in commits if commit.operation == "VACUUM START"]
    # dropped until then, by the version after
    dropped = [commit.version for commit in commits if commit.version > told and gone and commit.at <= max(gone)]
    return max([told, *dropped])


def checkpoints(folder: str) -> list[int]:
    """Return the versions of a table that have a checkpoint, oldest first."""
    names = (path.name for path in Path(folder, LOG).iterdir())
    return sorted({int(found[1]) for name in names if (found := CHECKPOINT.fullmatch(name))})


def unneeded_files(folder: str, since: int) -> dict[str, int]:
    """Return the files of a table that no version needs that was there at a moment or later, and that are older, {path: bytes}.

    They are what VACUUM removes with a retention that ends at that moment: files that later commits have dropped stay, and so do files of the
    change feed that are younger. A table whose rows may be deleted by marks only keeps its marks.

    Args:
        folder: the table's
        since: the moment, in milliseconds since 1970
    """
    from deltalake import DeltaTable

    needed = set(DeltaTable(folder).get_add_actions(flatten=True).column("path").to_pylist())
    needed |= set(_dropped_since(folder, since))
    needed |= {unquote(name) for name in needed}
    found = {}
    for path in _data_files(Path(folder)):
        name, told = str(path.relative_to(folder)), path.stat()
        if name not in needed and path.suffix != ".bin" and told.st_mtime_ns // 1_000_000 < since:
            found[name] = told.st_size
    return found


def unneeded_log(folder: str, before: int) -> Amount:
    """Return the files of a log that Delta's clean-up would remove: all before the newest checkpoint that is older than a moment.

    Args:
        folder: the table's
        before: the moment, in milliseconds since 1970
    """
    log = Path(folder, LOG)
    times = {path.name: path.stat() for path in log.iterdir() if NUMBERED.fullmatch(path.name)}
    kept = [int(name[:20]) for name, told in times.items() if told.st_mtime_ns // 1_000_000 >= before]
    last = max((one for one in checkpoints(folder) if one < min(kept, default=0)), default=0)
    old = [told.st_size for name, told in times.items() if int(name[:20]) < last]
    return Amount(len(old), sum(old))


def files_missing(folder: str, version: int) -> bool:
    """Whether a version of a table cannot be read any more: its log no longer tells it, or files of it are gone.

    What deltalake does not understand counts as there: Spark will say.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    first = min(
        (int(found[1]) for path in Path(folder, LOG).iterdir() if (found := COMMIT.fullmatch(path.name))), default=0
    )
    if version < first and not any(one <= version for one in checkpoints(folder)):
        return True
    try:
        named = DeltaTable(folder, version=version).get_add_actions(flatten=True).column("path").to_pylist()
    except (DeltaError, ValueError, OSError):
        return False
    return not all(is_there(folder, name) for name in named)


def _dropped_since(folder: str, since: int) -> Iterator[str]:
    """The files that commits since a moment have dropped."""
    for path in Path(folder, LOG).glob("*.json"):
        if COMMIT.fullmatch(path.name) and path.stat().st_mtime_ns // 1_000_000 >= since:
            for line in path.read_text(encoding="utf-8").splitlines():
                removed = json.loads(line).get("remove") if '"remove"' in line else None
                if removed and removed.get("deletionTimestamp", since) >= since:
                    yield removed["path"]


def _data_files(folder: Path) -> Iterator[Path]:
    """The files that VACUUM looks at: no hidden ones, and none of the log."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        is_hidden = any(part.startswith((".", "_")) and part != CHANGES and "=" not in part for part in parts)
        if not is_hidden and path.is_file():
            yield path


def _checksum(folder: str, version: int) -> Mapping[str, Any]:
    """What the checksum file of a version says; nothing where its writer has left none."""
    try:
        found = json.loads(Path(folder, LOG, f"{version:020}.crc").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
