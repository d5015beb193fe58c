"""Version progression (METL 6.3): all mappings of a schema over its versions, from their column super-sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from entrepot.mapping.matrix.elements import One, Place, one_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import successors
from entrepot.mapping.matrix.words import known
from entrepot.mapping.paths import ancestors
from entrepot.mapping.trees import Version

Target = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Column:
    """Versions, one after the other, whose attributes are mapped alike.

    Attributes:
        versions: lowest first
        attributes: {(entity, entity version, entity attribute): attribute}
    """

    versions: tuple[int, ...]
    attributes: dict[Target, str]


@dataclass(frozen=True, slots=True)
class Loss:
    """An element that a version does not have any more.

    Attributes:
        version: the first version without it
        element: as it stood in the version before
        is_stored: whether the block of the version is stored without it; else the attribute has vanished
    """

    version: int
    element: One
    is_stored: bool


@dataclass(frozen=True, slots=True)
class Progression:
    """A schema's way through its versions.

    Attributes:
        columns: its versions side by side
        targets: all attributes of entities that it feeds in any version, sorted
        losses: what was lost where, by version
        unmapped: attributes of the newest version that become nothing, in the order of their positions
    """

    columns: tuple[Column, ...]
    targets: tuple[Target, ...]
    losses: tuple[Loss, ...]
    unmapped: tuple[str, ...]


def progression(state: State, schema: str) -> Progression:
    """Return the progression of a schema.

    Raises:
        EntrepotError: there is no such schema
    """
    versions = state.domain.schemas[known("schema", schema, state.domain.schemas)]
    entities = state.feeds.get(schema, ())
    mapped = [(version.number, _attributes(state, schema, version, entities)) for version in versions]
    columns = tuple(
        Column(tuple(number for number, _ in group), attributes)
        for attributes, group in groupby(mapped, key=lambda one: one[1])
    )
    losses = [one for before, after in pairwise(versions) for one in _losses(state, before, after, entities)]
    newest = set(columns[-1].attributes.values())
    return Progression(
        columns,
        tuple(sorted({target for column in columns for target in column.attributes})),
        tuple(losses),
        tuple(one.name for one in versions[-1].values if newest.isdisjoint({one.name, *ancestors(one.name)})),
    )


def _attributes(state: State, schema: str, version: Version, entities: Sequence[str]) -> dict[Target, str]:
    return {
        (entity, one.entity_version, one.entity_attribute): one.attribute
        for entity in entities
        for one in state.block(Place(schema, version.number, entity))
    }


def _losses(state: State, before: Version, after: Version, entities: Sequence[str]) -> list[Loss]:
    kept = successors(before, after)
    found: list[Loss] = []
    for entity in entities:
        old, new = Place(before.schema, before.number, entity), Place(after.schema, after.number, entity)
        left = {(one.entity_version, one.entity_attribute) for one in state.block(new)}
        for one in sorted(state.block(old)):
            if (one.entity_version, one.entity_attribute) not in left:
                found.append(Loss(after.number, one_of(old, one), one.attribute in kept))
    return found
