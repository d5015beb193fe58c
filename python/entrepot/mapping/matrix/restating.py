"""The seeds as they say another state: rows that say what is not there any more go, what they lack is appended, all others stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from entrepot.mapping.matrix.elements import Element, One, Place
from entrepot.mapping.matrix.seeded import stored_blocks, stored_one
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.storing import rows_of
from entrepot.mapping.placing import with_rows
from entrepot.mapping.seeds import LINE_END, Seed, SeedFile, Seeds, parsed, whole_number


@dataclass(frozen=True, slots=True)
class FileChange:
    """What becomes of a file of a seed.

    Attributes:
        file: as it is, with rows that are to be appended
        removed: places of its rows that go
    """

    file: SeedFile
    removed: frozenset[int]

    @property
    def is_empty(self) -> bool:
        """Whether the file stays as it is."""
        return not (self.removed or self.file.added)

    def content(self) -> bytes:
        """Return the file afterwards; rows that stay are the same bytes."""
        file = self.file
        text = file.content.decode()
        ends = [0, *(found.end() for found in LINE_END.finditer(text)), len(text)]
        starts = [ends[line - 1] for line in file.lines] + [len(text)]
        kept = (
            text[starts[place] : starts[place + 1]] for place in range(len(file.lines)) if place not in self.removed
        )
        left = replace(file, content=(text[: starts[0]] + "".join(kept)).encode())
        return left.with_rows(file.added) if file.added else left.content


def changes(seeds: Seeds, state: State) -> tuple[FileChange, ...]:
    """Return what becomes of the files of the seeds so that they say a state: unique_block first, because it has to fit both trees.

    Attributes are neither added nor removed: only versions of schemas and entities, and blocks.
    """
    domain = {(schema, one.number) for schema, versions in state.domain.schemas.items() for one in versions}
    entities = {(entity, number) for entity, versions in state.range.entities.items() for number in versions}
    return (
        *_blocks(seeds, state),
        *_left(seeds.schema_attribute, ("schema", "version"), domain),
        *_left(seeds.entity_attribute, ("entity", "entity_version"), entities),
    )


def seeds_after(changed: Iterable[FileChange]) -> Seeds:
    """Return the seeds as they are once their files, all of them, have been changed."""
    files: dict[str, list[SeedFile]] = {}
    for one in changed:
        file = one.file if one.is_empty else parsed(one.file.path, one.content(), one.file.columns)
        files.setdefault(file.path.stem, []).append(replace(file, owner=one.file.owner))
    return Seeds(**{name: Seed(tuple(some)) for name, some in files.items()})


def _left(seed: Seed, columns: tuple[str, str], kept: set[tuple[str, int]]) -> Iterator[FileChange]:
    for file in seed.files:
        gone = (
            place
            for place, row in enumerate(file.rows)
            if (row[columns[0]], whole_number(file, row, columns[1])) not in kept
        )
        yield FileChange(file, frozenset(gone))


def _blocks(seeds: Seeds, state: State) -> Iterator[FileChange]:
    seed = seeds.unique_block
    ones = {file.owner: [stored_one(file, row) for row in file.rows] for file in seed.files}
    removed = {
        owner: frozenset(place for place, one in enumerate(some) if not _says(state, one))
        for owner, some in ones.items()
    }
    there = {one for owner, some in ones.items() for place, one in enumerate(some) if place not in removed[owner]}
    left = stored_blocks(there)
    lacking = {place: block for place, block in state.stored.items() if left.get(place) != block}
    added = rows_of(one for one in state.rows(lacking) if one not in there)
    for file in with_rows(seeds, {"unique_block": added}).unique_block.files:
        yield FileChange(file, removed.get(file.owner, frozenset()))


def _says(state: State, one: One) -> bool:
    """Whether a row is part of the stored blocks."""
    block = state.stored.get(Place(one.schema, one.version, one.entity))
    if block is None:
        return False
    if not one.attribute:
        return one.entity_version in state.range.entities.get(one.entity, {})
    return Element(*one[3:]) in block
