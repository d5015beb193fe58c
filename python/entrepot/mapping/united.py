"""A seed whose rows lie in files of several owners, as one file: what dbt and Spark load."""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

from entrepot.mapping.failures import said_of
from entrepot.mapping.seeds import Seed, read_seed


@dataclass(frozen=True, slots=True)
class United:
    """The rows of all files of a seed, sorted: neither the order of lines nor the file that a line is in matters.

    Attributes:
        content: the file, in CSV
        origins: where each row comes from: file, as the project names it, and line
    """

    content: bytes
    origins: tuple[tuple[str, int], ...]

    @property
    def checksum(self) -> str:
        """The checksum of the rows."""
        return hashlib.sha256(self.content).hexdigest()


def united(seed: Seed, said: str, delimiter: str = ",") -> United:
    """Return the files of a seed as one.

    Args:
        seed: the seed
        said: its own file, as the project names it
        delimiter: what stands between two values
    """
    rows = sorted(
        ([row.get(column, "") for column in seed.columns], said_of(file, said), line)
        for file, row, line in seed.placed()
    )
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(seed.columns)
    writer.writerows(values for values, *_ in rows)
    return United(text.getvalue().encode(), tuple((file, line) for _, file, line in rows))


def united_of(name: str, path: Path, delimiter: str, said: str) -> United | None:
    """Return the files of a seed as one; none where it has but one file, or one that cannot be read.

    Args:
        name: the seed
        path: its own file
        delimiter: what stands between two values
        said: its own file, as the project names it
    """
    seed = read_seed(name, path, delimiter)
    return united(seed, said, delimiter) if len(seed.files) > 1 else None
