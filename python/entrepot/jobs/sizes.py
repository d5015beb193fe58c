"""How large relations are, asked only where the newest snapshot, a log or this job does not say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from entrepot.jobs.engine import Engine
from entrepot.jobs.options import JobOptions
from entrepot.jobs.relations import Relations
from entrepot.rules import Listed, Stored, bounds_of, bounds_question

# each is read and planned by Spark in every place where it is listed
MOST_LISTED = 100


class Sizes:
    """Rows and bytes of one job's relations, and what rules ask of the data (`entrepot.rules.Facts`)."""

    def __init__(self, engine: Engine, relations: Relations, options: JobOptions) -> None:
        """Take what knows them."""
        self._engine, self._relations, self._options = engine, relations, options

    def rows(self, relations: Sequence[str]) -> int | None:
        """Return how many rows relations have together at their pinned versions; none where one has no versions.

        What is not known the logs say, where they can be read; else one statement counts.
        """
        if any(self._relations.pin(relation) is None for relation in relations):
            return None
        unknown = [relation for relation in relations if self._rows_noted(relation) is None]
        if unknown:
            counts = ", ".join(
                f"(select count(*) from {relation} version as of {self._relations.pin(relation)}) as rows_{number}"
                for number, relation in enumerate(unknown)
            )
            counted = self._engine.ask(f"select {counts}")[0]
            for number, relation in enumerate(unknown):
                size = replace(self._relations.size(relation), row_count=int(counted[f"rows_{number}"]))
                self._relations.note_size(relation, size)
        return sum(self._relations.size(relation).row_count or 0 for relation in relations)

    def _rows_noted(self, relation: str) -> int | None:
        """How many rows a relation has, where it is known, or its log says it."""
        size, version = self._relations.size(relation), self._relations.pin(relation)
        if size.row_count is None and version is not None:
            table = self._engine.table(relation)
            size = replace(size, row_count=self._engine.log_of(table).noted_rows(table, version))
            self._relations.note_size(relation, size)
        return size.row_count

    def rows_if_known(self, relation: str) -> int | None:
        """Return how many rows a relation has, where that is known without asking."""
        return self._relations.size(relation).row_count

    def rows_at_least(self, relations: Sequence[str]) -> int:
        """Return how many rows a query of relations reads at least, as far as that is known without asking."""
        return max((self._relations.size(relation).row_count or 0 for relation in relations), default=0)

    def bytes(self, relation: str) -> int:
        """Return how many bytes a relation has; asked once."""
        size = self._relations.size(relation)
        if size.bytes is None:
            table = self._engine.table(relation)
            noted = self._engine.log_of(table).noted_bytes(table)
            if noted is None:
                noted = int(self._engine.ask(f"describe detail {relation}")[0]["sizeInBytes"])
            size = replace(size, bytes=noted)
            self._relations.note_size(relation, size)
        assert size.bytes is not None
        return size.bytes

    def is_large(self, relation: str) -> bool:
        """Whether a model's table is large: changes are written to it and looked up for it in other ways then."""
        return self.bytes(relation) > self._options.merge_bytes

    def is_small(self, stored: Stored) -> bool:
        """Whether a relation is small enough to be kept in memory."""
        return self.bytes(stored.relation) <= self._options.memory_bytes

    def bounds(self, view: str, columns: Sequence[str]) -> Mapping[str, str]:
        """Return conditions that all values of some columns of a view meet."""
        return bounds_of(columns, self._engine.ask(bounds_question(view, columns))[0])

    def has_any(self, view: str, condition: str) -> bool:
        """Return whether any row of a view meets a condition."""
        return bool(self._engine.ask(f"select 1 from {view} where {condition} limit 1"))

    def listed(self, view: str, columns: Sequence[str]) -> Listed | None:
        """Return the different values of some columns of a view; none where they are more than a hundred, or not on the driver."""
        return self._engine.listed(view, columns, MOST_LISTED)
