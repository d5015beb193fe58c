"""What one row of each bookkeeping table says. The dataclasses are the tables' layout: names, types and order of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, ClassVar, TypeVar, get_type_hints

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SPARK_TYPES = {str: "string", int: "bigint", float: "double", bool: "boolean", datetime: "timestamp"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a bookkeeping table: its name and the Python type of its values, which all but keys may lack."""

    name: str
    type: type

    @property
    def spark_type(self) -> str:
        """The type as Spark SQL names it."""
        return SPARK_TYPES[self.type]


class Record:
    """A row of a bookkeeping table; `table` is the table's name."""

    __slots__ = ()
    table: ClassVar[str]

    def values(self) -> dict[str, Any]:
        """Return {column: value}."""
        return {column.name: getattr(self, column.name) for column in columns(type(self))}


AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(frozen=True, slots=True)
class JobEvent(Record):
    """One event in the life of a job; the newest one is the chain's lock."""

    table: ClassVar[str] = "job_event"

    job: str
    number: int
    event: str
    owner: str
    command: str
    at: datetime
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class ModelRun(Record):
    """What one model, seed or snapshot did in one job, and what it took."""

    table: ClassVar[str] = "model_run"

    job: str
    number: int
    position: int
    relation: str
    resource_type: str
    status: str
    rule: str
    reason: str | None = None
    apply_path: str | None = None
    rows_read: int | None = None
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    statements: int | None = None
    seconds: float | None = None
    version: int | None = None
    sql: str | None = None
    started_at: datetime | None = None
    appends: bool | None = None


@dataclass(frozen=True, slots=True)
class PublishedRelation(Record):
    """One relation of one published snapshot: the version that queries read, and what that version contains."""

    table: ClassVar[str] = "published_snapshot"

    job: str
    number: int
    relation: str
    version: int | None = None
    data_version: int | None = None
    committed_at: datetime | None = None
    definition: str | None = None
    location: str | None = None
    reads: str | None = None
    read_at: str | None = None
    sql_hash: str | None = None
    row_count: int | None = None
    bytes: int | None = None
    detail: str | None = None
    landed_through: datetime | None = None
    published_at: datetime | None = None
    concern: str | None = None
    node: str | None = None
    holds_through: datetime | None = None
    unique_key: str | None = None
    promises: str | None = None

    @property
    def is_source(self) -> bool:
        """Whether it is a table of another program (dbt's sources), which is read and never written."""
        return is_source(self.node)


@dataclass(frozen=True, slots=True)
class ModelVerdict(Record):
    """What the analyzer found in one SQL text of one model, and the rule that follows from it."""

    table: ClassVar[str] = "model_verdict"

    relation: str
    sql_hash: str
    analyzed: str
    rule: str
    reason: str
    verdict: str
    sql: str
    job: str
    number: int
    at: datetime


# `checksum` where a view was made and nobody knows of what; with `node` of every node it says so of all before
UNKNOWN_STATE = ""
EVERY_NODE = "*"


@dataclass(frozen=True, slots=True)
class NodeState(Record):
    """That one view was made, or one data test was run, in one job, and the checksum of all that this depended on."""

    table: ClassVar[str] = "node_state"

    node: str
    checksum: str
    job: str
    number: int
    at: datetime
    result: str | None = None


@dataclass(frozen=True, slots=True)
class SourceCut(Record):
    """How far one source system had been heard when one job had landed what had arrived: the end of that job's part of its log (OD-ETL 3.1)."""

    table: ClassVar[str] = "source_cut"

    job: str
    number: int
    source_system: str
    log_commit: int | None = None
    committed_at: datetime | None = None
    heard_at: datetime | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TableHealth(Record):
    """How one table lay on its disk when a maintenance had ended."""

    table: ClassVar[str] = "table_health"

    job: str
    number: int
    relation: str
    at: datetime
    version: int
    committed_at: datetime | None = None
    oldest_version: int | None = None
    oldest_at: datetime | None = None
    files: int | None = None
    small_files: int | None = None
    bytes: int | None = None
    row_count: int | None = None
    deletion_vectors: int | None = None
    deleted_rows: int | None = None
    unneeded_files: int | None = None
    unneeded_bytes: int | None = None
    compacted_at: datetime | None = None


RECORDS: tuple[type[Record], ...] = (
    JobEvent,
    ModelRun,
    PublishedRelation,
    ModelVerdict,
    NodeState,
    SourceCut,
    TableHealth,
)
BOOKS = frozenset(record.table for record in RECORDS)


def is_source(node: str | None) -> bool:
    """Whether dbt's id of a node is that of a source; None is nobody's.

    >>> is_source("source.shop.raw.sale"), is_source("model.shop.sale"), is_source(None)
    (True, False, False)
    """
    return node is not None and node.startswith("source.")


def columns(record: type[Record]) -> tuple[Column, ...]:
    """Return the columns of a bookkeeping table.

    >>> columns(JobEvent)[-1]
    Column(name='detail', type=<class 'str'>)
    """
    if record not in _known_columns:
        hints = get_type_hints(record)
        _known_columns[record] = tuple(
            Column(name, _value_type(hint)) for name, hint in hints.items() if name != "table"
        )
    return _known_columns[record]


# asked for each row that is read, and slow to work out
_known_columns: dict[type[Record], tuple[Column, ...]] = {}


def _value_type(hint: object) -> type:
    """Return the type of a column's values: that of the hint, or of its part that is not None."""
    parts = [part for part in getattr(hint, "__args__", (hint,)) if part is not type(None)]
    found = parts[0]
    assert isinstance(found, type)
    return found
