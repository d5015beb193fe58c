"""Jobs as their events tell of them: when they ran, and how they ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from entrepot.ledger.lock import is_known_dead
from entrepot.ledger.records import JobEvent


@dataclass(frozen=True, slots=True)
class PastJob:
    """One job of the chain.

    Attributes:
        number: its place in the chain
        command: the dbt command, or what else has held the lock
        started_at: when it began, UTC
        ended_at: when it ended, UTC; none where it runs, or was killed
        state: `finished`, `failed`, `running` or `killed`
        detail: what failed; none where nothing did
    """

    number: int
    command: str
    started_at: datetime
    ended_at: datetime | None
    state: str
    detail: str | None = None


def past_jobs(jobs: Sequence[Sequence[JobEvent]]) -> Iterable[PastJob]:
    """Yield jobs from their events; one without an end is running where it is the newest of all and its process is not known to be dead.

    Args:
        jobs: as `Ledger.jobs` has them, newest first, the newest of all among them
    """
    for place, events in enumerate(jobs):
        first, last = events[0], events[-1]
        has_ended = last.event in ("finished", "failed")
        state = last.event if has_ended else "killed" if place or is_known_dead(last) else "running"
        detail = last.detail if state == "failed" else None
        yield PastJob(first.number, first.command, first.at, last.at if has_ended else None, state, detail)
