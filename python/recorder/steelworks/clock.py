"""The simulated clock of the story: all times UTC, from Monday 2026-03-02 06:00 to Friday 2026-03-06 18:00."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random

BEGINNING = datetime(2026, 3, 2, 6, tzinfo=timezone.utc)
CAPTURE = datetime(2026, 3, 2, 22, tzinfo=timezone.utc)  # what is older is there before Debezium looks
PHASE_TWO = datetime(2026, 3, 4, 20, tzinfo=timezone.utc)
PHASE_THREE = datetime(2026, 3, 6, 2, tzinfo=timezone.utc)
END = datetime(2026, 3, 6, 18, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Phase:
    """One folder of the recording: the steps from ``begins`` (inclusive) to ``ends`` (exclusive)."""

    name: str
    begins: datetime
    ends: datetime


PHASES = (
    Phase("01_opening", BEGINNING, PHASE_TWO),
    Phase("02_changes", PHASE_TWO, PHASE_THREE),
    Phase("03_evening", PHASE_THREE, END),
)


def hours(number: float) -> timedelta:
    """A duration."""
    return timedelta(hours=number)


def opening(number: float) -> datetime:
    """So many hours after the capture began (phase 1)."""
    return CAPTURE + hours(number)


def second_phase(number: float) -> datetime:
    """So many hours into phase 2."""
    return PHASE_TWO + hours(number)


def evening(number: float) -> datetime:
    """So many hours into phase 3."""
    return PHASE_THREE + hours(number)


def between(random: Random, first: datetime, last: datetime) -> datetime:
    """A random full second from ``first`` to before ``last``."""
    return first + timedelta(seconds=random.randrange(int((last - first).total_seconds())))


def later(random: Random, moment: datetime, least: float, most: float) -> datetime:
    """A random full second, ``least`` to ``most`` hours after ``moment``."""
    return between(random, moment + hours(least), moment + hours(most))
