"""A state as the three seeds say it; seeds that contradict each other are refused in words, whatever the order of their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.elements import Block, Element, One, Place
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import DomainTree, RangeTree
from entrepot.mapping.names import NOTHING
from entrepot.mapping.owners import owned
from entrepot.mapping.seeds import COLUMNS, Row, Seed, SeedFile, Seeds, read_seeds, whole_number
from entrepot.mapping.trees import Version

# a row of unique_block, its file, and its line, from 1 on; 0 where it is not in the file yet
Stored = tuple[One, str, int]
# file, line, what is wrong
Contradiction = tuple[str, int, str]
# contradictions that are told at once
TOLD = 5


def seeds_of(folder: Path) -> Seeds:
    """Read the three seeds of a folder, with those of owners in it.

    Raises:
        EntrepotError: one is not there, or a file of it cannot be read
    """
    paths = {name: folder / f"{name}.csv" for name in COLUMNS}
    refuse_missing(paths, str(folder))
    return read_seeds(paths)


def refuse_missing(paths: Mapping[str, Path], where: str) -> None:
    """Refuse seeds of which one is not there, neither its own file nor one of an owner.

    Args:
        paths: {seed: its own file}
        where: what they are part of, as a sentence begins

    Raises:
        EntrepotError: with those that are missing
    """
    if missing := [path for path in paths.values() if not path.is_file() and not list(owned(path))]:
        folder = next(iter(paths.values())).parent
        raise EntrepotError(
            f"{where} has no {' and no '.join(path.name for path in missing)}.",
            f"{folder}, or folders of owners in it, has to hold {', '.join(path.name for path in paths.values())} (docs/mapping.md).",
        )


def state_of(seeds: Seeds, discovered: Iterable[Version] = ()) -> State:
    """Return the state that seeds say.

    Args:
        seeds: the three
        discovered: schema versions that events have shown; of the same number the registered one counts

    Raises:
        EntrepotError: a version is no number, or the seeds contradict each other
    """
    registered, range_ = [_named(version) for version in seeds.versions()], range_tree(seeds)
    _refuse(
        seeds,
        {
            *_repeated(seeds.schema_attribute, "schema", "version", "attribute"),
            *_repeated(seeds.entity_attribute, "entity", "entity_version", "entity_attribute"),
        },
    )
    there = {(version.schema, version.number) for version in registered}
    new = [version for version in discovered if (version.schema, version.number) not in there]
    domain = DomainTree.of([*registered, *new])
    rows = stored_rows(seeds)
    _refuse(seeds, {*_not_one_to_one(rows), *_not_there(rows, domain, range_)})
    return State.of(domain, range_, stored_blocks(one for one, *_ in rows))


def range_tree(seeds: Seeds) -> RangeTree:
    """Return the range tree; attributes of a version are in the order of their names."""
    return RangeTree(
        {
            entity: {number: tuple(sorted(some, key=lambda one: one.name)) for number, some in sorted(versions.items())}
            for entity, versions in sorted(seeds.entity_versions().items())
        }
    )


def stored_rows(seeds: Seeds) -> list[Stored]:
    """Return the rows of unique_block, sorted, each with its file and line."""
    return sorted((stored_one(file, row, line), file.name, line) for file, row, line in seeds.unique_block.placed())


def stored_one(file: SeedFile, row: Row, line: int = 0) -> One:
    """Return a row of unique_block; both attributes of a null block are empty.

    Raises:
        EntrepotError: a version is no number
    """
    return One(
        row["schema"], whole_number(file, row, "version", line), row["entity"], whole_number(file, row, "entity_version", line),
        _text(row["attribute"]), _text(row["entity_attribute"]),
    )  # fmt: skip


def stored_blocks(ones: Iterable[One]) -> dict[Place, Block]:
    """Return the blocks that rows of unique_block make."""
    found: dict[Place, set[Element]] = {}
    for one in ones:
        elements = found.setdefault(Place(one.schema, one.version, one.entity), set())
        if one.attribute and one.entity_attribute:
            elements.add(Element(one.entity_version, one.attribute, one.entity_attribute))
    return {place: frozenset(elements) for place, elements in found.items()}


def _text(text: str) -> str:
    """A text as dbt reads it: blank and `null` are nothing."""
    return "" if NOTHING.fullmatch(text) else text


def _named(version: Version) -> Version:
    """A version without rows that name no attribute, which only say that it is there."""
    if all(_text(one.name) for one in version.attributes) and not any(one.renamed_from for one in version.attributes):
        return version
    named = (one for one in version.attributes if _text(one.name))
    return replace(version, attributes=tuple(replace(one, renamed_from=_text(one.renamed_from)) for one in named))


def _repeated(seed: Seed, owner: str, version: str, attribute: str) -> Iterator[Contradiction]:
    seen: set[tuple[str, int, str]] = set()
    for file, row, line in seed.placed():
        key = (row[owner], whole_number(file, row, version, line), row[attribute])
        if key in seen:
            yield file.name, line, f"{key[0]} version {key[1]} has the attribute {key[2]} already"
        seen.add(key)


def _not_one_to_one(rows: Sequence[Stored]) -> Iterator[Contradiction]:
    """Blocks that are no one-to-one relation (METL 4.5), null blocks with elements, and rows that name one side only."""
    sizes = Counter(one[:4] for one, *_ in rows)
    for side in ("attribute", "entity_attribute"):
        counts = Counter((one[:4], getattr(one, side)) for one, *_ in rows)
        for one, file, line in rows:
            name = getattr(one, side)
            if name and counts[one[:4], name] > 1:
                yield _told(
                    one,
                    file,
                    line,
                    f"{side} {name} stands {counts[one[:4], name]} times in the block, and may stand once",
                )
    for one, file, line in rows:
        if bool(one.attribute) != bool(one.entity_attribute):
            yield _told(
                one,
                file,
                line,
                f"{one.attribute or one.entity_attribute} is mapped to nothing; a null block has both empty",
            )
        elif not one.attribute and sizes[one[:4]] > 1:
            yield _told(one, file, line, "a null block, and elements besides")


def _not_there(rows: Sequence[Stored], domain: DomainTree, range_: RangeTree) -> Iterator[Contradiction]:
    """Blocks at versions, and elements of attributes, that the trees do not have."""
    names = {(one.schema, one.number): one.names for versions in domain.schemas.values() for one in versions}
    entities = {
        (entity, number): {one.name for one in attributes}
        for entity, versions in range_.entities.items()
        for number, attributes in versions.items()
    }
    for one, file, line in rows:
        source, target = names.get((one.schema, one.version)), entities.get((one.entity, one.entity_version))
        if source is None:
            yield _told(one, file, line, "schema_attribute has no such version")
        elif one.attribute and one.attribute not in source:
            yield _told(one, file, line, f"the schema has no attribute {one.attribute} in this version")
        if target is None:
            yield _told(one, file, line, "entity_attribute has no such version of the entity")
        elif one.entity_attribute and one.entity_attribute not in target:
            yield _told(one, file, line, f"the entity has no attribute {one.entity_attribute} in this version")


def _told(one: One, file: str, line: int, what: str) -> Contradiction:
    block = f"{one.schema} version {one.version} to {one.entity} version {one.entity_version}"
    return file, line, f"{block}: {what}"


def _refuse(seeds: Seeds, contradictions: Set[Contradiction]) -> None:
    if contradictions:
        more = f"\n  and {len(contradictions) - TOLD} more" if len(contradictions) > TOLD else ""
        told = (f"{file}{f':{line}' if line else ''}: {what}" for file, line, what in sorted(contradictions)[:TOLD])
        raise EntrepotError(
            f"The seeds in {seeds.unique_block.path.parent} contradict each other:\n  "
            + "\n  ".join(told)
            + more
            + "\n",
            "Correct these rows (docs/mapping.md, The seeds).",
        )
