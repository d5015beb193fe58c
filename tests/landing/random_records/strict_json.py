"""JSON as RFC 8259 has it, and every number as it is written."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

# a JSON reader of Java (Jackson) goes no deeper and reads no longer numbers
DEEPEST = 1000
LONGEST_NUMBER = 1000
sys.setrecursionlimit(20 * DEEPEST)


class Broken(ValueError):  # noqa: N818 (as landing calls it)
    """A text that is no JSON."""


class Number(str):
    """A number, digit for digit."""


class Object(dict[str, Any]):
    """An object; of fields that are called the same the last one counts. `pairs` are all of them."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def _number(text: str) -> Number:
    if len(text) > LONGEST_NUMBER:
        raise Broken("a number is too long")
    return Number(text)


def _refuse(constant: str) -> None:
    raise Broken(f"{constant} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=Object, parse_float=_number, parse_int=_number, parse_constant=_refuse)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BLANK = " \t\r\n"


def first_value(text: str) -> tuple[Any, str]:
    """The JSON value that a text begins with, and what follows it.

    >>> first_value('{"a": 1.10} x')
    ({'a': '1.10'}, 'x')
    """
    if depth(text) > DEEPEST:
        raise Broken("too deep")
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise Broken(str(error)) from error
    return value, text[end:].strip(_BLANK)


def depth(text: str) -> int:
    """How many objects and lists of a text stand within each other; 0 where there are few at all."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return 0
    deepest = now = 0
    for bracket in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        now += 1 if bracket in "[{" else -1
        deepest = max(deepest, now)
    return deepest


def only_value(text: str) -> Any:
    """The one JSON value that a text is."""
    value, rest = first_value(text)
    if rest:
        raise Broken("more follows")
    return value


def text_of(value: Any) -> str | None:
    """A JSON value as text: a text is itself, null is none, anything else its JSON."""
    if value is None or (isinstance(value, str) and not isinstance(value, Number)):
        return value
    return dumped(value)


def dumped(value: Any) -> str:
    """JSON without blanks, numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Object):
        return "{" + ",".join(f"{json.dumps(name)}:{dumped(inner)}" for name, inner in value.pairs) + "}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{dumped(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumped, value)) + "]"
    return json.dumps(value)


def normal(text: str | None) -> str | None:
    """A text that is JSON, without what does not count: blanks and how characters are written."""
    if text is None:
        return None
    try:
        return dumped(only_value(text))
    except Broken:
        return text
