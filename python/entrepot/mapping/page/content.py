"""What the page knows: a state as rows of numbers and names, small enough to be embedded (`mapping.js` reads them).

A schema is not written version by version but as the lives of its attributes, which change seldom: ten versions of 10,000 attributes are
hardly more than one. Names of types and attributes of entities stand once and are numbers everywhere else. A position is the place of a
version among the versions of its schema, from 0 on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from entrepot.mapping.matrix.path import Path, Stop, Target, lives
from entrepot.mapping.matrix.progression import progression
from entrepot.mapping.matrix.review import retyped, reviews
from entrepot.mapping.matrix.size import size_of
from entrepot.mapping.matrix.state import State

# the name of a stop that is the one of the stop before
SAME = 0
# the type of an attribute whose type nobody has said
UNKNOWN = -1


class Link(NamedTuple):
    """A page of dbt docs: the name of the node and the address of its page."""

    name: str
    address: str


class EntityAttributeRow(NamedTuple):
    """An attribute of an entity version; `type` is a number in `Content.types`."""

    name: str
    type: int
    is_key: int
    description: str


class EntityRow(NamedTuple):
    """An entity: versions with their attributes, lowest first. Attributes are numbered in this order through all entities: targets."""

    name: str
    versions: list[tuple[int, list[EntityAttributeRow]]]
    links: Sequence[Link]


class LifeRow(NamedTuple):
    """The life of an attribute: the position where it begins, whether it is a key, and stops [length, name, type, target …]."""

    first: int
    is_key: int
    stops: list[list[int | str]]


class LossRow(NamedTuple):
    """An element that is no more from a position on: its life, its target, whether a stored block has left it out."""

    position: int
    life: int
    target: int
    is_stored: int


class ReviewRow(NamedTuple):
    """A block that shrank or became null by itself; `entity` is a number in `Content.entities`."""

    position: int
    entity: int
    entity_version: int
    elements_before: int
    elements_after: int
    vanished: Sequence[str]


class SchemaRow(NamedTuple):
    """A schema: version numbers, positions of those that nobody has registered, lives, and what happened to its blocks.

    `stored` are (position, entity) of stored blocks, `retyped` are (position, life) of inherited attributes with another type.
    """

    name: str
    versions: list[int]
    discovered: list[int]
    lives: list[LifeRow]
    stored: list[tuple[int, int]]
    losses: list[LossRow]
    retyped: list[tuple[int, int]]
    reviews: list[ReviewRow]


class Content(NamedTuple):
    """All that the page knows; `size` is rows and columns of M, elements of D_P, elements of D_U."""

    project: str
    source: str
    size: tuple[int, int, int, int]
    types: list[str]
    entities: list[EntityRow]
    schemas: list[SchemaRow]


@dataclass(slots=True)
class _Numbers:
    """Types, entities and targets by number."""

    types: dict[str, int] = field(default_factory=dict)
    entities: dict[str, int] = field(default_factory=dict)
    targets: dict[Target, int] = field(default_factory=dict)

    def type(self, data_type: str | None) -> int:
        return UNKNOWN if data_type is None else self.types.setdefault(data_type, len(self.types))


def content(state: State, source: str, project: str = "", links: Mapping[str, Sequence[Link]] | None = None) -> Content:
    """Return what the page knows of a state.

    Args:
        state: the mapping
        source: where its seeds lie, in words
        project: the dbt project's name; empty where there is none
        links: {entity: pages of dbt docs}
    """
    size, numbers = size_of(state), _Numbers()
    entities = [_entity(state, name, (links or {}).get(name, ()), numbers) for name in state.range.entities]
    schemas = _schemas(state, numbers)
    return Content(
        project,
        source,
        (size.rows, size.columns, size.balanced_set, size.unique_set),
        list(numbers.types),
        entities,
        schemas,
    )


def _entity(state: State, name: str, links: Sequence[Link], numbers: _Numbers) -> EntityRow:
    numbers.entities[name] = len(numbers.entities)
    versions = []
    for number, attributes in sorted(state.range.entities[name].items()):
        for one in attributes:
            numbers.targets[name, number, one.name] = len(numbers.targets)
        rows = [
            EntityAttributeRow(one.name, numbers.type(one.data_type), int(one.is_key), one.description)
            for one in attributes
        ]
        versions.append((number, rows))
    return EntityRow(name, versions, links)


def _schemas(state: State, numbers: _Numbers) -> list[SchemaRow]:
    waiting: dict[str, list[ReviewRow]] = {}
    changed: dict[str, list[tuple[int, str]]] = {}
    stored: dict[str, list[tuple[int, int]]] = {}
    positions = {
        (schema, one.number): place for schema, some in state.domain.schemas.items() for place, one in enumerate(some)
    }
    for review in reviews(state):
        waiting.setdefault(review.schema, []).append(
            ReviewRow(
                positions[review.schema, review.version],
                numbers.entities[review.entity],
                review.entity_version,
                review.elements_before,
                review.elements_after,
                review.vanished,
            )
        )
    for other in retyped(state):
        changed.setdefault(other.schema, []).append((positions[other.schema, other.version], other.attribute))
    for place in sorted(state.stored):
        there = (positions[place.schema, place.version], numbers.entities[place.entity])
        stored.setdefault(place.schema, []).append(there)
    return [
        _schema(state, schema, numbers, changed.get(schema, []))._replace(
            stored=stored.get(schema, []), reviews=waiting.get(schema, [])
        )
        for schema in state.domain.schemas
    ]


def _schema(state: State, schema: str, numbers: _Numbers, changed: Sequence[tuple[int, str]]) -> SchemaRow:
    """A schema without what `_schemas` knows of all."""
    versions = state.domain.schemas[schema]
    position = {one.number: place for place, one in enumerate(versions)}
    keys = {(one.number, attribute.name) for one in versions for attribute in one.attributes if attribute.is_key}
    paths = sorted(lives(state, schema), key=lambda path: _order(path, position))
    there = {
        (position[number], stop.attribute): life
        for life, path in enumerate(paths)
        for stop in path.stops
        for number in stop.versions
    }
    losses = []
    for loss in progression(state, schema).losses:
        at, one = position[loss.version], loss.element
        target = numbers.targets[one.entity, one.entity_version, one.entity_attribute]
        losses.append(LossRow(at, there[at - 1, one.attribute], target, int(loss.is_stored)))
    return SchemaRow(
        schema,
        list(position),
        [place for place, one in enumerate(versions) if not one.is_registered],
        [_life(path, position, keys, numbers) for path in paths],
        [],
        losses,
        sorted({(at, there[at, attribute]) for at, attribute in changed}),
        [],
    )


def _order(path: Path, position: Mapping[int, int]) -> tuple[int, int, str]:
    """Lives that go on come first, by name; then those that are gone, the last one first."""
    stop = path.stops[-1]
    return (path.ends_before is not None, -position[stop.versions[-1]], stop.attribute)


def _life(path: Path, position: Mapping[int, int], keys: set[tuple[int, str]], numbers: _Numbers) -> LifeRow:
    last, rows, before = path.stops[-1], [], ""
    for stop in path.stops:
        rows.append(_stop(stop, before, numbers))
        before = stop.attribute
    is_key = (last.versions[-1], last.attribute) in keys
    return LifeRow(position[path.stops[0].versions[0]], int(is_key), rows)


def _stop(stop: Stop, before: str, numbers: _Numbers) -> list[int | str]:
    targets = [numbers.targets[target] for target in stop.targets]
    return [
        len(stop.versions),
        SAME if stop.attribute == before else stop.attribute,
        numbers.type(stop.data_type),
        *targets,
    ]
