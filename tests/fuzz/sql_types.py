"""The types of the fuzzer's columns: their names in both engines, their literals, and how values are compared.

Where Spark and DuckDB differ by definition, this module says what counts as equal:
  -0.0 equals 0.0, and NaN equals NaN (as in group by and `<=>` of both engines);
  decimals are equal by value, whatever their scale;
  timestamps are compared as microseconds since 1970 UTC, so that no time zone of a client takes part;
  structs are compared as the tuple of their values.
"""

from __future__ import annotations

import math
import random
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from tests.support.spark import canonical

Dialect = Literal["spark", "duckdb"]
Type = Literal["int", "decimal", "text", "double", "timestamp", "list", "struct"]
Value = Any
Row = tuple[Value, ...]

NAMES: dict[Dialect, dict[str, str]] = {
    "spark": {
        "int": "bigint",
        "decimal": "decimal(28, 2)",
        "text": "string",
        "double": "double",
        "timestamp": "timestamp",
        "list": "array<bigint>",
        "struct": "struct<x: bigint, y: string>",
    },
    "duckdb": {
        "int": "bigint",
        "decimal": "decimal(28, 2)",
        "text": "varchar",
        "double": "double",
        "timestamp": "timestamp",
        "list": "bigint[]",
        "struct": "struct(x bigint, y varchar)",
    },
}
# what may be grouped, joined and ordered by; lists and structs are only carried along and taken apart
KEYABLE: tuple[Type, ...] = ("int", "decimal", "text", "double", "timestamp")
LARGEST = Decimal("99999999999999999999999999.99")
_POOL: dict[Type, list[Value]] = {
    "int": [1, 2, 3, 4, 5, 0, -1],
    "decimal": [Decimal("0.00"), Decimal("1.50"), Decimal("-1.50"), Decimal("10.01"), LARGEST, -LARGEST],
    "text": ["a", "A", "b", "", "a ", "null", "it's", "a, b) as k", "-- a"],
    "double": [0.0, -0.0, 1.5, -2.25, math.nan, math.inf],
    "timestamp": [
        datetime(2024, 1, 1),
        datetime(2024, 1, 1, 0, 0, 0, 1),
        datetime(2024, 3, 31, 1, 30),
        datetime(1969, 12, 31),
    ],
    "list": [[], [1], [1, 2, 2], [3, None], [5, 4]],
    "struct": [(1, "a"), (None, None), (2, "A"), (3, None)],
}


def random_value(random_: random.Random, type_: Type, nulls: float = 0.15) -> Value:
    """Return a value out of a few, so that rows meet; null now and then."""
    return None if random_.random() < nulls else random_.choice(_POOL[type_])


def literal(value: Value, type_: Type, dialect: Dialect) -> str:
    """Write a value as SQL of exactly its type."""
    name = NAMES[dialect][type_]
    if value is None:
        return f"cast(null as {name})"
    if type_ == "text":
        escaped = value.replace("'", "\\'" if dialect == "spark" else "''")
        return f"'{escaped}'"
    if type_ == "list":
        items = ", ".join("null" if item is None else str(item) for item in value)
        return f"cast({'array(' + items + ')' if dialect == 'spark' else '[' + items + ']'} as {name})"
    if type_ == "struct":
        x, y = literal(value[0], "int", dialect), literal(value[1], "text", dialect)
        text = f"named_struct('x', {x}, 'y', {y})" if dialect == "spark" else f"{{'x': {x}, 'y': {y}}}"
        return f"cast({text} as {name})"
    if type_ == "timestamp":
        return f"timestamp '{value}'"
    return f"cast('{value}' as {name})" if type_ == "double" else f"cast({value} as {name})"


def comparable(column: str, type_: Type, dialect: Dialect) -> str:
    """Write a column so that both clients return it alike."""
    if type_ == "timestamp":
        return f"{'unix_micros' if dialect == 'spark' else 'epoch_us'}({column}) as {column}"
    return column


def normal(value: Value) -> Value:
    """Bring a returned value to the one form in which equal values are equal in Python."""
    if isinstance(value, dict):
        return normal(tuple(value.values()))
    if isinstance(value, list | tuple):
        return tuple(normal(item) for item in value)
    return canonical(value)
