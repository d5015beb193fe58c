"""Records as Debezium sends them, drawn at random: sources with settings of their own, tables with and without a key."""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tests.landing.random_records.plain_values import EPOCH, UNITS
from tests.landing.random_records.strict_json import Number, dumped

TEXTS = (
    "",
    "bolt",
    "ümlaut €",
    "a \"quoted\" 'one'",
    "back\\slash \\u0041",
    "😀 and 𝄞",
    "{[,:]}",
    "a|b",
    "tab\tline\nend\r",
    "\0",
    "1.10",
    "null",
)


class Column(NamedTuple):
    """A column of the table that is mapped: its type, and the type of its attribute."""

    name: str
    data_type: str
    canonical: str


COLUMNS = (
    Column("id", "integer", "integer"),
    Column("small", "smallint", "integer"),
    Column("big", "bigint", "integer"),
    Column("name", "text", "text"),
    Column("price", "numeric(12,2)", "decimal(12,2)"),
    Column("amount", "numeric(38,10)", "decimal(38,10)"),
    Column("loose", "numeric", "text"),
    Column("ratio", "double precision", "double"),
    Column("ok", "boolean", "boolean"),
    Column("on_day", "date", "date"),
    Column("at", "timestamp", "timestamp"),
    Column("at_millis", "timestamp(3)", "timestamp"),
    Column("zoned", "timestamptz", "timestamp"),
    Column("clock", "time", "time"),
    Column("raw", "bytea", "binary"),
    Column("flags", "bit(5)", "text"),
    Column("document", "jsonb", "json"),
    Column("reference", "uuid", "text"),
    Column("tags", "text[]", "array<string>"),
    Column("counts", "integer[]", "array<bigint>"),
)
PRECISE = {"decimal.handling.mode": "precise"}
TEXTUAL = {"decimal.handling.mode": "string", "time.precision.mode": "isostring", "binary.handling.mode": "hex"}
CONNECT = {
    "decimal.handling.mode": "double", "time.precision.mode": "connect", "binary.handling.mode": "base64-url-safe",
}  # fmt: skip
# how connectors are set; the last one sends by Debezium's defaults, and nobody has said so
SETTINGS: dict[str, dict[str, str]] = {"precise": PRECISE, "textual": TEXTUAL, "connect.eu": CONNECT, "un said": {}}


@dataclass
class Record:
    """One message in pieces; `value` is None for a tombstone. What is done to it is noted in `done`."""

    destination: str
    key: Any
    value: Any
    key_schema: dict[str, Any] | None = None
    value_schema: dict[str, Any] | None = None
    headers: list[dict[str, Any]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    is_flat: bool = False  # whether ExtractNewRecordState has made a row of the envelope

    def key_text(self) -> str | None:
        """The serialised key."""
        return serialised(self.key, self.key_schema)

    def value_text(self) -> str | None:
        """The serialised value."""
        if self.is_flat and isinstance(self.value, dict):
            return serialised(flattened(self.value), self.value_schema and flattened_schema(self.value_schema))
        return serialised(self.value, self.value_schema)

    def line(self, value: str | None) -> str:
        """The record as a line with this text as its value."""
        return json.dumps({
            "destination": self.destination, "partition": None, "headers": self.headers, "key": self.key_text(), "value": value,
        })  # fmt: skip


def flattened(envelope: dict[str, Any]) -> dict[str, Any]:
    """The row of an envelope, as the transform leaves it: fields are added at the end, as far as they are no objects."""
    after, before = envelope.get("after"), envelope.get("before")
    row = after if isinstance(after, dict) else before if isinstance(before, dict) else {}
    added: dict[str, Any] = {"__deleted": "true" if envelope.get("op") == "d" else "false"}
    added |= {f"__{name}": envelope[name] for name in ("op", "ts_ms") if name in envelope}
    for outer in ("source", "transaction"):
        inner = envelope.get(outer)
        added |= {f"__{outer}_{name}": value for name, value in inner.items()} if isinstance(inner, dict) else {}
    return row | {name: value for name, value in added.items() if not isinstance(value, dict | list)}


def flattened_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of such a row."""
    images = schema["fields"] if isinstance(schema.get("fields"), list) else []
    return schema | {"fields": [*(images[0]["fields"] if images else []), {"type": "string", "field": "__op"}]}


def serialised(document: Any, schema: dict[str, Any] | None) -> str | None:
    """A key or value as Kafka Connect's converter writes it."""
    if document is None:
        return None
    return dumped(document if schema is None else {"schema": schema, "payload": document})


def whole(number: int) -> Number:
    return Number(str(number))


@dataclass
class Source:
    """One PostgreSQL behind one connector: every call of `transaction` is the next one in its log."""

    name: str
    settings: dict[str, str]
    random_: random.Random
    is_counted: bool = True  # whether it numbers the changes of a transaction
    lsn: int = 1000
    commit: int = 1000
    transactions: int = 0
    at: datetime = datetime(2026, 3, 1)

    def snapshot(self, rows: int) -> list[Record]:
        """The rows that are there; all stand at one place of the log, and so may equal ones without a key."""
        self.lsn += 8
        records = [self.change("r", "thing", None) for _ in range(rows)]
        same = self.change("r", "note", None)
        return [*records, same, self.change("r", "note", None), same]

    def transaction(self) -> list[Record]:
        """The records of the next transaction, between BEGIN and END."""
        draw = self.random_
        self.transactions += 1
        self.at += timedelta(microseconds=draw.randint(-5_000_000, 60_000_000))
        marked = draw.random() < 0.5
        records: list[Record] = []
        for serial in range(1, draw.choice((1, 1, 2, 4)) + 1):
            self.lsn += draw.choice((0, 8, 8, 56))
            table = draw.choice(("thing", "thing", "thing", "note", "pair"))
            op = draw.choice("ccuudtm" if table != "note" else "cccu")
            number = serial if self.is_counted else None
            change = self.change(op, table, number)
            records.append(change)
            if table == "note" and draw.random() < 0.3:
                records.append(self.change(op, table, number and number + 100, change))
            if op == "d":
                records.append(Record(change.destination, change.key, None, change.key_schema))
        identity = f"{self.transactions}:{self.lsn}"
        self.commit, self.lsn = self.lsn + 8, self.lsn + 16
        if marked:
            begin, end = ({"status": status, "id": identity, "event_count": None} for status in ("BEGIN", "END"))
            topic, key = f"{self.name}.transaction", {"id": identity}
            records = [Record(topic, key, begin), *records, Record(topic, key, end)]
        if draw.random() < 0.1:
            records.append(
                Record(f"__debezium-heartbeat.{self.name}", {"serverName": self.name}, {"ts_ms": whole(self.lsn)})
            )
        return records

    def change(self, op: str, table: str, serial: int | None, like: Record | None = None) -> Record:
        """A change of a row; `like` another one, at the same place."""
        draw = self.random_
        is_typed = draw.random() < 0.4
        row = self.row(table, is_typed) if like is None else None
        names = {"thing": ("id",), "pair": ("a", "b"), "note": ()}[table]
        micros = (self.at - EPOCH) // timedelta(microseconds=1)
        source = {
            "version": "3.6.3.Final", "connector": "postgresql", "name": self.name, "ts_ms": whole(micros // 1000),
            "snapshot": "first" if op == "r" else "false", "db": "db", "sequence": json.dumps([str(self.commit), str(self.lsn)]),
            "ts_us": whole(micros), "ts_ns": whole(micros * 1000), "schema": "public", "table": table,
            "txId": whole(self.transactions), "lsn": whole(self.lsn), "xmin": None,
        }  # fmt: skip
        value: dict[str, Any] = {"before": None, "after": None, "source": source, "transaction": None, "op": op}
        if serial is not None:
            value["transaction"] = {
                "id": f"{self.transactions}:{self.lsn}", "total_order": whole(serial), "data_collection_order": whole(serial),
            }  # fmt: skip
        value["ts_ms"] = whole(micros // 1000 + draw.randint(0, 10**6))
        headers = [{"key": "__debezium.context.runId", "value": json.dumps(f"{draw.getrandbits(64):x}")}]
        topic = f"{self.name}.public.{table}"
        if op == "m":
            message = {"prefix": "app", "content": base64.b64encode(draw.randbytes(6)).decode()}
            value = {name: value[name] for name in ("op", "ts_ms", "source")} | {"message": message}
            return Record(f"{self.name}.message", {"prefix": "app"}, value, headers=headers)
        if op == "t":
            return Record(topic, None, value, headers=headers)
        if like is not None:
            value |= {image: like.value[image] for image in ("before", "after")}
            return Record(topic, like.key, value, like.key_schema, like.value_schema, headers, is_flat=like.is_flat)
        assert row is not None
        key = {name: row[name] for name in names} or None
        if op == "d":
            value["before"] = {name: row[name] if name in names else None for name in row}
        else:
            value["after"] = row
            value["before"] = self.row(table, is_typed) | (key or {}) if op == "u" and draw.random() < 0.3 else None
        schemas = (key_schema(names), envelope_schema(table)) if is_typed else (None, None)
        is_flat = draw.random() < 0.25
        return Record(topic, key, value, schemas[0] if key else None, schemas[1], headers, is_flat=is_flat)

    def row(self, table: str, is_typed: bool) -> dict[str, Any]:
        """A row as it travels."""
        draw = self.random_
        if table == "note":
            return {"a": whole(draw.randint(0, 2)), "b": draw.choice(TEXTS[:4])}
        if table == "pair":
            return {"a": whole(draw.randint(0, 2)), "b": draw.choice(TEXTS), "ratio": any_double(draw)}
        settings = {} if is_typed else self.settings
        return {
            column.name: None if column.name != "id" and draw.random() < 0.1 else sent(draw, column.data_type, settings)
            for column in COLUMNS
        }


def any_double(draw: random.Random) -> Any:
    """A double as Java writes it, or as the word for what is none."""
    number = draw.choice((0.0, 1.5, -0.1, 1e300, 5e-324, draw.uniform(-1e6, 1e6)))
    return draw.choice(
        (Number(repr(number).replace("e+", "E").replace("e", "E")), "NaN", "-Infinity", Number("1.0E10"))
    )


def any_decimal(draw: random.Random, precision: int, scale: int, mode: str) -> Any:
    """A decimal of so many digits."""
    unscaled = draw.choice(
        (0, 1, -1, 10**precision - 1, draw.randint(-(10**precision) + 1, 10**precision - 1), draw.randint(-9999, 9999))
    )
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = ("-" if unscaled < 0 else "") + (f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits)
    if mode == "precise":
        return base64.b64encode(signed(unscaled)).decode()
    return Number(text) if mode == "double" else text


def signed(number: int) -> bytes:
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, "big", signed=True)


def sent(draw: random.Random, data_type: str, settings: dict[str, str]) -> Any:
    """A value of a type in JSON."""
    if data_type.endswith("[]"):
        element = data_type.removesuffix("[]")
        return [
            draw.choice((None, draw.choice(TEXTS) if element == "text" else sent(draw, element, settings)))
            for _ in range(draw.randint(0, 3))
        ]
    base, _, arguments = data_type.rstrip(")").partition("(")
    decimals, times = settings.get("decimal.handling.mode", "precise"), settings.get("time.precision.mode", "adaptive")
    if base in ("smallint", "integer", "bigint"):
        limit = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}[base]
        return whole(draw.choice((0, -limit, limit - 1, draw.randint(1, 100_000))))
    if base == "numeric" and arguments:
        precision, scale = map(int, arguments.split(","))
        return any_decimal(draw, precision, scale, decimals)
    if base == "numeric":
        if decimals == "precise":
            return {
                "scale": whole(draw.choice((0, 2, 3, 20))),
                "value": base64.b64encode(signed(draw.randint(-(10**30), 10**30))).decode(),
            }
        return any_decimal(draw, 20, 4, decimals)
    if base in ("timestamp", "date", "time", "timestamptz"):
        return any_moment(draw, base, arguments, times)
    if base == "bytea":
        content = draw.randbytes(draw.randint(0, 9))
        if settings.get("binary.handling.mode") == "hex":
            return content.hex()
        encode = (
            base64.urlsafe_b64encode if settings.get("binary.handling.mode") == "base64-url-safe" else base64.b64encode
        )
        return encode(content).decode()
    if base == "bit":
        return base64.b64encode(bytes([draw.randrange(32)])).decode()
    if base == "double precision":
        return any_double(draw)
    if base == "boolean":
        return draw.random() < 0.5
    if base == "uuid":
        return f"{draw.getrandbits(128):032x}"
    if base == "jsonb":
        return dumped({draw.choice(TEXTS): [Number("1.10"), None, draw.choice(TEXTS)]})
    if draw.random() < 0.05:
        return "__debezium_unavailable_value"
    return draw.choice((*TEXTS, "".join(draw.choices(string.printable, k=20))))


def any_moment(draw: random.Random, base: str, arguments: str, mode: str) -> Any:
    """A date or time in the years 1 to 9999."""
    micros = draw.choice((
        0, -1000, -62_135_596_800_000_000, 253_402_300_799_999_000,
        draw.randint(-62_135_596_800_000, 253_402_300_799_999) * 1000, draw.randint(0, 2 * 10**12) * 1000,
    ))  # fmt: skip
    if arguments != "3" and mode != "connect":
        micros += draw.randint(0, 999)
    if base == "time":
        micros = draw.choice((0, 86_400 * UNITS["micros"], micros % (86_400 * UNITS["micros"])))
    at = EPOCH + timedelta(microseconds=0 if base == "time" else micros)
    on = f"{at.year:04}-{at.month:02}-{at.day:02}"
    if base == "timestamptz":
        return f"{on}T{at:%H:%M:%S.%f}Z"
    if mode == "isostring":
        clock = f"{micros // 3_600_000_000:02}:{micros // 60_000_000 % 60:02}:{micros // UNITS['micros'] % 60:02}.{micros % UNITS['micros']:06}"
        return {"date": f"{on}Z", "timestamp": f"{on}T{at:%H:%M:%S.%f}Z", "time": f"{clock}Z"}[base]
    if base == "date":
        return whole((at - EPOCH).days)
    return whole(micros // 1000 if arguments == "3" or mode == "connect" else micros)


PHYSICAL: dict[str, dict[str, Any]] = {
    "integer": {"type": "int32"}, "smallint": {"type": "int16"}, "bigint": {"type": "int64"}, "text": {"type": "string"},
    "numeric": {"type": "struct", "name": "io.debezium.data.VariableScaleDecimal"}, "double precision": {"type": "double"},
    "boolean": {"type": "boolean"}, "date": {"type": "int32", "name": "io.debezium.time.Date"},
    "timestamp": {"type": "int64", "name": "io.debezium.time.MicroTimestamp"},
    "timestamp(3)": {"type": "int64", "name": "io.debezium.time.Timestamp"},
    "timestamptz": {"type": "string", "name": "io.debezium.time.ZonedTimestamp"},
    "time": {"type": "int64", "name": "io.debezium.time.MicroTime"}, "bytea": {"type": "bytes"},
    "bit(5)": {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "5"}},
    "jsonb": {"type": "string", "name": "io.debezium.data.Json"}, "uuid": {"type": "string", "name": "io.debezium.data.Uuid"},
}  # fmt: skip
TABLES = {
    "thing": {column.name: column.data_type for column in COLUMNS},
    "note": {"a": "integer", "b": "text"},
    "pair": {"a": "integer", "b": "text", "ratio": "double precision"},
}


def described(data_type: str) -> dict[str, Any]:
    """Kafka Connect's schema of a column."""
    if data_type.endswith("[]"):
        return {"type": "array", "items": described(data_type.removesuffix("[]")), "optional": True}
    if data_type.startswith("numeric("):
        precision, scale = data_type[8:-1].split(",")
        parameters = {"scale": scale, "connect.decimal.precision": precision}
        return {
            "type": "bytes",
            "name": "org.apache.kafka.connect.data.Decimal",
            "parameters": parameters,
            "optional": True,
        }
    return {**PHYSICAL[data_type], "optional": True}


def envelope_schema(table: str) -> dict[str, Any]:
    """Kafka Connect's schema of an envelope."""
    fields = [described(data_type) | {"field": name} for name, data_type in TABLES[table].items()]
    images = [{"type": "struct", "fields": fields, "optional": True, "field": image} for image in ("before", "after")]
    return {"type": "struct", "fields": [*images, {"type": "string", "field": "op"}], "optional": False}


def key_schema(names: tuple[str, ...]) -> dict[str, Any]:
    """Kafka Connect's schema of a key."""
    return {"type": "struct", "fields": [{"type": "int32", "optional": False, "field": name} for name in names]}
