"""How a value of a PostgreSQL type travels: as Debezium sends it with its schema (precise decimals, adaptive times, bytes).

The values come as the texts that PostgreSQL's ``to_json`` makes in a session with :data:`SESSION`, strings without quotes.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from recorder.captures import times

# PostgreSQL's settings that decide how it writes a value
SESSION = {
    "search_path": "pg_catalog",
    "timezone": "UTC",
    "datestyle": "ISO",
    "intervalstyle": "iso_8601",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
}
FARTHEST = {"infinity": 9_223_372_036_825_200, "-infinity": -9_223_372_036_832_400}  # Debezium's, in milliseconds
LAST_DAY = {"infinity": 2**31 - 1, "-infinity": -(2**31)}
_EXACT = Context(prec=200_000, Emax=MAX_EMAX, Emin=MIN_EMIN)

_INTEGERS = {
    "int16": (16, "smallint", "int2"),
    "int32": (32, "integer", "int", "int4"),
    "int64": (64, "bigint", "int8", "oid"),
}
_TEXTS = (
    "text",
    "varchar",
    "character varying",
    "char",
    "character",
    "bpchar",
    "citext",
    "name",
    "uuid",
    "json",
    "jsonb",
    "xml",
)
_NAMED_TEXTS = {"uuid": "Uuid", "json": "Json", "jsonb": "Json", "xml": "Xml"}


@dataclass(frozen=True, slots=True)
class Wire:
    """A type on the wire: its schema in Kafka Connect's words, and what makes a JSON value of a text.

    ``value`` raises ValueError for a text that is no value of the type. ``is_json`` says that the text is JSON itself.
    """

    schema: dict[str, Any]
    value: Callable[[str], Any]
    is_json: bool = False


@lru_cache(maxsize=4096)
def wire_of(data_type: str) -> Wire:
    """The wire of a type as ``format_type`` or a person writes it; what is not known travels as the text that it is."""
    if data_type.endswith("[]"):
        element = wire_of(data_type[:-2])
        schema = {"type": "array", "items": {**element.schema, "optional": True}}
        return Wire(schema, lambda text: _array(text, element))
    return known_wire(data_type) or Wire({"type": "string"}, str)


@lru_cache(maxsize=4096)
def known_wire(data_type: str) -> Wire | None:
    """The wire of a type that is no array; None if nothing is known about it."""
    words = re.sub(r" *\([^)]*\) *", " ", data_type.lower()).strip()
    arguments = [int(number) for number in re.findall(r"-?\d+", data_type.partition("(")[2].partition(")")[0])]
    for physical, (bits, *names) in _INTEGERS.items():
        if words in names:
            return Wire({"type": physical}, lambda text, bits=bits: _whole(text, bits))  # type: ignore[misc]
    if words in ("numeric", "decimal", "money"):
        return _decimal(words, arguments)
    if words in ("real", "float4", "double precision", "float8", "double"):
        return Wire({"type": "float" if words in ("real", "float4") else "double"}, _float)
    if words in ("boolean", "bool") or (words == "bit" and arguments in ([], [1])):
        return Wire({"type": "boolean"}, _boolean)
    if words in ("bit", "bit varying", "varbit"):
        parameters = {"length": str(arguments[0] if arguments else 2**31 - 1)}
        return Wire(_semantic("bytes", "io.debezium.data.Bits", parameters), _bits)
    if words == "bytea":
        return Wire({"type": "bytes"}, _bytes)
    if words in _TEXTS:
        name = _NAMED_TEXTS.get(words)
        schema = _semantic("string", f"io.debezium.data.{name}") if name else {"type": "string"}
        return Wire(schema, str, is_json=name == "Json")
    return _time(words, arguments[0] if arguments else 6)


def _time(words: str, digits: int) -> Wire | None:
    """Days, and counts of milliseconds or microseconds; with a time zone ISO text in UTC."""
    if words == "date":
        return Wire(_semantic("int32", "io.debezium.time.Date"), _date)
    if words in ("time", "time without time zone"):
        small = digits <= 3
        schema = _semantic(*(("int32", "io.debezium.time.Time") if small else ("int64", "io.debezium.time.MicroTime")))
        return Wire(schema, lambda text: times.count(times.nanos_of_day(text), 3 if small else 6))
    if words in ("timestamp", "timestamp without time zone"):
        small = digits <= 3
        schema = _semantic("int64", f"io.debezium.time.{'Timestamp' if small else 'MicroTimestamp'}")
        return Wire(schema, lambda text: _timestamp(text, 3 if small else 6))
    if words == "timestamp_ns":  # DuckDB's: Parquet may have nanoseconds
        return Wire(_semantic("int64", "io.debezium.time.NanoTimestamp"), lambda text: _timestamp(text, 9))
    if words in ("timestamptz", "timestamp with time zone"):
        return Wire(_semantic("string", "io.debezium.time.ZonedTimestamp"), lambda text: _zoned(text, digits))
    if words in ("timetz", "time with time zone"):
        return Wire(_semantic("string", "io.debezium.time.ZonedTime"), str)
    if words == "interval":
        return Wire(_semantic("string", "io.debezium.time.Interval"), str)
    return None


def _semantic(physical: str, name: str, parameters: dict[str, str] | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": physical, "name": name, "version": 1}
    return {**schema, "parameters": parameters} if parameters else schema


def _whole(text: str, bits: int) -> int:
    number = int(text)
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f"more than {bits} bits")
    return number


def _boolean(text: str) -> bool:
    known = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
    if text.lower() not in known:
        raise ValueError("neither true nor false")
    return known[text.lower()]


def _float(text: str) -> float | str:
    number = float(text)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _decimal(words: str, arguments: list[int]) -> Wire:
    """Base64 of the unscaled number; without a fixed scale in an object with the scale."""
    if words == "money":
        schema = _semantic("bytes", "org.apache.kafka.connect.data.Decimal", {"scale": "2"})
        return Wire(schema, lambda text: _unscaled(re.sub(r"[^0-9.-]", "", text), 2, 19))
    precision, scale = (arguments[0], arguments[1] if len(arguments) > 1 else 0) if arguments else (0, -1)
    if scale < 0:
        number = [
            {"type": "int32", "optional": False, "field": "scale"},
            {"type": "bytes", "optional": False, "field": "value"},
        ]
        return Wire({**_semantic("struct", "io.debezium.data.VariableScaleDecimal"), "fields": number}, _variable)
    parameters = {"scale": str(scale), "connect.decimal.precision": str(precision)}
    schema = _semantic("bytes", "org.apache.kafka.connect.data.Decimal", parameters)
    return Wire(schema, lambda text: _unscaled(text, scale, precision))


def _number(text: str) -> Decimal | None:
    """The number; None for NaN and the infinities, which no decimal on the wire can be."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation as error:
        raise ValueError("no number") from error
    return number if number.is_finite() else None


def _unscaled(text: str, scale: int, precision: int) -> str | None:
    number = _number(text)
    if number is None:
        return None
    shifted = number.scaleb(scale, _EXACT)
    unscaled = int(shifted)
    if unscaled != shifted:
        raise ValueError(f"more than {scale} digits after the point")
    if abs(unscaled) >= 10**precision:
        raise ValueError(f"more than {precision - scale} digits before the point")
    return _base64(_big_endian(unscaled))


def _variable(text: str) -> dict[str, Any] | None:
    number = _number(text)
    if number is None:
        return None
    scale = max(0, -int(number.as_tuple().exponent))
    return {"scale": scale, "value": _base64(_big_endian(int(number.scaleb(scale, _EXACT))))}


def _big_endian(number: int) -> bytes:
    """The shortest two's complement of a number."""
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, "big", signed=True)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _bytes(text: str) -> str:
    if not text.startswith("\\x"):
        raise ValueError("not written as \\x and hexadecimal digits")
    return _base64(bytes.fromhex(text[2:]))


def _bits(text: str) -> str:
    """The lowest byte first, zero bytes at the end left out."""
    number = int(text, 2) if text else 0
    return _base64(number.to_bytes((number.bit_length() + 7) // 8, "little"))


def _date(text: str) -> int:
    return LAST_DAY[text] if text in LAST_DAY else times.days_since_1970(text)


def _timestamp(text: str, digits: int) -> int:
    if text in FARTHEST:
        return FARTHEST[text] * 10 ** (digits - 3)
    found = times.moment(text)
    if found.ahead is not None:
        raise ValueError("a time zone where none is expected")
    return times.count(found.nanos, digits)


def _zoned(text: str, digits: int) -> str:
    if text in FARTHEST:
        return text
    found = times.moment(text)
    if found.ahead is None:
        raise ValueError("no time zone, such as Z or +01:00")
    return times.utc_text(found.nanos - found.ahead * times.NANOS, digits)


def unquoted(text: str, wire: Wire) -> str | None:
    """The text of a value whose JSON this is: a string without its quotes, null as None, all else as it is written."""
    if text == "null":
        return None
    if not text.startswith('"') or wire.is_json:
        return text
    if "\\" not in text:
        return text[1:-1]
    value: str = json.loads(text)
    return value


def _array(text: str, element: Wire) -> list[Any]:
    """The elements of a JSON array, each by its wire; those of an array of arrays as arrays, which no schema describes."""
    return [_element(part, element) for part in array_elements(text)]


def _element(part: str, element: Wire) -> Any:
    if part.startswith("[") and not element.is_json:
        return _array(part, element)
    text = unquoted(part, element)
    return None if text is None else element.value(text)


def array_elements(text: str) -> list[str]:
    """The elements of a JSON array, each as it is written.

    :raises ValueError: the text is no JSON array.
    """
    if not isinstance(json.loads(text), list):
        raise ValueError("not written as a JSON array")
    decoder = json.JSONDecoder()
    elements: list[str] = []
    place = _past(_BLANK, text, text.index("[") + 1)
    while text[place] != "]":
        _, end = decoder.raw_decode(text, place)
        elements.append(text[place:end])
        place = _past(_COMMA, text, end)
    return elements


_BLANK, _COMMA = re.compile(r"\s*"), re.compile(r"\s*,?\s*")


def _past(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where ``pattern``, which may match nothing, ends."""
    found = pattern.match(text, place)
    return place if found is None else found.end()
