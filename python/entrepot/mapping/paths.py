"""Names of attributes as paths: a field inside of what a column holds, such as `address.geo.lat` (decision 39).

A path is a column and the fields below it, with dots between. A step whose own name has a dot, begins with a backtick or ends with brackets stands in
backticks, as in Spark. `[]` behind a step are the elements of an array. The notation has one spelling for each path, so that names
can be compared as texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

STEP = re.compile(r"(`(?:[^`]|``)+`|[^`.][^.]*?|[^`.])((?:\[\])*)(?=\.|\Z)", re.DOTALL)
ELEMENTS = "[]"
# a name that would be another path without backticks
ODD = re.compile(r"\.|\A`|\[\]\Z")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path.

    Attributes:
        name: of a column or of a field, as the source has it
        elements: whether the path goes on in the elements of the array that is there
    """

    name: str
    elements: bool = False

    def __str__(self) -> str:
        """Return the step as it is written."""
        return quoted(self.name) + (ELEMENTS if self.elements else "")


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
    (['address', 'geo.point', 'lat'], Step(name='lines', elements=True))
    >>> steps_of("a..b")
    (Step(name='a..b', elements=False),)
    """
    found, place = [], 0
    while place <= len(attribute):
        step = STEP.match(attribute, place)
        if step is None:
            return (Step(attribute),)
        name = step[1][1:-1].replace("``", "`") if step[1].startswith("`") else step[1]
        found.append(Step(name, bool(step[2])))
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
    plain = ".".join(map(str, steps))
    if steps == (Step(attribute),) and ODD.search(attribute):
        way_out = f"a column whose own name is so stands in backticks: {quoted(attribute)}."
        return "is no path", f"Steps of a path have dots between them; {way_out}"
    if "[][]" in attribute and plain != attribute:
        return "goes into the elements of elements", "Arrays of arrays are mapped as a whole, without brackets."
    if plain != attribute:
        return f"is {plain} with backticks that it does not need", f"Write {plain}."
    if steps[-1].elements:
        return (
            "ends with the elements of an array",
            f"Write {attribute.removesuffix(ELEMENTS)} for the whole array, or a field of its elements behind a dot.",
        )
    if sum(step.elements for step in steps) > 1:
        return (
            "goes into the elements of an array within elements of another",
            "One array on the way is mapped field by field; map the inner one as a whole, without brackets.",
        )
    return None


def is_path(attribute: str) -> bool:
    """Return whether an attribute is a field inside of a column, and no column.

    >>> is_path("address.city"), is_path("`a.b`"), is_path("city")
    (True, False, False)
    """
    return len(steps_of(attribute)) > 1


def array_of(attribute: str) -> str:
    """Return the array that an attribute is in the elements of, as a path; empty where it is in none.

    >>> array_of("order.lines[].part.sku"), array_of("order.number")
    ('order.lines', '')
    """
    steps = steps_of(attribute)
    last = next((place for place, step in enumerate(steps[:-1]) if step.elements), None)
    return "" if last is None else ".".join(map(str, (*steps[:last], Step(steps[last].name))))


def column_of(attribute: str) -> str:
    """Return the column that an attribute is in, as it is written; of a column, itself.

    >>> column_of("address.geo.lat"), column_of("`a.b`.c"), column_of("lines[].sku")
    ('address', '`a.b`', 'lines')
    """
    steps = steps_of(attribute)
    return quoted(steps[0].name) if len(steps) > 1 else attribute


def ancestors(attribute: str) -> tuple[str, ...]:
    """Return what a field is inside of, from the column on, as it is written.

    >>> ancestors("address.geo.lat"), ancestors("order.lines[].sku"), ancestors("city")
    (('address', 'address.geo'), ('order', 'order.lines'), ())
    """
    steps = steps_of(attribute)
    return tuple(".".join(map(str, (*steps[:last], Step(steps[last].name)))) for last in range(len(steps) - 1))


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
