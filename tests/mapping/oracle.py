"""METL's algorithms as naive walks in plain Python, version by version: what the generated SQL is compared with.

Written from the paper (5.3.2, 5.3.3, 5.4.4), not from the SQL. A tree is {schema: {version: {attribute: renamed_from}}},
a block a set of elements (entity_version, attribute, entity_attribute), and D_U and D_P are {(schema, version, entity): block}.
"""

from __future__ import annotations

from typing import NamedTuple


class Element(NamedTuple):
    """A one in the matrix, within its block."""

    entity_version: int
    attribute: str
    entity_attribute: str


class Place(NamedTuple):
    """Where a block stands in the matrix."""

    schema: str
    version: int
    entity: str


Tree = dict[str, dict[int, dict[str, str | None]]]
Block = frozenset[Element]
Blocks = dict[Place, Block]


def successor(attribute: str, before: dict[str, str | None], after: dict[str, str | None]) -> str | None:
    """Return the name under which an attribute lives on in the next version, None where it does not; the first of several."""
    if attribute in after:
        return attribute
    for name, renamed_from in sorted(after.items()):
        if renamed_from == attribute and name not in before:
            return name
    return None


def inherited(block: Block, before: dict[str, str | None], after: dict[str, str | None]) -> Block:
    """Copy the elements of a block whose attribute lives on (algorithm 5, schema version added)."""
    moved = ((element, successor(element.attribute, before, after)) for element in block)
    return frozenset(element._replace(attribute=name) for element, name in moved if name is not None)


def decompact(unique_set: Blocks, tree: Tree) -> Blocks:
    """D_U to D_P: replay the stored blocks from the lowest version on (algorithm 4)."""
    balanced_set: Blocks = {}
    for schema, entity in sorted({(place.schema, place.entity) for place in unique_set}):
        block: Block = frozenset()
        before: dict[str, str | None] = {}
        for version, attributes in sorted(tree[schema].items()):
            place = Place(schema, version, entity)
            block = unique_set[place] if place in unique_set else inherited(block, before, attributes)
            before = attributes
            if block:
                balanced_set[place] = block
    return balanced_set


def compact(balanced_set: Blocks, tree: Tree) -> Blocks:
    """D_P to D_U: keep the blocks whose pattern is not that of the version before, and the ends (algorithm 3)."""
    unique_set: Blocks = {}
    for schema, entity in sorted({(place.schema, place.entity) for place in balanced_set}):
        block_before: Block = frozenset()
        before: dict[str, str | None] = {}
        for version, attributes in sorted(tree[schema].items()):
            place = Place(schema, version, entity)
            block = balanced_set.get(place, frozenset())
            expected = inherited(block_before, before, attributes)
            if block != expected or len(block) != len(block_before):
                unique_set[place] = block
            block_before, before = block, attributes
    return unique_set
