"""What a column of the result follows in an upstream: a column, or an expression over columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from entrepot.sql import quoted


@dataclass(frozen=True, slots=True)
class Computed:
    """A deterministic expression over columns of one upstream.

    Attributes:
        parts: its SQL, in turn a text and a column's name, the first and the last a text
        type: the type of its values
    """

    parts: tuple[str, ...]
    type: str = field(default="", compare=False)

    def over(self, row: str = "") -> str:
        """Return the expression as SQL over a row with an alias.

        >>> Computed(("year(", "day", ")")).over("_row"), Computed(("year(", "day", ")")).over()
        ('year(_row.`day`)', 'year(`day`)')
        """
        before = f"{row}." if row else ""
        return "".join(
            before + quoted(part) if position % 2 else part for position, part in enumerate(self.parts)
        )  # fmt: skip


Value = str | Computed
Trace = Mapping[str, Value]


def value_sql(value: Value, row: str = "") -> str:
    """Return what is followed as SQL over a row with an alias.

    >>> value_sql("day", "_row"), value_sql("day")
    ('_row.day', 'day')
    """
    if isinstance(value, Computed):
        return value.over(row)
    return f"{row}.{value}" if row else value


def values_as(values: Sequence[Value], names: Sequence[str]) -> str:
    """Return what is followed with new names, for a select list.

    >>> values_as(["day", Computed(("year(", "day", ")"))], ["x", "y"])
    'day as x, year(`day`) as y'
    """
    return ", ".join(f"{value_sql(value)} as {name}" for value, name in zip(values, names, strict=True))


def values_equal(row: str, values: Sequence[Value], other: str, columns: Sequence[str]) -> str:
    """Return the condition that what is followed in one row equals columns of another; null equals null.

    >>> values_equal("l", ["a"], "r", ["x"])
    'l.a <=> r.x'
    """
    pairs = zip(values, columns, strict=True)
    return " and ".join(f"{value_sql(value, row)} <=> {other}.{column}" for value, column in pairs)


def value_as_json(value: Value) -> str | list[str]:
    """Return what is followed as JSON: a column's name, or the parts of an expression."""
    return list(value.parts) if isinstance(value, Computed) else value


def value_of_json(stored: Any) -> Value:
    """Read what is followed from JSON."""
    return stored if isinstance(stored, str) else Computed(tuple(stored))
