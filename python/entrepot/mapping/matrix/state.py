"""A state of the mapping: both trees, the stored blocks, and what follows from them (METL 3.4, 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from entrepot.mapping.matrix.compaction import to_unique_set
from entrepot.mapping.matrix.decompaction import from_unique_set
from entrepot.mapping.matrix.elements import Block, Blocks, One, Place, one_of, super_blocks, versions_of
from entrepot.mapping.matrix.trees import DomainTree, RangeTree

# a null block as a row of the seed
NOTHING = ""


@dataclass(frozen=True, slots=True)
class State:
    """The mapping in one state, as the paper's hybrid has it: D_U stored, D_P to compute with.

    Attributes:
        domain: schemas, versions, attributes
        range: entities, versions, attributes
        stored: the blocks of the seed unique_block; those that repeat the version before are kept
        balanced_set: D_P
        feeds: {schema: entities that it has stored blocks to}, sorted
    """

    domain: DomainTree
    range: RangeTree
    stored: Blocks
    balanced_set: Blocks
    feeds: Mapping[str, Sequence[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Group the stored blocks once: who walks all schemas asks for each."""
        object.__setattr__(self, "feeds", super_blocks(self.stored))

    @classmethod
    def of(cls, domain: DomainTree, range_: RangeTree, stored: Blocks) -> State:
        """Return the state that trees and stored blocks make."""
        return cls(domain, range_, stored, from_unique_set(stored, domain))

    def unique_set(self) -> dict[Place, Block]:
        """Return D_U as algorithm 3 computes it: what it has more than `stored` shrank, or became null, by itself."""
        return to_unique_set(self.balanced_set, self.domain)

    def block(self, place: Place) -> Block:
        """Return a block of D_P; a null block where there is none."""
        return self.balanced_set.get(place, frozenset())

    def block_before(self, place: Place) -> Block:
        """Return the block of the schema version before a place; a null block where there is none."""
        before = self.domain.before(place.schema, place.version)
        return self.block(Place(place.schema, before.number, place.entity)) if before else frozenset()

    def rows(self, blocks: Blocks) -> list[One]:
        """Return blocks as sorted rows of the seed unique_block; a null block is a row for each entity version that ends there."""
        found: list[One] = []
        for place, block in blocks.items():
            found += (one_of(place, element) for element in block)
            if not block:
                ended = versions_of(self.block_before(place)) or [self.range.newest(place.entity) or 1]
                found += (One(*place, version, NOTHING, NOTHING) for version in ended)
        return sorted(found)
