"""Checks of attributes that are paths: what a name inside of a column cannot say (decision 39)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from entrepot.mapping.failures import Failure, Line
from entrepot.mapping.paths import ancestors, problem_of, steps_of
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
        if is_true(line["is_key"]) and any(step.elements for step in steps):
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
