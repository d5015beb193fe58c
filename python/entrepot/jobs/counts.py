"""Figures of concerns that a job has counted before its end (`entrepot.jobs.concerns`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from entrepot.ledger.concerns import Figures


@dataclass(frozen=True, slots=True)
class Counted:
    """The figures of one view, and what they were counted from.

    Attributes:
        figures: they
        sql_hash: the checksum of the SQL that counts, and of the texts of the views that it reads
        reads: the versions of all that the view reads; None where they do not say it all: something has no versions, the view names
            nothing that the project knows or asks for the moment, or nothing could be counted
        read_at: when these versions were committed, in milliseconds since 1970
    """

    figures: Figures
    sql_hash: str
    reads: Mapping[str, int | None] | None
    read_at: Mapping[str, int]

    def is_from(self, begun: Counted) -> bool:
        """Whether these figures were counted from what others will be counted from."""
        return (self.sql_hash, self.read_at) == (begun.sql_hash, begun.read_at) and self.reads in (None, begun.reads)


class Counts:
    """What a job has counted so far."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self._found: dict[str, Counted] = {}

    def keep(self, found: Mapping[str, Counted]) -> None:
        """Keep figures for the end of the job, {relation: figures}."""
        self._found.update(found)

    def taken_over(self, relation: str, begun: Counted) -> Counted | None:
        """Return the figures of a view; None where it has none, or something that they were counted from has changed.

        Args:
            relation: the view
            begun: what they would be counted from now
        """
        known = self._found.get(relation)
        return known if known is not None and known.is_from(begun) else None
