"""A definition read by the language that it is written in."""

from __future__ import annotations

from entrepot.registry import avro, json_schema
from entrepot.registry.definitions import AVRO, JSON, Definition, Definitions, UnreadableError
from entrepot.registry.shape import Shape

READERS = {AVRO: avro.shape_of, JSON: json_schema.shape_of}


def row_of(definition: Definition, there: Definitions) -> Shape:
    """Return the row that messages of a schema hold.

    Args:
        definition: the schema
        there: what it may refer to

    Raises:
        UnreadableError: it is of another type than Avro and JSON Schema, cannot be read, or refers to what is not there
        NoRowError: its messages hold no row of a table
    """
    reader = READERS.get(definition.schema_type)
    if reader is None:
        raise UnreadableError(f"it is of type {definition.schema_type}, and only Avro and JSON Schema are read")
    try:
        found = reader(definition, there)
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None
    if not found.fields:
        raise UnreadableError("it has no fields")
    return found
