"""What a person has to look at: blocks that shrank or became null by themselves (METL 5.4.2), and mapped attributes whose type changed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from entrepot.mapping.matrix.elements import Element, Place, super_blocks, versions_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import successors


@dataclass(frozen=True, slots=True, order=True)
class Review:
    """A block that lost elements by inheritance and that nobody has stored, of one entity version: a row of mapping_review.

    Attributes:
        schema, version, entity, entity_version: the block
        elements_before: elements of the block of the version before
        elements_after: elements that are left; 0 for a null block
        vanished: attributes of the version before whose elements were not inherited, sorted
    """

    schema: str
    version: int
    entity: str
    entity_version: int
    elements_before: int
    elements_after: int
    vanished: tuple[str, ...]

    @property
    def place(self) -> Place:
        """Where its block stands."""
        return Place(self.schema, self.version, self.entity)


@dataclass(frozen=True, slots=True, order=True)
class Retyped:
    """An inherited element whose attribute has another type than in the version before.

    Attributes:
        schema, version, entity, entity_version, attribute, entity_attribute: the element
        type_before, type_after: the types as the domain tree says them
    """

    schema: str
    version: int
    entity: str
    entity_version: int
    attribute: str
    entity_attribute: str
    type_before: str
    type_after: str


def reviews(state: State) -> list[Review]:
    """Return what waits for a review, sorted."""
    found: list[Review] = []
    for place, block in state.unique_set().items():
        if place in state.stored:
            continue
        before = state.block_before(place)
        for version in versions_of(before):
            left = {one.entity_attribute for one in block if one.entity_version == version}
            old = [one for one in before if one.entity_version == version]
            vanished = tuple(sorted(one.attribute for one in old if one.entity_attribute not in left))
            if vanished:
                found.append(Review(*place, version, len(old), len(left), vanished))
    return sorted(found)


def retyped(state: State) -> list[Retyped]:
    """Return inherited elements whose type changed, sorted; a type that nobody has said is no change."""
    found: list[Retyped] = []
    for schema, entities in super_blocks(state.balanced_set).items():
        versions = state.domain.schemas[schema]
        for before, after in pairwise(versions):
            old = {one.name: one.data_type for one in before.attributes}
            new = {one.name: one.data_type for one in after.attributes}
            changed = {
                name: (old[earlier] or "", new[name] or "")
                for earlier, name in successors(before, after).items()
                if old[earlier] and new[name] and _plain(old[earlier]) != _plain(new[name])
            }
            if not changed:
                continue
            for place in (Place(schema, after.number, entity) for entity in entities):
                if place not in state.stored:
                    found += _of_block(place, state.block(place), changed)
    return sorted(found)


def _of_block(place: Place, block: frozenset[Element], changed: dict[str, tuple[str, str]]) -> list[Retyped]:
    return [Retyped(*place, *one, *changed[one.attribute]) for one in block if one.attribute in changed]


def _plain(data_type: str | None) -> str:
    """A type as it compares: without blanks, in lower case."""
    return "".join((data_type or "").split()).lower()
