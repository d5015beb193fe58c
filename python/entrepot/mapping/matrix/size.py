"""How large a mapping is, and how much of the matrix its compacted sets leave out (METL 3.6, 5.3.1, 5.3.2)."""

from __future__ import annotations

from dataclasses import dataclass

from entrepot.mapping.matrix.elements import Blocks
from entrepot.mapping.matrix.state import State


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a mapping, in rows, columns and elements of M.

    Attributes:
        schemas, versions: schemas, and versions of all of them
        entities: entities
        rows: attributes of all versions of all entities, the rows of M
        columns: attributes of all versions of all schemas, the columns of M
        balanced_set: elements of D_P, the 1s of M
        unique_set: elements of D_U as algorithm 3 computes it; a null block counts as one
    """

    schemas: int
    versions: int
    entities: int
    rows: int
    columns: int
    balanced_set: int
    unique_set: int

    @property
    def cells(self) -> int:
        """Elements of M, 0s and 1s."""
        return self.rows * self.columns

    def compaction(self, elements: int) -> float:
        """Return the share of M's elements that a set of so many leaves out, from 0 to 1; 0 of a matrix without elements."""
        return 1 - elements / self.cells if self.cells else 0.0


def size_of(state: State, unique_set: Blocks | None = None) -> Size:
    """Return the size of a state.

    Args:
        state: the mapping
        unique_set: its D_U, where it has been computed already
    """
    versions = [version for some in state.domain.schemas.values() for version in some]
    stored = state.unique_set() if unique_set is None else unique_set
    return Size(
        len(state.domain.schemas),
        len(versions),
        len(state.range.entities),
        sum(len(some) for numbers in state.range.entities.values() for some in numbers.values()),
        sum(len(version.attributes) for version in versions),
        sum(len(block) for block in state.balanced_set.values()),
        sum(len(block) or 1 for block in stored.values()),
    )
