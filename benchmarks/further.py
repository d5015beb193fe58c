"""Further changes of a recording that has ended: rows that it knows two values of go from one to the other, and back."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

# how far apart the positions and times of two further changes are
POSITIONS, TRANSACTIONS, MILLISECONDS = 100, 1, 1000
Record = dict[str, Any]


@dataclass
class Recording:
    """What a recording knows of its rows and logs.

    Attributes:
        updates: the newest two updates of each row whose values differ, in the columns and types that its table has by now
        ends: of each log its last `lsn`, `txId` and `ts_ms`
    """

    updates: list[tuple[Record, Record]] = field(default_factory=list)
    ends: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))


def recording_of(lines: Iterable[str]) -> Recording:
    """Read a recording, in the order of its changes."""
    found, shapes = Recording(), dict[str, str]()
    updates: dict[tuple[str, str], dict[str, Record]] = {}
    for line in lines:
        record = json.loads(line)
        row = record["destination"], record["key"]
        value = json.loads(record["value"] or "{}")
        payload = payload_of(value)
        if payload.get("source"):
            end = found.ends[payload["source"]["name"]]
            end |= {name: max(end[name], payload["source"].get(name) or 0) for name in ("lsn", "txId", "ts_ms")}
        if not payload.get("after"):
            updates.pop(row, None)
        elif payload.get("source"):
            shape = json.dumps([sorted(payload["after"]), value.get("schema")])
            if shapes.get(row[0]) != shape:
                updates = {known: values for known, values in updates.items() if known[0] != row[0]}
                shapes[row[0]] = shape
            updates.setdefault(row, {})[json.dumps(payload["after"])] = record | {"value": value}
    for values in updates.values():
        if len(values) > 1:
            before, after = list(values.values())[-2:]
            found.updates.append((before, after))
    random.Random(7).shuffle(found.updates)
    return found


def further(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield, without end, so many changes at a time that go on where a recording has ended."""
    recording = recording_of(lines)
    numbers = itertools.count()
    while True:
        yield [json.dumps(_change(recording, next(numbers))) + "\n" for _ in range(size)]


def _change(recording: Recording, number: int) -> Record:
    """Return the so-and-so-many-th further change: an update of the next row, in its turn to the other of its two values."""
    turn, place = divmod(number, len(recording.updates))
    new, old = recording.updates[place][:: 1 if turn % 2 == 0 else -1]
    record: Record = json.loads(json.dumps(new))
    payload = payload_of(record["value"])
    source, end = payload["source"], recording.ends[payload["source"]["name"]]
    position, at = end["lsn"] + (number + 1) * POSITIONS, end["ts_ms"] + (number + 1) * MILLISECONDS
    source |= {"lsn": position, "txId": end["txId"] + (number + 1) * TRANSACTIONS, "ts_ms": at, "snapshot": "false"}
    source |= {"sequence": json.dumps([str(position - 1), str(position)])} if source.get("sequence") else {}
    for times in (source, payload):
        for name, per_millisecond in (("ts_ms", 1), ("ts_us", 1000), ("ts_ns", 1_000_000)):
            times |= {name: at * per_millisecond} if times.get(name) is not None else {}
    payload |= {"op": "u", "transaction": None}
    payload |= {"before": payload_of(old["value"])["after"]} if payload.get("before") else {}
    return record | {"value": json.dumps(record["value"])}


def payload_of(value: Record) -> Record:
    """Return the change itself, which stands in a record beside its schema, or alone."""
    found: Record = value.get("payload", value)
    return found
