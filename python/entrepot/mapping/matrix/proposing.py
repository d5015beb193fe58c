"""Blocks that are proposed to a person: what was inherited, completed by likely renames and by new attributes of equal names (METL 5.4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entrepot.mapping.matrix.decompaction import inherited
from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Element, Place, super_blocks, versions_of
from entrepot.mapping.matrix.renames import renames
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.storing import equal_names
from entrepot.mapping.matrix.trees import successors
from entrepot.mapping.trees import Version


@dataclass(frozen=True, slots=True)
class Proposal:
    """An element that a block shall have more than it has inherited.

    Attributes:
        place: the block
        element: the element
        before: the lost attribute that its attribute may be, under another name; empty for a new one
        score: how likely that is, 0 to 1; 1 for a new attribute, whose name is equal
    """

    place: Place
    element: Element
    before: str
    score: float


def proposals(state: State, schema: str | None, at_least: float) -> tuple[list[Proposal], dict[Place, Block]]:
    """Return what is proposed, by schema, entity and version, and the completed blocks.

    Only versions whose block nobody has stored get proposals. A later version is judged with the completed block before it.

    Args:
        state: the mapping
        schema: only this one; None for all
        at_least: the score from which on a rename is proposed
    """
    found: list[Proposal] = []
    blocks: dict[Place, Block] = {}
    for name, entities in super_blocks(state.stored).items():
        if schema not in (None, name):
            continue
        pairs = [_Step.of(*pair, at_least) for pair in _pairs(state, name)]
        for entity in entities:
            block = NULL_BLOCK
            for step in pairs:
                place = Place(name, step.version.number, entity)
                if place in state.stored:
                    block = state.stored[place]
                    continue
                some = step.proposed(state, place, block)
                block = inherited(block, step.successors) | {one.element for one in some}
                if some:
                    found += some
                    blocks[place] = block
    return found, blocks


@dataclass(frozen=True, slots=True)
class _Step:
    """A version on the walk, with what has become of the attributes of the one before it."""

    version: Version
    successors: Mapping[str, str]
    likely: Mapping[str, tuple[str, float]]
    new: tuple[str, ...]

    @classmethod
    def of(cls, before: Version | None, version: Version, at_least: float) -> _Step:
        kept = successors(before, version)
        likely = {one.before: (one.after, one.score) for one in renames(before, version, at_least)} if before else {}
        there = set(kept.values())
        new = tuple(one.name for one in version.attributes if before and one.name not in there)
        return cls(version, kept, likely, new)

    def proposed(self, state: State, place: Place, block: Block) -> list[Proposal]:
        """What to add to the block that the version inherits from `block`."""
        found: list[Proposal] = []
        for version in versions_of(block):
            kept = {
                one.entity_attribute
                for one in block
                if one.entity_version == version and one.attribute in self.successors
            }
            lost = sorted(one for one in block if one.entity_version == version and one.attribute in self.likely)
            renamed = {one.entity_attribute: self.likely[one.attribute] for one in lost}
            found += (
                Proposal(place, Element(version, renamed[one.entity_attribute][0], one.entity_attribute), one.attribute,
                         renamed[one.entity_attribute][1])
                for one in lost
            )  # fmt: skip
            free = state.range.names(place.entity, version) - kept - set(renamed)
            fresh = [name for name in self.new if name not in {after for after, _ in renamed.values()}]
            found += (Proposal(place, Element(version, *pair), "", 1.0) for pair in equal_names(fresh, free))
        return found


def _pairs(state: State, schema: str) -> list[tuple[Version | None, Version]]:
    versions = state.domain.schemas[schema]
    return list(zip((None, *versions), versions, strict=False))
