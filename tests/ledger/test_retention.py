"""What `entrepot maintain` removes from the books, and what it never does; reads after a thousand jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from entrepot.ledger import JobEvent, Ledger, ModelRun, ModelVerdict, NodeState, PublishedRelation, SourceCut
from entrepot.ledger import retention as rules
from entrepot.ledger.files import FileStore
from entrepot.ledger.retention import outdated
from entrepot.snapshots import choose_snapshot, published_snapshots, snapshot_for

OpenStore = Callable[[], FileStore]
# no source has said anything since: its newest cut is of an old job
SOURCES_HEARD_UNTIL = 4
NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)


def job(number: int, *relations: str, sql_hash: str = "h") -> list[list[Any]]:
    """What a job writes: its events, runs, and what it publishes; one job a day."""
    at, name = NOON + timedelta(days=number), f"job{number}"
    return [
        [JobEvent(name, number, event, "me", "build", at) for event in ("started", "finished")],
        [ModelRun(name, number, 1, one, "model", "success", "join") for one in relations],
        [PublishedRelation(name, number, one, number, sql_hash=sql_hash, published_at=at) for one in relations],
        [NodeState(f"test.{one}", "sum", name, number, at) for one in relations],
        [SourceCut(name, number, "shop", number, at, at, at)] if number <= SOURCES_HEARD_UNTIL else [],
    ]


def verdict(number: int, relation: str, sql_hash: str) -> ModelVerdict:
    return ModelVerdict(
        relation, sql_hash, sql_hash, "join", "why", "{}", f"select {number}", f"job{number}", number, NOON
    )


@pytest.fixture
def ten_jobs(open_store: OpenStore, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Ten jobs, of which only the newest two are kept whatever their age; `marts.rare` was published by the third one only."""
    monkeypatch.setattr(rules, "JOBS_KEPT", 2)
    ledger = Ledger(open_store())
    for number in range(1, 11):
        relations = ("marts.a", "marts.rare") if number == 3 else ("marts.a",)
        for rows in job(number, *relations, sql_hash="old" if number < 5 else "new"):
            ledger.write(rows)
    ledger.write([verdict(1, "marts.a", "older"), verdict(2, "marts.a", "old"), verdict(5, "marts.a", "new")])
    ledger.write([verdict(3, "marts.rare", "old")])
    return ledger


def test_what_somebody_needs_stays(ten_jobs: Ledger, open_store: OpenStore) -> None:
    trims = {trim.record.table: trim for trim in ten_jobs.outdated(NOON + timedelta(days=100))}
    assert {table: trim.rows for table, trim in trims.items()} == {
        "job_event": 16, "published_snapshot": 7, "model_run": 7, "model_verdict": 1, "node_state": 9, "source_cut": 3,
    }  # fmt: skip
    ten_jobs.trim(trims.values())
    after = Ledger(open_store())
    assert [events[0].number for events in after.jobs(20)] == [10, 9]
    assert [snapshot.number for snapshot in published_snapshots(after)] == [10, 9, 3]
    assert snapshot_for(after, ["marts.rare", "marts.a"]).number == 3
    assert {row.relation for row in after.published().values()} == {"marts.a", "marts.rare"}
    assert after.model_sql("marts.a", "old") == "select 2", "the snapshot of job 3 was made by it"
    assert after.model_sql("marts.a", "older") is None
    assert [run.number for run in after.runs("rare")] == [3]
    assert after.cuts()["shop"].number == 4
    assert after.outdated(NOON + timedelta(days=100)) == []


def test_young_jobs_stay(ten_jobs: Ledger) -> None:
    assert ten_jobs.outdated(NOON) == []
    found = {trim.record.table: trim.rows for trim in ten_jobs.outdated(NOON + timedelta(days=3, hours=1))}
    assert found == {
        "job_event": 6, "published_snapshot": 2, "model_run": 2, "model_verdict": 1, "node_state": 4, "source_cut": 3,
    }  # fmt: skip


def test_nothing_in_empty_books(open_store: OpenStore) -> None:
    assert outdated(open_store(), NOON) == []


def test_a_thousand_jobs_read_no_more_than_some(open_store: OpenStore, tmp_path: Path) -> None:
    """What a job and a query read does not grow: rows asked for are those of the newest jobs, and files are few."""
    store = open_store()
    ledger = Ledger(store)
    for first in range(1, 1001, 50):
        for kind in range(4):
            ledger.write([row for number in range(first, first + 50) for row in job(number, "marts.a")[kind]])
    store.compact()
    assert len(ledger.cost_runs(["marts.a"])) == 20
    read: list[int] = []
    read_rows = store.read

    def counted(record: Any, wanted: Any = None) -> Any:
        rows = read_rows(record, wanted) if wanted is not None else read_rows(record)
        read.append(len(rows))
        return rows

    store.read = counted  # type: ignore[method-assign]
    ledger.published()
    ledger.cost_runs(["marts.a"])
    ledger.jobs(5)
    ledger.states(1001)
    choose_snapshot(published_snapshots(ledger, 20), ["marts.a"])
    snapshot_for(ledger, ["marts.a"])
    assert read == [50, 200, 10, 50, 20, 20]
    for table in ("job_event", "model_run", "node_state", "published_snapshot"):
        assert len(DeltaTable(str(tmp_path / table)).file_uris()) == 1
