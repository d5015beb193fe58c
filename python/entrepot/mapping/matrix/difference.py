"""What a change of the seeds would do: blocks, events that are mapped otherwise, entities, reviews."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from entrepot.mapping.matrix.elements import Element, Place
from entrepot.mapping.matrix.review import Review, reviews
from entrepot.mapping.matrix.state import State
from entrepot.mapping.paths import ancestors

ADDED, CHANGED, RETYPED, NULL, GONE = "added", "changed", "retyped", "null", "gone"
# an element with the types of its two attributes, and whether it is a key
Typed = dict[Element, tuple[str, str, bool]]


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What becomes of the block of one schema version to an entity.

    Attributes:
        place: the block
        kind: `added`; `changed` elements; `retyped`: the same elements of other types; `null`: the schema version does not feed the entity
            any more; `gone`: the schema version, or the schema's last block to the entity, is not in the seeds any more
        gained: elements that it has more, sorted
        lost: elements that it has no more, sorted
        other: elements whose types differ, sorted
    """

    place: Place
    kind: str
    gained: tuple[Element, ...]
    lost: tuple[Element, ...]
    other: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class EntityChange:
    """What becomes of an entity, newest version against newest version.

    Attributes:
        entity: its name
        kind: `added`, `changed` or `gone`
        added, removed, retyped: its attributes, sorted; all that it has where it comes or goes
    """

    entity: str
    kind: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    retyped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change of the seeds would do.

    Attributes:
        versions_added, versions_removed: (schema, version) of the domain tree, sorted
        blocks: changed blocks of D_P, by schema, entity and version
        entities: changed entities
        reviews_new, reviews_settled: what would begin to wait for a review, and what would wait no more
    """

    versions_added: tuple[tuple[str, int], ...]
    versions_removed: tuple[tuple[str, int], ...]
    blocks: tuple[BlockChange, ...]
    entities: tuple[EntityChange, ...]
    reviews_new: tuple[Review, ...]
    reviews_settled: tuple[Review, ...]

    @property
    def remapped(self) -> list[tuple[str, int]]:
        """Return the schema versions whose events would be mapped otherwise."""
        return sorted({(one.place.schema, one.place.version) for one in self.blocks})

    @property
    def concerned(self) -> list[str]:
        """Return the entities whose mapped models would change."""
        return sorted({one.place.entity for one in self.blocks} | {one.entity for one in self.entities})

    @property
    def is_empty(self) -> bool:
        """Whether the mapping stays as it is."""
        return not (self.versions_added or self.versions_removed or self.blocks or self.entities
                    or self.reviews_new or self.reviews_settled)  # fmt: skip


def difference(before: State, after: State) -> Difference:
    """Return what a change from one state to another would do."""
    old, new = _versions(before), _versions(after)
    waited, waiting = _waiting(before), _waiting(after)
    return Difference(
        tuple(sorted(new - old)),
        tuple(sorted(old - new)),
        tuple(_blocks(before, after)),
        tuple(_entities(before, after)),
        tuple(waiting[key] for key in sorted(waiting.keys() - waited.keys())),
        tuple(waited[key] for key in sorted(waited.keys() - waiting.keys())),
    )


def grouped(changes: Iterable[BlockChange]) -> list[tuple[BlockChange, tuple[int, ...]]]:
    """Return changes with their versions; those of one schema that follow each other and are alike are one."""
    groups = groupby(
        changes, key=lambda one: (one.place.schema, one.place.entity, one.kind, one.gained, one.lost, one.other)
    )
    found = []
    for _, group in groups:
        alike = list(group)
        found.append((alike[0], tuple(one.place.version for one in alike)))
    return found


def _waiting(state: State) -> dict[tuple[object, ...], Review]:
    """What waits for a review, by what it is about: how many elements are left does not tell two apart."""
    return {(*one.place, one.entity_version, one.vanished): one for one in reviews(state)}


def _versions(state: State) -> set[tuple[str, int]]:
    return {(schema, one.number) for schema, versions in state.domain.schemas.items() for one in versions}


def _blocks(before: State, after: State) -> list[BlockChange]:
    places = set(before.balanced_set) | set(after.balanced_set)
    feeds = {(place.schema, place.entity) for place in after.stored}
    names = _versions(after)
    old_types, new_types = _Types(before), _Types(after)
    found = []
    for place in sorted(places, key=lambda one: (one.schema, one.entity, one.version)):
        old, new = old_types.of(place), new_types.of(place)
        if old == new:
            continue
        other = tuple(sorted(one for one in old.keys() & new.keys() if old[one] != new[one]))
        if not new:
            is_there = (place.schema, place.version) in names and (place.schema, place.entity) in feeds
            kind = NULL if is_there else GONE
        else:
            kind = ADDED if not old else RETYPED if old.keys() == new.keys() else CHANGED
        gained, lost = tuple(sorted(new.keys() - old.keys())), tuple(sorted(old.keys() - new.keys()))
        found.append(BlockChange(place, kind, gained, lost, other))
    return found


class _Types:
    """The types of a state's elements, looked up by name."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.sources = {
            (schema, version.number): {one.name: one.data_type or "" for one in version.attributes}
            for schema, versions in state.domain.schemas.items()
            for version in versions
        }
        self.targets = {
            (entity, number): {one.name: (one.data_type, one.is_key) for one in attributes}
            for entity, versions in state.range.entities.items()
            for number, attributes in versions.items()
        }

    def of(self, place: Place) -> Typed:
        """The elements of a block with their types."""
        sources = self.sources.get((place.schema, place.version), {})
        return {
            one: (
                _source_type(one.attribute, sources),
                *self.targets[place.entity, one.entity_version][one.entity_attribute],
            )
            for one in self.state.block(place)
        }


def _source_type(attribute: str, sources: Mapping[str, str]) -> str:
    """The type of an attribute; of one inside of a column with the types of what it is in, which say how it travels."""
    return " in ".join([sources[attribute], *(sources[above] for above in ancestors(attribute) if sources.get(above))])


def _entities(before: State, after: State) -> list[EntityChange]:
    found = []
    for entity in sorted({*before.range.entities, *after.range.entities}):
        old, new = _attributes(before, entity), _attributes(after, entity)
        if old != new:
            retyped = tuple(sorted(name for name in old.keys() & new.keys() if old[name] != new[name]))
            added, removed = tuple(sorted(new.keys() - old.keys())), tuple(sorted(old.keys() - new.keys()))
            kind = ADDED if not old else CHANGED if new else GONE
            found.append(EntityChange(entity, kind, added, removed, retyped))
    return found


def _attributes(state: State, entity: str) -> dict[str, tuple[str, bool]]:
    """The attributes of an entity's newest version, with type and whether they are keys."""
    newest = state.range.newest(entity)
    versions = state.range.entities.get(entity, {})
    return {one.name: (one.data_type, one.is_key) for one in versions[newest]} if newest is not None else {}
