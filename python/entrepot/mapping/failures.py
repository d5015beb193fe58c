"""What is wrong with a seed, with its place in the file: what the checks find, and what a person reads of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from entrepot.mapping.names import NOTHING
from entrepot.mapping.seeds import Seed

MANY = 12


@dataclass(frozen=True, slots=True)
class Failure:
    """A row of a seed that cannot be used.

    Attributes:
        seed: the seed's name
        line: the line of its file on which the row begins, from 1 on
        given: what stands there
        instead: what to write instead
    """

    seed: str
    line: int
    given: str
    instead: str


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a seed with its place. What dbt reads as nothing is an empty text.

    Attributes:
        seed: the seed's name
        number: the line of the file on which it begins
        values: {column: text}
    """

    seed: str
    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the text of a column."""
        return self.values[column]

    def whole(self, column: str) -> int:
        """Return the number of a column that holds one."""
        return int(self.values[column])

    def fails(self, given: str, instead: str) -> Failure:
        """Return what is wrong with the row."""
        return Failure(self.seed, self.number, given, instead)


def lines_of(name: str, seed: Seed) -> list[Line]:
    """Return the rows of a seed with their lines; blank lines are none."""
    return list(_lines_of(name, seed))


def _lines_of(name: str, seed: Seed) -> Iterator[Line]:
    for number, row in zip(seed.lines, seed.rows, strict=True):
        values = {column: "" if NOTHING.fullmatch(value) else value for column, value in row.items()}
        if any(values.values()):
            yield Line(name, number, values)


def listed(names: Collection[str]) -> str:
    """Return names as a sentence says them: sorted, the first of many.

    >>> listed({"b", "a"}), listed([])
    ('a, b', 'nothing')
    """
    found = sorted(names)
    return ", ".join(found[:MANY]) + (f" and {len(found) - MANY} more" if len(found) > MANY else "") or "nothing"


def meant(name: str, names: Collection[str]) -> str:
    """Return a question after a name that is much like another one; nothing where there is none.

    >>> meant("colour", ["color", "name"]), meant("x", ["name"])
    ('Did you mean color? ', '')
    """
    close = get_close_matches(name, sorted(names), 1)
    return f"Did you mean {close[0]}? " if close else ""
