"""What is to be done with one table, why, what it frees, and what is kept for whom. Reads files and logs; no Spark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from entrepot.tables.health import Amount, Health, health_of, unneeded_files, unneeded_log
from entrepot.tables.properties import seconds
from entrepot.upkeep.needs import Need
from entrepot.upkeep.tables import Stored

Kind = Literal["compact", "purge", "vacuum", "log"]
# from so many files fewer on, files are written together
MERGEABLE = 10
# one row in so many is deleted by a mark only
PURGED = 20
LOG_FILES = 30
HOUR = 3_600_000
# a commit's files are older than the commit itself, by as long as its statement took
STATEMENT = HOUR


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to be done with a table.

    Attributes:
        kind: what
        why: in words
        amount: the files that it rewrites (compact, purge) or removes (vacuum, log), and their bytes
        sql: the statement; None of the log, which Delta cleans when it writes a checkpoint
        since: of a vacuum what its retention has to begin with, in milliseconds since 1970: a plan may be hours old when it comes to it
    """

    kind: Kind
    why: str
    amount: Amount
    sql: str | None = None
    since: int | None = None

    def statement(self, now: int) -> str | None:
        """Return the statement as it is right at a time; None of the log.

        >>> Action("vacuum", "", Amount(), "vacuum t", since=0).statement(90 * 60_000)
        'vacuum t retain 2 hours'
        """
        if self.since is None:
            return self.sql
        return f"{self.sql} retain {_hours(self.since, now)} hours"


NOTHING = Amount()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What is to be done with a table.

    Attributes:
        stored: the table
        health: how it lies on its disk; None where that cannot be told without Spark, and nothing is done
        actions: what is to be done, in this order
        kept: what would go without those who need it, in words; None where nothing would
        unneeded: files that no version needs any more that somebody needs, or that is younger than the retention
    """

    stored: Stored
    health: Health | None
    actions: tuple[Action, ...] = ()
    kept: str | None = None
    unneeded: Amount = NOTHING


def plan_of(stored: Stored, needs: Sequence[Need], cutoff: int, now: int, clusters: bool = False) -> TablePlan:
    """Return what is to be done with a table.

    Args:
        stored: the table
        needs: who needs which versions of it, the oldest first
        cutoff: until when what no version had any more is let go, in milliseconds since 1970
        now: the time
        clusters: whether files that are written together are laid out by the table's key
    """
    health = health_of(stored.table, stored.commits)
    if health is None:
        return TablePlan(stored, None)
    held = min((need.since - STATEMENT for need in needs), default=now)
    since = _whole_hours(min(cutoff, held), now)
    unneeded = unneeded_files(stored.folder, since)
    name = f"delta.`{stored.folder.replace('`', '``')}`"
    actions = [
        *_rewrites(stored, health, name, clusters),
        *_vacuum(unneeded, name, since, now),
        *_log(stored, held, now),
    ]
    return TablePlan(
        stored, health, tuple(actions), _kept(stored, needs, cutoff, unneeded), Amount(*_counted(unneeded))
    )


def _kept(stored: Stored, needs: Sequence[Need], cutoff: int, unneeded: Mapping[str, int]) -> str | None:
    """Say what stays because somebody needs it, though it is older than the retention; None where nothing does."""
    old = {name: size for name, size in unneeded_files(stored.folder, cutoff).items() if name not in unneeded}
    if not old or not needs:
        return None
    first = min(needs, key=lambda need: need.since)
    return f"{len(old)} file{'' if len(old) == 1 else 's'} ({in_words(sum(old.values()))}) of version {first.version} and later, for {first.by}"


def _rewrites(stored: Stored, health: Health, name: str, clusters: bool) -> list[Action]:
    actions = []
    if health.mergeable >= MERGEABLE:
        keys = ", ".join(f"`{key}`" for key in stored.unique_key) if clusters else ""
        why = f"{health.small.files} files are smaller than 16 MiB{f'; laid out by {keys}' if keys else ''}"
        order = f" zorder by ({keys})" if keys else ""
        actions.append(Action("compact", why, health.small, f"optimize {name}{order}"))
    rows = (health.row_count or 0) + health.deleted_rows
    if health.deleted_rows and health.deleted_rows * PURGED >= rows:
        why = f"{health.deleted_rows} of {rows} rows are deleted by marks only"
        amount = Amount(health.deletion_vectors, 0)
        actions.append(Action("purge", why, amount, f"reorg table {name} apply (purge)"))
    return actions


def _vacuum(unneeded: Mapping[str, int], name: str, since: int, now: int) -> list[Action]:
    if not unneeded:
        return []
    why = f"no version of the last {_span(_hours(since, now))} has them"
    return [Action("vacuum", why, Amount(*_counted(unneeded)), f"vacuum {name}", since)]


def _log(stored: Stored, held: int, now: int) -> list[Action]:
    before = now - _log_kept(stored)
    if held < before:
        return []  # somebody needs what Delta would clean up
    amount = unneeded_log(stored.folder, before)
    if amount.files < LOG_FILES:
        return []
    return [Action("log", f"the log is kept {_span(_log_kept(stored) // HOUR)}, and a checkpoint is younger", amount)]


def _log_kept(stored: Stored) -> int:
    return round(seconds(stored.properties.get("delta.logRetentionDuration") or "interval 30 days") * 1000)


def _whole_hours(moment: int, now: int) -> int:
    """Return a moment so many whole hours ago, at or before the one given: VACUUM counts in hours."""
    return now - _hours(moment, now) * HOUR


def _hours(moment: int, now: int) -> int:
    return math.ceil((now - moment) / HOUR)


def _counted(files: Mapping[str, int]) -> tuple[int, int]:
    return len(files), sum(files.values())


def _span(hours: int) -> str:
    """Return hours in words.

    >>> _span(720), _span(30), _span(1), _span(0)
    ('30 days', '30 hours', '1 hour', '0 hours')
    """
    if hours >= 48 and hours % 24 == 0:
        return f"{hours // 24} days"
    return f"{hours} hour{'' if hours == 1 else 's'}"


def in_words(size: int) -> str:
    """Return a number of bytes as a person says it.

    >>> in_words(900), in_words(2_500_000), in_words(31_000_000_000)
    ('900 B', '2.5 MB', '31.0 GB')
    """
    for unit, of in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= of:
            return f"{size / of:.1f} {unit}"
    return f"{size} B"
