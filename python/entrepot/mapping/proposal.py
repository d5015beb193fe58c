"""From source schemas to one entity: its attributes, and the rows of the three seeds that map it attribute by attribute."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from entrepot.mapping.matrix.registering import registration
from entrepot.mapping.names import fits_a_seed
from entrepot.mapping.naming import attribute_names
from entrepot.mapping.seeds import Row
from entrepot.mapping.sources import VALUES, Source
from entrepot.mapping.trees import Entity, EntityAttribute, Version
from entrepot.mapping.types import canonical_type, together

GUESSED = " (type from values)"


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entity as it is proposed.

    Attributes:
        entity: the entity
        sources: the schemas that feed it
        names: {schema: {attribute: entity attribute}}
        notes: what a person should know, as sentences
    """

    entity: Entity
    sources: tuple[Source, ...]
    names: dict[str, dict[str, str]]
    notes: tuple[str, ...]

    def schema_rows(self) -> list[Row]:
        """Rows of schema_attribute: the versions that the seed does not have."""
        new = [version for source in self.sources for version in source.versions if not version.is_registered]
        return registration(new)

    def entity_rows(self) -> list[Row]:
        """Rows of entity_attribute."""
        return [
            {
                "entity": self.entity.name, "entity_version": str(self.entity.version), "entity_attribute": one.name,
                "data_type": one.data_type, "is_key": str(one.is_key).lower(), "description": one.description,
            }
            for one in self.entity.attributes
        ]  # fmt: skip

    def block_rows(self) -> list[Row]:
        """Rows of unique_block: the block of each version that has other attributes than the one before; the others inherit theirs."""
        return [
            {
                "schema": version.schema, "version": str(version.number), "entity": self.entity.name,
                "entity_version": str(self.entity.version), "attribute": one.name,
                "entity_attribute": self.names[version.schema][one.name],
            }
            for source in self.sources
            for before, version in zip((None, *source.versions), source.versions, strict=False)
            if before is None or before.names != version.names
            for one in version.values
        ]  # fmt: skip


def propose(entity: str, sources: Sequence[Source], keys: Mapping[str, tuple[str, ...]]) -> Proposal | str:
    """Return the entity that schemas become; where there is none, why, and what to do.

    Args:
        entity: its name
        sources: the schemas
        keys: {schema: attributes} of business keys that a person has said
    """
    notes: list[str] = []
    names: dict[str, dict[str, str]] = {}
    of_key: dict[str, set[str]] = {}
    for source in sources:
        if odd := [one.name for version in source.versions for one in version.attributes if not fits_a_seed(one.name)]:
            return (
                f"a seed cannot name its column {odd[0]!r}, which dbt reads as nothing there. Give the column another name in the "
                "source, or leave the schema out (--exclude)"
            )
        key = keys.get(source.schema) or source.key
        if not key:
            return (
                "its records have no key, and a history needs one. Say its business key: "
                f"--key {shlex.quote(f'{source.schema}={source.newest.attributes[0].name}')}"
            )
        names[source.schema], told = attribute_names(entity, source, key)
        notes += told + [
            f"key {name} is not in version {version.number}: its events make no history"
            for version, name in _without(source, key)
        ]
        notes += source.notes
        of_key[source.schema] = {names[source.schema][name] for name in key}
    first, *others = of_key.items()
    for schema, key_names in others:
        if key_names != first[1]:
            return (
                f"{first[0]} has the key {', '.join(sorted(first[1]))} and {schema} has {', '.join(sorted(key_names))}. "
                f"Say one for both (--key), or give them entities of their own (--entity)"
            )
    attributes, told = entity_attributes(sources, names, first[1])
    says = next((source.comment for source in sources if source.comment), "")
    found = Entity(entity, 1, tuple(attributes), tuple(source.schema for source in sources), says)
    return Proposal(found, tuple(sources), names, tuple(dict.fromkeys(notes + told)))


def _without(source: Source, key: Sequence[str]) -> list[tuple[Version, str]]:
    return [(version, name) for version in source.versions for name in key if name not in version.names]


def entity_attributes(
    sources: Sequence[Source], names: dict[str, dict[str, str]], key: set[str]
) -> tuple[list[EntityAttribute], list[str]]:
    """Return the attributes of an entity, in the order of its sources, keys first; and what a person should know of them."""
    types: dict[str, list[str]] = {}
    describes: dict[str, str] = {}
    notes = []
    for source in sources:
        for version in source.versions:
            for one in version.values:
                name = names[source.schema][one.name]
                types.setdefault(name, []).append(canonical_type(one.data_type or "text"))
                guessed = GUESSED if source.types_from[one.name] == VALUES else ""
                describes.setdefault(
                    name, " ".join(one.comment.split()) or f"Column {one.name} of {source.schema}{guessed}"
                )
    found = []
    for name, several in types.items():
        data_type = together(several)
        if len(set(several)) > 1:
            notes.append(f"{name} is {' and '.join(dict.fromkeys(several))} in its versions: {data_type}")
        elif data_type == "number":
            notes.append(
                f"{name} is a numeric without digits: number, a decimal(38,9); what does not fit is a mapping_error"
            )
        found.append(EntityAttribute(name, data_type, name in key, describes[name]))
    return sorted(found, key=lambda one: not one.is_key), notes
