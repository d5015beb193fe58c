"""Names of attributes as paths: a field inside of what a column holds, such as `address.geo.lat` (decision 39).

A path is a column and the fields below it, with dots between. A step whose own name has a dot or braces, begins with a backtick or ends with
brackets stands in backticks, as in Spark. `[]` behind a step are the elements of an array, `{}` the values of a map (decision 51). The notation
has one spelling for each path, so that names can be compared as texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

STEP = re.compile(r"(`(?:[^`]|``)+`|[^`.][^.]*?|[^`.])((?:\[\]|\{\})*)(?=\.|\Z)", re.DOTALL)
ELEMENTS, VALUES = "[]", "{}"
# a name that would be another path without backticks
ODD = re.compile(r"\.|\A`|\[\]\Z|\{\}")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path.

    Attributes:
        name: of a column or of a field, as the source has it
        repeats: how the path goes on in what is there: `[]` in the elements of an array, `{}` in the values of a map, `{}[]` in their elements
    """

    name: str
    repeats: str = ""

    def __str__(self) -> str:
        """Return the step as it is written."""
        return quoted(self.name) + self.repeats

    @property
    def each(self) -> tuple[str, ...]:
        """What repeats, from outside to inside: `[]` and `{}`, one by one."""
        return each_of(self.repeats)


def each_of(repeats: str) -> tuple[str, ...]:
    """Return what repeats behind a name, from outside to inside: `[]` and `{}`, one by one.

    >>> each_of("{}[]"), each_of("")
    (('{}', '[]'), ())
    """
    return tuple(repeats[place : place + 2] for place in range(0, len(repeats), 2))


def quoted(name: str) -> str:
    """Return a name as a step of a path: in backticks where it would be another path without them.

    >>> quoted("city"), quoted("a.b"), quoted("it`s"), quoted("`x"), quoted("all[]")
    ('city', '`a.b`', 'it`s', '```x`', '`all[]`')
    """
    return in_backticks(name) if ODD.search(name) else name


def in_backticks(name: str) -> str:
    """Return a name in backticks, as `entrepot.sql.quoted` does, whose room reads SQL: importing it takes longer than reading the seeds.

    >>> in_backticks("odd`name")
    '`odd``name`'
    """
    return f"`{name.replace('`', '``')}`"


def steps_of(attribute: str) -> tuple[Step, ...]:
    """Return the steps of a path; of a name that is none, the name itself.

    >>> [step.name for step in steps_of("address.`geo.point`.lat")], steps_of("lines[].sku")[0]
    (['address', 'geo.point', 'lat'], Step(name='lines', repeats='[]'))
    >>> steps_of("a..b")
    (Step(name='a..b', repeats=''),)
    """
    found, place = [], 0
    while place <= len(attribute):
        step = STEP.match(attribute, place)
        if step is None:
            return (Step(attribute),)
        name = step[1][1:-1].replace("``", "`") if step[1].startswith("`") else step[1]
        found.append(Step(name, step[2]))
        place = step.end() + 1
    return tuple(found)


def problem_of(attribute: str) -> tuple[str, str] | None:
    """Return what is wrong with the spelling of a path and what to write; None where nothing is.

    >>> problem_of("address.city"), problem_of("a.`b`")
    (None, ('is a.b with backticks that it does not need', 'Write a.b.'))
    >>> problem_of("a.")
    ('is no path', 'Steps of a path have dots between them; a column whose own name is so stands in backticks: `a.`.')
    """
    steps = steps_of(attribute)
    plain = _written(steps)
    if steps == (Step(attribute),) and ODD.search(attribute):
        way_out = f"a column whose own name is so stands in backticks: {quoted(attribute)}."
        return "is no path", f"Steps of a path have dots between them; {way_out}"
    if any(ELEMENTS * 2 in step.repeats for step in steps):
        return "goes into the elements of elements", "Arrays of arrays are mapped as a whole, without brackets."
    if plain != attribute and len(plain) > len(attribute):
        return "is no path", f"A step whose own name has braces, or a dot, stands in backticks: {plain}."
    if plain != attribute:
        return f"is {plain} with backticks that it does not need", f"Write {plain}."
    if steps[-1].repeats.endswith(ELEMENTS):
        return (
            "ends with the elements of an array",
            f"Write {attribute.removesuffix(ELEMENTS)} for the whole array, or a field of its elements behind a dot.",
        )
    return None


def is_path(attribute: str) -> bool:
    """Return whether an attribute is inside of a column, and no column.

    >>> is_path("address.city"), is_path("prices{}"), is_path("`a.b`"), is_path("city")
    (True, True, False, False)
    """
    steps = steps_of(attribute)
    return len(steps) > 1 or steps[0].repeats != ""


def repeats_of(attribute: str) -> tuple[str, ...]:
    """Return the arrays and maps that an attribute is inside of, from outside to inside: paths that end with `[]` or `{}`.

    >>> repeats_of("order.lines[].part.sku"), repeats_of("lines[].tags{}[].n"), repeats_of("prices{}"), repeats_of("order.number")
    (('order.lines[]',), ('lines[]', 'lines[].tags{}', 'lines[].tags{}[]'), ('prices{}',), ())
    """
    steps, found = steps_of(attribute), []
    for place, step in enumerate(steps):
        for end in range(len(step.each)):
            found.append(_written((*steps[:place], Step(step.name, "".join(step.each[: end + 1])))))
    return tuple(found)


def array_of(attribute: str) -> str:
    """Return the outermost array or map that an attribute is inside of, as a path to the whole of it; empty where it is in none.

    >>> array_of("order.lines[].part.sku"), array_of("prices{}"), array_of("order.number")
    ('order.lines', 'prices', '')
    """
    return next(iter(repeats_of(attribute)), "")[:-2]


def column_of(attribute: str) -> str:
    """Return the column that an attribute is in, as it is written; of a column, itself.

    >>> column_of("address.geo.lat"), column_of("`a.b`.c"), column_of("lines[].sku")
    ('address', '`a.b`', 'lines')
    """
    steps = steps_of(attribute)
    return quoted(steps[0].name) if is_path(attribute) else attribute


def ancestors(attribute: str) -> tuple[str, ...]:
    """Return what a field is inside of, from the column on, as it is written: columns, records, arrays, maps, and each value of a map.

    >>> ancestors("address.geo.lat"), ancestors("order.lines[].sku"), ancestors("city")
    (('address', 'address.geo'), ('order', 'order.lines'), ())
    >>> ancestors("prices{}"), ancestors("prices{}.amount"), ancestors("lines[]{}")
    (('prices',), ('prices', 'prices{}'), ('lines',))
    """
    steps, found = steps_of(attribute), []
    for place, step in enumerate(steps):
        for end in range(len(step.each) + 1):
            repeats = "".join(step.each[:end])
            if not repeats.endswith(ELEMENTS):
                found.append(_written((*steps[:place], Step(step.name, repeats))))
    return tuple(one for one in found if one != attribute)


def _written(steps: Iterable[Step]) -> str:
    return ".".join(map(str, steps))


def same_reach(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two sets of attributes can be one version: each goes as deep as the other says, and no leaf is in one alone.

    >>> whole, inside = frozenset({"id", "address"}), frozenset({"id", "address", "address.city"})
    >>> same_reach(whole, inside), same_reach(inside, inside | {"address.zip"}), same_reach(whole, whole | {"zip"})
    (True, False, False)
    """
    return one == other or (_covers(one, other) and _covers(other, one))


def _covers(these: frozenset[str], those: frozenset[str]) -> bool:
    """Whether each leaf of those is among the leaves of these, inside of one, or has one inside."""
    leaves = leaves_of(these)
    reached = leaves | {above for leaf in leaves for above in ancestors(leaf)}
    return all(leaf in reached or any(above in leaves for above in ancestors(leaf)) for leaf in leaves_of(those))


def leaves_of(attributes: frozenset[str]) -> frozenset[str]:
    """Return the attributes that have no other inside of them.

    >>> sorted(leaves_of(frozenset({"id", "address", "address.city"})))
    ['address.city', 'id']
    """
    return attributes - {above for one in attributes for above in ancestors(one)}
