"""Compaction of the matrix: to D_P, the balanced set, and to D_U, the aggressive one (METL 5.3.1 and 5.3.2, algorithms 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterable

from entrepot.mapping.matrix.decompaction import inherited
from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Blocks, Element, One, Place, super_blocks
from entrepot.mapping.matrix.trees import DomainTree


def to_balanced_set(matrix: Iterable[One]) -> dict[Place, Block]:
    """Return D_P of M (METL, algorithm 2, section 5.3.1): the 1-elements of each block that has any.

    M is given by its 1-elements, so null blocks, and rows and columns of zeros only, are left out as they are read.
    """
    found: dict[Place, set[Element]] = {}
    for schema, version, entity, entity_version, attribute, entity_attribute in matrix:
        place = Place(schema, version, entity)
        found.setdefault(place, set()).add(Element(entity_version, attribute, entity_attribute))
    return {place: frozenset(elements) for place, elements in found.items()}


def to_unique_set(balanced_set: Blocks, domain: DomainTree) -> dict[Place, Block]:
    """Return D_U of D_P (METL, algorithm 3, section 5.3.2).

    Each version super-block is walked from the lowest version on, and a block is kept where its pattern is not that of the version
    before. Attributes compare by their equivalence, so a rename alone is no difference. Where the elements end, the null block is kept;
    none before the first block.
    """
    found: dict[Place, Block] = {}
    for schema, entities in super_blocks(balanced_set).items():
        steps = domain.steps(schema)
        for entity in entities:
            before = NULL_BLOCK
            for step in steps:
                place = Place(schema, step.number, entity)
                block = balanced_set.get(place, NULL_BLOCK)
                if len(block) != len(before) or block != inherited(before, step.successors):
                    found[place] = block
                before = block
    return found
