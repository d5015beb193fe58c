"""The seeds as they say another state: rows that say what is not there any more go, what they lack is appended, all others stay as they are."""

from __future__ import annotations

from dataclasses import dataclass

from entrepot.mapping.matrix.elements import Element, One, Place
from entrepot.mapping.matrix.seeded import stored_blocks, stored_one
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.storing import rows_of
from entrepot.mapping.seeds import LINE_END, Row, Seed, Seeds, whole_number


@dataclass(frozen=True, slots=True)
class SeedChange:
    """What becomes of a seed.

    Attributes:
        seed: as it is
        removed: places of its rows that go
        added: rows to append
    """

    seed: Seed
    removed: frozenset[int]
    added: tuple[Row, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the seed stays as it is."""
        return not (self.removed or self.added)

    def content(self) -> bytes:
        """Return the file afterwards; rows that stay are the same bytes."""
        text = self.seed.content.decode()
        ends = [0, *(found.end() for found in LINE_END.finditer(text)), len(text)]
        starts = [ends[line - 1] for line in self.seed.lines] + [len(text)]
        kept = (
            text[starts[place] : starts[place + 1]] for place in range(len(self.seed.rows)) if place not in self.removed
        )
        left = Seed(self.seed.path, (text[: starts[0]] + "".join(kept)).encode(), self.seed.columns, ())
        return left.with_rows(self.added) if self.added else left.content


def changes(seeds: Seeds, state: State) -> tuple[SeedChange, ...]:
    """Return what becomes of the seeds so that they say a state: unique_block first, because it has to fit both trees.

    Attributes are neither added nor removed: only versions of schemas and entities, and blocks.
    """
    domain = {(schema, one.number) for schema, versions in state.domain.schemas.items() for one in versions}
    entities = {(entity, number) for entity, versions in state.range.entities.items() for number in versions}
    return (
        _blocks(seeds.unique_block, state),
        _left(seeds.schema_attribute, ("schema", "version"), domain),
        _left(seeds.entity_attribute, ("entity", "entity_version"), entities),
    )


def _left(seed: Seed, columns: tuple[str, str], kept: set[tuple[str, int]]) -> SeedChange:
    gone = (
        place
        for place, row in enumerate(seed.rows)
        if (row[columns[0]], whole_number(seed, row, columns[1])) not in kept
    )
    return SeedChange(seed, frozenset(gone), ())


def _blocks(seed: Seed, state: State) -> SeedChange:
    ones = [stored_one(seed, row) for row in seed.rows]
    removed = frozenset(place for place, one in enumerate(ones) if not _says(state, one))
    left = stored_blocks(one for place, one in enumerate(ones) if place not in removed)
    lacking = {place: block for place, block in state.stored.items() if left.get(place) != block}
    there = {one for place, one in enumerate(ones) if place not in removed}
    return SeedChange(seed, removed, tuple(rows_of(one for one in state.rows(lacking) if one not in there)))


def _says(state: State, one: One) -> bool:
    """Whether a row is part of the stored blocks."""
    block = state.stored.get(Place(one.schema, one.version, one.entity))
    if block is None:
        return False
    if not one.attribute:
        return one.entity_version in state.range.entities.get(one.entity, {})
    return Element(*one[3:]) in block
