"""When jobs begin, when they do not, and what a chain does after failures; the jobs are functions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from entrepot.freshness import OCCUPIED
from entrepot.running.backoff import Backoff
from entrepot.running.chain import Chain, Plan, World
from entrepot.running.job import JobReport
from entrepot.running.outcomes import Outcome
from entrepot.running.watching import Listing

SOON = timedelta(milliseconds=50)
NEVER = timedelta(hours=1)


@dataclass
class Scene:
    """A world of a chain: what has arrived, what jobs do, what is told."""

    arrived: Listing = field(default_factory=dict)
    project: Listing = field(default_factory=dict)
    work: Callable[[], bool] = lambda: True
    left: int = 0
    ran: list[list[str]] = field(default_factory=list)
    told: list[Outcome] = field(default_factory=list)

    def world(self) -> World:
        return World(self._run, lambda: dict(self.arrived), lambda: dict(self.project), self.told.append)

    def _run(self, arguments: list[str]) -> JobReport:
        self.ran.append(arguments)
        passed = self.work()
        self.left -= 1
        return JobReport(
            passed, len(self.ran), problems=[] if passed else ["sale: no such column"], has_left=self.left > 0
        )

    @property
    def whys(self) -> list[str]:
        return [outcome.why for outcome in self.told]


@pytest.fixture(autouse=True)
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("entrepot.running.chain.LOOK", 0.02)


def going(chain: Chain) -> threading.Thread:
    thread = threading.Thread(target=chain.keep_going, daemon=True)
    thread.start()
    return thread


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def ended(chain: Chain, thread: threading.Thread) -> None:
    chain.stop()
    thread.join(60)
    assert not thread.is_alive()


def test_the_clock_begins_jobs() -> None:
    scene = Scene()
    Chain(Plan(SOON, "every so often", most=3), scene.world()).keep_going()
    assert scene.whys == ["start", "every so often", "every so often"] and scene.ran == [[], [], []]


def test_what_a_job_had_no_room_for_is_landed_by_the_next_ones_at_once() -> None:
    scene = Scene(arrived={Path("a"): (1, 1)}, left=3)
    chain = Chain(Plan(NEVER, "hourly"), scene.world())
    thread = going(chain)
    until(lambda: len(scene.told) == 3)
    time.sleep(0.1)
    ended(chain, thread)
    assert scene.whys == ["start", "backlog", "backlog"]


def test_what_arrives_begins_a_job_once() -> None:
    scene = Scene(arrived={Path("a"): (1, 1)})
    chain = Chain(Plan(on_arrival=True), scene.world())
    thread = going(chain)
    until(lambda: len(scene.told) == 1)
    assert chain.backlog == 0
    time.sleep(0.2)
    assert scene.whys == ["start"], "what lay there already has landed with the first job"
    scene.arrived[Path("a")] = (2, 2)
    assert chain.backlog == 1
    until(lambda: len(scene.told) == 2)
    assert scene.whys == ["start", "arrival"]
    ended(chain, thread)


def test_failures_are_tried_again_later_each_time_until_one_passes() -> None:
    outcomes = iter([False, False, False, True, False])
    scene = Scene(work=lambda: next(outcomes))
    plan = Plan(SOON, "clock", most=5, backoff=Backoff(SOON, 3 * SOON))
    chain = Chain(plan, scene.world())
    chain.keep_going()
    assert scene.whys == ["start", "retry", "retry", "retry", "clock"]
    assert [one.pause / SOON for one in scene.told] == [1, 2, 3, 0, 1]
    assert [one.failures for one in scene.told] == [1, 2, 3, 0, 1]
    assert chain.totals.jobs == {"finished": 1, "failed": 4} and chain.failures == 1
    assert chain.totals.last_success == scene.told[3].ended_at


def test_a_change_ends_the_pause() -> None:
    outcomes = iter([False, False, False, False, False, False, True])
    scene = Scene(work=lambda: next(outcomes))
    chain = Chain(Plan(NEVER, "clock", backoff=Backoff(SOON, NEVER)), scene.world())
    thread = going(chain)
    until(lambda: len(scene.told) == 6)
    scene.project[Path("models/sale.sql")] = (1, 1)
    until(lambda: len(scene.told) == 7)
    assert scene.whys == ["start", *["retry"] * 5, "change"]
    ended(chain, thread)


def test_a_change_ends_the_pause_for_queries_too() -> None:
    outcomes = iter([False, False, False, False, False, False, True])
    scene = Scene(work=lambda: next(outcomes))
    chain = Chain(Plan(backoff=Backoff(SOON, NEVER)), scene.world())
    thread = going(chain)
    until(lambda: chain.wish(["model.shop.sale"]) and len(scene.told) == 6)
    time.sleep(2 * SOON.total_seconds())
    said = chain.wish(["model.shop.sale"])
    assert said is not None and "it is tried again in" in said and len(scene.told) == 6
    scene.project[Path("models/sale.sql")] = (1, 1)
    assert chain.wish(["model.shop.sale"]) is None and scene.whys == ["query"] * 7
    ended(chain, thread)


def test_an_error_of_ours_is_a_failed_job() -> None:
    def broken() -> bool:
        raise RuntimeError("of all things")

    scene = Scene(work=broken)
    Chain(Plan(SOON, "clock", most=1), scene.world()).keep_going()
    assert scene.told[0].report.problems == ["RuntimeError: of all things"]


def test_a_query_has_a_job_and_nothing_else_has() -> None:
    scene = Scene()
    chain = Chain(Plan(), scene.world())
    thread = going(chain)
    time.sleep(0.2)
    assert scene.ran == []
    assert chain.wish(["model.shop.sale"]) is None
    assert scene.whys == ["query"] and "+sale" in scene.ran[0]
    scene.work = lambda: False
    assert chain.wish(["model.shop.sale"]) == "sale: no such column"
    said = chain.wish(["model.shop.sale"])
    assert said is not None and "sale: no such column (it is tried again in 10 s)" in said and len(scene.ran) == 2
    ended(chain, thread)


def test_a_query_waits_while_a_job_runs() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return go_on.wait(60)

    scene = Scene(work=work)
    chain = Chain(Plan(NEVER, "clock"), scene.world())
    thread = going(chain)
    assert begun.wait(60) and chain.running_since is not None
    assert chain.wish(["model.shop.sale"]) == OCCUPIED[0]
    go_on.set()
    until(lambda: scene.told)
    assert chain.wish(["model.shop.sale"]) is None
    ended(chain, thread)
    assert chain.wish(["model.shop.sale"]) == "`entrepot run` ends."


def test_what_a_job_for_a_query_left_out_is_still_to_be_done() -> None:
    scene = Scene()
    chain = Chain(Plan(on_arrival=True), scene.world())
    thread = going(chain)
    until(lambda: scene.told)
    scene.arrived[Path("a")] = (1, 1)
    until(lambda: chain.wish(["model.shop.sale"]) is None)
    until(lambda: "arrival" in scene.whys)
    ended(chain, thread)
    assert chain.backlog == 0
