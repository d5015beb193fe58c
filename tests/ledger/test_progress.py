"""Where a running job is: a file beside the books, which is told by dbt's threads and never believed of a job that is dead."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from entrepot.jobs.following import Following
from entrepot.ledger import JobEvent, Ledger, Progress, Step
from entrepot.ledger.lock import this_process
from entrepot.ledger.progress import FILE
from entrepot.ledger.statements import StatementStore
from entrepot.sql.literals import literal
from tests.support.books import NOON, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """One job that has published, and one that runs in this process."""
    shop = Shop(tmp_path).job(1)
    shop.store.append([JobEvent("j2", 2, "started", "ann", "build", NOON, this_process())])
    return shop


def file_of(shop: Shop) -> Path:
    return shop.path / "warehouse/ops.db" / FILE


def of_json(shop: Shop) -> Any:
    return json.loads(shop.run("status", "--json").output)["jobs"]


def test_status_says_where_a_running_job_is(shop: Shop) -> None:
    assert "is at" not in shop.says("status") and of_json(shop)[0]["progress"] is None
    following = Following(shop.ledger, "j2", 2)
    following.begins("model.shop.fct_sale", "fct_sale", 6, 60)
    following.begins("model.shop.dim_item", "dim_item", 7, 60)
    assert "Job 2 is at 7 of 60, fct_sale for 0 s, dim_item for 0 s." in shop.says("status")
    following.ends("model.shop.fct_sale", "join: 3 in +1 ~2 -0")
    assert "Job 2 is at 7 of 60, dim_item for 0 s; before that fct_sale, join: 3 in +1 ~2 -0." in shop.says("status")
    newest, first = of_json(shop)
    told = newest["progress"]
    assert (told["place"], told["total"], first["progress"]) == (7, 60, None)
    assert [one["name"] for one in told["running"]] == ["dim_item"]
    assert (told["last"]["name"], told["last"]["says"]) == ("fct_sale", "join: 3 in +1 ~2 -0")
    began = datetime.fromisoformat(told["running"][0]["began_at"])
    assert timedelta() <= datetime.now(timezone.utc) - began < timedelta(minutes=1)
    following.ends("model.shop.dim_item", None)
    assert "Job 2 is at 7 of 60; before that fct_sale, join: 3 in +1 ~2 -0." in shop.says("status")
    following.over()
    following.begins("model.shop.late", "late", 8, 60)
    assert not file_of(shop).exists() and "is at" not in shop.says("status")


@pytest.mark.parametrize(
    "event",
    [
        JobEvent("j2", 2, "finished", "ann", "build", NOON + timedelta(hours=1)),
        JobEvent("j2", 2, "failed", "ann", "build", NOON + timedelta(hours=1)),
        JobEvent("j2", 2, "heartbeat", "ann", "build", NOON + timedelta(hours=1), f"{this_process().partition(':')[0]}:{2**30}:1"),
        JobEvent("j3", 3, "started", "ann", "build", NOON + timedelta(hours=1), this_process()),
        JobEvent("other", 2, "heartbeat", "ann", "build", NOON + timedelta(hours=1), this_process()),
    ],
    ids=["finished", "failed", "killed", "another job", "another job of the same number"],
)  # fmt: skip
def test_what_a_killed_job_has_left_is_nobodys(shop: Shop, event: JobEvent) -> None:
    shop.ledger.tell(Progress("j2", 2, 7, 60, (Step("dim_item", NOON),)))
    assert str(shop.ledger.progress()) == "7 of 60, dim_item"
    shop.store.append([event])
    assert shop.ledger.progress() is None and "is at" not in shop.says("status")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"job": "j2", "number": 2, "place": 1, "total": 2, "running": 5}']
)
def test_a_file_that_says_nothing_is_none(shop: Shop, text: str) -> None:
    file_of(shop).write_text(text)
    assert shop.ledger.progress() is None and "running" in shop.says("status")


def test_a_job_that_has_lost_its_lock_leaves_what_the_other_one_tells(shop: Shop) -> None:
    lost, other = Following(shop.ledger, "j1", 1), Following(shop.ledger, "j2", 2)
    lost.begins("a", "a", 1, 2)
    lost.lost()
    other.begins("b", "b", 1, 2)
    lost.ends("a", "join")
    lost.over()
    assert str(shop.ledger.progress()) == "1 of 2, b"


def test_threads_tell_side_by_side_and_readers_read_it_whole(shop: Shop) -> None:
    following, is_over = Following(shop.ledger, "j2", 2), threading.Event()

    def work(thread: int) -> None:
        for place in range(50):
            following.begins(f"{thread}.{place}", f"model_{thread}", thread * 50 + place, 200)
            following.ends(f"{thread}.{place}", "unchanged")

    def read() -> int:
        times = 0
        while not is_over.is_set():
            found = json.loads(file_of(shop).read_text())
            assert len(found["running"]) <= 5 and found["total"] == 200
            times += 1
        return times

    following.begins("first", "first", 0, 200)
    with ThreadPoolExecutor(5) as pool:
        reading = pool.submit(read)
        list(pool.map(work, range(4)))
        is_over.set()
        assert reading.result() > 0
    assert str(shop.ledger.progress()) == "199 of 200, first"


def test_a_disk_that_refuses_it_ends_no_job(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any, **_named: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", refuse)
    following = Following(shop.ledger, "j2", 2)
    following.begins("a", "a", 1, 2)
    monkeypatch.setattr(Path, "unlink", refuse)
    following.over()
    assert shop.ledger.progress() is None


def test_books_behind_a_server_are_told_nothing() -> None:
    def never(sql: str) -> list[dict[str, Any]]:
        raise AssertionError(sql)

    books = Ledger(StatementStore("ops", never, literal))
    books.tell(Progress("j", 1, 1, 2))
    books.tell(None)
    assert books.progress() is None


def test_no_commit_is_made(shop: Shop) -> None:
    def commits() -> int:
        return sum(len(files) for folder, _, files in os.walk(shop.path) if folder.endswith("_delta_log"))

    before = commits()
    shop.ledger.tell(Progress("j2", 2, 1, 2))
    assert commits() == before
