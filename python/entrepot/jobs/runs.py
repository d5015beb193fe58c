"""What a job has done with each of its models, seeds and snapshots."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from entrepot.stages.stage import RowCounts

WHOLE = ("create", "full")


@dataclass(frozen=True, slots=True)
class Begun:
    """When a run began, in seconds of a clock of its own, and how many statements had been sent."""

    at: float
    statements: int

    @classmethod
    def now(cls, statements: int) -> Begun:
        """Begin a run."""
        return cls(time.monotonic(), statements)


def counted(metrics: Mapping[str, str]) -> RowCounts:
    """Return what Delta has counted in a commit.

    >>> counted({"numOutputRows": "5"}), counted({"numTargetRowsInserted": "0", "numOutputRows": "5"})
    (RowCounts(inserted=5, updated=0, deleted=0), RowCounts(inserted=0, updated=0, deleted=0))
    """
    inserted = metrics.get("numTargetRowsInserted", metrics.get("numOutputRows", 0))
    updated, deleted = metrics.get("numTargetRowsUpdated", 0), metrics.get("numTargetRowsDeleted", 0)
    return RowCounts(int(inserted), int(updated), int(deleted))


@dataclass(frozen=True, slots=True)
class Run:
    """What a job has done with one model, seed or snapshot.

    Attributes:
        unique_id: dbt's id of it
        rule: the rule, or how it was written
        reason: why
        path: how it was written; none where nothing was
        rows_read: how many changed rows were read; none where all were, and nobody has counted them
        rows: how many rows were written
        statements: how many statements it took
        seconds: and how long
        sql: the SQL that says what was written
        appends: whether the changed rows have only come; none where all rows were read
    """

    unique_id: str
    rule: str
    reason: str | None = None
    path: str | None = None
    rows_read: int | None = None
    rows: RowCounts = field(default_factory=RowCounts)
    statements: int = 0
    seconds: float = 0.0
    sql: str | None = None
    appends: bool | None = None

    @property
    def message(self) -> str:
        """The line that dbt prints.

        >>> Run("model.a", "join", rows_read=3, rows=RowCounts(1, 2, 0)).message
        'join: 3 in +1 ~2 -0'
        """
        if self.rule == "skip":
            return "unchanged"
        read = ":" if self.rows_read is None or self.rule in WHOLE else f": {self.rows_read} in"
        return f"{self.rule}{read} +{self.rows.inserted} ~{self.rows.updated} -{self.rows.deleted}"
