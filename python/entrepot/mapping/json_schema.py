"""JSON Schema of the messages of an entity version (docs/mapping.md, Outgoing messages)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from entrepot.mapping.paths import VALUES
from entrepot.mapping.repeated import EntityColumn, Inside, columns_of
from entrepot.mapping.trees import EntityAttribute
from entrepot.mapping.types import spark_type

DIALECT = "https://json-schema.org/draft/2020-12/schema"
WHOLE = {"type": "integer"}
# what JSON has no number for, Spark writes as a text
NOT_FINITE = {"enum": ["NaN", "Infinity", "-Infinity"]}
FLOATING = {"anyOf": [{"type": "number"}, NOT_FINITE]}
TEXT = {"type": "string"}
TIME = {"type": "string", "format": "date-time"}
PLAIN: Mapping[str, dict[str, Any]] = {
    "bigint": WHOLE, "int": WHOLE, "smallint": WHOLE, "tinyint": WHOLE, "double": FLOATING, "float": FLOATING,
    "string": TEXT, "boolean": {"type": "boolean"}, "date": {"type": "string", "format": "date"}, "timestamp": TIME,
    "binary": {"type": "string", "contentEncoding": "base64"},
}  # fmt: skip
OPERATIONS = ["c", "r", "u", "d", "t"]


def message_schema(entity: str, version: int, attributes: Iterable[EntityAttribute]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the messages of an entity version, as macro `outgoing_messages` writes them.

    Attributes that are null are absent, so none is required. Of a truncate there is no image, of a delete no `after`.

    Args:
        entity: its name
        version: its number
        attributes: those of the version
    """
    named = {one.attribute.name: _column_schema(one) for one in columns_of(attributes)}
    image = {"$ref": "#/$defs/image"}
    source = {
        "system": TEXT,
        "schema": TEXT,
        "version": WHOLE,
        "event_id": TEXT,
        "transaction_id": TEXT,
        "committed_at": TIME,
    }
    places = dict.fromkeys(("log_commit", "log_position", "log_serial"), WHOLE)
    return {
        "$schema": DIALECT,
        "title": f"{entity}, version {version}",
        "type": "object",
        "properties": {
            "entity": {"const": entity},
            "entity_version": {"const": version},
            "op": {"enum": OPERATIONS},
            "before": image,
            "after": image,
            "mapping_state": TEXT,
            "nulls": {"type": "array", "items": {"enum": sorted(named)}},
            "source": _object({**source, **places}, ["system", "schema", "event_id", "committed_at", *places]),
        },
        "required": ["entity", "entity_version", "op", "source"],
        "additionalProperties": False,
        "$defs": {"image": _object(named, [])},
    }


def _column_schema(column: EntityColumn) -> dict[str, Any]:
    """The JSON Schema of a column of an entity."""
    return _inside_schema(column.inside) if column.inside else type_schema(spark_type(column.attribute.data_type))


def _inside_schema(inside: Inside) -> dict[str, Any]:
    """The JSON Schema of a part of a column; no field of a record, and no value of a key, has to be there."""
    if inside.attribute is not None:
        return type_schema(spark_type(inside.attribute.data_type))
    if inside.value is None:
        return _object({name: _inside_schema(one) for name, one in inside.fields.items()}, [])
    one = _inside_schema(inside.value)
    if inside.repeats == VALUES:
        return {"type": "array", "items": _object({"key": TEXT, "value": one}, ["key"])}
    return {"type": "array", "items": {"anyOf": [one, {"type": "null"}]}}


def type_schema(spark: str) -> dict[str, Any]:
    """Return the JSON Schema of values of a Spark type as Spark writes them; of one that has no name here, of anything.

    >>> type_schema("decimal(4, 2)"), type_schema("array<date>"), type_schema("interval")
    ({'type': 'number'}, {'type': 'array', 'items': {'anyOf': [{'type': 'string', 'format': 'date'}, {'type': 'null'}]}}, {})
    """
    written = re.sub(r"\s+", "", spark.lower())
    if written.startswith("decimal"):
        return {"type": "number"}
    if written.startswith("array<") and written.endswith(">"):
        # an element that is null stays where it stands
        return {"type": "array", "items": {"anyOf": [type_schema(written[6:-1]), {"type": "null"}]}}
    return dict(PLAIN.get(written, {}))


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}
