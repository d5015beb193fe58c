"""JSON Schemas: the rows that they describe. Those of Confluent's converter carry the types of Kafka Connect (`connect.type` …)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urljoin

from entrepot.mapping.connect import DECIMAL, ConnectType
from entrepot.registry.definitions import Definition, Definitions, UnreadableError, referred
from entrepot.registry.shape import ENVELOPE, OF_DEBEZIUM, Field, NoRowError, Shape

PLAIN = {
    "boolean": "boolean",
    "integer": "int64",
    "number": "double",
    "string": "string",
    "object": "struct",
    "array": "array",
}
# JSON Schema's formats by the name of what travels alike in Debezium's records
FORMATS = {
    "date": "io.debezium.time.IsoDate", "time": "io.debezium.time.IsoTime", "date-time": "io.debezium.time.ZonedTimestamp",
    "uuid": "io.debezium.data.Uuid",
}  # fmt: skip
CHOICES = ("oneOf", "anyOf", "allOf")
STEPS = 50  # references that lead to references
# how many objects within objects are told apart, as in landing
DEPTH = 10
Documents = Mapping[str, Any]


def shape_of(definition: Definition, there: Definitions) -> Shape:
    """Return the row of a message: of Debezium's envelope the object `after`, else the object itself.

    Args:
        definition: a JSON Schema
        there: what it may refer to

    Raises:
        UnreadableError: it is no JSON Schema
        NoRowError: its messages hold no row of a table
    """
    documents = {name: _parsed(other) for name, other in referred(definition, there)}
    root = _parsed(definition)
    found, document = _object(root, root, documents)
    if found is None:
        raise NoRowError("a value that is no object")
    if OF_DEBEZIUM.match(str(found.get("title", ""))):
        raise NoRowError("messages of Debezium about itself")
    is_image = set(found["properties"]) >= ENVELOPE
    if is_image:
        found, document = _object(found["properties"]["after"], document, documents)
        if found is None:
            raise UnreadableError("its property after is no object")
    fields = (_field(name, one, document, documents) for name, one in _in_order(found["properties"]))
    return Shape.of(fields, _says(found), is_image)


def _parsed(definition: Definition) -> Any:
    try:
        found = json.loads(definition.text)
    except (ValueError, RecursionError):
        raise UnreadableError("it is no JSON") from None
    if not isinstance(found, dict):
        raise UnreadableError("it is no JSON Schema of an object")
    return found


def _in_order(properties: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Properties in the order in which Kafka Connect has them, else as they are written."""

    def place(item: tuple[int, tuple[str, Any]]) -> tuple[int, int]:
        index = item[1][1].get("connect.index") if isinstance(item[1][1], dict) else None
        return (index, item[0]) if isinstance(index, int) else (item[0], item[0])

    return [one for _, one in sorted(enumerate(properties.items()), key=place)]


def _resolved(schema: Any, document: Any, documents: Documents) -> tuple[Mapping[str, Any], Any]:
    """A schema in the place of its reference, and the document that it stands in.

    Raises:
        UnreadableError: the reference leads nowhere, or in a circle, or what is there is no schema
    """
    for _ in range(STEPS):
        if not isinstance(schema, dict):
            return {}, document
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema, document
        name, _, path = reference.partition("#")
        if name:
            whole = urljoin(str(document.get("$id", "")), name)
            document = documents.get(name, documents.get(whole))
        schema = document
        for part in (unquote(one).replace("~1", "/").replace("~0", "~") for one in path.split("/")[1:]):
            schema = schema.get(part) if isinstance(schema, dict) else None
        if schema is None:
            raise UnreadableError(f"its reference {reference} leads to nothing")
    raise UnreadableError("its references lead in a circle")


def _alone(schema: Any, document: Any, documents: Documents) -> tuple[Mapping[str, Any], Any]:
    """The one schema beside null of a choice, resolved; a choice of several as it is."""
    found, document = _resolved(schema, document, documents)
    for _ in range(STEPS):
        others = [one for word in CHOICES for one in _listed(found.get(word)) if one != {"type": "null"}]
        if len(others) != 1:
            return found, document
        # what is said beside the choice holds for it
        beside = {name: value for name, value in found.items() if name not in CHOICES}
        chosen, document = _resolved(others[0], document, documents)
        found = beside | dict(chosen)
    raise UnreadableError("its choices lead in a circle")


def _object(schema: Any, document: Any, documents: Documents) -> tuple[Mapping[str, Any] | None, Any]:
    """The object with properties that a schema is; None where it is none."""
    found, document = _alone(schema, document, documents)
    return (found if isinstance(found.get("properties"), dict) else None), document


def _listed(told: Any) -> list[Any]:
    return told if isinstance(told, list) else []


def _types(found: Mapping[str, Any]) -> Iterator[str]:
    told = found.get("type")
    yield from (one for one in (_listed(told) or [told]) if isinstance(one, str) and one != "null")


def _says(found: Mapping[str, Any]) -> str:
    return str(found.get("description") or "")


def _field(name: str, schema: Any, document: Any, documents: Documents) -> Field:
    found, _ = _alone(schema, document, documents)
    return Field(name, connect_type(schema, document, documents), _says(found))


def connect_type(schema: Any, document: Any, documents: Documents, within: tuple[int, ...] = ()) -> ConnectType:
    """Return how values of a JSON Schema travel; what may be of several types, or of any, travels as an object may.

    Args:
        schema: the schema
        document: what it stands in
        documents: what it may refer to
        within: the objects that it is in; one that contains itself ends there

    Raises:
        UnreadableError: a reference leads nowhere
    """
    found, document = _alone(schema, document, documents)
    types = list(_types(found))
    told = str(found.get("connect.type") or "")
    name = str(found["title"]) if told and isinstance(found.get("title"), str) else None
    if not types and "enum" in found:
        types = ["string"]
    if set(types) == {"integer", "number"}:
        types = ["number"]
    if len(types) != 1 or types[0] not in PLAIN:
        return ConnectType("struct")
    kind = types[0]
    if kind == "array":
        return ConnectType("array", items=connect_type(found.get("items"), document, documents, within))
    if kind == "object":
        values = found.get("additionalProperties")
        if told == "map" or ("properties" not in found and isinstance(values, dict)):
            return _map_type(values, document, documents, within)
        return _object_type(found, document, documents, within)
    if name == DECIMAL:
        parameters = found.get("connect.parameters")
        told_parameters = parameters if isinstance(parameters, dict) else {}
        return ConnectType("bytes", name, {key: str(value) for key, value in told_parameters.items()})
    if name or told:
        return ConnectType(told, name)
    if found.get("contentEncoding") == "base64":
        return ConnectType("bytes")
    return ConnectType(PLAIN[kind], FORMATS.get(str(found.get("format"))) if kind == "string" else None)


def _map_type(values: Any, document: Any, documents: Documents, within: tuple[int, ...]) -> ConnectType:
    """An object whose keys are none of the schema's; `values` is the schema of its values, where there is one."""
    if not isinstance(values, dict) or id(values) in within or len(within) == DEPTH:
        return ConnectType("map")
    return ConnectType("map", values=connect_type(values, document, documents, (*within, id(values))))


def _object_type(found: Mapping[str, Any], document: Any, documents: Documents, within: tuple[int, ...]) -> ConnectType:
    """An object with what is inside; one of Debezium's is one value."""
    if str(found.get("title", "")).startswith("io.debezium."):
        return ConnectType("struct", str(found["title"]))
    properties = found.get("properties")
    if not isinstance(properties, dict) or id(properties) in within or len(within) == DEPTH:
        return ConnectType("struct")
    inside = (*within, id(properties))
    told = [(name, connect_type(one, document, documents, inside)) for name, one in _in_order(properties)]
    return ConnectType("struct", fields=tuple(told))
