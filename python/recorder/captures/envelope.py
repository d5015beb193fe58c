"""Changes as the records that Debezium would send, with their schema embedded."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from recorder.captures.shape import Shape, compact, sent_key
from recorder.output import Record

VERSION = "0.1.0"  # of the recorder, see pyproject.toml
_OPTIONAL = {"optional": True}
_STAMPS = [{"type": "int64", **_OPTIONAL, "field": name} for name in ("ts_ms", "ts_us", "ts_ns")]
SOURCE_SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"type": "string", "optional": False, "field": "version"},
        {"type": "string", "optional": False, "field": "connector"},
        {"type": "string", "optional": False, "field": "name"},
        {"type": "int64", "optional": False, "field": "ts_ms"},
        {"type": "string", **_OPTIONAL, "default": "false", "field": "snapshot"},
        {"type": "string", **_OPTIONAL, "field": "db"},
        {"type": "string", **_OPTIONAL, "field": "sequence"},
        {"type": "int64", **_OPTIONAL, "field": "ts_us"},
        {"type": "int64", **_OPTIONAL, "field": "ts_ns"},
        {"type": "string", "optional": False, "field": "schema"},
        {"type": "string", "optional": False, "field": "table"},
        {"type": "int64", **_OPTIONAL, "field": "txId"},
        {"type": "int64", "optional": False, "field": "lsn"},
    ],
    "optional": False,
    "name": "entrepot.recorder.Source",
    "field": "source",
}
TRANSACTION_SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"type": "string", "optional": False, "field": "id"},
        {"type": "int64", "optional": False, "field": "total_order"},
        {"type": "int64", "optional": False, "field": "data_collection_order"},
    ],
    **_OPTIONAL,
    "name": "event.block",
    "version": 1,
    "field": "transaction",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where records come from: ``connector`` is the kind of capture, ``system`` the topic prefix."""

    connector: str
    system: str
    database: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table by the names that records carry."""

    schema: str
    name: str

    def __str__(self) -> str:
        """``schema.table``, as people write it."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a row, or of a whole table (op t); images and key (``Shape.key_of``) are JSON, positions and times as landing reads them.

    ``position`` is ``source.lsn``, ``committed_us`` microseconds since 1970; ``transaction`` and ``serial`` are the number
    of the source's transaction and the place of the change in it, ``commit`` the position of that transaction.
    """

    op: str
    key: str | None
    before: str | None
    after: str | None
    position: int
    committed_us: int
    transaction: int | None = None
    serial: int | None = None
    commit: int | None = None


def record_of(origin: Origin, table: Table, shape: Shape, change: Change) -> Record:
    """The record of a change of a table with this shape."""
    topic, key_schema, value_schema = _schemas(origin.system, table, shape)
    source = {
        "version": VERSION,
        "connector": origin.connector,
        "name": origin.system,
        "ts_ms": change.committed_us // 1000,
        "snapshot": "true" if change.op == "r" else "false",
        "db": origin.database,
        "sequence": None if change.commit is None else compact([str(change.commit), str(change.position)]),
        "ts_us": change.committed_us,
        "ts_ns": change.committed_us * 1000,
        "schema": table.schema,
        "table": table.name,
        "txId": change.transaction,
        "lsn": change.position,
    }
    transaction = None
    if change.serial is not None:
        number = change.position if change.transaction is None else f"{change.transaction}:{change.position}"
        transaction = {"id": str(number), "total_order": change.serial, "data_collection_order": change.serial}
    now = time.time_ns()
    payload = (
        f'{{"before":{change.before or "null"},"after":{change.after or "null"},"source":{compact(source)},'
        f'"transaction":{compact(transaction)},"op":"{change.op}",'
        f'"ts_ms":{now // 1_000_000},"ts_us":{now // 1000},"ts_ns":{now}}}'
    )
    key = None if change.key is None else f'{{"schema":{key_schema},"payload":{sent_key(change.key)}}}'
    return Record(topic, None, (), key, f'{{"schema":{value_schema},"payload":{payload}}}')


@lru_cache(maxsize=256)
def _schemas(system: str, table: Table, shape: Shape) -> tuple[str, str, str]:
    """Topic, and JSON of the schemas of key and value; names of topics have letters, digits and ``._-`` only."""
    topic = re.sub(r"[^A-Za-z0-9._-]", "_", f"{system}.{table}")
    images = [
        {"type": "struct", "fields": shape.fields(), **_OPTIONAL, "name": f"{topic}.Value", "field": name}
        for name in ("before", "after")
    ]
    operation = {"type": "string", "optional": False, "field": "op"}
    fields = [*images, SOURCE_SCHEMA, TRANSACTION_SCHEMA, operation, *_STAMPS]
    envelope = {"type": "struct", "fields": fields, "optional": False, "name": f"{topic}.Envelope", "version": 2}
    key = {"type": "struct", "fields": shape.fields(shape.key), "optional": False, "name": f"{topic}.Key"}
    return topic, compact(key), compact(envelope)
