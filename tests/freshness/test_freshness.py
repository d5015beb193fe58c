"""A question with a bound: answered at once, after a job, or refused with the real age; many questions share one job."""

from __future__ import annotations

import fcntl
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from entrepot.errors import QueryError
from entrepot.freshness import Bound, Refreshing, TooOldError, bound_of, fresh_snapshot
from entrepot.ledger import JobEvent, Ledger, PublishedRelation, SourceCut
from entrepot.ledger.files import FileStore
from entrepot.sql import without_bound
from tests.ledger.conftest import open_store

__all__ = ["open_store"]

OpenStore = Callable[[], FileStore]
SECOND = timedelta(seconds=1)


def now() -> datetime:
    return datetime.now(timezone.utc)


def publish(ledger: Ledger, number: int, **through: datetime | None) -> None:
    """A job that has published tables that hold what was committed up to some moments."""
    ledger.write([JobEvent("j", number, event, "me", "build", now()) for event in ("started", "finished")])
    ledger.write(
        [
            PublishedRelation(
                "j", number, f"marts.{name}", 1, published_at=now(), node=f"model.shop.{name}", holds_through=moment
            )
            for name, moment in through.items()
        ]
    )


@dataclass(frozen=True)
class Job(Refreshing):
    """A refresh whose job is what the test says."""

    work: Callable[[], str | None] = lambda: None
    ran: list[list[str]] = field(default_factory=list)

    def run(self, nodes: Iterable[str]) -> str | None:
        self.ran.append(sorted(nodes))
        return self.work()


@pytest.fixture
def ledger(open_store: OpenStore) -> Ledger:
    return Ledger(open_store())


def bound(age: timedelta, **more: bool | timedelta) -> Bound:
    found = bound_of(age, None, False, timedelta(seconds=5))
    assert found is not None
    return replace(found, **more)


def test_what_is_fresh_enough_is_answered_at_once(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - 50 * SECOND, b=now() - 500 * SECOND)
    job = Job(tmp_path)
    assert fresh_snapshot(ledger, ["a"], bound(60 * SECOND), job).number == 1
    with pytest.raises(TooOldError):
        fresh_snapshot(ledger, ["a", "b"], bound(60 * SECOND), job)
    assert job.ran == [["model.shop.a", "model.shop.b"]], "only for the older table was there a job"


def test_a_job_brings_what_is_not(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - 500 * SECOND)
    job = Job(tmp_path, work=lambda: publish(ledger, 2, a=now()))
    assert fresh_snapshot(ledger, ["a"], bound(60 * SECOND), job).number == 2
    assert fresh_snapshot(ledger, ["a"], bound(60 * SECOND), job).number == 2
    assert job.ran == [["model.shop.a"]]


def test_what_cannot_be_met_says_how_old_and_why(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - timedelta(hours=3))
    ledger.write(
        [
            SourceCut("j", 1, "shop", 5, now(), now() - timedelta(hours=3), now()),
            SourceCut("j", 1, "plant", 5, now(), now(), now()),
        ]
    )
    failing = Job(tmp_path, work=lambda: "Database Error in model a: no such column")
    with pytest.raises(TooOldError) as refusal:
        fresh_snapshot(ledger, ["a"], bound(timedelta(minutes=10)), failing)
    said = refusal.value.message
    assert "3 h old: a holds what was committed by" in said
    assert "The job failed: Database Error in model a: no such column" in said
    assert "behind: shop was last heard 3 h ago." in said and "plant" not in said
    assert "--stale-ok" in said
    stale = fresh_snapshot(ledger, ["a"], bound(timedelta(minutes=10), stale_ok=True), failing)
    assert stale.number == 1


def test_an_age_that_nobody_knows_meets_no_bound(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=None)
    with pytest.raises(TooOldError, match="nobody can say"):
        fresh_snapshot(ledger, ["a"], bound(timedelta(days=999)), Job(tmp_path))
    ledger.write([PublishedRelation("j", 2, "marts.a", 1, published_at=now())])
    job = Job(tmp_path)
    with pytest.raises(TooOldError, match="An older entrepot has published them: run dbt build once"):
        fresh_snapshot(ledger, ["a"], bound(timedelta(days=999)), job)
    assert job.ran == []


def test_as_of_a_moment_is_the_first_snapshot_that_holds_it(ledger: Ledger, tmp_path: Path) -> None:
    moments = [now() - count * 100 * SECOND for count in (5, 4, 3, 2)]
    for number, moment in enumerate(moments, 1):
        publish(ledger, number, a=moment)
    publish(ledger, 5, b=now())
    for wanted, number in ((moments[1], 2), (moments[1] + SECOND, 3), (moments[0] - SECOND, 1), (moments[3], 4)):
        asked = bound_of(None, wanted, False, 5 * SECOND)
        assert asked is not None and fresh_snapshot(ledger, ["a"], asked, Job(tmp_path)).number == number
    with pytest.raises(TooOldError, match="has not come yet"):
        bound_of(None, now() + timedelta(hours=1), False, SECOND)
    with pytest.raises(TooOldError, match="Say --max-age, or --as-of"):
        bound_of(SECOND, now(), False, SECOND)
    naive = bound_of(None, moments[1].replace(tzinfo=None), False, SECOND)
    assert naive is not None and naive.through == moments[1], "a moment without a time zone is in UTC"


def test_an_age_beyond_all_times_is_met_by_any_snapshot(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - timedelta(days=3000))
    for age in (timedelta(days=999_999), timedelta.max):
        assert fresh_snapshot(ledger, ["a"], bound(age), Job(tmp_path)).number == 1


def test_questions_at_once_share_one_job(open_store: OpenStore, tmp_path: Path) -> None:
    publish(Ledger(open_store()), 1, a=now() - 500 * SECOND)
    begun, ran = threading.Barrier(8), []

    def ask(answers: list[int | str]) -> None:
        ledger = Ledger(open_store())
        job = Job(tmp_path, work=lambda: publish(ledger, 2, a=now()), ran=ran)
        begun.wait()
        answers.append(fresh_snapshot(ledger, ["a"], bound(60 * SECOND), job).number)

    answers: list[int | str] = []
    threads = [threading.Thread(target=ask, args=(answers,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [2] * 8 and len(ran) == 1


def test_a_job_that_brought_no_news_is_not_repeated_by_those_who_waited(open_store: OpenStore, tmp_path: Path) -> None:
    old = now() - 500 * SECOND
    publish(Ledger(open_store()), 1, a=old)
    begun, ran, refused = threading.Barrier(4), [], []

    def ask() -> None:
        ledger = Ledger(open_store())
        job = Job(tmp_path, work=lambda: publish(ledger, 2, a=old), ran=ran)
        asked = bound(60 * SECOND)
        begun.wait()
        with pytest.raises(TooOldError):
            fresh_snapshot(ledger, ["a"], asked, job)
        refused.append(asked)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 4 and len(ran) == 1


def test_a_job_that_failed_is_not_repeated_by_those_who_waited(open_store: OpenStore, tmp_path: Path) -> None:
    publish(Ledger(open_store()), 1, a=now() - 500 * SECOND, b=now() - 500 * SECOND)
    begun, ran, said = threading.Barrier(4), [], []

    def ask() -> None:
        job = Job(tmp_path, work=lambda: time.sleep(1) or "Database Error in model a: no such column", ran=ran)
        asked = bound(60 * SECOND)
        begun.wait()
        with pytest.raises(TooOldError) as refusal:
            fresh_snapshot(Ledger(open_store()), ["a"], asked, job)
        said.append("The job failed: Database Error in model a: no such column" in refusal.value.message)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [True] * 4 and len(ran) == 1


def test_a_failed_job_is_repeated_by_who_asks_later_and_by_who_asks_for_less(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - 500 * SECOND, b=now() - 500 * SECOND)
    early = bound(60 * SECOND)
    failing = Job(tmp_path, work=lambda: "Database Error in model a: no such column")
    for _ in range(2):
        with pytest.raises(TooOldError, match="no such column"):
            fresh_snapshot(ledger, ["a", "b"], bound(60 * SECOND), failing)
    assert len(failing.ran) == 2, "asked later, it may be mended"
    other = Job(tmp_path, {"target": "development"}, work=lambda: "another target")
    with pytest.raises(TooOldError, match="another target"):
        fresh_snapshot(ledger, ["a", "b"], early, other)
    job = Job(tmp_path, work=lambda: publish(ledger, 2, b=now()))
    assert fresh_snapshot(ledger, ["b"], early, job).number == 2, "what failed may be the other table"
    (tmp_path / "refresh.lock").write_text("{")
    job = Job(tmp_path, work=lambda: publish(ledger, 3, a=now()))
    assert fresh_snapshot(ledger, ["a"], early, job).number == 3


def test_a_warehouse_that_others_have_is_waited_for(ledger: Ledger, tmp_path: Path) -> None:
    publish(ledger, 1, a=now() - 500 * SECOND)
    with (tmp_path / "refresh.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TooOldError, match="Another job has the warehouse, for more than 1 s now"):
            fresh_snapshot(ledger, ["a"], bound(60 * SECOND, wait=SECOND), Job(tmp_path))
    said = iter(
        [
            "Runtime Error: The warehouse /w is in use by another process: a dbt command",
            "Job 7 of ada is running on this warehouse",
        ]
    )
    job = Job(tmp_path, work=lambda: next(said, None) or publish(ledger, 2, a=now()))
    assert fresh_snapshot(ledger, ["a"], bound(60 * SECOND), job).number == 2
    assert len(job.ran) == 3


@pytest.mark.parametrize(
    ("sql", "rest", "span"),
    [
        ("select * from t CURRENCY BOUND 10 MIN", "select * from t ", timedelta(minutes=10)),
        ("select * from t where x = 'currency bound 1 min'", "select * from t where x = 'currency bound 1 min'", None),
        ("select * from t currency /* how old */ bound 1.5 hours ; -- end", "select * from t ", timedelta(hours=1.5)),
        ("select currency, bound from t", "select currency, bound from t", None),
        ("select * from t", "select * from t", None),
    ],
)
def test_a_bound_in_the_query(sql: str, rest: str, span: timedelta | None) -> None:
    assert without_bound(sql) == (rest, span)


@pytest.mark.parametrize("told", ["", "10", "ten minutes", "-1 min", "10 min or so", "10 parsec"])
def test_a_bound_that_is_none(told: str) -> None:
    with pytest.raises(QueryError, match=r"is no span of time\. Write a number and SEC, MIN, HOUR or DAY"):
        without_bound(f"select 1 currency bound {told}")
