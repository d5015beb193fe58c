"""What the recorded changes say, replayed line by line in plain Python: the oracle. It knows nothing of schema versions.

The files are in the order of the source's log, as PostgreSQL and Debezium wrote them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

EPOCH = datetime(1970, 1, 1)

Values = dict[str, Any]


def decimal(text: str) -> Decimal:
    """A numeric(10,2): base64 of a big-endian two's complement number."""
    return Decimal(int.from_bytes(base64.b64decode(text), "big", signed=True)).scaleb(-2)


def same(value: Any) -> Any:
    return value


DECODERS: dict[str, Callable[[Any], Any]] = {
    "order_date": lambda days: date(1970, 1, 1) + timedelta(days=days),
    "amount": decimal,
    "placed_at": lambda text: datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=None),
    "local_ts": lambda micros: EPOCH + timedelta(microseconds=micros),
    "t": lambda micros: f"{EPOCH + timedelta(microseconds=micros):%H:%M:%S.%f}",
    "raw": base64.b64decode,
}


@dataclass
class Table:
    """How a table's columns are called in its entity: {column: attribute}; `key` is the entity's key."""

    columns: dict[str, str]
    key: str | None = None


TABLES = {
    "customers": Table(
        {
            "id": "customer_id", "first_name": "first_name", "last_name": "last_name", "email": "email",
            "email_address": "email", "phone": "phone",
        },
        key="customer_id",
    ),
    "orders": Table(
        {
            "id": "purchase_id", "order_date": "ordered_on", "purchaser": "customer_id", "quantity": "quantity",
            "amount": "amount", "placed_at": "placed_at", "local_ts": "local_at", "t": "time_of_day", "flags": "flags",
            "tags": "tags", "ref": "reference", "rate": "rate", "ok": "is_good", "raw": "picture",
        },
        key="purchase_id",
    ),
    "nopk": Table({"a": "number", "b": "text"}),
}  # fmt: skip


@dataclass
class Version:
    """What a key was from one place in the log to another; None where it still is."""

    values: Values
    valid_from: int
    valid_to: int | None = None


@dataclass
class Replay:
    """The result: what each line is, the events of each table, the versions of each key."""

    lines: list[str] = field(default_factory=list)
    events: dict[str, list[tuple[str, int, Values | None, Values | None]]] = field(default_factory=dict)
    versions: dict[str, dict[Any, list[Version]]] = field(default_factory=dict)
    rows: dict[str, list[Values]] = field(default_factory=dict)


def unwrapped(text: str | None) -> Any:
    """A serialised key or value without its embedded schema."""
    value = None if text is None else json.loads(text)
    return value["payload"] if isinstance(value, dict) and set(value) == {"schema", "payload"} else value


def mapped(table: str, image: Values | None) -> Values | None:
    """An image in the entity's attributes and types."""
    if image is None:
        return None
    columns = TABLES[table].columns
    return {columns[name]: None if value is None else DECODERS.get(name, same)(value) for name, value in image.items()}


def replay(path: Path) -> Replay:
    """Replay one recorded file."""
    result = Replay(versions={table: {} for table in TABLES}, rows={table: [] for table in TABLES})
    for text in path.read_text().splitlines():
        value = unwrapped(json.loads(text)["value"])
        if value is None:
            result.lines.append("tombstone")
        elif "op" not in value:
            result.lines.append(f"transaction_{value['status'].lower()}")
        else:
            result.lines.append("change")
            table = value["source"]["table"]
            if value["op"] != "m":
                apply(result, table, value)
    return result


def apply(result: Replay, table: str, event: Values) -> None:
    """Apply one change to the state of its table."""
    lsn = event["source"]["lsn"]
    before, after = mapped(table, event.get("before")), mapped(table, event.get("after"))
    result.events.setdefault(table, []).append((event["op"], lsn, before, after))
    key, versions = TABLES[table].key, result.versions[table]
    if event["op"] == "t":
        for life in versions.values():
            end(life, lsn)
        result.rows[table].clear()
    elif key is None:
        assert after is not None and event["op"] in ("c", "r")
        result.rows[table].append(after)
    elif event["op"] == "d":
        assert before is not None
        end(versions[before[key]], lsn)
    else:
        assert after is not None
        life = versions.setdefault(after[key], [])
        known = life[-1].values if life and life[-1].valid_to is None else {}
        end(life, lsn)
        life.append(Version(known | after, lsn))


def end(life: list[Version], lsn: int) -> None:
    """End the newest version of a key."""
    if life and life[-1].valid_to is None:
        life[-1].valid_to = lsn
