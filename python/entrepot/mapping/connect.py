"""Types of Kafka Connect and Debezium in PostgreSQL's words (docs/mapping.md, Types), and which types travel alike: one table for landing,
which reads them in records with an embedded schema, and for `entrepot registry pull`, which reads them in a registry's schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from entrepot.mapping.paths import ELEMENTS, VALUES, quoted, steps_of

DECIMAL = "org.apache.kafka.connect.data.Decimal"
# names that Debezium and Kafka Connect give to a schema
SEMANTIC = {
    "io.debezium.data.VariableScaleDecimal": "numeric",
    "io.debezium.time.Date": "date", "org.apache.kafka.connect.data.Date": "date",
    "org.apache.kafka.connect.data.Time": "time(3)", "org.apache.kafka.connect.data.Timestamp": "timestamp(3)",
    "io.debezium.time.Timestamp": "timestamp(3)", "io.debezium.time.MicroTimestamp": "timestamp",
    "io.debezium.time.ZonedTimestamp": "timestamptz", "io.debezium.time.Time": "time(3)",
    "io.debezium.time.MicroTime": "time", "io.debezium.time.ZonedTime": "timetz",
    "io.debezium.time.MicroDuration": "interval", "io.debezium.time.Interval": "interval", "io.debezium.time.Year": "integer",
    "io.debezium.data.Json": "jsonb", "io.debezium.data.Uuid": "uuid", "io.debezium.data.Xml": "xml", "io.debezium.data.Ltree": "ltree",
    "io.debezium.data.Enum": "text", "io.debezium.data.EnumSet": "text",
}  # fmt: skip
# types of Kafka Connect
PHYSICAL = {
    "int8": "smallint", "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real", "float32": "real",
    "double": "double precision", "float64": "double precision", "boolean": "boolean", "string": "text", "bytes": "bytea", "map": "map",
}  # fmt: skip
# what a person may have written in the seed
WRITTEN = {
    "varchar": "text", "varbit": "bit varying", "character varying": "text", "char": "text", "character": "text", "bpchar": "text",
    "citext": "text", "name": "text", "enum": "text", "int": "integer", "int4": "integer", "serial": "integer", "int8": "bigint",
    "bigserial": "bigint", "int2": "smallint", "smallserial": "smallint", "float8": "double precision",
    "double": "double precision", "float4": "real", "bool": "boolean", "json": "jsonb", "decimal": "numeric",
    "time without time zone": "time", "time with time zone": "timetz", "timestamp without time zone": "timestamp",
    "timestamp with time zone": "timestamptz", "oid": "bigint", "money": "numeric(38,2)",
}  # fmt: skip
WORDS = {"semantic": SEMANTIC, "physical": PHYSICAL, "written": WRITTEN}

OF_DEBEZIUM = re.compile(r"(io\.debezium|org\.apache\.kafka)\.")
BITS = re.compile(r"(bit(\(| varying)|io\.debezium\.data\.bits)", re.IGNORECASE)
TOLD_APART = re.compile(
    r"(smallint|integer|bigint|real|double precision|boolean|bytea|date|timestamptz|(numeric|time|timestamp)(\(.*)?"
    r"|io\.debezium\.time\.(nano|iso).*)(\[\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ConnectType:
    """A type of Kafka Connect.

    Attributes:
        physical: its type, such as `int64`
        name: the name of its schema, such as `io.debezium.time.MicroTimestamp`; None where it has none
        parameters: of the schema, such as the scale of a decimal
        items: of an array, the type of its elements
        values: of a map whose keys are texts, the type of its values
        fields: of a record, names and types of what is inside; empty where that is not told, and of what Debezium makes a record of one value
    """

    physical: str
    name: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    items: ConnectType | None = None
    values: ConnectType | None = None
    fields: tuple[tuple[str, ConnectType], ...] = ()


def source_type(sent: ConnectType) -> str:
    """Return the PostgreSQL type behind a type of Kafka Connect, as macro `landing_source_type` does in SQL.

    What has no name in PostgreSQL, such as nanoseconds, keeps Debezium's, and a decimal without the number of its digits Connect's.

    >>> source_type(ConnectType("int64", "io.debezium.time.MicroTimestamp")), source_type(ConnectType("array", items=ConnectType("int32")))
    ('timestamp', 'integer[]')
    >>> source_type(ConnectType("bytes", DECIMAL, {"scale": "2", "connect.decimal.precision": "12"}))
    'numeric(12,2)'
    """
    if sent.physical == "array":
        return f"{_element_type(sent.items) if sent.items else 'text'}[]"
    return _element_type(sent)


def inner_types(path: str, sent: ConnectType) -> Iterator[tuple[str, str]]:
    """Yield the attributes inside of one, as paths, with their PostgreSQL types: of records, of one array's elements on the way, of maps' values.

    >>> point = ConnectType("struct", fields=(("lat", ConnectType("double")), ("tags", ConnectType("array", items=ConnectType("string")))))
    >>> list(inner_types("geo", point)), list(inner_types("all", ConnectType("array", items=point)))[0]
    ([('geo.lat', 'double precision'), ('geo.tags', 'text[]')], ('all[].lat', 'double precision'))
    >>> list(inner_types("prices", ConnectType("map", values=ConnectType("struct", fields=(("net", ConnectType("double")),)))))
    [('prices{}', 'struct'), ('prices{}.net', 'double precision')]
    """
    if sent.values is not None:
        inner = f"{path}{VALUES}"
        yield inner, source_type(sent.values)
        yield from inner_types(inner, sent.values)
        return
    is_array = sent.physical == "array" and sent.items is not None
    record = sent.items if is_array and sent.items is not None else sent
    if is_array and ELEMENTS in "".join(step.repeats for step in steps_of(path)):
        return
    if is_array and record.values is not None:
        yield from inner_types(path + ELEMENTS, record)
    for name, one in record.fields:
        inner = f"{path}{ELEMENTS if is_array else ''}.{quoted(name)}"
        yield inner, source_type(one)
        yield from inner_types(inner, one)


def _element_type(sent: ConnectType) -> str:
    digits = f"{sent.parameters.get('connect.decimal.precision', '38')},{sent.parameters.get('scale')}"
    if sent.name == DECIMAL and re.fullmatch("[0-9]+,-?[0-9]+", digits):
        return f"numeric({digits})"
    if sent.name is not None:
        if sent.name in SEMANTIC:
            return SEMANTIC[sent.name]
        if sent.physical == "struct" or OF_DEBEZIUM.match(sent.name):
            return sent.name
    return "struct" if sent.physical == "struct" else PHYSICAL.get(sent.physical, "text")


def recorded_type(written: str) -> str:
    """Return a type as a person writes it in the words of `source_type`, as macro `landing_canonical_type` does in SQL.

    >>> recorded_type("varchar(20)"), recorded_type("int4[]"), recorded_type("numeric(10)"), recorded_type("timestamp(6)")
    ('text', 'integer[]', 'numeric(10,0)', 'timestamp')
    """
    plain = written.strip().lower().replace("[]", "")
    found = re.search(r"\(([^)]*)\)", plain)
    arguments = found[1].replace(" ", "") if found else ""
    word = re.sub(" +", " ", re.sub(r"\([^)]*\)", " ", plain).strip())
    word = WRITTEN.get(word, word)
    base = "boolean" if word == "bit" and arguments in ("", "1") else word
    return base + _told_arguments(word, arguments) + ("[]" if written.endswith("[]") else "")


def _told_arguments(word: str, arguments: str) -> str:
    """The arguments that tell types apart: digits of numbers, and whether a time has at most three."""
    if not arguments:
        return ""
    if word == "numeric":
        return f"({arguments})" if "," in arguments else f"({arguments},0)"
    if word in ("time", "timestamp"):
        return "(3)" if arguments <= "3" else ""
    if word in ("text", "timestamptz", "timetz", "interval") or (word, arguments) == ("bit", "1"):
        return ""
    return f"({arguments})"


def travels_as(recorded: str | None) -> str | None:
    """Return the type that decides how a value travels, of a type in the words of `source_type`; as macro `landing_travels_as` in SQL.

    >>> [travels_as(one) for one in ("uuid", "numeric(12,2)", "uuid[]", "io.debezium.data.Bits", None)]
    ['text', 'numeric(12,2)', 'text[]', 'bits', None]
    """
    if recorded is None:
        return None
    if BITS.match(recorded):
        return "bits"
    if TOLD_APART.fullmatch(recorded):
        return recorded.lower()
    return "text[]" if recorded.endswith("[]") else "text"
