"""Blocks that a person stores: one that inheritance computed, a null block, one of equal names, one from a file (METL 5.4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.mapping.failures import listed, meant
from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Element, One, Place
from entrepot.mapping.matrix.review import Review
from entrepot.mapping.matrix.search import entity_version_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.words import known
from entrepot.mapping.names import canonical_name
from entrepot.mapping.seeds import Row, parsed

PAIR = ("attribute", "entity_attribute")
# (attribute, entity attribute)
Pair = tuple[str, str]


def confirmed(state: State, chosen: Iterable[Review], *, as_null: bool) -> list[One]:
    """Return the rows that store the blocks of reviews: what they have inherited, or null blocks."""
    blocks = {one.place: NULL_BLOCK if as_null else state.block(one.place) for one in chosen}
    return state.rows(blocks)


def new_block(state: State, place: Place, pairs: Mapping[Pair, str] | None) -> list[One]:
    """Return the rows of a block that nobody has stored yet, to the entity's newest version.

    Args:
        state: the mapping
        place: where the block stands
        pairs: its elements, {(attribute, entity attribute): where somebody has written it}; None takes those that the version has
            inherited, and besides those whose names are equal

    Raises:
        EntrepotError: the place is none, has a stored block, no names are equal, or a pair names what is not there
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
    inherited = state.block(place)
    targets = state.range.names(place.entity, entity_version)
    if pairs is None:
        same = {(one.attribute, one.entity_attribute) for one in inherited if one.entity_version == entity_version}
        fed = {target for _, target in same}
        fresh = [one.name for one in version.attributes if one.name not in {name for name, _ in same}]
        chosen = [*same, *equal_names(fresh, targets - fed)]
    else:
        _check_pairs(pairs, f"{place.schema} version {place.version}", version.names, place.entity, targets)
        chosen = list(pairs)
    if not chosen:
        raise EntrepotError(
            f"No attribute of {place.schema} is called as one of {place.entity}.",
            "Say the block in a file: --from FILE",
        )
    kept = {one for one in inherited if one.entity_version != entity_version}
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


def pairs_of_file(path: Path) -> dict[Pair, str]:
    """Read the elements of a block from a CSV file with the columns attribute and entity_attribute, {element: file and line}.

    Raises:
        EntrepotError: it cannot be read, lacks a column, has no rows, or a row of it has a name that another one has, lacks one, or has too
            many values
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EntrepotError(
            f"{path} cannot be read: {error.strerror}.", f"Name a CSV file in UTF-8 with the columns {','.join(PAIR)}."
        ) from error
    file = parsed(path, content, PAIR)
    if file.too_long:
        raise EntrepotError(
            f"{path}:{file.too_long[0]}: the row has more than {len(file.columns)} values.",
            "Put a name with a comma in quotes.",
        )
    if not file.rows:
        raise EntrepotError(
            f"{path} has no rows with {' and '.join(PAIR)}.",
            f"Its first line has {','.join(PAIR)}, each one below it is an element.",
        )
    found: dict[Pair, str] = {}
    first: dict[tuple[str, str], int] = {}
    for row, line in file.numbered():
        for side in PAIR:
            if not row[side].strip():
                raise EntrepotError(f"{path}:{line}: {side} is empty.", "Each row is one element, with both names.")
            if (before := first.setdefault((side, row[side]), line)) != line:
                raise EntrepotError(
                    f"{path}:{line}: {side} {row[side]} stands in line {before} already.",
                    "Within a block an attribute becomes one entity attribute, and that comes from one attribute.",
                )
        found[row["attribute"], row["entity_attribute"]] = f"{path}:{line}"
    return found


def keys_left_out(state: State, ones: Iterable[One]) -> list[tuple[str, int, list[str]]]:
    """Return the keys that blocks leave out, as (entity, entity version, its keys): the test `mapping_keys_mapped` fails for them.

    Args:
        state: the mapping
        ones: rows of blocks; null blocks leave nothing out
    """
    fed: dict[tuple[str, int], set[str]] = {}
    for one in ones:
        if one.attribute:
            fed.setdefault((one.entity, one.entity_version), set()).add(one.entity_attribute)
    found = []
    for (entity, version), names in sorted(fed.items()):
        attributes = state.range.entities[entity].get(version, ())
        if missing := sorted(one.name for one in attributes if one.is_key and one.name not in names):
            found.append((entity, version, missing))
    return found


def _check_pairs(
    pairs: Mapping[Pair, str], version: str, names: Collection[str], entity: str, targets: Collection[str]
) -> None:
    """Refuse elements of which one side is not there.

    Raises:
        EntrepotError: with where it is written, and what there is
    """
    for (attribute, entity_attribute), where in pairs.items():
        if attribute not in names:
            raise EntrepotError(
                f"{where}: {version} has no attribute {attribute}.", f"{meant(attribute, names)}It has {listed(names)}."
            )
        if entity_attribute not in targets:
            raise EntrepotError(
                f"{where}: the entity {entity} has no attribute {entity_attribute} in its newest version.",
                f"{meant(entity_attribute, targets)}It has {listed(targets)}.",
            )


def rows_of(ones: Iterable[One]) -> list[Row]:
    """Return rows as the seed unique_block has them."""
    return [{name: str(value) for name, value in one._asdict().items()} for one in ones]


def _by_canonical_name(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(canonical_name(name), []).append(name)
    return found
