"""How the texts of a seed's column become values, and which of them do not fit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEXT = re.compile(r"string|(?:var)?char\s*\(.*")
_LIMITED = re.compile(r"(?i)\s*(?:var)?char\s*\(\s*(\d+)\s*\)\s*")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a seed.

    Attributes:
        number: its position in the file, from 0
        name: its name, quoted as the seed's `quote_columns` says
        type: its type, as `column_types` or dbt names it
        value: SQL of the converted value, null where the text does not fit
        misfit: SQL condition that a text does not fit the type; none where every text does
    """

    number: int
    name: str
    type: str
    value: str
    misfit: str | None

    @property
    def text(self) -> str:
        """The column of texts that it is made from."""
        return text_of(self.number)


def text_of(number: int) -> str:
    """Return the name of a column of texts.

    >>> text_of(0)
    '_0'
    """
    return f"_{number}"


def column_of(number: int, name: str, type_: str, *, is_declared: bool) -> Column:
    """Return how a column is converted.

    Args:
        number: its position, from 0
        name: its name, quoted where it is to be
        type_: its type
        is_declared: whether `column_types` names the type; otherwise dbt has inferred it
    """
    text = text_of(number)
    value = _value(text, type_, is_declared)
    return Column(number, name, type_, value, _misfit(text, type_, value))


def _value(text: str, type_: str, is_declared: bool) -> str:
    """Return SQL that converts a text. `varchar` and `char` become string, as in Spark's own results.

    A number that dbt has inferred may be written 1,234 or 5% or $7 or 1.0 (for a bigint), as for dbt.
    """
    plain = type_.lower().strip()
    if _TEXT.fullmatch(plain):
        return text
    if is_declared or plain not in ("bigint", "double"):
        return f"try_cast({text} as {type_})"
    number = f"regexp_replace({text}, r'[%,_\\p{{Sc}}]', '')"
    if plain == "bigint":
        return f"try_cast(try_cast({number} as decimal(38, 6)) as bigint)"
    return f"try_cast({number} as double)"


def _misfit(text: str, type_: str, value: str) -> str | None:
    """Return the condition that a text does not fit: it has no value of the type, or is too long for a `varchar` or `char`."""
    limited = _LIMITED.fullmatch(type_)
    if limited:
        return f"length({text}) > {limited.group(1)}"
    return None if value == text else f"{text} is not null and {value} is null"
