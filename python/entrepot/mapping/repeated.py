"""Arrays of records in entities: attributes such as `lines[].item_code` are fields of the elements of one column, `lines` (decision 39)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from entrepot.mapping.paths import ELEMENTS, in_backticks
from entrepot.mapping.trees import EntityAttribute
from entrepot.mapping.types import spark_type

SEPARATOR = f"{ELEMENTS}."


@dataclass(frozen=True, slots=True)
class EntityColumn:
    """A column of the images of an entity.

    Attributes:
        attribute: its name, type and key; of an array of records, `array<struct<…>>`
        fields: of an array of records, {field: the entity's attribute}; empty of any other
    """

    attribute: EntityAttribute
    fields: dict[str, EntityAttribute]


def parts_of(entity_attribute: str) -> tuple[str, str]:
    """Return the column and the field of an entity's attribute; no field where it is a column.

    >>> parts_of("lines[].item_code"), parts_of("name")
    (('lines', 'item_code'), ('name', ''))
    """
    column, _, field = entity_attribute.partition(SEPARATOR)
    return column, field


def columns_of(attributes: Iterable[EntityAttribute]) -> list[EntityColumn]:
    """Return the columns that attributes are, each where its first attribute stands.

    >>> some = [EntityAttribute(name, "integer", False, name) for name in ("lines[].n", "id", "lines[].m")]
    >>> [(one.attribute.name, one.attribute.data_type, one.attribute.description) for one in columns_of(some)]
    [('lines', 'array<struct<n: bigint, m: bigint>>', 'n: lines[].n; m: lines[].m'), ('id', 'integer', 'id')]
    """
    found: dict[str, list[tuple[str, EntityAttribute]]] = {}
    for one in attributes:
        column, field = parts_of(one.name)
        found.setdefault(column, []).append((field, one))
    return [_column(name, fields) for name, fields in found.items()]


def _column(name: str, fields: list[tuple[str, EntityAttribute]]) -> EntityColumn:
    if not fields[0][0]:
        return EntityColumn(fields[0][1], {})
    inside = ", ".join(f"{_quoted(field)}: {spark_type(one.data_type)}" for field, one in fields)
    says = "; ".join(f"{field}: {one.description}" for field, one in fields)
    return EntityColumn(EntityAttribute(name, f"array<struct<{inside}>>", False, says), dict(fields))


def _quoted(field: str) -> str:
    return field if re.fullmatch(r"[A-Za-z_]\w*", field, re.ASCII) else in_backticks(field)
