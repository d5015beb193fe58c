"""What the mapping models of the warehouse hold, as CSV files from the seeds alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.matrix.decompaction import from_unique_set, to_matrix
from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.state import State
from entrepot.mapping.writing import replace

REVIEW = ("schema", "version", "entity", "entity_version", "elements_before", "elements_after", "vanished")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file of a report.

    Attributes:
        columns: its first line
        rows: the other ones, sorted by their columns from the left
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]

    def csv(self) -> bytes:
        """Return it as CSV in UTF-8: line ends as on Linux, quotes only where they are needed."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue().encode()


def report(state: State) -> dict[str, Sheet]:
    """Return the files of a report by their names.

    balanced_set.csv is D_P, unique_set.csv D_U as algorithm 3 computes it, matrix.csv the 1-elements of M decompacted from D_U, and
    mapping_review.csv what waits for a review.
    """
    unique_set = state.unique_set()
    waiting = [
        (*one.place, one.entity_version, one.elements_before, one.elements_after, ", ".join(one.vanished))
        for one in reviews(state)
    ]
    return {
        "balanced_set.csv": Sheet(One._fields, to_matrix(state.balanced_set)),
        "unique_set.csv": Sheet(One._fields, state.rows(unique_set)),
        "matrix.csv": Sheet(One._fields, to_matrix(from_unique_set(unique_set, state.domain))),
        "mapping_review.csv": Sheet(REVIEW, waiting),
    }


def write_report(files: dict[str, Sheet], folder: Path) -> None:
    """Write the files of a report into a folder, each whole or not at all.

    Raises:
        EnvironmentProblemError: a file cannot be written
    """
    try:
        for name, sheet in files.items():
            replace(folder / name, sheet.csv())
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename or folder} cannot be written: {error.strerror}.", "Say another folder: --out DIR"
        ) from error
