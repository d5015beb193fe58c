"""Checks of the stored blocks: what rows of unique_block cannot say (METL 5.3.2)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from entrepot.mapping.conversions import conversion_of, is_canonical, is_of_a_source
from entrepot.mapping.failures import Failure, Line, listed, meant
from entrepot.mapping.path_checks import mixed_failures
from entrepot.mapping.tree_checks import repeated


@dataclass(frozen=True, slots=True)
class Trees:
    """The registered trees.

    Attributes:
        schemas: {(schema, version): {attribute: its data type}}
        entities: {(entity, version): {entity attribute: its data type}}
    """

    schemas: dict[tuple[str, int], dict[str, str]]
    entities: dict[tuple[str, int], dict[str, str]]


def block_failures(
    lines: Sequence[Line], schemas: Sequence[Line] | None, entities: Sequence[Line] | None, is_whole: bool
) -> Iterator[Failure]:
    """Yield what is wrong with the stored blocks.

    Args:
        lines: the rows of unique_block
        schemas: the rows of schema_attribute; a version that is not there may have been discovered, and is not judged
        entities: the rows of entity_attribute; none where the project has no such seed, and no entity is judged
        is_whole: whether all rows of the trees could be read; else what they lack is not judged
    """
    yield from _half(lines)
    yield from _not_one_to_one(lines)
    yield from mixed_failures(lines)
    if not is_whole:
        return
    trees = Trees(
        _tree(schemas or (), "schema", "version", "attribute"),
        _tree(entities or (), "entity", "entity_version", "entity_attribute"),
    )
    for line in lines:
        missing = [*_source(line, trees), *(_target(line, trees) if entities is not None else ())]
        yield from missing or _types(line, trees)


def _tree(lines: Iterable[Line], owner: str, version: str, name: str) -> dict[tuple[str, int], dict[str, str]]:
    found: dict[tuple[str, int], dict[str, str]] = {}
    for line in lines:
        found.setdefault((line[owner], line.whole(version)), {})[line[name]] = line["data_type"]
    return found


def _half(lines: Iterable[Line]) -> Iterator[Failure]:
    for line in lines:
        if bool(line["attribute"]) != bool(line["entity_attribute"]):
            empty, other = (
                ("attribute", "entity_attribute") if not line["attribute"] else ("entity_attribute", "attribute")
            )
            yield line.fails(
                f"{_place(line)}: {empty} is empty and {other} is {line[other]}",
                "An element has both, and a null block neither of them.",
            )


def _not_one_to_one(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield rows that name an attribute of either side again within their block, and null blocks with elements."""
    is_null = {_block(line): line for line in reversed(lines) if not line["attribute"] and not line["entity_attribute"]}
    elements = [line for line in lines if line["attribute"] and line["entity_attribute"]]
    again = {
        line.place: first
        for line, first in repeated(lines, lambda one: (_block(one), one["attribute"], one["entity_attribute"]))
    }
    for line in lines:
        if line.place in again:
            yield line.fails(
                f"{_place(line)}: the row is there already, in {again[line.place].seen_from(line)}",
                "Take one of the two out.",
            )
    for side, other in (("attribute", "entity_attribute"), ("entity_attribute", "attribute")):
        for line, first in repeated(elements, lambda one, side=side: (_block(one), one[side])):  # type: ignore[misc]
            if line.place not in again:
                verb = "is mapped to" if side == "attribute" else "is mapped from"
                yield line.fails(
                    f"{_place(line)}: {line[side]} {verb} {line[other]}, and {verb} {first[other]} in {first.seen_from(line)}",
                    "Within a block an attribute becomes one entity attribute, and that comes from one attribute: take one of the rows out.",
                )
    with_elements = {_block(line): line for line in reversed(elements)}
    for block, line in is_null.items():
        if block in with_elements:
            yield line.fails(
                f"{_place(line)}: a null block, and {with_elements[block].seen_from(line)} has an element of the same block",
                "Take this row out, or the elements.",
            )


def _source(line: Line, trees: Trees) -> Iterator[Failure]:
    """Yield an attribute that a registered schema version does not have."""
    attributes = trees.schemas.get((line["schema"], line.whole("version")))
    name = line["attribute"]
    if attributes is not None and name and name not in attributes:
        yield line.fails(
            f"{_place(line)}: the schema has no attribute {name} in this version",
            f"{meant(name, attributes)}It has {listed(attributes)}. Write one of these, or add the attribute to schema_attribute.csv.",
        )


def _target(line: Line, trees: Trees) -> Iterator[Failure]:
    """Yield an entity, a version of it or an attribute that the range tree does not have."""
    entity, name = line["entity"], line["entity_attribute"]
    versions = sorted(version for one, version in trees.entities if one == entity)
    attributes = trees.entities.get((entity, line.whole("entity_version")))
    if not versions:
        known = {one for one, _ in trees.entities}
        yield line.fails(
            f"{_place(line)}: there is no entity {entity}",
            f"{meant(entity, known)}There are {listed(known)}. Write one of these, or add the entity to entity_attribute.csv.",
        )
    elif attributes is None:
        yield line.fails(
            f"{_place(line)}: the entity has no such version",
            f"It has {', '.join(map(str, versions))}; the newest one is the one that is compiled.",
        )
    elif name and name not in attributes:
        yield line.fails(
            f"{_place(line)}: the entity has no attribute {name} in this version",
            f"{meant(name, attributes)}It has {listed(attributes)}. Write one of these, or add the attribute to entity_attribute.csv.",
        )


def _types(line: Line, trees: Trees) -> Iterator[Failure]:
    """Yield an element of whose values Spark converts none. A narrowing is no failure: `mapping_error` tells of what does not fit."""
    source = trees.schemas.get((line["schema"], line.whole("version")), {}).get(line["attribute"])
    target = trees.entities.get((line["entity"], line.whole("entity_version")), {}).get(line["entity_attribute"])
    if not source or not target or not is_of_a_source(source) or not is_canonical(target):
        return
    if conversion_of(source, target) == "none":
        yield line.fails(*unconverted(_place(line), line["attribute"], source, line["entity_attribute"], target))


def unconverted(
    place: str, attribute: str, source: str, entity_attribute: str, target: str, is_some: bool = False
) -> tuple[str, str]:
    """Return what is wrong with an element of whose values none is converted, or some may not be, and what to do."""
    what = "not every value of it fits" if is_some else "no value of it becomes"
    other = "Values that do not fit are null or rounded, with a mapping_error. Where that is wrong, " if is_some else ""
    way_out = (
        "map another attribute, or give the entity attribute another type in entity_attribute.csv, such as string."
    )
    return (
        f"{place}: {attribute} is {source}, and {what} {entity_attribute}, which is {target}",
        f"{other}{way_out}" if is_some else f"M{way_out[1:]}",
    )


def _block(line: Line) -> Hashable:
    return line["schema"], line.whole("version"), line["entity"], line.whole("entity_version")


def _place(line: Line) -> str:
    return f"{line['schema']} version {line['version'].strip()} to {line['entity']} version {line['entity_version'].strip()}"
