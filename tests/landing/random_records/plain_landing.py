"""Landing in plain Python, written from docs/architecture.md: what every line of every file has to become.

`REASONS` and the functions that name them are all that has to follow when a reason gets another name.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tests.landing.random_records.strict_json import Broken, Number, Object, dumped, first_value, only_value, text_of

EPOCH = datetime(1970, 1, 1)
LONGS = range(-(2**63), 2**63)
MICROS = range(-62_135_596_800_000_000, 253_402_300_800_000_000)  # the years 1 to 9999
# Debezium's envelope: fields within its objects that are whole numbers
WHOLE = {"source": ("lsn", "txId", "ts_us", "ts_ms"), "transaction": ("total_order",)}
IMAGES = ("before", "after", "message")
# all whose type is looked at, in the order in which a reason names them
TYPED = (
    *IMAGES,
    "ts_ms",
    *(part for name, inner in WHOLE.items() for part in (name, *(f"{name}.{field}" for field in inner))),
)
# what Debezium says of a transaction; a row with a status has other columns
OF_TRANSACTIONS = {"status", "id", "event_count", "data_collections", "ts_ms", "ts_us", "ts_ns"}
ENVELOPE = {"op", "before", "after", "source", "transaction"}
OPERATIONS = ("c", "u", "d", "r", "t", "m")
BOM = b"\xef\xbb\xbf"


class Rejected(Exception):  # noqa: N818 (it is no error)
    """A line that is no message; `reasons` are those that can be given, mostly one."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(*reasons)
        self.reasons = frozenset(reasons)


class Control(Exception):  # noqa: N818 (it is no error)
    """A message that changes no row."""


@dataclass(frozen=True)
class Event:
    """What a change event says; images as JSON without blanks."""

    source_system: str
    source_database: str | None
    schema_name: str | None
    op: str
    event_key: str | None
    before: str | None
    after: str | None
    committed_at: datetime
    transaction_id: str | None
    log_commit: int
    log_position: int
    log_serial: int
    is_typed: bool
    relation: tuple[str | None, str | None]
    attributes: frozenset[str] | None
    is_counted: bool
    # the fields of an image that an embedded schema tells, each as JSON
    told: frozenset[str] = frozenset()

    @property
    def said(self) -> tuple[Any, ...]:
        """Where it stands in its source's log, and what it says."""
        return (
            self.source_system, self.source_database, self.relation, self.op, self.log_position, self.transaction_id,
            self.event_key, self.before, self.after,
        )  # fmt: skip


class Verdict(NamedTuple):
    """What a line is: `change`, `control`, `rejected` or `waiting`."""

    kind: str
    reasons: frozenset[str] = frozenset()
    event: Event | None = None


def verdict(line: bytes, is_open: bool = False) -> Verdict:
    """What one line is; `is_open` is the last line of a file that has no line end yet."""
    try:
        return Verdict("change", event=read(line))
    except Control as control:
        return Verdict("control", frozenset(control.args))
    except Rejected as rejected:
        return Verdict("waiting" if is_open else "rejected", rejected.reasons)


def read(line: bytes) -> Event:
    """The change that a line tells of."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Rejected("broken_text") from None
    half = ("broken_text",) if has_half_a_character(text) else ()
    try:
        record, rest = first_value(text)
    except Broken:
        raise Rejected("broken_json", *half) from None
    if half or not isinstance(record, Object):
        raise Rejected(*half or ("broken_json",))
    if rest:
        raise Rejected("text_after_record")
    if any(isinstance(part, str) and has_half_a_character(part) for part in (record.get("key"), record.get("value"))):
        raise Rejected("broken_text")
    if "value" not in record:
        raise Rejected("no_value")
    if record["value"] is None:
        raise Control("tombstone")
    value = object_of(record["value"])
    is_typed = value is not None and is_embedded(value) and isinstance(value["schema"], dict)
    envelope = object_of(value["payload"]) if value is not None and is_embedded(value) else value
    if envelope is None:
        raise Rejected("broken_value")
    if {"__op", "__deleted"} & envelope.keys():
        envelope = enveloped(envelope, text_of(record.get("destination")) or "")
    event = change(record, envelope, is_typed)
    return replace(event, told=told_fields(value["schema"])) if is_typed and value is not None else event


def told_fields(schema: Any) -> frozenset[str]:
    """The fields of an image that an embedded schema tells, of an envelope or of a flattened row; those without a name tell nothing."""

    def fields(struct: Any) -> list[Object]:
        found = struct.get("fields") if isinstance(struct, Object) else None
        return [one for one in found if isinstance(one, Object)] if isinstance(found, list) else []

    outer = fields(schema)
    images = [fields(one) for one in outer if one.get("field") == "after"]
    found = images[0] if images else [one for one in outer if not str(one.get("field")).startswith("__")]
    return frozenset(dumped(one) for one in found if isinstance(one.get("field"), str))


def enveloped(row: Object, topic: str) -> Object:
    """The envelope that a flattened row says.

    Raises:
        Rejected: it lacks what a change needs
    """
    pairs = list(row.pairs)
    while len(pairs) > 1 and pairs[-1][0].startswith("__") and not isinstance(pairs[-1][1], Object | list):
        pairs.pop()

    def told(*names: str) -> Any:
        return next((row[name] for name in names if row.get(name) is not None), None)

    parts = topic.rsplit(".", 2)
    of_topic = dict(zip(("name", "schema", "table"), parts, strict=True)) if len(parts) == 3 and all(parts) else {}
    source: dict[str, Any] = {"connector": "postgresql"} | of_topic
    for name in ("connector", "name", "db", "schema", "table", "sequence"):
        value = told(f"__source_{name}", f"__{name}")
        source |= {} if value is None else {name: text_of(value)}
    for name, names in {"lsn": ("lsn",), "txId": ("txId",), "ts_us": (), "ts_ms": ()}.items():
        several = (f"__source_{name}", *(f"__{one}" for one in names))
        source[name] = next((row[one] for one in several if is_long(row.get(one))), None)
    serial = next((row[one] for one in ("__transaction_total_order", "__total_order") if is_long(row.get(one))), None)
    op = text_of(row.get("__op"))
    needs = {
        "add.fields=op": op, "add.fields=lsn": source["lsn"],
        "add.fields=source.ts_us": source["ts_us"] if source["ts_us"] is not None else source["ts_ms"],
        "delete.tombstone.handling.mode=rewrite": row.get("__deleted"),
    }  # fmt: skip
    if lacking := [setting for setting, value in needs.items() if value is None]:
        raise Rejected("flattened_without: " + ", ".join(lacking))
    image = Object(pairs)
    return Object([
        ("before", image if op == "d" else None), ("after", None if op == "d" else image), ("op", op), ("source", Object(list(source.items()))),
        ("transaction", Object([("total_order", serial)])),
    ])  # fmt: skip


def change(record: Object, envelope: Object, is_typed: bool) -> Event:
    """The change of an envelope of Debezium."""
    op = text_of(envelope.get("op"))
    if op is None:
        if envelope.get("status") in ("BEGIN", "END") and {name for name, _ in envelope.pairs} <= OF_TRANSACTIONS:
            raise Control(f"transaction_{envelope['status'].lower()}")
        if (text_of(record.get("destination")) or "").startswith("__debezium-heartbeat"):
            raise Control("heartbeat")
    check_types(envelope)
    if op is None and envelope.pairs and not ENVELOPE & {name for name, _ in envelope.pairs}:
        raise Rejected("flattened_without: add.fields, delete.tombstone.handling.mode=rewrite")
    if op not in OPERATIONS:
        raise Rejected("unknown_op")
    source = envelope.get("source") or Object([])
    system, schema, table = (text_of(source.get(name)) for name in ("name", "schema", "table"))
    if system is None:
        raise Rejected("no_source")
    connector = text_of(source.get("connector"))
    if connector not in (None, "postgresql"):
        raise Rejected(f"unknown_connector: {connector}")
    committed_at = commit_time(source)
    if source.get("lsn") is None or committed_at is None:
        raise Rejected("no_position")
    if op != "m" and (schema is None or table is None):
        raise Rejected("no_table")
    before, after = (image(envelope, name) for name in ("before", "message" if op == "m" else "after"))
    if op in ("c", "r", "u") and not after:
        raise Rejected("no_after_image")
    if op == "d" and not before:
        raise Rejected("no_before_image")
    position = int(source["lsn"])
    transaction = envelope.get("transaction") or Object([])
    serial = transaction.get("total_order")
    shown = after if after is not None else before
    return Event(
        source_system=system,
        source_database=text_of(source.get("db")),
        schema_name=None if op == "m" else f"{system}.{schema}.{table}",
        op=op,
        event_key=key_of(record),
        before=None if before is None else dumped(before),
        after=None if after is None else dumped(after),
        committed_at=committed_at,
        transaction_id=None if source.get("txId") is None else str(int(source["txId"])),
        log_commit=commit_before(text_of(source.get("sequence")), position),
        log_position=position,
        log_serial=0 if serial is None else int(serial),
        is_typed=is_typed,
        relation=(schema, table),
        attributes=None if op in ("t", "m") or shown is None else frozenset(shown),
        is_counted=serial is not None,
    )


def has_half_a_character(text: str) -> bool:
    r"""Whether an escape of JSON is one half of a character beyond the basic plane.

    >>> [has_half_a_character(text) for text in (r"\ud83d\ude00", r"\ud83d", r"\ude00", r"\\ud83d", r"\ud83d\u0041")]
    [False, True, True, False, True]
    """
    high = False
    for escape in re.findall(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", text, re.DOTALL):
        unit = int(escape[2:], 16) if len(escape) == 6 else 0
        low = 0xDC00 <= unit <= 0xDFFF
        if high != low:
            return True
        high = 0xD800 <= unit <= 0xDBFF
    return high


def is_embedded(value: Object) -> bool:
    """Whether a serialised key or value carries its schema."""
    return set(value) == {"schema", "payload"}


def object_of(value: Any) -> Object | None:
    """An object, or the one that a text is; None where it is none."""
    if isinstance(value, str) and not isinstance(value, Number):
        try:
            value = only_value(value)
        except Broken:
            return None
    return value if isinstance(value, Object) else None


def image(envelope: Object, name: str) -> Object | None:
    """The image of a row, or the content of a logical message."""
    return object_of(envelope.get(name))


def check_types(envelope: Object) -> None:
    """Refuse an envelope with fields of other types than they should have; one that is there twice counts twice."""
    found = set()
    for name, value in envelope.pairs:
        if value is None:
            continue
        if name in WHOLE and not isinstance(value, Object):
            found.add(name)
        elif name in WHOLE:
            wrong = (inner for inner, number in value.pairs if number is not None and not is_long(number))
            found |= {f"{name}.{inner}" for inner in wrong if inner in WHOLE[name]}
        elif (name in IMAGES and object_of(value) is None) or (name == "ts_ms" and not is_long(value)):
            found.add(name)
    if found:
        raise Rejected("broken_envelope: " + ", ".join(name for name in TYPED if name in found))


def is_long(value: Any) -> bool:
    """Whether a JSON value is a whole number of 64 bits."""
    return isinstance(value, Number) and re.fullmatch("-?[0-9]+", value) is not None and int(value) in LONGS


def commit_time(source: Object) -> datetime | None:
    """When the change was committed at its source."""
    for name, unit in (("ts_us", 1), ("ts_ms", 1000)):
        if source.get(name) is not None and int(source[name]) * unit in MICROS:
            return EPOCH + timedelta(microseconds=int(source[name]) * unit)
    return None


def commit_before(sequence: str | None, position: int) -> int:
    """The position of the commit before: the first element of `source.sequence`; where it is none, the change's own."""
    try:
        first = only_value(sequence or "null")
    except Broken:
        return position
    first = text_of(first[0]) if isinstance(first, list) and first else None
    is_number = first is not None and re.fullmatch("[+-]?[0-9]+", first.strip()) is not None and int(first) in LONGS
    return int(first) if first is not None and is_number else position


def key_of(record: Object) -> str | None:
    """The key as JSON; one that is no JSON is the text that it is."""
    text = text_of(record.get("key"))
    key = None if text is None else object_of(text)
    if key is None:
        return text
    return text_of(key["payload"]) if is_embedded(key) else dumped(key)


@dataclass
class PlainLanding:
    """What has landed: every change once, every other line once."""

    changes: dict[tuple[Any, ...], Event] = field(default_factory=dict)
    lines: dict[tuple[str, int, bytes], Verdict] = field(default_factory=dict)
    places: dict[tuple[str, int], dict[tuple[Any, ...], Event]] = field(default_factory=dict)
    files: dict[tuple[str, int, bytes], set[str]] = field(default_factory=dict)

    def land(self, files: Mapping[str, bytes]) -> dict[str, Counter[str]]:
        """Land files as they are now; returns how many lines of which kind each of them has."""
        return {name: self._land(name, content) for name, content in files.items()}

    def _land(self, name: str, content: bytes) -> Counter[str]:
        lines = [line.rstrip(b"\r") for line in content.removeprefix(BOM).split(b"\n")]
        counts: Counter[str] = Counter()
        file = next((hashlib.sha256(line).hexdigest() for line in lines if line.strip(b" ")), "")
        equal: Counter[tuple[Any, ...]] = Counter()
        for number, line in enumerate(lines, 1):
            if not line.strip(b" "):
                continue
            found = verdict(line, is_open=number == len(lines))
            counts[found.kind] += 1
            if found.event is not None:
                identity = self._identity(found.event, (file, number), equal)
                self.changes.setdefault(identity, found.event)
                self.places.setdefault((name, number), {})[identity] = found.event
            elif found.kind != "waiting":
                self.lines.setdefault((file, number, line), found)
                self.files.setdefault((file, number, line), set()).add(name)
        return counts

    def _identity(self, event: Event, place: tuple[str, int], equal: Counter[tuple[Any, ...]]) -> tuple[Any, ...]:
        """What makes a change the same however often it comes. Equal ones without a key are told apart: those of a snapshot by their
        place in the file, others by their number within the transaction, or where the source does not tell it, within the file.
        """
        if event.event_key is not None:
            return event.said
        if event.op == "r":
            return (*event.said, place)
        equal[event.said] += 1
        return (*event.said, event.is_counted, event.log_serial if event.is_counted else equal[event.said])
