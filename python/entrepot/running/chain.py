"""The job chain of one process (OD-ETL 3.2): one job after the other, by the clock, by what arrives, and by what queries need."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from entrepot.freshness import OCCUPIED, Refreshing, arguments_for
from entrepot.running.backoff import Backoff
from entrepot.running.job import JobReport
from entrepot.running.outcomes import Outcome
from entrepot.running.watching import Listing, behind
from entrepot.spans import humanized

# how often the folders are looked at
LOOK = 1.0
KEPT = 20


@dataclass(frozen=True)
class Plan:
    """When jobs begin.

    Attributes:
        every: from the beginning of one to that of the next; none for no clock
        why_every: the same, as it was said
        on_arrival: whether new and grown files begin one
        most: after how many the chain ends; none for never
        backoff: how long to wait after failures
    """

    every: timedelta | None = None
    why_every: str = ""
    on_arrival: bool = False
    most: int | None = None
    backoff: Backoff = field(default_factory=Backoff)

    @property
    def begins_itself(self) -> bool:
        """Whether jobs begin that no query has asked for."""
        return self.every is not None or self.on_arrival


@dataclass(frozen=True, slots=True)
class World:
    """What the chain does and sees.

    Attributes:
        run: runs a job; takes what is said to dbt besides, nothing for the job as it is scheduled
        arrived: lists what has arrived
        project: lists the files of the project
        tell: is told of each job that has ended
    """

    run: Callable[[list[str]], JobReport]
    arrived: Callable[[], Listing]
    project: Callable[[], Listing]
    tell: Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class _Wish:
    """A job that a query needs, and who waits for what it comes to: what went wrong, none where nothing did."""

    arguments: list[str]
    done: Future[str | None]


@dataclass
class Totals:
    """What all jobs of a chain came to.

    Attributes:
        jobs: how many have ended, {state: count}
        seconds: what they took
        rows_read: changed rows that they have read
        rows_written: rows that they have inserted, updated and deleted
        last_success: when the last one that passed ended, UTC; none before the first
    """

    jobs: dict[str, int] = field(default_factory=lambda: {"finished": 0, "failed": 0})
    seconds: float = 0.0
    rows_read: int = 0
    rows_written: int = 0
    last_success: datetime | None = None

    @property
    def count(self) -> int:
        """How many jobs have ended."""
        return sum(self.jobs.values())

    def add(self, outcome: Outcome) -> None:
        """Add a job."""
        self.jobs[outcome.state] += 1
        self.seconds += outcome.report.seconds
        self.rows_read += outcome.report.rows_read
        self.rows_written += outcome.report.rows_written
        if outcome.report.success:
            self.last_success = outcome.ended_at


class Chain:
    """The chain; `keep_going` runs it in one thread, all else may be called from others.

    Attributes:
        plan: when jobs begin
        history: the last jobs, newest first
        running_since: since when a job is running, UTC; none where none is
        totals: what all jobs came to
        failures: how many in a row have failed
    """

    def __init__(self, plan: Plan, world: World) -> None:
        """Begin with no job."""
        self.plan, self._world = plan, world
        self.history: deque[Outcome] = deque(maxlen=KEPT)
        self.running_since: datetime | None = None
        self.totals = Totals()
        self.failures = 0
        self._stopping = False
        self._wishes: queue.Queue[_Wish] = queue.Queue()
        self._is_taken = threading.Lock()
        # as it was when the last job that passed began: the last one at all, and the last one as it is scheduled
        self._landed: Listing | None = None
        self._built: Listing | None = None
        # as it was when the last job that failed began
        self._tried: tuple[Listing, Listing] = ({}, {})
        self._failed_at = 0.0
        self._has_left = False
        self._due = time.monotonic()
        self._held_until = 0.0

    def stop(self) -> None:
        """Begin no further job; the one that runs is finished."""
        self._stopping = True

    @property
    def is_stopping(self) -> bool:
        """Whether no further job begins."""
        return self._stopping

    @property
    def backlog(self) -> int | None:
        """Return how many files have arrived or grown since the last job that passed began; none before the first."""
        return None if self._landed is None else behind(self._world.arrived(), self._landed)

    def keep_going(self) -> None:
        """Run jobs until the chain is stopped, or has run as many as its plan says."""
        while not self._stopping and (self.plan.most is None or self.totals.count < self.plan.most):
            try:
                wish = self._wishes.get_nowait() if self._look() else self._wishes.get(timeout=self._until_next_look())
            except queue.Empty:
                pass
            else:
                try:
                    outcome = self._job("query", wish.arguments)
                    wish.done.set_result(None if outcome.report.success else " ".join(outcome.report.problems))
                finally:
                    self._is_taken.release()
        self._stopping = True
        # whoever has waited in vain asks somebody else
        while not self._wishes.empty():
            self._wishes.get().done.set_result("`entrepot run` ends.")
            self._is_taken.release()

    def wish(self, nodes: Iterable[str]) -> str | None:
        """Have a job run for a query, and wait for it; what went wrong, none where nothing did.

        While another job runs, that is said in the words of `entrepot.freshness.OCCUPIED`: it may be what the query needs.

        Args:
            nodes: what it refreshes, with all that they read: dbt's ids
        """
        left = self._pause_left()
        if left and self.history:
            problems = " ".join(self.history[0].report.problems)
            return f"{problems} (it is tried again in {humanized(timedelta(seconds=left + 1))})"
        if not self._is_taken.acquire(blocking=False):
            return OCCUPIED[0]
        if self._stopping:
            self._is_taken.release()
            return "`entrepot run` ends."
        done: Future[str | None] = Future()
        self._wishes.put(_Wish(arguments_for(nodes), done))
        return done.result()

    def _until_next_look(self) -> float:
        """How long to wait for wishes before the clock and the folders are looked at."""
        until = (self._held_until if self.failures else self._due) - time.monotonic()
        return until if 0 < until < LOOK else LOOK

    def _look(self) -> bool:
        """Run a job, where the plan says that one begins now and no query is about to have one; whether one was run."""
        if not self._is_taken.acquire(blocking=False):
            return False
        try:
            why = self._reason()
            if why:
                self._job(why, [])
            return why is not None
        finally:
            self._is_taken.release()

    def _reason(self) -> str | None:
        """Why a job begins now; none where it does not."""
        if not self.plan.begins_itself:
            return None
        now = time.monotonic()
        if self.failures:
            if now >= self._held_until:
                return "retry"
            if self._pause_left():
                return None
            self.failures = 0
            return "change"
        if self._built is None:
            return "start"
        if self._has_left:
            return "backlog"
        if self.plan.on_arrival and behind(self._world.arrived(), self._built):
            return "arrival"
        return self.plan.why_every if self.plan.every is not None and now >= self._due else None

    def _pause_left(self) -> float:
        """How many seconds of the pause after a failure are left; none where something has changed, in the project or of what has arrived."""
        now = time.monotonic()
        if not self.failures or now >= self._held_until:
            return 0.0
        # a file that keeps growing is no reason to fail every second
        is_soon = now < self._failed_at + self.plan.backoff.first.total_seconds()
        is_same = is_soon or (self._world.arrived(), self._world.project()) == self._tried
        return self._held_until - now if is_same else 0.0

    def _job(self, why: str, arguments: list[str]) -> Outcome:
        """Run a job, and note and tell what it came to."""
        arrived, project = self._world.arrived(), self._world.project()
        began = time.monotonic()
        self.running_since = began_at = datetime.now(timezone.utc)
        try:
            report = self._world.run(arguments)
        except Exception as error:
            # whatever it is, the next job may pass
            report = JobReport(problems=[f"{type(error).__name__}: {error}"], seconds=time.monotonic() - began)
        self.running_since = None
        if not arguments and self.plan.every is not None:
            self._due = max(began + self.plan.every.total_seconds(), time.monotonic())
        if report.success:
            self.failures, self._landed, self._has_left = 0, arrived, report.has_left
            self._built = self._built if arguments else arrived
        else:
            self.failures += 1
            self._tried, self._failed_at = (arrived, project), time.monotonic()
        pause = self.plan.backoff.pause(self.failures)
        self._held_until = time.monotonic() + pause.total_seconds()
        outcome = Outcome(why, began_at, datetime.now(timezone.utc), report, self.failures, pause)
        self.totals.add(outcome)
        self.history.appendleft(outcome)
        self._world.tell(outcome)
        return outcome


@dataclass(frozen=True)
class InChain(Refreshing):
    """Tables are brought up to date by jobs of a chain in this process."""

    chain: Chain | None = None

    def run(self, nodes: Iterable[str]) -> str | None:
        """Have a job run in the chain; what went wrong, none where nothing did."""
        assert self.chain is not None
        return self.chain.wish(nodes)
