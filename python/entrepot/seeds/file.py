"""A seed's file: where it lies, who reads it, its checksum, and what dbt has read of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from entrepot.jobs.verdicts import checksum_of
from entrepot.seeds.columns import Column

# Spark does not read files whose names begin so
_HIDDEN = ("_", ".")
# Spark takes these characters of a path for wildcards
_WILDCARDS = re.compile(r"([\[\]{}*?\\])")

Rows = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class File:
    """A seed's file.

    Attributes:
        path: where it lies in its project
        place: where it lies on this machine
        is_in_sight: whether Spark reads it itself
        delimiter: what stands between two values
        noted: the checksum that dbt has noted; none of a file above 1 MB, of which dbt notes the path
        origins: of a file that unites others, where each of its rows comes from: a file and a line
    """

    path: str
    place: Path
    is_in_sight: bool
    delimiter: str = ","
    noted: str | None = None
    origins: tuple[tuple[str, int], ...] = ()

    @property
    def uri(self) -> str:
        """The file as Spark names it.

        >>> File("seeds/a.csv", Path("/x/a[1].csv"), is_in_sight=True).uri
        'file:/x/a\\\\[1\\\\].csv'
        """
        return "file:" + _WILDCARDS.sub(r"\\\1", str(self.place))

    @property
    def is_told(self) -> bool:
        """Whether the checksum of the contents is known without reading rows."""
        return self.noted is not None or self.is_in_sight

    def checksum(self, rows: Callable[[], Rows]) -> str:
        """Return the checksum of the contents: dbt's, else of the bytes; of a file out of Spark's sight, of the rows that dbt reads."""
        if self.noted is not None:
            return self.noted
        if self.is_in_sight:
            return hashlib.sha256(self.place.read_bytes()).hexdigest()
        return checksum_of("\x1e".join("\x1f".join(map(str, row)) for row in rows()))


@dataclass(frozen=True, slots=True)
class Sheet:
    """What dbt has read of a file.

    Attributes:
        header: the columns' names, as the file has them
        columns: how they are converted
        rows: the values, none for blank ones; a blank line is a row of them
    """

    header: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: Rows

    @property
    def row_count(self) -> int:
        """How many rows have a value: the others are blank lines."""
        return sum(any(value is not None for value in row) for row in self.rows)

    def row_of(self, number: int, text: str) -> int | None:
        """Return the first row, from 0 on, with this text in a column; none where it is not found."""
        for place, row in enumerate(self.rows):
            value = row[number]
            if value is not None and str(value).strip() == text.strip():
                return place
        return None

    def line_of(self, place: int) -> int:
        """Return the line of the file on which a row begins."""
        return 2 + place + sum(map(_line_ends, (self.header, *self.rows[:place])))

    def as_json(self) -> str:
        """Return the rows as JSON, an array of arrays of texts."""
        return json.dumps([[None if value is None else str(value) for value in row] for row in self.rows])


def is_in_sight(path: str, reader: str | None, *, is_embedded: bool) -> bool:
    """Whether Spark can read a file itself: where it runs on this machine, if the file's name is not a hidden one for it.

    >>> is_in_sight("seeds/a.csv", None, is_embedded=True), is_in_sight("seeds/_a.csv", "file", is_embedded=True)
    (True, False)

    Args:
        path: the file's
        reader: var `entrepot_seed_reader`, `file` or `inline`, which decides otherwise; none where it is not set
        is_embedded: whether Spark runs in this process
    """
    wanted = reader or ("file" if is_embedded else "inline")
    return wanted == "file" and not Path(path).name.startswith(_HIDDEN)


def _line_ends(values: Sequence[object]) -> int:
    """Return how many line ends the texts among values have."""
    return sum(value.count("\n") for value in values if isinstance(value, str))
