"""Checks of the two trees: what rows of schema_attribute and entity_attribute cannot say (METL 5.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

from entrepot.mapping.conversions import is_canonical, is_of_a_source
from entrepot.mapping.failures import Failure, Line, listed, meant
from entrepot.mapping.names import RESERVED, RESERVED_FOR_KEYS, canonical_name, no_entity
from entrepot.mapping.path_checks import path_failures, repeated_failures
from entrepot.mapping.repeated import levels_of, parts_of
from entrepot.mapping.seeds import is_true

# what Delta takes in no column's name, unless the table maps its columns
DELTA_REFUSES = re.compile(r"[ ,;{}()\n\t=]")
OWN_NAME = (
    "An attribute goes on under its own name while that is there: leave renamed_from empty, and where the values have changed places, "
    "say the version's block in unique_block.csv."
)
CANONICAL = "integer, string, boolean, double, decimal(p,s), number, date, timestamp, time, json, binary or another type of Spark"


def schema_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield what is wrong with the registered schema versions."""
    yield from _twice(lines, ("schema", "version", "attribute"))
    names: dict[tuple[str, int], set[str]] = {}
    for line in lines:
        names.setdefault((line["schema"], line.whole("version")), set()).add(line["attribute"])
    yield from path_failures(lines)
    for line in lines:
        if line["data_type"] and not is_of_a_source(line["data_type"]):
            yield line.fails(
                f"{_version(line)}: {line['attribute']} has the data_type {line['data_type']}, which is half of a type",
                "Write it as the database does, such as numeric(12,2) or timestamp(3) with time zone; empty where it is not known.",
            )
        before = names.get((line["schema"], line.whole("version") - 1))
        if line["renamed_from"] and before is not None and line["renamed_from"] not in before:
            yield line.fails(
                f"{_version(line)}: {line['attribute']} is renamed_from {line['renamed_from']}, which the version before does not have",
                f"{meant(line['renamed_from'], before)}It has {listed(before)}. Leave it empty where nothing was renamed.",
            )
        elif line["renamed_from"] not in ("", line["attribute"]):
            yield from _lost_renames(line, names[line["schema"], line.whole("version")], before or ())
    yield from _renamed_twice(lines)


def _lost_renames(line: Line, names: Collection[str], before: Collection[str]) -> Iterator[Failure]:
    """Yield a rename that cannot hold, because an attribute goes on under its own name while that is there.

    Args:
        line: the row of an attribute that is renamed from another one
        names: the attributes of its version
        before: those of the version before; none where nobody has registered it
    """
    name, old = line["attribute"], line["renamed_from"]
    if old in names:
        yield line.fails(f"{_version(line)}: {name} is renamed_from {old}, and {old} is still there", OWN_NAME)
    elif name in before:
        yield line.fails(
            f"{_version(line)}: {name} is renamed_from {old}, and the version before has {name}, too", OWN_NAME
        )


def _renamed_twice(lines: Iterable[Line]) -> Iterator[Failure]:
    """Yield attributes that are renamed from what another one of the version is renamed from."""
    renamed = (line for line in lines if line["renamed_from"])
    for line, first in repeated(renamed, lambda one: (one["schema"], one.whole("version"), one["renamed_from"])):
        name, other = line["attribute"], first["attribute"]
        if name != other:
            yield line.fails(
                f"{_version(line)}: {name} is renamed_from {line['renamed_from']}, and so is {other} in {first.seen_from(line)}",
                "One attribute goes on as one: leave it empty at the other.",
            )


def entity_failures(lines: Sequence[Line], any_name: bool) -> Iterator[Failure]:
    """Yield what is wrong with the entities."""
    yield from _twice(lines, ("entity", "entity_version", "entity_attribute"))
    yield from _entity_names(lines)
    yield from _alike(lines)
    yield from _gaps(lines)
    yield from repeated_failures(lines)
    for line in lines:
        name, place = line["entity_attribute"], f"{line['entity']} version {line['entity_version'].strip()}"
        if not is_canonical(line["data_type"]):
            yield line.fails(
                f"{place}: {name} has the data_type {line['data_type']}, which is none", f"It is {CANONICAL}."
            )
        is_key = is_true(line["is_key"])
        column = parts_of(name)[0].lower()
        if column in RESERVED or (is_key and column in RESERVED_FOR_KEYS):
            what = "mapped models" if column not in RESERVED else "histories"
            yield line.fails(
                f"{place}: {parts_of(name)[0]} is the name of a column of all {what}",
                f"Put the entity's name in front, such as {line['entity']}_{name.lower()}, here and in unique_block.csv.",
            )
        if not any_name and (found := DELTA_REFUSES.search("".join(one for one, _ in levels_of(name)))):
            yield line.fails(
                f"{place}: the name {name!r} has the character {found[0]!r}",
                f"Delta takes it in no column's name. Write {DELTA_REFUSES.sub('_', name)}, here and in unique_block.csv.",
            )


def _version(line: Line) -> str:
    return f"{line['schema']} version {line['version'].strip()}"


def _twice(lines: Iterable[Line], columns: tuple[str, str, str]) -> Iterator[Failure]:
    """Yield the rows of an attribute that another row has registered."""
    for line, first in repeated(lines, lambda one: (one[columns[0]], one.whole(columns[1]), one[columns[2]])):
        owner, version, name = (line[column].strip() for column in columns)
        yield line.fails(
            f"{owner} version {version} has {name} already, in {first.seen_from(line)}", "Take one of the rows out."
        )


def _entity_names(lines: Iterable[Line]) -> Iterator[Failure]:
    """Yield the first row of each entity whose name is none, or is another one's but for upper and lower case."""
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line["entity"], line)
    for name, line in first.items():
        if wrong := no_entity(name):
            given, instead = wrong
            yield line.fails(given, f"{instead}, here and in unique_block.csv.")
    for line, other in repeated(first.values(), lambda one: one["entity"].lower()):
        name, before = line["entity"], other["entity"]
        yield line.fails(
            f"{name}, and {before} in {other.seen_from(line)}, are one table to Spark, and one file to some systems",
            f"Write another name, such as {canonical_name(name)}_2, or {before} where they are one entity, here and in unique_block.csv.",
        )


def _alike(lines: Iterable[Line]) -> Iterator[Failure]:
    """Yield attributes whose names differ in upper and lower case alone: Spark takes them for one."""

    def alike(line: Line) -> Hashable:
        return line["entity"], line.whole("entity_version"), line["entity_attribute"].lower()

    for line, first in repeated(lines, alike):
        name = line["entity_attribute"]
        if name != first["entity_attribute"]:
            yield line.fails(
                f"{line['entity']} version {line['entity_version'].strip()} has {name}, and {first['entity_attribute']} in {first.seen_from(line)}",
                f"Spark takes the two names for one. Write another one, such as {name.lower()}_2, here and in unique_block.csv.",
            )


def _gaps(lines: Iterable[Line]) -> Iterator[Failure]:
    """Yield the first rows of versions of entities that follow a gap; older versions may have been taken out."""
    for entity, versions in _by_version(lines).items():
        for number in sorted(versions)[1:]:
            if number - 1 not in versions:
                yield versions[number][0].fails(
                    f"{entity} has a version {number} and no version {number - 1}",
                    f"Versions follow each other: write {max(one for one in versions if one < number) + 1}, here and in unique_block.csv.",
                )


def _by_version(lines: Iterable[Line]) -> dict[str, dict[int, list[Line]]]:
    found: dict[str, dict[int, list[Line]]] = {}
    for line in lines:
        found.setdefault(line["entity"], {}).setdefault(line.whole("entity_version"), []).append(line)
    return found


def repeated(lines: Iterable[Line], key: Callable[[Line], Hashable]) -> Iterator[tuple[Line, Line]]:
    """Yield rows that say what an earlier row says, with that one."""
    first: dict[Hashable, Line] = {}
    for line in lines:
        if (found := first.setdefault(key(line), line)) is not line:
            yield line, found
