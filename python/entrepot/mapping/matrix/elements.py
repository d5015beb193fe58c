"""Elements of the mapping matrix and the blocks that they make (METL 4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Element(NamedTuple):
    """A 1 of the matrix within its block: tuples, because a matrix has a hundred thousand of them.

    Attributes:
        entity_version: the version of the entity, w
        attribute: the attribute of the schema version, a_p
        entity_attribute: the attribute of the entity version, c_q
    """

    entity_version: int
    attribute: str
    entity_attribute: str


class Place(NamedTuple):
    """Where a block stands: a schema version o.v against an entity r, in all of its versions.

    Attributes:
        schema: such as `shop.sales.customer`
        version: 1, 2, 3 …
        entity: the entity
    """

    schema: str
    version: int
    entity: str


class One(NamedTuple):
    """A 1 of the whole matrix M; the columns of the seed unique_block and of balanced_set, in their order."""

    schema: str
    version: int
    entity: str
    entity_version: int
    attribute: str
    entity_attribute: str


Block = frozenset[Element]
Blocks = Mapping[Place, Block]
NULL_BLOCK: Block = frozenset()


def one_of(place: Place, element: Element) -> One:
    """Return an element with its place.

    >>> one_of(Place("shop.item", 2, "item"), Element(1, "id", "item_id"))
    One(schema='shop.item', version=2, entity='item', entity_version=1, attribute='id', entity_attribute='item_id')
    """
    return One(*place, *element)


def versions_of(block: Block) -> list[int]:
    """Return the entity versions that a block has elements of, lowest first."""
    return sorted({element.entity_version for element in block})


def super_blocks(blocks: Iterable[Place]) -> dict[str, list[str]]:
    """Return the version super-blocks (METL 5.3.2) as {schema: entities that it has blocks to}, sorted."""
    found: dict[str, set[str]] = {}
    for place in blocks:
        found.setdefault(place.schema, set()).add(place.entity)
    return {schema: sorted(entities) for schema, entities in sorted(found.items())}
