"""Between which literals the values of some columns lie: what lets Delta skip files, which a join does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entrepot.sql import exact_literal

MOST_CHARACTERS = 100


def bounds_question(view: str, columns: Sequence[str]) -> str:
    """Return the query that `bounds_of` reads."""
    parts = [
        f"max(typeof({column})) as type_{number}, concat('=', cast(min({column}) as string)) as least_{number}"
        f", concat('=', cast(max({column}) as string)) as most_{number}, count_if({column} is null) as nulls_{number}"
        for number, column in enumerate(columns, 1)
    ]
    return f"select {', '.join(parts)} from {view}"


def bounds_of(columns: Sequence[str], found: Mapping[str, Any]) -> dict[str, str]:
    """Return conditions that all values of some columns meet, {column: `between … and …`}.

    Columns with nulls have none, nor have types whose text is not exact.

    >>> bounds_of(["a"], {"type_1": "int", "least_1": "=3", "most_1": "=7", "nulls_1": 0})
    {'a': 'between 3 and 7'}
    """
    bounds = {}
    for number, column in enumerate(columns, 1):
        if found[f"least_{number}"] and not found[f"nulls_{number}"]:
            ends = [_literal(found[f"{end}_{number}"][1:], found[f"type_{number}"]) for end in ("least", "most")]
            if all(ends):
                bounds[column] = f"between {ends[0]} and {ends[1]}"
    return bounds


def _literal(text: str, type_: str) -> str | None:
    return None if type_ == "string" and len(text) > MOST_CHARACTERS else exact_literal(text, type_)
