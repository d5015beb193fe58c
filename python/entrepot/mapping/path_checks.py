"""Checks of attributes that are paths: what a name inside of a column cannot say (decision 39)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from entrepot.mapping.failures import Failure, Line
from entrepot.mapping.names import canonical_name
from entrepot.mapping.paths import ancestors, array_of, problem_of, steps_of
from entrepot.mapping.repeated import parts_of
from entrepot.mapping.seeds import is_true
from entrepot.mapping.types import canonical_type

# what a column is that may have something inside: a record, or JSON in a text
HOLDING = ("string", "json")
ARRAY = "[]"


def path_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield attributes of the registered schema versions that are no path, or are in a column that has nothing inside."""
    types = {(line["schema"], line.whole("version"), line["attribute"]): line["data_type"] for line in lines}
    for line in lines:
        if problem := problem_of(line["attribute"]):
            yield line.fails(f"{_version(line)}: {line['attribute']} {problem[0]}", problem[1])
            continue
        steps = steps_of(line["attribute"])
        if is_true(line["is_key"]) and array_of(line["attribute"]):
            yield line.fails(
                f"{_version(line)}: {line['attribute']} is a key, and an array has many of it",
                "A key has one value in a row: write false, and true at the attribute that tells rows apart.",
            )
        for above, step in zip(ancestors(line["attribute"]), steps, strict=False):
            data_type = types.get((line["schema"], line.whole("version"), above), "").strip().lower()
            if data_type and (wrong := _wrong(above, data_type, step.elements)):
                yield line.fails(
                    f"{_version(line)}: {line['attribute']} is inside of {above}, which is {data_type}", wrong
                )
                break


def repeated_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield attributes of entities that name a field of an array's elements, and cannot be one."""
    columns = {
        (line["entity"], line.whole("entity_version"), line["entity_attribute"].lower()): line
        for line in reversed(lines)
        if ARRAY not in line["entity_attribute"]
    }
    for line in lines:
        name = line["entity_attribute"]
        place = f"{line['entity']} version {line['entity_version'].strip()}"
        column, field = parts_of(name)
        if ARRAY in name and (not column or not field or ARRAY in column + field):
            yield line.fails(
                f"{place}: {name} is no field of an array",
                "Write it as lines[].item_code: a column, brackets, a dot, a field.",
            )
        elif field and is_true(line["is_key"]):
            yield line.fails(
                f"{place}: {name} is a key, and an array has many of it", "A key has one value: write false."
            )
        elif field and (beside := columns.get((line["entity"], line.whole("entity_version"), column.lower()))):
            yield line.fails(
                f"{place}: {name} makes a column {column}, and line {beside.number} is an attribute {beside['entity_attribute']}",
                "Give one of the two another name, here and in unique_block.csv.",
            )


def mixed_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield elements of blocks of which one side is repeated and the other is not, and arrays that come from two."""
    arrays: dict[tuple[str, ...], Line] = {}
    for line in lines:
        attribute, target = line["attribute"], line["entity_attribute"]
        if not attribute or not target:
            continue
        place = f"{line['schema']} version {line['version'].strip()} to {line['entity']} version {line['entity_version'].strip()}"
        array, (column, field) = array_of(attribute), parts_of(target)
        if array and not field:
            yield line.fails(
                f"{place}: {attribute} has a value in each element of an array, and {target} has one value",
                f"Map it to a field of an array of the entity, such as {_suggested(array)}[].{target}, or map {array} as a whole.",
            )
        elif field and not array:
            yield line.fails(
                f"{place}: {attribute} has one value, and {target} is a field of each element of an array",
                f"Map an attribute of an array's elements to it, such as lines[].{attribute}.",
            )
        elif array:
            block = (line["schema"], line["version"].strip(), line["entity"], line["entity_version"].strip(), column)
            first = arrays.setdefault(block, line)
            if array_of(first["attribute"]) != array:
                yield line.fails(
                    f"{place}: {column} comes from the elements of {array}, and from those of {array_of(first['attribute'])} in line {first.number}",
                    "All fields of an array come from one array: take one of them out, or make two arrays of the entity.",
                )


def _suggested(array: str) -> str:
    """What an array of an entity may be called: as the source's last step."""
    return canonical_name(steps_of(array)[-1].name) or "elements"


def _wrong(above: str, data_type: str, elements: bool) -> str:
    """What to do where a type cannot have what a path says is inside; empty where it can."""
    is_array = data_type.endswith(ARRAY)
    if canonical_type(data_type.removesuffix(ARRAY)) not in HOLDING:
        return "Nothing is inside of such a value: correct one of the two lines."
    if is_array and not elements:
        return f"It has elements, and these have fields: write {above}{ARRAY} in place of {above} in the path."
    if elements and data_type == "struct":
        return f"It has no elements: write {above} without brackets in the path."
    return ""


def _version(line: Line) -> str:
    return f"{line['schema']} version {line['version'].strip()}"
