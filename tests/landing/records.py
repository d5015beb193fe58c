"""Recorded messages for the tests of landing: Debezium's envelopes, and what each line is by the person who wrote it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

START = datetime(2026, 3, 1, 8, 0, tzinfo=timezone.utc)

TYPES: dict[str, dict[str, Any]] = {
    "integer": {"type": "int32"},
    "bigint": {"type": "int64"},
    "text": {"type": "string"},
    "numeric(12,2)": {
        "type": "bytes",
        "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": {"scale": "2", "connect.decimal.precision": "12"},
    },
    "timestamp": {"type": "int64", "name": "io.debezium.time.MicroTimestamp"},
    "double precision": {"type": "double"},
    "text[]": {"type": "array", "items": {"type": "string"}},
}


class Position(NamedTuple):
    """Where an event stands in the log of its source: the commit before it, its own LSN, its place in the transaction."""

    commit: int
    lsn: int
    serial: int


@dataclass(frozen=True)
class Line:
    """One line of a file and what it has to land as: `change`, `control`, `rejected` or `waiting`, with its reason.

    `name` tells events apart by what they are, however often and wherever they are delivered.
    """

    text: str
    kind: str
    reason: str | None = None
    name: str | None = None


@dataclass
class Log:
    """The change log of one source system. Every call of `change` is the next event, in a transaction of its own."""

    system: str
    database: str = "db"
    commit: int = 100
    written: dict[str, Position] = field(default_factory=dict)
    committed_at: dict[str, datetime] = field(default_factory=dict)

    def source(self, table: str | None, position: Position, at: datetime) -> dict[str, Any]:
        """The envelope's `source`."""
        return {
            "version": "3.6.3.Final", "connector": "postgresql", "name": self.system, "db": self.database,
            "sequence": json.dumps([str(position.commit), str(position.lsn)]), "schema": "public", "table": table,
            "txId": position.lsn, "lsn": position.lsn, "snapshot": "false",
            "ts_us": int(at.timestamp() * 1_000_000), "ts_ms": int(at.timestamp() * 1000),
        }  # fmt: skip

    def change(
        self,
        name: str,
        op: str,
        table: str = "item",
        key: dict[str, Any] | None = None,
        before: Any = None,
        after: Any = None,
        types: dict[str, str] | None = None,
        at: datetime | None = None,
        position: Position | None = None,
        **envelope: Any,
    ) -> Line:
        """The next change event. With `types` key and value have their schemas embedded; a `position` is not the next."""
        if position is None:
            self.commit += 10
            position = Position(self.commit - 10, self.commit - 5, 1)
        at = at or START + timedelta(seconds=position.lsn)
        self.written[name], self.committed_at[name] = position, at
        value = {
            "before": before, "after": after, "source": self.source(table, position, at), "op": op,
            "transaction": {"id": f"{position.lsn}", "total_order": position.serial}, "ts_ms": 1_800_000_000_000,
        } | envelope  # fmt: skip
        return Line(message(self.topic(table), key, value, types), "change", name=name)

    def topic(self, table: str) -> str:
        return f"{self.system}.public.{table}"

    def tombstone(self, table: str, key: dict[str, Any]) -> Line:
        """What follows a delete."""
        return Line(message(self.topic(table), key, None), "control", "tombstone")


def message(destination: str, key: Any, value: Any, types: dict[str, str] | None = None) -> str:
    """One recorded message as a line; key and value are serialised strings in it."""
    if types is not None:
        key = key and {"schema": struct({name: types[name] for name in key}), "payload": key}
        value = {"schema": envelope_schema(types), "payload": value}
    return json.dumps({
        "destination": destination,
        "partition": None,
        "headers": [],
        "key": None if key is None else serialised(key),
        "value": None if value is None else serialised(value),
    })  # fmt: skip


def serialised(value: Any) -> str:
    """JSON without blanks; a `Number` as it is written."""
    text = json.dumps(value, separators=(",", ":"))
    for number in numbers(value):
        text = text.replace(json.dumps(f"\0{number}"), number)
    return text


class Number(str):
    """A number with exactly these digits."""

    def __new__(cls, digits: str) -> Number:
        return super().__new__(cls, f"\0{digits}")


def numbers(value: Any) -> list[str]:
    """The digits of all `Number`s in a value."""
    if isinstance(value, dict):
        return [digits for inner in value.values() for digits in numbers(inner)]
    if isinstance(value, list):
        return [digits for inner in value for digits in numbers(inner)]
    return [value[1:]] if isinstance(value, Number) else []


def struct(types: dict[str, str]) -> dict[str, Any]:
    """Kafka Connect's schema of a row."""
    fields = [TYPES[data_type] | {"optional": True, "field": name} for name, data_type in types.items()]
    return {"type": "struct", "optional": True, "fields": fields}


def envelope_schema(types: dict[str, str]) -> dict[str, Any]:
    """Kafka Connect's schema of an envelope whose rows have these types."""
    rows = [struct(types) | {"field": image} for image in ("before", "after")]
    return {
        "type": "struct",
        "optional": False,
        "fields": [*rows, {"type": "string", "optional": False, "field": "op"}],
    }
