"""The chain of jobs as a page: its rows against books written by hand, and what Chromium shows of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from entrepot.ledger import ModelRun, Progress, PublishedRelation, SourceCut, Step
from entrepot.ledger.concerns import Figures
from entrepot.timeline.content import NONE, Content, Outcome, content, outcome_of
from entrepot.timeline.document import document
from tests.mapping.shown_page import FAINT, Shown
from tests.support.books import NOON, Shop
from tests.support.browser import is_there, started_browser

MINUTE = timedelta(minutes=1)
ODD = "marts.<img src=x onerror=alert(1)>"


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def run(number: int, relation: str, rule: str, status: str = "success", **more: Any) -> ModelRun:
    return ModelRun("j", number, more.pop("position", 1), relation, "model", status, rule, **more)


def view(number: int, figures: Figures, promises: str | None = None) -> PublishedRelation:
    return PublishedRelation(
        "j", number, "ops.waiting", definition="select 1", published_at=NOON, concern=figures.render(), promises=promises,
        holds_through=NOON,
    )  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A first job, one that fails, one that is killed, and one that runs."""
    shop = Shop(tmp_path_factory.mktemp("timeline"))
    first = [
        run(1, "mapped.sale", "create", seconds=2.0, rows_read=7, rows_inserted=7, started_at=NOON + timedelta(seconds=1)),
        run(1, "marts.sale", "join", seconds=1.5, reason="changed: sale", apply_path="merge", rows_read=3, rows_inserted=2,
            rows_updated=1, rows_deleted=0, statements=4, started_at=NOON + timedelta(seconds=3), position=2),
        run(1, "marts.old", "skip", seconds=0.0, reason="no upstream has changed", position=3),
        run(1, "ops.waiting", "view", seconds=0.1, started_at=NOON + timedelta(seconds=3), position=4),
    ]  # fmt: skip
    waiting = Figures("late <b>orders</b>", 4, (("no customer", 3), (None, 1)), 2)
    shop.job(1, view(1, waiting, '{"exposure weekly": 60}'), runs=first, took=10 * timedelta(seconds=1))
    failed = [run(2, ODD, "join", "error", seconds=0.5), run(2, "marts.sale", "join", "skipped", seconds=0.0)]
    shop.job(2, runs=failed, ended="failed", detail="sale, not_null_sale", at=NOON + 5 * MINUTE, took=MINUTE)
    shop.job(3, runs=[], ended="", at=NOON + 8 * MINUTE)
    shop.job(4, runs=[], ended="", at=NOON + 9 * MINUTE)
    shop.ledger.tell(Progress("j", 4, 3, 9, (Step("sale", NOON),)))
    heard = {1: NOON - MINUTE, 2: NOON + 4 * MINUTE}
    shop.ledger.write([SourceCut("j", n, "till", n, at, at, NOON + n * MINUTE) for n, at in heard.items()])
    shop.ledger.write([SourceCut("j", 1, "plant", 1, None, None, NOON)])
    return shop


def test_the_rows_are_what_the_books_say(shop: Shop) -> None:
    found = content(shop.ledger, "shop")
    assert [(job.number, job.state, job.is_published, job.detail) for job in found.jobs] == [
        (4, "running", 0, ""), (3, "killed", 0, ""), (2, "failed", 0, "sale, not_null_sale"), (1, "finished", 1, ""),
    ]  # fmt: skip
    first = found.jobs[-1]
    assert (first.started, first.ended) == (milliseconds(NOON), milliseconds(NOON) + 10_000)
    assert (found.jobs[1].ended, found.earlier, found.progress) == (NONE, 0, "3 of 9, sale")
    told = found.words.index
    relation = found.relations.index
    assert first.runs[1] == (
        relation("marts.sale"), Outcome.CHANGES, told("join"), told("changed: sale"), told("merge"), 3, 2, 1, 0, 4, 3000, 1500,
    )  # fmt: skip
    assert [run.outcome for run in first.runs] == [Outcome.WHOLE, Outcome.CHANGES, Outcome.UNCHANGED, Outcome.VIEW]
    assert first.runs[2].start == NONE and first.runs[0].updated == NONE
    assert [run.outcome for run in found.jobs[2].runs] == [Outcome.FAILED, Outcome.SKIPPED]
    heard = [(1, NOON + MINUTE, NOON - MINUTE), (2, NOON + 2 * MINUTE, NOON + 4 * MINUTE)]
    till = [(number, milliseconds(at), milliseconds(through)) for number, at, through in heard]
    assert found.sources == [("plant", [(1, milliseconds(NOON), NONE)]), ("till", till)]
    assert found.waiting == [("late <b>orders</b>", 4, [("no customer", 3), ("", 1)], 2, "", 1)]
    assert len(found.broken) == 1 and found.broken[0].startswith("exposure weekly promises 1 min: ops.waiting is ")
    assert outcome_of(run(1, "a", "full", "error")) == Outcome.FAILED


def test_a_page_of_the_newest_jobs_says_how_many_came_before(shop: Shop) -> None:
    found = content(shop.ledger, most=2)
    assert [job.number for job in found.jobs] == [4, 3] and found.earlier == 2 and not found.words


def test_books_without_a_job(tmp_path: Path) -> None:
    found = content(Shop(tmp_path).ledger)
    assert found == Content("", found.at, 0, [], [], [], [], [], [], "")


def test_the_command_writes_one_file_that_loads_nothing(shop: Shop) -> None:
    assert "bytes in" in shop.says("timeline")
    page = (shop.path / "target/timeline.html").read_text()
    assert 'data-docs="index.html"' in page and 'data-live=""' in page and "connect-src" not in page
    assert "<img" not in page and not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
    rows = json.loads(page.split('type="application/json"')[1].split(">", 1)[1].split("</script>")[0])
    assert rows[0] == "shop" and [job[0] for job in rows[5]] == [4, 3, 2, 1]
    result = shop.run("timeline", "--out", "/dev/null/x.html")
    assert result.exit_code == 3 and "Say another file: --out FILE" in result.output


@pytest.fixture(scope="module")
def shown(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    file = tmp_path_factory.mktemp("page") / "timeline.html"
    file.write_text(document(content(shop.ledger, "shop")))
    with started_browser() as browser:
        page = Shown(browser, file)
        page.emulate()
        yield page
        assert page.problems() == []


LISTED = """return [...document.querySelectorAll('.jobs .head')].map((one) =>
  [one.querySelector('.number'), one.querySelector('.state')].map((cell) => cell.textContent).join(' '))"""
MODELS = """return [...document.querySelectorAll('tbody tr')].map((row) =>
  [...row.cells].filter((_, at) => at !== 2).map((cell) => cell.textContent))"""
FILTER = """const field = document.getElementById(arguments[0]);
field.value = arguments[1];
field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input'));"""


@pytest.mark.skipif(not is_there(), reason="no chromium with chromedriver on the PATH: make chromium")
def test_a_browser_shows_jobs_models_and_what_waits(shown: Shown) -> None:
    shown.go()
    assert shown.run(LISTED) == ["4 running", "3 killed", "2 failed", "1 published"]
    assert shown.run("return document.querySelector('.counts').textContent") == "3 of 9, sale"
    assert shown.run("return document.querySelector('.waits').textContent") == "4late <b>orders</b>3 no customer …"
    assert "Broken: exposure weekly promises 1 min" in shown.run("return document.querySelector('.facts').textContent")
    # a job opens by keys
    shown.keys("/")
    assert shown.run("return document.activeElement.id") == "query"
    shown.keys("ArrowDown", "End", "ArrowRight")
    assert shown.run(MODELS) == [
        ["mapped.sale", "create", "2.0 s", "7", "7", "", "", ""],
        ["marts.sale", "join", "1.5 s", "3", "2", "1", "0", "changed: sale; written by merge"],
        ["ops.waiting", "view", "0.1 s", "", "", "", "", ""],
    ]
    assert "1 relation unchanged." in shown.run("return document.querySelector('.detail').textContent")
    shown.keys("ArrowLeft", "ArrowUp", "ArrowRight")
    assert shown.run("return document.querySelector('.failure').textContent") == "Failed: sale, not_null_sale"
    assert [row[:2] for row in shown.run(MODELS)] == [[ODD, "failed"], ["marts.sale", "left out"]]
    # words and states choose jobs; an address names one
    shown.run(FILTER, "query", "sale JOIN")
    assert shown.run(LISTED) == ["2 failed", "1 published"] and shown.said() == "2 of 4 jobs"
    shown.run(FILTER, "query", "old")
    assert shown.run(LISTED) == [], "it did nothing"
    shown.run(FILTER, "query", "3")
    assert shown.run(LISTED) == ["3 killed"]
    shown.run(FILTER, "query", "")
    shown.run(FILTER, "state", "failed")
    assert shown.run(LISTED) == ["2 failed"]
    shown.go("#/job/1")
    assert len(shown.run(MODELS)) == 3
    assert shown.run("return performance.getEntriesByType('resource').length") == 0
    for scheme in ("light", "dark"):
        shown.emulate(scheme)
        assert shown.run(FAINT, 4.5) == [], scheme
