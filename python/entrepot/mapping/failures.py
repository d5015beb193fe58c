"""What is wrong with a seed, with its place in the file: what the checks find, and what a person reads of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePath

from entrepot.mapping.names import NOTHING
from entrepot.mapping.seeds import SeedFile

MANY = 12


@dataclass(frozen=True, slots=True)
class Failure:
    """A row of a seed that cannot be used.

    Attributes:
        seed: the seed's name
        file: its file, as the project names it
        line: the line of the file on which the row begins, from 1 on
        given: what stands there
        instead: what to write instead
    """

    seed: str
    file: str
    line: int
    given: str
    instead: str


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a seed with its place. What dbt reads as nothing is an empty text.

    Attributes:
        seed: the seed's name
        file: its file, as the project names it
        number: the line of the file on which it begins
        values: {column: text}
    """

    seed: str
    file: str
    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the text of a column."""
        return self.values[column]

    @property
    def place(self) -> tuple[str, int]:
        """Its file and line."""
        return self.file, self.number

    def whole(self, column: str) -> int:
        """Return the number of a column that holds one."""
        return int(self.values[column])

    def fails(self, given: str, instead: str) -> Failure:
        """Return what is wrong with the row."""
        return Failure(self.seed, self.file, self.number, given, instead)

    def seen_from(self, other: Line) -> str:
        """Return where it is, in a sentence on another row.

        >>> one = Line("unique_block", "seeds/unique_block.csv", 3, {})
        >>> one.seen_from(one), one.seen_from(Line("unique_block", "seeds/plant/unique_block.csv", 7, {}))
        ('line 3', 'seeds/unique_block.csv:3')
        """
        return f"line {self.number}" if self.file == other.file else f"{self.file}:{self.number}"


def lines_of(name: str, file: SeedFile, said: str) -> list[Line]:
    """Return the rows of a file with their lines, each value as dbt reads it.

    Args:
        name: the seed
        file: one of its files
        said: the file, as the project names it
    """
    return list(_lines_of(name, file, said))


def said_of(file: SeedFile, own: str) -> str:
    """Return a file of a seed as the project names it.

    Args:
        file: the file
        own: how the project names the seed's own file
    """
    return (PurePath(own).parent / file.name).as_posix()


def _lines_of(name: str, file: SeedFile, said: str) -> Iterator[Line]:
    for row, number in file.numbered():
        values = {column: "" if NOTHING.fullmatch(value) else value for column, value in row.items()}
        yield Line(name, said, number, values)


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
