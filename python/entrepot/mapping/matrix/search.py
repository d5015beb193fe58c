"""Reverse search (METL 6.3): which schema versions feed an entity version, from its row super-set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.elements import Place, super_blocks
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.words import known

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Feed:
    """Versions of a schema, one after the other, that feed an entity version through the same elements.

    Attributes:
        schema: the schema
        versions: its versions, lowest first
        stored: those of them whose block is in unique_block; the others inherit it
        elements: (entity attribute, attribute), sorted
        missing: attributes of the entity version that they do not feed, sorted
    """

    schema: str
    versions: tuple[int, ...]
    stored: tuple[int, ...]
    elements: Pairs
    missing: tuple[str, ...]


def entity_version_of(state: State, entity: str, version: int | None) -> int:
    """Return a version of an entity, the newest where none is said.

    Raises:
        EntrepotError: there is no such entity, or no such version
    """
    versions = state.range.entities[known("entity", entity, state.range.entities)]
    if version is not None and version not in versions:
        raise EntrepotError(f"{entity} has no version {version}.", f"It has {', '.join(map(str, versions))}.")
    return version or max(versions)


def row_super_set(state: State, entity: str, version: int | None = None) -> list[Feed]:
    """Return what feeds a version of an entity, the newest where none is said, by schema and version.

    Raises:
        EntrepotError: there is no such entity, or no such version
    """
    number = entity_version_of(state, entity, version)
    names = state.range.names(entity, number)
    found: list[Feed] = []
    for schema in [schema for schema, entities in super_blocks(state.balanced_set).items() if entity in entities]:
        blocks = [
            (one.number, _pairs(state, Place(schema, one.number, entity), number))
            for one in state.domain.schemas[schema]
        ]
        for pairs, group in groupby(blocks, key=lambda block: block[1]):
            versions = tuple(one for one, _ in group)
            if pairs:
                stored = tuple(one for one in versions if Place(schema, one, entity) in state.stored)
                found.append(Feed(schema, versions, stored, pairs, _missing(names, pairs)))
    return found


def _pairs(state: State, place: Place, entity_version: int) -> Pairs:
    elements = (one for one in state.block(place) if one.entity_version == entity_version)
    return tuple(sorted((one.entity_attribute, one.attribute) for one in elements))


def _missing(names: frozenset[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted(names - {entity_attribute for entity_attribute, _ in pairs}))
