"""Values in plain Python, written from docs/mapping.md (Types): what a field of an image is, or that it is none of its type."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any

from tests.landing.random_records.strict_json import Broken, Number, Object, only_value, text_of

PLACEHOLDERS = ("__debezium_unavailable_value", "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==")
EPOCH = datetime(1970, 1, 1)
UNITS = {"millis": 1000, "micros": 1_000_000, "nanos": 1_000_000_000}  # of a second
PRECISION = 38


class Misfit(Exception):  # noqa: N818 (it is no error)
    """A value that is none of its type, or of which nobody can tell what it is: null, with a `mapping_error`."""


Settings = Mapping[str, str]
Reader = Callable[[Any], Any]


def value_of(data_type: str, value: Any, settings: Settings, is_typed: bool) -> Any:
    """What a field of a column is; None where nothing was sent. Raises Misfit."""
    return None if value is None or is_placeholder(value) else read(data_type, value, settings, is_typed)


def is_placeholder(value: Any) -> bool:
    """Whether it stands for a large value that did not change."""
    return isinstance(value, str) and not isinstance(value, Number) and value in PLACEHOLDERS


def read(data_type: str, value: Any, settings: Settings, is_typed: bool) -> Any:
    """What a value of a type is, that has been sent."""
    if data_type.endswith("[]"):
        return array(data_type.removesuffix("[]"), value, settings, is_typed)
    told: Settings = {} if is_typed else settings
    base, _, arguments = data_type.rstrip(")").partition("(")
    numbers = [int(number) for number in arguments.split(",")] if arguments else []
    if base == "numeric":
        mode = "precise" if is_typed else told.get("decimal.handling.mode", "")
        return decimal(numbers, value, mode) if numbers else loose_decimal(value)
    if base in ("timestamp", "time", "date"):
        return moment(base, numbers, value, told.get("time.precision.mode", "adaptive"))
    if base == "bytea":
        mode = told.get("binary.handling.mode", "bytes")
        return data((text_of(value) or "") if mode == "hex" else quoted(value), mode)
    if base == "bit":
        return bits(quoted(value), numbers[0])
    return READERS[base](value)


def whole(size: int) -> Reader:
    """Whole numbers of so many bits. There is no -0 among them."""

    def read(value: Any) -> int:
        if not isinstance(value, Number) or not re.fullmatch("-?[1-9][0-9]*|0", value):
            raise Misfit
        if int(value) not in range(-(2 ** (size - 1)), 2 ** (size - 1)):
            raise Misfit
        return int(value)

    return read


def double(value: Any) -> float:
    """A number, or the word for what is none."""
    text = text_of(value) or ""
    if text in ("NaN", "Infinity", "-Infinity"):
        return float(text)
    if not re.fullmatch(r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?", text):
        raise Misfit
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Misfit
    return number


def boolean(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Misfit
    return value


def base64_bytes(text: str) -> bytes:
    """Base64, read strictly."""
    if not re.fullmatch("[0-9A-Za-z+/]*={0,2}", text) or len(text) % 4:
        raise Misfit
    try:
        return base64.b64decode(text)
    except ValueError:
        raise Misfit from None


def unscaled(text: str) -> int:
    """A big-endian number in two's complement."""
    content = base64_bytes(text)
    number = int.from_bytes(content, "big", signed=True)
    if not content or abs(number) >= 10**PRECISION:
        raise Misfit
    return number


def quoted(value: Any) -> str:
    """A text of JSON; what stands without quotes is no Base64."""
    if not isinstance(value, str) or isinstance(value, Number):
        raise Misfit
    return value


def number_of(text: str) -> Decimal:
    """A number in JSON, quoted or not."""
    if not re.fullmatch(r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]{1,2})?", text):
        raise Misfit
    return Decimal(text)


def decimal(numbers: list[int], value: Any, mode: str) -> Decimal:
    """`numeric(p,s)`; where nobody has said how it travels, what it can only be."""
    precision, scale = numbers
    text = text_of(value) or ""
    is_number = re.fullmatch(r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?", text) is not None
    if mode == "":
        if is_number and not isinstance(value, Number) and re.fullmatch("[0-9A-Za-z+/]{4}(?:[0-9A-Za-z+/]{4})*", text):
            raise Misfit  # it may be either
        mode = "string" if is_number else "precise"
    return fitting(number_of(text) if mode != "precise" else scaled(unscaled(quoted(value)), scale), precision, scale)


def scaled(number: int, scale: int) -> Decimal:
    """A number of which so many digits stand after the point."""
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def fitting(number: Decimal, precision: int, scale: int) -> Decimal:
    """A number that an exact type holds, to its last digit."""
    with localcontext() as context:
        context.prec = 3000
        if number != number.quantize(Decimal(1).scaleb(-scale)) or abs(number) >= 10 ** (precision - scale):
            raise Misfit
    return number


def loose_decimal(value: Any) -> Decimal:
    """`numeric`: an object of scale and Base64, or a number."""
    if not isinstance(value, Object):
        text = text_of(value) or ""
        if not text.startswith("{"):
            return number_of(text)
        try:
            value = only_value(text)
        except Broken:
            raise Misfit from None
    scale, digits = value.get("scale"), value.get("value")
    if digits is None or abs(whole(32)(scale)) > 1000:
        raise Misfit
    return scaled(unscaled(text_of(digits) or ""), int(scale))


def moment(base: str, numbers: list[int], value: Any, mode: str) -> Any:
    """Dates, timestamps and times of day, as counts or ISO texts."""
    if mode == "isostring":
        return iso(base, text_of(value) or "")
    if base == "date":
        return day(whole(32)(value))
    adapted = "millis" if numbers and numbers[0] <= 3 else "micros"
    unit = {"connect": "millis", "microseconds": "micros", "nanoseconds": "nanos"}.get(mode, adapted)
    if mode == "adaptive_time_microseconds" and base == "time":
        unit = "micros"
    count = whole(64)(value) * UNITS["micros"]
    if count % UNITS[unit]:
        raise Misfit
    micros = count // UNITS[unit]
    if base == "time":
        return time_of_day(micros)
    return after_epoch(micros)


def day(number: int) -> date:
    """The day so many days after 1970-01-01."""
    return after_epoch(number * 86_400 * UNITS["micros"]).date()


def after_epoch(micros: int) -> datetime:
    """The moment so many microseconds after 1970, in the years 1 to 9999."""
    try:
        return EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise Misfit from None


def time_of_day(micros: int) -> str:
    """`HH:mm:ss.SSSSSS`; 24:00:00 is one."""
    if not 0 <= micros <= 86_400 * UNITS["micros"]:
        raise Misfit
    seconds, rest = divmod(micros, UNITS["micros"])
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:06}"


def iso(base: str, text: str) -> Any:
    """An ISO 8601 text: a date, a moment with its offset, a time of day in UTC."""
    clock = r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.]([0-9]{1,6})0*)?)?"
    if base == "time":
        midnight = re.fullmatch(r"24:00:00(?:[.]0+)?Z?", text)
        found = re.fullmatch(rf"{clock}Z?", text)
        if midnight:
            return "24:00:00.000000"
        if not found or not found[3]:
            raise Misfit
        return f"{found[1]}:{found[2]}:{found[3]}.{(found[4] or '').ljust(6, '0')}"
    date_text, rest = text[:10], text[10:]
    try:
        on = date.fromisoformat(date_text) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", date_text) else None
    except ValueError:
        on = None
    if on is None:
        raise Misfit
    if base == "date":
        if rest not in ("", "Z"):
            raise Misfit
        return on
    found = re.fullmatch(rf"[T ]{clock}(Z|([+-])([0-9]{{2}})(?::?([0-9]{{2}}))?)", rest)
    if not found:
        raise Misfit
    offset = int(found[7] or 0) * 60 + int(found[8] or 0)
    if offset > 18 * 60 or int(found[8] or 0) > 59:
        raise Misfit
    seconds = int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0) - (-60 if found[6] == "-" else 60) * offset
    days = (on - EPOCH.date()).days
    return after_epoch((days * 86_400 + seconds) * UNITS["micros"] + int((found[4] or "").ljust(6, "0")))


def data(text: str, mode: str) -> bytes:
    """Bytes: Base64, URL-safe Base64 or hexadecimal."""
    if mode == "hex":
        if not re.fullmatch("([0-9A-Fa-f]{2})*", text):
            raise Misfit
        return bytes.fromhex(text)
    if mode == "base64-url-safe":
        if set(text) & set("+/"):
            raise Misfit
        text = text.replace("-", "+").replace("_", "/")
    return base64_bytes(text)


def bits(text: str, length: int) -> str:
    """`bit(length)`: Base64 of bytes, lowest bits first."""
    number = int.from_bytes(base64_bytes(text), "little")
    if number.bit_length() > length:
        raise Misfit
    return f"{number:0{length}b}"


def array(data_type: str, value: Any, settings: Settings, is_typed: bool) -> list[Any] | None:
    """An array, element by element."""
    if not isinstance(value, list):
        raise Misfit
    if len(value) == 1 and is_placeholder(value[0]):
        return None
    return [None if element is None else read(data_type, element, settings, is_typed) for element in value]


def text(value: Any) -> str | None:
    """A text; anything else as JSON. Half a character is none."""
    found = text_of(value)
    if any(0xD800 <= ord(character) < 0xE000 for character in found or ""):
        raise Misfit
    return found


READERS: dict[str, Reader] = {
    "smallint": whole(32), "integer": whole(32), "bigint": whole(64), "double precision": double, "boolean": boolean,
    "timestamptz": lambda value: iso("timestamptz", text_of(value) or ""), "text": text, "uuid": text, "jsonb": text,
}  # fmt: skip
