"""Reads a recording the slow and obvious way: with json, and nothing of entrepot."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("ENTREPOT_RECORDED") or Path(__file__).parents[2] / "data" / "recorded")
OPENING, CHANGES, EVENING = "01_opening", "02_changes", "03_evening"
FILES = {
    OPENING: ("plant", "shop"),
    CHANGES: ("plant", "shop", "shop_next"),
    EVENING: ("plant", "shop", "shop_next"),
}


def landing_vars(*phases: str) -> tuple[str, str]:
    """Return dbt's arguments for a job on what has arrived by the end of some phases."""
    return "--vars", json.dumps({"landing_path": f"{FOLDER}/{{{','.join(phases)}}}/*.jsonl"})


@dataclass(frozen=True)
class Event:
    """One recorded line; ``key`` and ``value`` are payloads (no embedded schema), ``fields`` the row's columns."""

    phase: str
    file: str
    destination: str
    headers: dict[str, Any]
    key: Any
    value: Any
    fields: tuple[tuple[str, str, str], ...] | None  # name, type (semantic one if there is one), scale

    @property
    def op(self) -> str:
        if self.value is None:
            return "tombstone"
        return str(self.value.get("op") or self.value["status"])

    @property
    def table(self) -> str:
        return self.destination.partition(".")[2]

    @property
    def after(self) -> dict[str, Any]:
        return self.value["after"] if self.value else None

    @property
    def transaction(self) -> int:
        """The number that all records of one transaction share."""
        identity = self.value.get("id") or self.value["transaction"]["id"]
        return int(identity.partition(":")[0])


@cache
def events() -> tuple[Event, ...]:
    """All records in the order of phases and files."""
    return tuple(
        _event(phase, file, line)
        for phase, files in FILES.items()
        for file in files
        for line in (FOLDER / phase / f"{file}.jsonl").read_text(encoding="ascii").splitlines()
    )


def _event(phase: str, file: str, line: str) -> Event:
    record = json.loads(line)
    assert list(record) == ["destination", "partition", "headers", "key", "value"]
    key, value = (None if record[part] is None else json.loads(record[part]) for part in ("key", "value"))
    headers = {header["key"]: json.loads(header["value"]) for header in record["headers"]}
    fields = None
    if value is not None:
        assert ("schema" in value) == (file != "plant")
        if file != "plant":
            after = next((field for field in value["schema"]["fields"] if field["field"] == "after"), None)
            fields = after and tuple(_column(column) for column in after["fields"])
            key, value = key and key["payload"], value["payload"]
        elif value.get("after"):
            fields = tuple((name, "", "") for name in value["after"])
    elif file != "plant":
        key = key["payload"]
    return Event(phase, file, record["destination"], headers, key, value, fields)


def _column(field: dict[str, Any]) -> tuple[str, str, str]:
    return (
        field["field"],
        field.get("name", field["type"]).rpartition(".")[2],
        field.get("parameters", {}).get("scale", ""),
    )


def select(table: str, ops: str = "", phase: str = "", file: str = "") -> list[Event]:
    """The row events of one table; ``ops`` is a string of op letters, empty for all but tombstones."""
    return [
        event
        for event in events()
        if event.table == table
        and (event.op in ops if ops else event.op != "tombstone")
        and phase in ("", event.phase)
        and file in ("", event.file)
    ]


def number(encoded: str | None, scale: int) -> Decimal | None:
    """Debezium's decimal: base64 of a big-endian signed integer, without its scale."""
    if encoded is None:
        return None
    return Decimal(int.from_bytes(base64.b64decode(encoded), "big", signed=True)).scaleb(-scale)
