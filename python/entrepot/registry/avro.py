"""Avro schemas: the rows that they describe. Debezium's carry the types of Kafka Connect as properties (`connect.name` …)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from entrepot.mapping.connect import DECIMAL, ConnectType
from entrepot.registry.definitions import Definition, Definitions, UnreadableError, referred
from entrepot.registry.shape import ENVELOPE, OF_DEBEZIUM, Field, NoRowError, Shape

PRIMITIVE = {
    "null": "string", "boolean": "boolean", "int": "int32", "long": "int64", "float": "float", "double": "double", "bytes": "bytes",
    "string": "string",
}  # fmt: skip
NAMED = ("record", "error", "enum", "fixed")
# Avro's logical types, each with the type that it is of, by the name of what travels alike in Debezium's records. Of another type it says nothing
LOGICAL = {
    ("int", "date"): "org.apache.kafka.connect.data.Date",
    ("int", "time-millis"): "org.apache.kafka.connect.data.Time", ("long", "time-micros"): "io.debezium.time.MicroTime",
    ("long", "timestamp-millis"): "org.apache.kafka.connect.data.Timestamp", ("long", "timestamp-micros"): "io.debezium.time.MicroTimestamp",
    ("long", "timestamp-nanos"): "io.debezium.time.NanoTimestamp", ("long", "local-timestamp-millis"): "org.apache.kafka.connect.data.Timestamp",
    ("long", "local-timestamp-micros"): "io.debezium.time.MicroTimestamp", ("long", "local-timestamp-nanos"): "io.debezium.time.NanoTimestamp",
    ("string", "uuid"): "io.debezium.data.Uuid",
}  # fmt: skip
# how many records within records are told apart, as in landing
DEPTH = 10
Names = dict[str, Mapping[str, Any]]


def shape_of(definition: Definition, there: Definitions) -> Shape:
    """Return the row of a message: of Debezium's envelope the record `after`, else the record itself.

    Args:
        definition: an Avro schema
        there: what it may refer to

    Raises:
        UnreadableError: it is no Avro schema
        NoRowError: its messages hold no row of a table
    """
    names = named_types(definition, there)
    record = _record(parsed(definition), "", names)
    if record is None:
        raise NoRowError("a value that is no record")
    if OF_DEBEZIUM.match(_name(record, "")):
        raise NoRowError("messages of Debezium about itself")
    fields = {field["name"]: field for field in record["fields"]}
    is_image = set(fields) >= ENVELOPE
    if is_image:
        record = _record(fields["after"]["type"], _namespace(record, ""), names)
        if record is None:
            raise UnreadableError("its field after is no record")
    space = _namespace(record, "")
    return Shape.of((_field(one, space, names) for one in record["fields"]), str(record.get("doc") or ""), is_image)


def named_types(definition: Definition, there: Definitions) -> Names:
    """Return the named types of a schema and of what it refers to, {full name: type}.

    Raises:
        UnreadableError: one of them is no Avro schema
    """
    names: Names = {}
    for _, other in referred(definition, there):
        _collect(parsed(other), "", names)
    _collect(parsed(definition), "", names)
    return names


def parsed(definition: Definition) -> Any:
    """Return the JSON of an Avro schema.

    Raises:
        UnreadableError: it is none
    """
    try:
        return json.loads(definition.text)
    except (ValueError, RecursionError):
        # the bare name of a primitive type is a schema, too
        if definition.text.strip() in PRIMITIVE:
            return definition.text.strip()
        raise UnreadableError("it is no Avro schema") from None


def _collect(schema: Any, space: str, names: Names) -> None:
    """Note down the named types of a schema, as full names; a record's namespace goes into it.

    Raises:
        UnreadableError: a named type has no name, or a record no fields
    """
    if isinstance(schema, list):
        for one in schema:
            _collect(one, space, names)
    elif isinstance(schema, dict):
        kind = schema.get("type")
        if kind in NAMED:
            if not isinstance(schema.get("name"), str):
                raise UnreadableError(f"a type {kind} has no name")
            names[_name(schema, space)] = {**schema, "namespace": _namespace(schema, space)}
            space = _namespace(schema, space)
        if kind in ("record", "error"):
            for field in _fields(schema):
                _collect(field["type"], space, names)
        for part in ("type", "items", "values"):
            if isinstance(schema.get(part), dict | list):
                _collect(schema[part], space, names)


def _fields(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    fields = record.get("fields")
    if not isinstance(fields, list) or not all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and "type" in one for one in fields
    ):
        raise UnreadableError(f"the record {record.get('name')} has no fields with names and types")
    if twice := [name for name, times in Counter(one["name"] for one in fields).items() if times > 1]:
        raise UnreadableError(f"the record {record.get('name')} has the field {twice[0]} more than once")
    return fields


def _name(schema: Mapping[str, Any], space: str) -> str:
    """The full name of a named type within a namespace."""
    name, inside = str(schema["name"]), _namespace(schema, space)
    return name if "." in name or not inside else f"{inside}.{name}"


def _namespace(schema: Mapping[str, Any], space: str) -> str:
    name = str(schema["name"])
    return name.rpartition(".")[0] if "." in name else str(schema.get("namespace", space) or "")


def resolved(schema: Any, space: str, names: Names) -> Any:
    """Return a schema in the place of its name.

    Raises:
        UnreadableError: there is none of this name
    """
    if isinstance(schema, str) and schema not in PRIMITIVE:
        found = names.get(schema if "." in schema or not space else f"{space}.{schema}") or names.get(schema)
        if found is None:
            raise UnreadableError(f"it names a type {schema} that neither it nor what it refers to defines")
        return found
    if isinstance(schema, dict) and isinstance(schema.get("type"), dict):
        return resolved(schema["type"], space, names)
    return schema


def _alone(schema: Any) -> Any:
    """The one type beside null of a union; a union of several as it is."""
    if isinstance(schema, list):
        others = [one for one in schema if one != "null"]
        return others[0] if len(others) == 1 else others
    return schema


def _record(schema: Any, space: str, names: Names) -> Mapping[str, Any] | None:
    """The record that a schema is; None where it is none."""
    found = resolved(_alone(schema), space, names)
    if isinstance(found, dict) and found.get("type") == "record":
        _fields(found)
        return {**found, "namespace": _namespace(found, space)}
    return None


def _field(field: Mapping[str, Any], space: str, names: Names) -> Field:
    beside = _alone(field["type"])
    told = beside if isinstance(beside, dict) else {}
    says = field.get("doc") or told.get("connect.doc") or ""
    aliases = field["aliases"] if isinstance(field.get("aliases"), list) else []
    return Field(str(field["name"]), connect_type(beside, space, names), str(says), tuple(map(str, aliases)))


def connect_type(schema: Any, space: str, names: Names, within: tuple[str, ...] = ()) -> ConnectType:
    """Return how values of an Avro type travel: records, and unions of several types, as objects; enums as texts.

    Args:
        schema: the type
        space: the namespace that it is named in
        names: the types that it may name
        within: the records that it is in; one that contains itself ends there

    Raises:
        UnreadableError: it names a type that is not defined, or is none
    """
    found = resolved(_alone(schema), space, names)
    if isinstance(found, list):
        return ConnectType("struct")
    if isinstance(found, str):
        return ConnectType(PRIMITIVE[found])
    if not isinstance(found, dict):
        raise UnreadableError(f"it has a type that is none: {json.dumps(found)[:60]}")
    kind, name = found.get("type"), found.get("connect.name")
    if isinstance(kind, list):
        return connect_type(kind, space, names, within)
    if kind == "array":
        return ConnectType("array", name, items=connect_type(found.get("items"), space, names, within))
    if kind in ("record", "error"):
        return _record_type(found, name, space, names, within)
    if kind == "map":
        return ConnectType("map", name, values=connect_type(found.get("values"), space, names, within))
    if kind in ("enum", "fixed"):
        return _named_type({**found, "type": "string" if kind == "enum" else "bytes"})
    if isinstance(kind, str):
        return _named_type(found) if kind in PRIMITIVE else connect_type(kind, space, names, within)
    raise UnreadableError(f"it has a type that is none: {json.dumps(kind)[:60]}")


def _record_type(found: Mapping[str, Any], name: Any, space: str, names: Names, within: tuple[str, ...]) -> ConnectType:
    """A record with what is inside; one of Debezium's is one value."""
    if isinstance(name, str) and name.startswith("io.debezium."):
        return ConnectType("struct", name)
    full = _name(found, space)
    if full in within or len(within) == DEPTH:
        return ConnectType("struct")
    inside, fields = _namespace(found, space), _fields(found)
    told = [(str(one["name"]), connect_type(one["type"], inside, names, (*within, full))) for one in fields]
    return ConnectType("struct", fields=tuple(told))


def _named_type(found: Mapping[str, Any]) -> ConnectType:
    """A type that Kafka Connect's properties or a logical type say more of."""
    physical, name = str(found.get("connect.type") or PRIMITIVE[found["type"]]), found.get("connect.name")
    logical = found.get("logicalType")
    if isinstance(name, str) and name != DECIMAL:
        return ConnectType(physical, name)
    if name == DECIMAL or (logical == "decimal" and found["type"] == "bytes"):
        told = found["connect.parameters"] if isinstance(found.get("connect.parameters"), dict) else {}
        parameters = {"scale": str(found.get("scale", told.get("scale", 0)))}
        precision = found.get("precision", told.get("connect.decimal.precision"))
        return ConnectType(
            "bytes", DECIMAL, parameters | ({"connect.decimal.precision": str(precision)} if precision else {})
        )
    return ConnectType(physical, LOGICAL.get((found["type"], str(logical))))
