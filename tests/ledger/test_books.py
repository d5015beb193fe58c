"""What the books say of snapshots, verdicts and costs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from deltalake import DeltaTable

from entrepot.ledger import JobEvent, Ledger, ModelRun, ModelVerdict, NodeState, PublishedRelation
from entrepot.ledger.files import DamagedBooksError, FileStore, UnwrittenBooksError
from entrepot.ledger.lock import Holder
from entrepot.ledger.records import EVERY_NODE, RECORDS, UNKNOWN_STATE

OpenStore = Callable[[], FileStore]
NOON = datetime(2026, 11, 21, 12, 0, 0, 250_000, tzinfo=timezone.utc)


def test_an_empty_ledger(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    assert (ledger.published(), ledger.verdicts(), ledger.cost_runs(["marts.a"])) == ({}, [], [])
    assert ledger.model_sql("marts.a", "x") is None
    ledger.write([])


def test_the_newest_row_of_each_relation_counts(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    for number in (1, 2):
        ledger.write([PublishedRelation("j", number, "marts.a", number, landed_through=NOON, published_at=NOON)])
    ledger.write([PublishedRelation("j", 3, "marts.it's", 7)])
    assert Ledger(open_store()).published() == {
        "marts.a": PublishedRelation("j", 2, "marts.a", 2, landed_through=NOON, published_at=NOON),
        "marts.it's": PublishedRelation("j", 3, "marts.it's", 7),
    }


def test_snapshots_are_looked_through_so_far(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    ledger.write([PublishedRelation("j", 1, "marts.old"), PublishedRelation("j", 2, "marts.kept")])
    ledger.write([PublishedRelation("j", 51, "marts.new")])
    assert set(ledger.published()) == {"marts.kept", "marts.new"}


def test_verdicts_are_told_from_the_oldest_on(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    for number in (2, 1):
        ledger.write(
            [ModelVerdict("marts.a", f"h{number}", "x", "join", "why", "{}", f"select {number}", "j", number, NOON)]
        )
    assert [(row.number, row.sql) for row in ledger.verdicts()] == [(1, None), (2, None)]
    assert ledger.model_sql("marts.a", "h2") == "select 2"
    assert ledger.model_sql("marts.b", "h2") is None


def test_states_are_those_of_the_last_jobs(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    ledger.write([NodeState(node, f"{node}{number}", "j", number, NOON) for number in (1, 2, 60) for node in "ab"])
    ledger.write([NodeState("c", "c30", "j", 30, NOON)])
    assert {name: row.checksum for name, row in ledger.states(61).items()} == {"a": "a60", "b": "b60", "c": "c30"}
    assert set(ledger.states(81)) == {"a", "b"} and ledger.states(111) == {}, "jobs that noted nothing count, too"
    ledger.write([NodeState(EVERY_NODE, UNKNOWN_STATE, "j", 50, NOON)])
    assert set(ledger.states(61)) == {"a", "b", EVERY_NODE}, "after a kill nothing older stands"


def test_costs_are_of_successful_runs_by_rule(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())

    def run(number: int, rule: str = "join", status: str = "success", relation: str = "marts.a") -> ModelRun:
        return ModelRun(
            "j", number, 1, relation, "model", status, rule, apply_path="insert", rows_read=5, seconds=1.5, sql="…"
        )

    ledger.write([run(number) for number in range(1, 31)])
    ledger.write([run(31, "skip"), run(32, status="error"), run(33, relation="marts.b"), run(34, "full")])
    found = ledger.cost_runs(["marts.a"])
    assert [row.number for row in found] == [34, *range(30, 10, -1)]
    assert {(row.rows_read, row.seconds, row.sql) for row in found} == {(5, 1.5, None)}


def test_jobs_with_their_events(open_store: OpenStore) -> None:
    store = open_store()
    for number, event, minute in (
        (1, "started", 0),
        (1, "finished", 1),
        (2, "started", 2),
        (3, "failed", 4),
        (3, "started", 3),
    ):
        store.append([JobEvent("j", number, event, "ann", "build", NOON.replace(minute=minute))])
    found = Ledger(open_store()).jobs(2)
    assert [[event.event for event in events] for events in found] == [["started", "failed"], ["started"]]


def test_runs_by_name(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    runs = [
        ModelRun("j", number, 1, name, "model", "success", "join", sql="s") for number, name in ((1, "a.X"), (2, "b.x"))
    ]
    ledger.write(runs)
    assert ledger.runs("x") == [runs[1], runs[0]]
    assert ledger.runs("A.x") == [runs[0]]
    assert ledger.runs("y") == []
    assert [run.relation for run in ledger.runs_of_last_job()] == ["b.x"]


def test_the_newest_verdict(open_store: OpenStore) -> None:
    ledger = Ledger(open_store())
    for number in (2, 1):
        ledger.write([ModelVerdict("marts.a", "h", "x", f"rule {number}", "why", "{}", "select", "j", number, NOON)])
    verdict = ledger.verdict("marts.a")
    assert verdict and verdict.rule == "rule 2"
    assert ledger.verdict("marts.b") is None


def test_books_that_are_not_there_yet(tmp_path: Path) -> None:
    ledger = Ledger(FileStore({record.table: str(tmp_path / record.table) for record in RECORDS}))
    assert (ledger.jobs(5), ledger.published_rows(), ledger.runs("x"), ledger.runs_of_last_job()) == ([], [], [], [])


def test_reads_do_not_grow_with_the_number_of_jobs(open_store: OpenStore, tmp_path: Path) -> None:
    for number in range(1, 26):
        ledger = Ledger(open_store())
        lock = ledger.begin(Holder(f"j{number}", "dbt build", 30, True, "elsewhere"))
        ledger.write(
            [ModelRun(f"j{number}", number, 1, "marts.a", "model", "success", "join", rows_read=5, seconds=1.0)]
        )
        ledger.write([PublishedRelation(f"j{number}", number, "marts.a", number)])
        lock.release("finished", None)
    files = {record.table: len(DeltaTable(str(tmp_path / record.table)).file_uris()) for record in RECORDS}
    assert files["model_run"] <= 10 and files["published_snapshot"] <= 10 and files["job_event"] <= 2 * 10, files
    assert len(ledger.runs("marts.a")) == 25, "and all rows are there"
    assert len(ledger.jobs(25)) == 25
    assert len(ledger.cost_runs(["marts.a"])) == 20


@pytest.mark.parametrize("left", [200, 0])
def test_damaged_books_are_a_sentence(open_store: Callable[[], FileStore], tmp_path: Path, left: int) -> None:
    """Of a commit that is cut, and of one without a byte, as a machine leaves it that went down."""
    store = open_store()
    store.append([JobEvent("j", 1, "started", "ann", "build", datetime.now(timezone.utc))])
    log = tmp_path / "job_event/_delta_log/00000000000000000001.json"
    log.write_text(log.read_text()[:left])
    with pytest.raises(DamagedBooksError, match=r"The books cannot be read: .*job_event: .*Put the damaged file"):
        open_store().read(JobEvent)


def test_books_that_cannot_be_written_are_a_sentence(open_store: Callable[[], FileStore], tmp_path: Path) -> None:
    store = open_store()
    store.append([JobEvent("j", 1, "started", "ann", "build", datetime.now(timezone.utc))])
    shutil.rmtree(tmp_path / "job_event")
    (tmp_path / "job_event").write_text("no folder")
    event = JobEvent("j", 1, "finished", "ann", "build", datetime.now(timezone.utc))
    for append in (lambda: store.append([event]), lambda: store.append_next(event)):
        with pytest.raises(UnwrittenBooksError, match=r"The books cannot be written: .*Make room, or set the rights"):
            append()
