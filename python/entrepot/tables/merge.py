"""Writes few rows without Spark, by deltalake in one commit: a merge or an append (decision 55)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.tables.data_file import write_file
from entrepot.tables.files import ELSEWHERE, MOST_BYTES, MOST_FILES, has_nanoseconds, is_plain, opened_at
from entrepot.tables.log_files import LogFiles
from entrepot.tables.table import Table

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, WriterProperties
    from deltalake.transaction import AddAction, RemoveAction
    from pyarrow import Table as ArrowTable

UPSERT = "_upsert"
FEATURES = frozenset({"appendOnly", "invariants", "changeDataFeed", "deletionVectors", "timestampNtz"})
# from writer version 5 on, of those without named features, columns may be mapped, or identities
LAST_PLAIN_WRITER, WITH_FEATURES = 4, 7
PROPERTIES = frozenset(
    {
        "delta.checkpointInterval",
        "delta.deletedFileRetentionDuration",
        "delta.enableChangeDataFeed",
        "delta.enableDeletionVectors",
        "delta.enableExpiredLogCleanup",
        "delta.logRetentionDuration",
        "delta.minReaderVersion",
        "delta.minWriterVersion",
    }
)
# Spark reads them in any letters, deltalake in small ones only
SWITCHES = frozenset({"delta.enableChangeDataFeed", "delta.enableDeletionVectors"})
TYPES = re.compile(
    r"boolean|byte|short|integer|long|float|double|string|binary|date|timestamp(_ntz)?|decimal\([\d, ]+\)"
)
NAME = re.compile(r'[^`".]+')
COMMITS_A_CHECKPOINT = 10
# of other words, which Spark understands, deltalake takes the first ones, or 30 days
RETENTION = re.compile(r"interval \d+ (millisecond|second|minute|hour|day|week)s?")
# half of those up to which a table counts as small: each write adds one
FILES_TO_JOIN = 8
# of a table that is read whole for a merge: 0.6 s of CPU, where Spark's delete and insert take 2
MOST_MERGED = 2**25


@dataclass(frozen=True, slots=True)
class FewRows:
    """Rows on the driver that change a table.

    Attributes:
        view: the view that keeps them: rows to write (`_upsert` true) and keys to delete (`_upsert` null)
        columns: the columns that it has of the table: its keys alone where no row is written
        version: the version of the table that they were worked out from
        keys: the key columns, in which no row is null that goes; none where no stored row goes
        comes: whether any row is written
    """

    view: str
    columns: tuple[str, ...]
    version: int
    keys: tuple[str, ...] = ()
    comes: bool = True


def may_merge(table: Table, version: int) -> bool:
    """Whether deltalake writes into a table at a version what Spark would write, so that no reader can tell.

    That is where the table lies in this machine's file system; has at most 32 MiB; is not partitioned; has no column that may
    not be null; and no property, feature or type but the plainest: constraints, and columns that are generated, mapped or widened, are
    Spark's, and so are timestamps that deltalake reads wrongly.
    """
    found = _known(table, version)
    if found is None:
        return False
    files = _files(found)
    return sum(files.values()) <= MOST_MERGED and not _are_elsewhere(files) and not has_nanoseconds(found)


def may_append(table: Table, version: int) -> bool:
    """Whether deltalake appends rows to a table at a version as Spark would.

    That is where it may merge, but however large the table is: none of its files is read, and the new one has statistics of columns, so
    that readers leave it out as they do Spark's.
    """
    found = _known(table, version)
    if found is None:
        return False
    files = _files(found)
    return not (has_nanoseconds(found) if _is_small(files) else _are_elsewhere(files))


def merged(table: Table, few: FewRows, rows: ArrowTable, metadata: str) -> bool:
    """Write rows as the version after the one that they were worked out from; False where none has been written.

    That is where somebody else has written that version, or deltalake refuses the rows: Spark is to be asked then. Where a table
    has come to many small files they are joined first, in a commit of its own that keeps the rows: a small one stays small then.

    Args:
        table: one that `may_merge` said yes of, or `may_append` where no stored row goes
        few: what they are
        rows: the columns of the table, and `_upsert`
        metadata: the text that the commit carries

    Raises:
        LogError: deltalake has failed, and the log does not say whether before its commit
    """
    from deltalake import CommitProperties
    from deltalake.exceptions import DeltaError
    from pyarrow import ArrowException

    found = opened_at(str(table.folder), few.version)
    if found is None:
        return False
    # a later version than the next would not be the one that the rows were worked out for
    told = CommitProperties(custom_metadata={"userMetadata": metadata}, max_commit_retries=0)
    try:
        # texts of Spark may be no UTF-8
        rows.validate(full=True)
        _join_files(found, is_merge=bool(few.keys))
        version = found.version() + 1
        if few.keys:
            _merge(found, few, rows, told)
        else:
            _append(found, str(table.folder), rows, told)
    except (DeltaError, ArrowException, OSError, ValueError):
        # what has failed behind its commit, as a read of the log would, must not be written a second time
        since = LogFiles().commits(table, from_version=few.version + 1)
        return any(commit.user_metadata == metadata for commit in since)
    _ease_reading(table, version)
    return True


def _join_files(opened: DeltaTable, *, is_merge: bool) -> None:
    """Join small files of a table that is small or read whole, where they have come to many, in a commit that keeps the rows.

    No other table's: it would lose the statistics of what has been appended to it.
    """
    from deltalake import CommitProperties

    files = _files(opened)
    few = sum(size < MOST_BYTES for size in files.values())
    if few >= FILES_TO_JOIN and (is_merge or _is_small(files)):
        opened.optimize.compact(
            target_size=MOST_BYTES,
            writer_properties=_without_statistics(),
            commit_properties=CommitProperties(max_commit_retries=0),
            post_commithook_properties=_without_hooks(),
        )


def _merge(opened: DeltaTable, few: FewRows, rows: ArrowTable, told: CommitProperties) -> None:
    is_same = " and ".join(f'_stored."{key}" = _new."{key}"' for key in few.keys)
    merge = opened.merge(
        rows, is_same, "_new", "_stored",
        writer_properties=_without_statistics(), commit_properties=told, post_commithook_properties=_without_hooks(),
    )  # fmt: skip
    merge = merge.when_matched_delete(f"_new.{UPSERT} is null")
    if few.comes:
        merge = merge.when_matched_update_all(except_cols=[UPSERT])
        merge = merge.when_not_matched_insert_all(f"_new.{UPSERT}", except_cols=[UPSERT])
    merge.execute()


def _append(opened: DeltaTable, folder: str, rows: ArrowTable, told: CommitProperties) -> None:
    """Add a file, or none where there is no row. Where its commit fails it stays, as those of Delta's own failed commits do, until `VACUUM`."""
    import pyarrow

    schema = pyarrow.schema(opened.schema().to_arrow())
    files: list[AddAction | RemoveAction] = (
        [write_file(folder, rows.select(schema.names).cast(schema))] if rows.num_rows else []
    )
    opened.create_write_transaction(
        files, "append", opened.schema(), commit_properties=told, post_commithook_properties=_without_hooks()
    )


def _without_statistics() -> WriterProperties:
    """Spark leaves files out by statistics of columns, and not all of deltalake's are bounds (NaN, decimals): small tables do without."""
    from deltalake import ColumnProperties, WriterProperties

    return WriterProperties(default_column_properties=ColumnProperties(statistics_enabled="NONE"))


def _without_hooks() -> PostCommitHookProperties:
    """What follows a commit is done by `_ease_reading`, as Spark does it."""
    from deltalake import PostCommitHookProperties

    return PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


def _known(table: Table, version: int) -> DeltaTable | None:
    found = opened_at(table.folder, version) if table.folder is not None else None
    return found if found is not None and _is_known(found) else None


def _is_known(opened: DeltaTable) -> bool:
    protocol, metadata = opened.protocol(), opened.metadata()
    if protocol.min_writer_version > LAST_PLAIN_WRITER and protocol.min_writer_version != WITH_FEATURES:
        return False
    if not {*(protocol.reader_features or ()), *(protocol.writer_features or ())} <= FEATURES:
        return False
    if any(name.startswith("delta.") and name not in PROPERTIES for name in metadata.configuration):
        return False
    if not {metadata.configuration.get(name, "false") for name in SWITCHES} <= {"true", "false"}:
        return False
    schema = opened.schema().to_json()
    return not metadata.partition_columns and is_plain(schema) and _can_be_merged(json.loads(schema))


def _can_be_merged(type_: Any) -> bool:
    """Whether values of a type, as Delta's log writes it, are the same when deltalake has copied them.

    >>> _can_be_merged({"type": "array", "elementType": "decimal(3,1)", "containsNull": True}), _can_be_merged("variant")
    (True, False)
    """
    if isinstance(type_, str):
        return TYPES.fullmatch(type_) is not None
    if type_["type"] == "array":
        return type_["containsNull"] and _can_be_merged(type_["elementType"])
    return type_["type"] == "struct" and all(
        field["nullable"] and NAME.fullmatch(field["name"]) and _can_be_merged(field["type"])
        for field in type_["fields"]
    )


def _files(opened: DeltaTable) -> dict[str, int]:
    """Return the files of a table with their bytes."""
    added = opened.get_add_actions(flatten=True)
    names, sizes = (added.column(name).to_pylist() for name in ("path", "size_bytes"))
    return dict(zip(names, sizes, strict=True))


def _is_small(files: Mapping[str, int]) -> bool:
    return len(files) <= MOST_FILES and sum(files.values()) <= MOST_BYTES and not _are_elsewhere(files)


def _are_elsewhere(files: Iterable[str]) -> bool:
    """Whether files lie in another table's folder, as those of a shallow clone do."""
    return any(map(ELSEWHERE.search, files))


def _ease_reading(table: Table, version: int) -> None:
    """Leave what Spark leaves beside a commit: its checksum file, and a checkpoint at every tenth. A reader does without, but slower."""
    from deltalake.exceptions import DeltaError

    log, written = Path(str(table.folder), "_delta_log"), opened_at(str(table.folder), version)
    if written is None:
        return
    with suppress(DeltaError, OSError, ValueError):
        unfinished = log / f".{version:020}.crc.new"
        unfinished.write_text(json.dumps(_checksum(table, written)))
        unfinished.replace(log / f"{version:020}.crc")
        properties = written.metadata().configuration
        if version % int(properties.get("delta.checkpointInterval", COMMITS_A_CHECKPOINT)) == 0:
            written.create_checkpoint()
            if _may_clean(properties):
                written.cleanup_metadata()


def _may_clean(properties: Mapping[str, str]) -> bool:
    """Whether deltalake takes away the commits of a log that Spark would.

    It does not ask whether any are to go, and reads few words of how long they stay.

    >>> [_may_clean({f"delta.{name}": text}) for name, text in (("logRetentionDuration", "365 days"), ("enableExpiredLogCleanup", "False"))]
    [False, False]
    """
    if properties.get("delta.enableExpiredLogCleanup", "true").lower() != "true":
        return False
    return RETENTION.fullmatch(properties.get("delta.logRetentionDuration", "interval 30 days")) is not None


def _checksum(table: Table, opened: DeltaTable) -> Mapping[str, Any]:
    """What a checksum file says of a version (Delta's protocol, Version Checksum File)."""
    protocol = opened.protocol()
    features = {"readerFeatures": protocol.reader_features, "writerFeatures": protocol.writer_features}
    files = _files(opened)
    return {
        "tableSizeBytes": sum(files.values()),
        "numFiles": len(files),
        "numMetadata": 1,
        "numProtocol": 1,
        "metadata": LogFiles().metadata(table, opened.version()),
        "protocol": {"minReaderVersion": protocol.min_reader_version, "minWriterVersion": protocol.min_writer_version}
        | {name: listed for name, listed in features.items() if listed},
    }
