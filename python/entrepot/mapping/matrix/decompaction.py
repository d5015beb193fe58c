"""Decompaction of both sets (METL 5.3.3, algorithm 4), and what a version inherits from the one before it (5.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Blocks, Element, One, Place, one_of, super_blocks
from entrepot.mapping.matrix.trees import DomainTree, Step


def to_matrix(balanced_set: Blocks) -> list[One]:
    """Return the 1-elements of M of D_P (METL, algorithm 4, first part), sorted: all other elements of M are 0."""
    return sorted(one_of(place, element) for place, block in balanced_set.items() for element in block)


def from_unique_set(unique_set: Blocks, domain: DomainTree) -> dict[Place, Block]:
    """Return D_P of D_U (METL, algorithm 4, second part): the stored blocks replayed from the lowest version on.

    A version without a stored block repeats the one before it through attribute equivalence, so a version that is new in the tree is
    mapped at once. Blocks at versions that the tree does not have are not met; null blocks are not in D_P.
    """
    found: dict[Place, Block] = {}
    for schema, entities in super_blocks(unique_set).items():
        steps = domain.steps(schema)
        for entity in entities:
            found |= replayed(schema, entity, unique_set, steps)
    return found


def replayed(schema: str, entity: str, unique_set: Blocks, steps: Sequence[Step]) -> dict[Place, Block]:
    """Return D_P of one version super-block."""
    found: dict[Place, Block] = {}
    block = NULL_BLOCK
    for step in steps:
        place = Place(schema, step.number, entity)
        stored = unique_set.get(place)
        block = inherited(block, step.successors) if stored is None else stored
        if block:
            found[place] = block
    return found


def inherited(block: Block, successors: Mapping[str, str]) -> Block:
    """Return the elements of a block whose attribute goes on in the next version, under its name there (METL 5.4.3).

    >>> block = frozenset({Element(1, "id", "item_id"), Element(1, "name", "name")})
    >>> sorted(inherited(block, {"id": "number"}))
    [Element(entity_version=1, attribute='number', entity_attribute='item_id')]
    """
    if all(successors.get(element.attribute) == element.attribute for element in block):
        return block
    return frozenset(
        Element(element.entity_version, successors[element.attribute], element.entity_attribute)
        for element in block
        if element.attribute in successors
    )
