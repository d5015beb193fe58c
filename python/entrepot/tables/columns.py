"""The columns of a version of a Delta table, with their types as Spark writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NAMES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name and type.

    Attributes:
        name: as the table has it
        type: in Spark's words, such as `array<struct<a:int>>`
    """

    name: str
    type: str


def columns_of_schema(schema: Any) -> tuple[Column, ...]:
    """Return the columns of a schema as Delta's log writes it.

    >>> columns_of_schema({"type": "struct", "fields": [{"name": "a", "type": "long"}]})
    (Column(name='a', type='bigint'),)
    """
    return tuple(Column(field["name"], type_text(field["type"])) for field in schema["fields"])


def type_text(written: Any) -> str:
    """Return a type as Spark writes it in SQL, from how Delta's log writes it.

    >>> type_text({"type": "array", "elementType": {"type": "map", "keyType": "string", "valueType": "decimal(3,1)"}})
    'array<map<string,decimal(3,1)>>'
    """
    if isinstance(written, str):
        return NAMES.get(written, written)
    if written["type"] == "array":
        return f"array<{type_text(written['elementType'])}>"
    if written["type"] == "map":
        return f"map<{type_text(written['keyType'])},{type_text(written['valueType'])}>"
    if written["type"] == "struct":
        return f"struct<{','.join(f'{column.name}:{column.type}' for column in columns_of_schema(written))}>"
    return type_text(written["type"])
