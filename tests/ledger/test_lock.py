"""The chain's lock: one job at a time, dead owners are replaced, live ones never."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from entrepot.ledger import JobEvent, Ledger
from entrepot.ledger.files import FileStore
from entrepot.ledger.lock import Holder, Lock, LockError, _began, newest_event, this_process

OpenStore = Callable[[], FileStore]


def holder(job: str, minutes: float = 10, is_alone: bool = False, process: str = "elsewhere:1:2") -> Holder:
    return Holder(job, "build", minutes, is_alone, process)


def test_jobs_are_numbered(open_store: OpenStore) -> None:
    first = Ledger(open_store()).begin(holder("a"))
    assert (first.number, first.killed, first.after_failure) == (1, None, False)
    first.release("finished", None)
    second = Ledger(open_store()).begin(holder("b"))
    assert (second.number, second.killed, second.after_failure) == (2, None, False)
    second.release("failed", "model x")
    third = Ledger(open_store()).begin(holder("c"))
    assert (third.number, third.killed, third.after_failure) == (3, None, True)
    event = newest_event(open_store())
    assert event is not None
    assert (event.job, event.number, event.event, event.command, event.detail) == (
        "c",
        3,
        "started",
        "build",
        "elsewhere:1:2",
    )


def test_a_live_job_is_waited_for(open_store: OpenStore) -> None:
    Ledger(open_store()).begin(holder("a"))
    with pytest.raises(LockError, match=r"Job 1 of .* is running on this warehouse .*One job runs at a time"):
        Ledger(open_store()).begin(holder("b"))


def test_a_dead_job_is_replaced_after_its_minutes(open_store: OpenStore) -> None:
    store = open_store()
    silent = datetime.now(timezone.utc) - timedelta(minutes=11)
    store.append([JobEvent("a", 4, "heartbeat", "ann", "build", silent)])
    lock = Ledger(open_store()).begin(holder("b"))
    assert (lock.number, lock.killed, lock.after_failure) == (5, 4, True)


def test_where_nobody_else_can_be_an_unfinished_job_is_dead(open_store: OpenStore) -> None:
    Ledger(open_store()).begin(holder("a"))
    assert Ledger(open_store()).begin(holder("b", is_alone=True)).killed == 1


@pytest.mark.parametrize("is_alone", [False, True])
def test_a_process_of_this_machine_is_looked_at(open_store: OpenStore, is_alone: bool) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        machine, began = this_process().split(":")[0], _began(other.pid)
        process = f"{machine}:{other.pid}:{began}"
        Ledger(open_store()).begin(holder("a", minutes=0, process=process))
        with pytest.raises(LockError, match=r"Job 1 of .* is running"):
            Ledger(open_store()).begin(holder("b", minutes=0, is_alone=is_alone))
        other.kill()
    assert Ledger(open_store()).begin(holder("b", is_alone=is_alone)).killed == 1


def test_an_earlier_job_of_the_same_process(open_store: OpenStore) -> None:
    Ledger(open_store()).begin(holder("a", process=this_process()))
    with pytest.raises(LockError, match=r"Job 1 of .* is running"):
        Ledger(open_store()).begin(holder("b", process=this_process()))
    assert Ledger(open_store()).begin(holder("b", is_alone=True, process=this_process())).killed == 1


def test_a_job_that_was_silent_too_long_stops(open_store: OpenStore) -> None:
    lock = Ledger(open_store()).begin(holder("a", minutes=0))
    lock.heartbeat()
    assert newest_event(open_store()).event == "started", "at most one heartbeat a minute"  # type: ignore[union-attr]
    lock._beat_at -= timedelta(minutes=2)
    lock.heartbeat()
    assert newest_event(open_store()).event == "heartbeat"  # type: ignore[union-attr]
    Ledger(open_store()).begin(holder("b", minutes=0))
    lock._beat_at -= timedelta(minutes=2)
    with pytest.raises(LockError, match="Job 1 gave no sign of life for more than 0 minutes, and job 2 has taken over"):
        lock.heartbeat()


def test_of_many_that_begin_at_once_one_wins(open_store: OpenStore) -> None:
    started, refused = list[Lock](), list[str]()
    gate = threading.Barrier(8)

    def begin(number: int) -> None:
        store = open_store()
        gate.wait()
        try:
            started.append(Ledger(store).begin(holder(f"job {number}")))
        except LockError as error:
            refused.append(error.message)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == 1 and len(refused) == 7, (started, refused)
    assert [event.event for event in open_store().read(JobEvent)] == ["started"]
