"""One job at a time: the newest event of `ops.job_event` is the chain's lock (docs/decisions/0006-job-events-as-lock.md)."""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

from entrepot.errors import EntrepotError
from entrepot.ledger.records import JobEvent
from entrepot.ledger.store import Store, Wanted

ALIVE = ("started", "heartbeat")
HEARTBEAT = timedelta(minutes=1)
# of silence, after which a job of another machine is taken for dead, where the project says nothing else
MINUTES = 10.0
# they work on tables by their folders, so an embedded metastore does not keep them out
BY_FOLDERS = ("maintain", "erase")


class LockError(EntrepotError):
    """Another job has the warehouse."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs a job: dbt's invocation, its command, and after how many minutes of silence it is taken for dead."""

    job: str
    command: str
    minutes: float
    is_alone: bool
    """whether no second process can be on this warehouse, as with an embedded metastore: an unfinished job is dead then"""
    process: str
    """which process it is, so that others can see whether it lives (`this_process`)"""


class Lock:
    """The chain's lock, held by one job from `acquire` to `release`.

    Attributes:
        job: the job's id
        number: its place in the chain
        killed: the number of the job before, where it never ended
        after_failure: whether the job before did not pass
    """

    def __init__(self, store: Store, holder: Holder, last: JobEvent | None, at: datetime) -> None:
        """Note a lock that has been acquired."""
        self._store, self._holder, self._beat_at = store, holder, at
        self.owner, self.job = store.owner(), holder.job
        self.number = last.number + 1 if last else 1
        self.killed = last.number if last and last.event in ALIVE else None
        self.after_failure = last is not None and last.event != "finished"

    @classmethod
    def acquire(cls, store: Store, holder: Holder) -> Lock:
        """Begin a job.

        Raises:
            LockError: another job runs on this warehouse, or began at the same moment
        """
        now = datetime.now(timezone.utc)
        last = newest_event(store)
        if last and is_running(last, holder, now):
            raise LockError(
                f"Job {last.number} of {last.owner} is running on this warehouse (last heartbeat {last.at:%Y-%m-%d %H:%M:%S} UTC).",
                "One job runs at a time: wait until it has finished, or say ENTREPOT_WAIT=5m to have it waited for. If its process is dead, "
                f"the lock ends by itself {holder.minutes:g} minutes after the last heartbeat (var entrepot_lock_minutes).",
            )
        lock = cls(store, holder, last, now)
        if not store.append_next(lock._event("started", now)):
            winner = newest_event(store)
            raise LockError(
                f"Job {winner.number if winner else lock.number} of {winner.owner if winner else 'somebody else'} started at the same moment.",
                "One job runs at a time: wait until it has finished.",
            )
        return lock

    def heartbeat(self) -> None:
        """Say that the job is alive; at most once a minute.

        Raises:
            LockError: another job has taken over, because this one was silent for too long
        """
        now = datetime.now(timezone.utc)
        if now - self._beat_at <= HEARTBEAT:
            return
        newest = self._store.newest(JobEvent)
        if newest is not None and newest > self.number:
            raise LockError(
                f"Job {self.number} gave no sign of life for more than {self._holder.minutes:g} minutes, and job {newest} has taken over.",
                "Nothing more is written, and nothing published; raise var entrepot_lock_minutes above the time of the longest "
                "model and run it again.",
            )
        self._beat_at = now
        self._store.append([self._event("heartbeat", now)])

    def release(self, event: str, detail: str | None) -> None:
        """End the job: `finished`, or `failed` with what failed."""
        self._store.append([self._event(event, datetime.now(timezone.utc), detail)])

    def _event(self, event: str, at: datetime, detail: str | None = None) -> JobEvent:
        if event in ALIVE:
            detail = self._holder.process
        return JobEvent(self._holder.job, self.number, event, self.owner, self._holder.command, at, detail)


def newest_event(store: Store) -> JobEvent | None:
    """Return the newest event of the newest job; None before the first."""
    newest = store.newest(JobEvent)
    events = store.read(JobEvent, Wanted(since=newest)) if newest is not None else []
    return max(events, key=lambda event: (event.number, event.at), default=None)


def is_running(last: JobEvent, holder: Holder, now: datetime) -> bool:
    """Whether a job still runs, as its newest event tells somebody who wants to begin one.

    Of one that says which process it is, and ran on this machine, it is seen: a live one is never replaced, however long it is silent. Else, and
    of an earlier one of this very process, an unfinished one is dead where nobody else can be on the warehouse, and after some minutes of silence.
    """
    if last.event not in ALIVE:
        return False
    is_alive = _lives_here(last)
    if is_alive is not None and last.detail != this_process():
        return is_alive
    if holder.is_alone and last.command not in BY_FOLDERS:
        return False
    return now - last.at < timedelta(minutes=holder.minutes)


def is_known_dead(last: JobEvent) -> bool:
    """Whether a job without an end ran on this machine in a process that is no more."""
    return last.event in ALIVE and _lives_here(last) is False


def _lives_here(last: JobEvent) -> bool | None:
    """Whether the process of a job lives, where it is one of this machine; None of others."""
    machine, process, began = _process_told(last.detail)
    if process is None or machine != _machine():
        return None
    return lives(process) and began == _began(process)


def this_process() -> str:
    """Return this process as others know it: its machine, its number, and when it began."""
    return f"{_machine()}:{os.getpid()}:{_began(os.getpid())}"


def _machine() -> str:
    """This machine since it was started, and the processes that can be seen from here: another container has numbers of its own."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts += [
            Path("/proc/sys/kernel/random/boot_id").read_text()[:8],
            str(Path("/proc/self/ns/pid").stat().st_ino),
        ]
    return "/".join(parts)


def _process_told(detail: str | None) -> tuple[str, int | None, str]:
    """The machine, the number and the beginning of a process, as `this_process` has written them."""
    machine, _, rest = (detail or "").partition(":")
    process, _, began = rest.partition(":")
    return machine, int(process) if process.isdecimal() else None, began


def _began(process: int) -> str:
    """When a process began, in the system's own count: its number may be another's later; nothing where the system does not tell."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def lives(process: int) -> bool:
    """Whether a process of this machine lives."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
