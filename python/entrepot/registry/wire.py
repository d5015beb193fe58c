"""Messages in the registry's wire format: what Spark reads them with, by the number of the schema that stands before each.

A message is a zero, the number in four bytes, and the record in Avro.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from entrepot.mapping.connect import ConnectType
from entrepot.registry.asking import KEY
from entrepot.registry.avro import NAMED, PRIMITIVE, named_types, parsed, resolved
from entrepot.registry.definitions import AVRO, Definition, Definitions, UnreadableError
from entrepot.registry.kept import Kept
from entrepot.registry.reading import row_of
from entrepot.registry.shape import NoRowError, Shape

# how a type of the schema is told beside its parts
PARTS = ("symbols", "size")


@dataclass(frozen=True, slots=True)
class WireSchema:
    """A schema by which messages are read.

    Attributes:
        number: its number in the registry, which messages carry
        is_key: whether keys have it
        is_value: whether values have it; a schema of two subjects may be both
        avro: the Avro schema for `from_avro`, complete in itself and without logical types, so that values come as Debezium's JSON has them; None
            where Spark cannot read it, or it is no record
        nothing: the JSON that `from_avro` makes of bytes that the schema does not read: every field is null
        embedded: the schema that Kafka Connect would embed in the message, as JSON; None where messages hold no row
    """

    number: int
    is_key: bool
    is_value: bool
    avro: str | None
    nothing: str
    embedded: str | None


def wire_schemas(kept: Iterable[Kept]) -> list[WireSchema]:
    """Return the schemas that messages may have, of what has been pulled; by number, each once."""
    found = [one.definition for one in kept]
    there = {one.place: one for one in found}
    subjects: dict[int, list[Definition]] = {}
    for one in found:
        if one.schema_type == AVRO:
            subjects.setdefault(one.schema_id, []).append(one)
    return [_wire_schema(subjects[number], there) for number in sorted(subjects)]


def _wire_schema(same: Sequence[Definition], there: Definitions) -> WireSchema:
    """The wire schema of definitions with one number."""
    keys = [one.subject.endswith(KEY) for one in same]
    avro, nothing = None, ""
    try:
        schema = bare(same[0], there)
        if isinstance(schema, dict) and schema["type"] == "record":
            avro, nothing = _json(schema), _json({field["name"]: None for field in schema["fields"]})
    except (UnreadableError, RecursionError):
        pass
    try:
        shown = embedded(row_of(same[0], there))
    except (UnreadableError, NoRowError):
        shown = None
    return WireSchema(same[0].schema_id, any(keys), not all(keys), avro, nothing, shown)


def embedded(shape: Shape) -> str:
    """Return the schema that Kafka Connect embeds in a record with some fields, as far as landing reads it."""
    fields = [{"field": one.name, **_sent(one.sent)} for one in shape.fields]
    after = [{"field": "after", "type": "struct", "fields": fields}]
    return _json({"type": "struct", "fields": after if shape.is_image else fields})


def _json(told: Any) -> str:
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def _sent(type_: ConnectType) -> dict[str, Any]:
    told: dict[str, Any] = {"type": type_.physical}
    if type_.name is not None:
        told["name"] = type_.name
    if type_.parameters:
        told["parameters"] = dict(type_.parameters)
    if type_.fields:
        told["fields"] = [{"field": name, **_sent(one)} for name, one in type_.fields]
    return told | ({"items": _sent(type_.items)} if type_.items else {})


def bare(definition: Definition, there: Definitions) -> Any:
    """Return an Avro schema with all that it refers to in it, and nothing that does not say how bytes are read.

    Raises:
        UnreadableError: it names a type that is not defined, or contains itself, which no type of Spark can
    """
    names, written = named_types(definition, there), set[str]()

    def walk(schema: Any, space: str, within: tuple[str, ...]) -> Any:
        if isinstance(schema, list):
            return [walk(one, space, within) for one in schema]
        found = resolved(schema, space, names)
        if not isinstance(found, Mapping):
            return found
        kind = found.get("type")
        if kind in NAMED:
            return of_name(found, space, within)
        if kind == "array":
            return {"type": "array", "items": walk(found.get("items"), space, within)}
        if kind == "map":
            return {"type": "map", "values": walk(found.get("values"), space, within)}
        return kind if isinstance(kind, str) and kind in PRIMITIVE else walk(kind, space, within)

    def of_name(found: Mapping[str, Any], space: str, within: tuple[str, ...]) -> Any:
        inside = str(found.get("namespace", space) or "")
        short = str(found["name"]).rpartition(".")[2]
        name = f"{inside}.{short}" if inside else short
        if name in within:
            raise UnreadableError(f"its type {name} contains itself")
        if name in written:
            return name
        written.add(name)
        told: dict[str, Any] = {"type": found["type"], "name": short, "namespace": inside}
        if found["type"] in ("record", "error"):
            fields = [
                {"name": one["name"], "type": walk(one["type"], inside, (*within, name))} for one in found["fields"]
            ]
            return told | {"type": "record", "fields": fields}
        return told | {part: found[part] for part in PARTS if part in found}

    return walk(parsed(definition), "", ())
