"""Answers as fresh as they are asked for (OD-ETL 3.3).

A finished snapshot that meets the bound answers at once; else a job refreshes the tables asked for; else the question is refused.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from entrepot.errors import TooOldError
from entrepot.ledger import Ledger
from entrepot.ledger.records import is_source
from entrepot.snapshots import Snapshot, published_snapshots, snapshot_for
from entrepot.spans import before, humanized
from entrepot.target import options_of

WAIT = timedelta(minutes=5)
PAUSE = 0.3
# what dbt says where somebody else's job has the warehouse
OCCUPIED = ("is in use by another process", "is running on this warehouse", "started at the same moment")


@dataclass(frozen=True)
class Bound:
    """How fresh an answer has to be.

    Attributes:
        through: every table asked for has to hold all that its sources have committed by this moment, UTC
        asked_at: when the question was asked, UTC
        is_oldest: whether the oldest snapshot that does is wanted, and not the newest
        stale_ok: whether an older answer will do where none is that fresh
        wait: how long to wait for the jobs of others
    """

    through: datetime
    asked_at: datetime
    is_oldest: bool = False
    stale_ok: bool = False
    wait: timedelta = WAIT


@dataclass(frozen=True)
class Refreshing:
    """How the tables of a project are brought up to date.

    Attributes:
        warehouse: the warehouse's folder
        place: `project_dir`, `profiles_dir` and `target`, as dbt's options have them; those that are said
    """

    warehouse: Path
    place: Mapping[str, str] = field(default_factory=dict)

    def run(self, nodes: Iterable[str]) -> str | None:
        """Run `dbt build` on some nodes and all that they read, in a process of its own; what went wrong, none where nothing did.

        Args:
            nodes: dbt's ids
        """
        return build_apart(self.place, *arguments_for(nodes))

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold the right to refresh this warehouse, which one process of this machine has at a time; whether it could be had."""
        self.warehouse.mkdir(parents=True, exist_ok=True)
        with self._file.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
                return
            yield True

    def failed_since(self, nodes: Collection[str], moment: datetime) -> str | None:
        """Return what went wrong in a refresh of nothing but some nodes that began since a moment; none where none failed.

        Args:
            nodes: dbt's ids
            moment: UTC
        """
        try:
            told = json.loads(self._file.read_text())
            is_part = told["place"] == dict(self.place) and set(told["nodes"]) <= set(nodes)
            return str(told["problem"]) if is_part and datetime.fromisoformat(told["began_at"]) >= moment else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # nothing failed yet, or who wrote it was killed

    def note_failure(self, nodes: Collection[str], began_at: datetime, problem: str) -> None:
        """Note for those who wait what went wrong in a refresh; only who is `alone` may."""
        told = {"nodes": sorted(nodes), "began_at": began_at.isoformat(), "problem": problem}
        with suppress(OSError):  # without the note they run it again
            self._file.write_text(json.dumps(told | {"place": dict(self.place)}))

    @property
    def _file(self) -> Path:
        return self.warehouse / "refresh.lock"


def build_apart(place: Mapping[str, Any], *arguments: str) -> str | None:
    """Run `dbt build` in a process of its own; what went wrong, none where nothing did.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        arguments: what is said to dbt besides
    """
    dbt = [sys.executable, "-m", "dbt.cli.main", "--quiet", "--no-use-colors", "build"]
    done = subprocess.run([*dbt, *arguments, *options_of(place)], capture_output=True, text=True, check=False)
    said = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    return None if done.returncode == 0 else " ".join(said[:6]) or f"dbt ended with code {done.returncode}"


def arguments_for(nodes: Iterable[str]) -> list[str]:
    """Return what is said to `dbt build` so that it refreshes some nodes and all that they read.

    Landing is run as a whole: what is read of arrived files is noted last of all, by a model that no other reads. Tests that look at a relation
    which is not refreshed, too, are left out: they would compare what is new with what is not.

    >>> arguments_for(["model.shop.sale"])
    ['--indirect-selection', 'buildable', '--select', '+sale', 'config.incremental_strategy:land']

    Of a source it is what is made of it: the job that reads a newer version publishes that, too.

    >>> arguments_for(["source.shop.raw.sale"])[3:]
    ['@source:raw.sale', 'config.incremental_strategy:land']

    Args:
        nodes: dbt's ids
    """
    select = [*map(_selected, sorted(nodes)), "config.incremental_strategy:land"]
    return ["--indirect-selection", "buildable", "--select", *select]


def _selected(node: str) -> str:
    name = node.split(".", 2)[2]
    return f"@source:{name}" if is_source(node) else f"+{name}"


def fresh_snapshot(ledger: Ledger, names: Sequence[str], bound: Bound, refreshing: Refreshing) -> Snapshot:
    """Return a snapshot that meets a bound; where none does, after a job that refreshes the tables asked for and what they read.

    Queries that wait for the same share one job. A job that has begun since the question was asked is not repeated, whether it passed or
    failed: what it could not bring, no other could.

    Args:
        ledger: the books
        names: relations as a query names them
        bound: how fresh
        refreshing: how tables are brought up to date

    Raises:
        TooOldError: no snapshot is that fresh, and none could be made; says how old the newest is, and why
        NothingPublishedError, NotInSnapshotError: no snapshot has all of the tables
    """
    met = _meeting(ledger, names, bound)
    if found := met():
        return found
    problem = _refreshed(ledger, names, bound, refreshing, met)
    if found := met():
        return found
    newest = snapshot_for(ledger, names)
    if bound.stale_ok:
        return newest
    raise _too_old(ledger, newest, names, bound, problem)


def _meeting(ledger: Ledger, names: Sequence[str], bound: Bound) -> Callable[[], Snapshot | None]:
    """Return what finds a snapshot that meets a bound, none where there is none yet."""

    def meets(snapshot: Snapshot) -> bool:
        through = snapshot.holds_through(names)
        return through is not None and through >= bound.through

    def find() -> Snapshot | None:
        if not bound.is_oldest:
            newest = snapshot_for(ledger, names)
            return newest if meets(newest) else None
        having = [one for one in published_snapshots(ledger) if all(one.resolve(name) for name in names)]
        return next((one for one in reversed(having) if meets(one)), None)

    return find


def _refreshed(
    ledger: Ledger,
    names: Sequence[str],
    bound: Bound,
    refreshing: Refreshing,
    met: Callable[[], Snapshot | None],
) -> str | None:
    """Run a job, or wait for that of somebody else, until the bound is met or cannot be; what stands in the way, none where nothing does."""
    snapshot = snapshot_for(ledger, names)
    found = {relation.node for name in names if (relation := snapshot.resolve(name)) is not None}
    nodes = {node for node in found if node is not None}
    if len(nodes) < len(found):
        return "An older entrepot has published them: run dbt build once."
    deadline = time.monotonic() + bound.wait.total_seconds()
    while not met():
        with refreshing.alone() as is_alone:
            if is_alone and (_has_been_tried(ledger, names, bound.asked_at) or met()):
                return None
            problem = _run(refreshing, nodes, bound.asked_at) if is_alone else OCCUPIED[0]
        if not is_occupied(problem):
            return problem and f"The job failed: {problem}"
        if time.monotonic() > deadline:
            return f"Another job has the warehouse, for more than {humanized(bound.wait)} now."
        time.sleep(PAUSE)
    return None


def _run(refreshing: Refreshing, nodes: Collection[str], asked_at: datetime) -> str | None:
    """Refresh some nodes, where that has not failed since a question was asked; what went wrong, none where nothing did."""
    if (problem := refreshing.failed_since(nodes, asked_at)) is not None:
        return problem
    began_at = datetime.now(timezone.utc)
    problem = refreshing.run(nodes)
    if problem is not None and not is_occupied(problem):
        refreshing.note_failure(nodes, began_at, problem)
    return problem


def is_occupied(problem: str | None) -> bool:
    """Whether what went wrong is that somebody else's job has the warehouse."""
    return problem is not None and any(words in problem for words in OCCUPIED)


def _has_been_tried(ledger: Ledger, names: Sequence[str], asked_at: datetime) -> bool:
    """Whether a job that began after a question was asked has published the tables asked for."""
    number = snapshot_for(ledger, names).number
    return any(events[0].number == number and events[0].at >= asked_at for events in ledger.jobs(2))


def _too_old(ledger: Ledger, newest: Snapshot, names: Sequence[str], bound: Bound, problem: str | None) -> TooOldError:
    """Say how old the newest answer would be, and what keeps it from being newer."""
    through, now = newest.holds_through(names), datetime.now(timezone.utc)
    behind = {
        name: "was never heard" if cut.heard_at is None else f"was last heard {humanized(now - cut.heard_at)} ago"
        for name, cut in ledger.cuts().items()
        if cut.heard_at is None or cut.heard_at < bound.through
    }
    older = {
        name: relation.holds_through for name in names if (relation := newest.resolve(name)) and relation.holds_through
    }
    oldest = min(older, key=lambda name: older[name], default=None)
    said = (
        "How old the newest answer would be, nobody can say."
        if through is None
        else f"The newest answer would be {humanized(now - through)} old: "
        f"{oldest or 'it'} holds what was committed by {through:%Y-%m-%d %H:%M:%S} UTC."
    )
    wanted = f"Asked for is {bound.through:%Y-%m-%d %H:%M:%S} UTC."
    sources = (
        f"Sources that are behind: {', '.join(f'{name} {words}' for name, words in behind.items())}." if behind else ""
    )
    return TooOldError(
        " ".join(part for part in (said, wanted, problem or "", sources) if part),
        "Say --stale-ok to have it all the same. A source that has nothing to say is heard by its connector's heartbeats "
        "(docs/architecture.md, Freshness).",
    )


def bound_of(max_age: timedelta | None, as_of: datetime | None, stale_ok: bool, wait: timedelta) -> Bound | None:
    """Return the bound that options state; none where they state none.

    Raises:
        TooOldError: the moment has not come yet, or both are said
    """
    now = datetime.now(timezone.utc)
    if max_age is not None and max_age < timedelta():
        raise TooOldError("An age below nothing is asked for.", "Say how old the answer may be, such as --max-age 10m.")
    if max_age is not None and as_of is not None:
        raise TooOldError("Both an age and a moment are asked for.", "Say --max-age, or --as-of.")
    if as_of is not None:
        moment = as_of.astimezone(timezone.utc) if as_of.tzinfo else as_of.replace(tzinfo=timezone.utc)
        if moment > now:
            raise TooOldError(f"{moment:%Y-%m-%d %H:%M:%S} UTC has not come yet.", "Ask for a moment that has, in UTC.")
        return Bound(moment, now, True, stale_ok, wait)
    return None if max_age is None else Bound(before(now, max_age), now, False, stale_ok, wait)
