"""Blocks that a person stores: one that inheritance computed, a null block, one of equal names, one from a file (METL 5.4.2)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Element, One, Place
from entrepot.mapping.matrix.review import Review
from entrepot.mapping.matrix.search import entity_version_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.words import known
from entrepot.mapping.names import canonical_name
from entrepot.mapping.seeds import MARK, Row

PAIR = ("attribute", "entity_attribute")


def confirmed(state: State, chosen: Iterable[Review], *, as_null: bool) -> list[One]:
    """Return the rows that store the blocks of reviews: what they have inherited, or null blocks."""
    blocks = {one.place: NULL_BLOCK if as_null else state.block(one.place) for one in chosen}
    return state.rows(blocks)


def new_block(state: State, place: Place, pairs: Sequence[tuple[str, str]] | None) -> list[One]:
    """Return the rows of a block that nobody has stored yet, to the entity's newest version.

    Args:
        state: the mapping
        place: where the block stands
        pairs: (attribute, entity attribute) pairs; None takes those whose names are equal

    Raises:
        EntrepotError: the place is none, has a stored block, or no names are equal
    """
    known("schema", place.schema, state.domain.schemas)
    version = state.domain.version(place.schema, place.version)
    if version is None:
        there = ", ".join(str(one.number) for one in state.domain.schemas[place.schema])
        raise EntrepotError(f"{place.schema} has no version {place.version}.", f"It has {there}.")
    entity_version = entity_version_of(state, place.entity, None)
    if place in state.stored:
        raise EntrepotError(
            f"unique_block.csv has a block of {place.schema} version {place.version} to {place.entity}.",
            "Change its rows by hand: a stored block is complete.",
        )
    names = [one.name for one in version.attributes]
    chosen = equal_names(names, state.range.names(place.entity, entity_version)) if pairs is None else pairs
    if not chosen:
        raise EntrepotError(
            f"No attribute of {place.schema} is called as one of {place.entity}.",
            "Say the block in a file: --from FILE",
        )
    kept = {one for one in state.block(place) if one.entity_version != entity_version}
    block: Block = frozenset({*kept, *(Element(entity_version, *pair) for pair in chosen)})
    return state.rows({place: block})


def equal_names(attributes: Iterable[str], entity_attributes: Iterable[str]) -> list[tuple[str, str]]:
    """Return (attribute, entity attribute) pairs of the same name; else of the same canonical name, where only one of each side has it.

    >>> equal_names(["id", "createdAt", "Name", "NAME"], ["id", "created_at", "name"])
    [('id', 'id'), ('createdAt', 'created_at')]
    """
    left, right = list(attributes), set(entity_attributes)
    pairs = {name: name for name in left if name in right}
    sources, targets = _by_canonical_name(set(left) - set(pairs)), _by_canonical_name(right - set(pairs))
    pairs |= {
        names[0]: targets[plain][0]
        for plain, names in sources.items()
        if plain and len(names) == 1 and len(targets.get(plain, ())) == 1
    }
    return [(name, pairs[name]) for name in left if name in pairs]


def pairs_of_file(path: Path) -> list[tuple[str, str]]:
    """Read the elements of a block from a CSV file with the columns attribute and entity_attribute.

    Raises:
        EntrepotError: it cannot be read, lacks a column, has no rows, or one of its rows lacks a name
    """
    try:
        text = path.read_bytes().removeprefix(MARK).decode()
        rows = list(csv.DictReader(text.splitlines(keepends=True), restval="", strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise EntrepotError(
            f"{path} is no CSV file in UTF-8 that can be read: {error}.", "Correct it and try again."
        ) from error
    if not rows or any(column not in rows[0] for column in PAIR):
        raise EntrepotError(f"{path} has no rows with {' and '.join(PAIR)}.", f"Its first line has {','.join(PAIR)}.")
    for number, row in enumerate(rows, 1):
        if not (row["attribute"] and row["entity_attribute"]):
            raise EntrepotError(f"Row {number} of {path} lacks a name.", "Each row is one element, with both names.")
    return [(row["attribute"], row["entity_attribute"]) for row in rows]


def rows_of(ones: Iterable[One]) -> list[Row]:
    """Return rows as the seed unique_block has them."""
    return [{name: str(value) for name, value in one._asdict().items()} for one in ones]


def _by_canonical_name(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(canonical_name(name), []).append(name)
    return found
