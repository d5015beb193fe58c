"""Checks of attributes that are paths: what a name inside of a column cannot say (decisions 39, 51)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from entrepot.mapping.failures import Failure, Line
from entrepot.mapping.names import canonical_name
from entrepot.mapping.parsing import within
from entrepot.mapping.paths import ELEMENTS, VALUES, ancestors, each_of, problem_of, repeats_of, steps_of
from entrepot.mapping.repeated import levels_of, repeats_in
from entrepot.mapping.seeds import is_true
from entrepot.mapping.types import canonical_type

# what a column is that may have something inside: a record, or JSON in a text
HOLDING = ("string", "json")
# what repeats, in words: a whole, and one of it
WORDS = {ELEMENTS: ("an array", "each element of an array"), VALUES: ("a map", "each value of a map")}


def path_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield attributes of the registered schema versions that are no path, or are in a column that has nothing inside."""
    types: dict[tuple[str, int], dict[str, str]] = {}
    for line in lines:
        told = types.setdefault((line["schema"], line.whole("version")), {})
        told[line["attribute"]] = line["data_type"].strip().lower()
    for line in lines:
        if problem := problem_of(line["attribute"]):
            yield line.fails(f"{_version(line)}: {line['attribute']} {problem[0]}", problem[1])
            continue
        yield from _placed(line, types[line["schema"], line.whole("version")])


def _placed(line: Line, types: Mapping[str, str]) -> Iterator[Failure]:
    """Yield what is wrong with where a path leads; `types` are those of the attributes of its version."""
    attribute = line["attribute"]
    repeats = repeats_of(attribute)
    if is_true(line["is_key"]) and repeats:
        yield line.fails(
            f"{_version(line)}: {attribute} is a key, and {_whole(repeats[0])} has many of it",
            "A key has one value in a row: write false, and true at the attribute that tells rows apart.",
        )
    for above in ancestors(attribute):
        goes_on = next((one[-2:] for one in repeats if one[:-2] == above), "")
        if (data_type := types.get(above, "")) and (wrong := _wrong(above, data_type, goes_on)):
            yield line.fails(f"{_version(line)}: {attribute} is inside of {above}, which is {data_type}", wrong)
            return
    base = within(attribute, {one: types[one] for one in ancestors(attribute) if types.get(one)})[0]
    if repeats_of(base):
        yield line.fails(
            f"{_version(line)}: {attribute} is inside of {base}, which is {types[base]}, a text in {WORDS[repeats_of(base)[-1][-2:]][1]}",
            f"JSON in such a text is not looked into: map {base} as a whole, or write struct as its type where it is an object.",
        )


def repeated_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield attributes of entities that name a part of an array or a map, and cannot be one."""
    there: dict[tuple[str, int, str], tuple[str, Line]] = {}
    sound = []
    for line in lines:
        name, place = line["entity_attribute"], f"{line['entity']} version {line['entity_version'].strip()}"
        levels = list(levels_of(name))
        repeats = "".join(one for _, one in levels)
        if any(not one or ELEMENTS in one for one, _ in levels) or levels[-1][1].endswith(ELEMENTS):
            yield line.fails(
                f"{place}: {name} is no part of an array or a map",
                "Write it as lines[].item_code: a column, brackets, a dot, a field; or as prices{}: a column and braces.",
            )
        elif any(ELEMENTS * 2 in one for _, one in levels):
            yield line.fails(
                f"{place}: {name} goes into the elements of elements", "Arrays of arrays are mapped as a whole."
            )
        elif repeats and is_true(line["is_key"]):
            yield line.fails(
                f"{place}: {name} is a key, and {WORDS[repeats[:2]][0]} has many of it",
                "A key has one value: write false.",
            )
        else:
            sound.append(line)
    # what ends comes first: it is what others make a column of
    for line in sorted(sound, key=lambda one: len(list(levels_of(one["entity_attribute"])))):
        yield from _beside(line, there)


def _beside(line: Line, there: dict[tuple[str, int, str], tuple[str, Line]]) -> Iterator[Failure]:
    """Yield an attribute that makes another thing of a column, or of a part of it, than one before it; `there` is what they have made so far."""
    name, whole = line["entity_attribute"], ""
    for part, goes_on in _parts(name):
        whole += part
        if part == ".":
            continue
        held, first = there.setdefault((line["entity"], line.whole("entity_version"), whole.lower()), (goes_on, line))
        if held != goes_on:
            yield line.fails(
                f"{line['entity']} version {line['entity_version'].strip()}: {name} makes {_made(goes_on)} {whole}, "
                f"and {first.seen_from(line)} is an attribute {first['entity_attribute']}",
                "Give one of the two another name, here and in unique_block.csv.",
            )
            return


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """The parts of an entity's attribute, each with what is behind it: `[]`, `{}`, a dot, or nothing at its end."""
    found: list[str] = []
    for level, (one, repeats) in enumerate(levels_of(name)):
        found += [*(["."] if level else []), one, *each_of(repeats)]
    yield from zip(found, [*found[1:], ""], strict=True)


def _made(goes_on: str) -> str:
    return WORDS[goes_on][0] if goes_on in WORDS else "a record of" if goes_on else "a value of"


def mixed_failures(lines: Sequence[Line]) -> Iterator[Failure]:
    """Yield elements of blocks of which one side repeats otherwise than the other, and arrays and maps that come from two."""
    wholes: dict[tuple[str, ...], tuple[str, Line]] = {}
    for line in lines:
        attribute, target = line["attribute"], line["entity_attribute"]
        if not attribute or not target:
            continue
        place = f"{line['schema']} version {line['version'].strip()} to {line['entity']} version {line['entity_version'].strip()}"
        sources, targets = repeats_of(attribute), repeats_in(target)
        if [one[-2:] for one in sources] != [one[-2:] for one in targets]:
            yield line.fails(*_mixed(place, attribute, sources, target, targets))
            continue
        for source, whole in zip(sources, targets, strict=True):
            block = (line["schema"], line["version"].strip(), line["entity"], line["entity_version"].strip(), whole)
            before, first = wholes.setdefault(block, (source, line))
            if before != source:
                many, name = WORDS[whole[-2:]][0].removeprefix("an ").removeprefix("a "), whole[:-2]
                yield line.fails(
                    f"{place}: {name} comes from the {_several(source)} of {source[:-2]}, and from those of {before[:-2]} in {first.seen_from(line)}",
                    f"All fields of {_whole(whole)} come from one {many}: take one of them out, or make two {many}s of the entity.",
                )
                break


def _mixed(place: str, attribute: str, sources: Sequence[str], target: str, targets: Sequence[str]) -> tuple[str, str]:
    """What is wrong with an element whose sides repeat in two ways, and what to do."""
    if sources and not targets:
        one = canonical_name(steps_of(sources[0][:-2])[-1].name) or "elements"
        field = "" if attribute == sources[0] else f".{target}"
        written = f"{one}{sources[0][-2:]}{field}" if len(sources) == 1 else _like(attribute)
        return (
            f"{place}: {attribute} has a value in {WORDS[sources[0][-2:]][1]}, and {target} has one value",
            f"Map it to a part of {_whole(sources[0])} of the entity, such as {written}, or map {sources[0][:-2]} as a whole.",
        )
    if targets and not sources:
        more = f"lines[].{attribute}" if targets[0].endswith(ELEMENTS) else f"prices{{}}.{attribute}"
        return (
            f"{place}: {attribute} has one value, and {target} is a part of {WORDS[targets[0][-2:]][1]}",
            f"Map an attribute that is inside of {_whole(targets[0])} to it, such as {more}.",
        )
    return (
        f"{place}: {attribute} and {target} are not inside of the same arrays and maps",
        f"An array becomes an array and a map a map, from outside to inside: map it to an attribute such as {_like(attribute)}.",
    )


def _like(attribute: str) -> str:
    """An attribute of an entity that repeats as one of a source does."""
    steps = steps_of(attribute)
    kept = [f"{canonical_name(one.name) or 'elements'}{one.repeats}" for one in steps[:-1] if one.repeats]
    return ".".join([*kept, f"{canonical_name(steps[-1].name) or 'value'}{steps[-1].repeats}"])


def _whole(repeated: str) -> str:
    return WORDS[repeated[-2:]][0]


def _several(repeated: str) -> str:
    return "elements" if repeated.endswith(ELEMENTS) else "values"


def _wrong(above: str, data_type: str, goes_on: str) -> str:
    """What to do where a type cannot have what a path says is inside; empty where it can.

    Args:
        above: what has it inside
        data_type: its type
        goes_on: how the path goes on in it: `[]`, `{}`, or empty where a field follows
    """
    is_array = data_type.endswith(ELEMENTS)
    if canonical_type(data_type.removesuffix(ELEMENTS)) not in HOLDING:
        return "Nothing is inside of such a value: correct one of the two lines."
    if is_array and goes_on != ELEMENTS:
        return (
            f"It has elements, and these have fields: write {above}{ELEMENTS} in place of {above}{goes_on} in the path."
        )
    if goes_on == ELEMENTS and data_type in ("struct", "map", "hstore"):
        return f"It has no elements: write {above} without brackets in the path."
    return ""


def _version(line: Line) -> str:
    return f"{line['schema']} version {line['version'].strip()}"
