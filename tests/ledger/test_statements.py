"""Bookkeeping by statements, as behind a Spark server: what is sent, and how answers are read."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from entrepot.ledger import JobEvent, ModelRun
from entrepot.ledger.statements import StatementStore
from entrepot.ledger.store import Wanted
from entrepot.sql.literals import literal

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
MICROS = 1_795_262_400_000_000


class Server:
    """Notes statements and answers with the rows that it was given."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.sent: list[str] = []
        self.answers = list(answers)
        self.store = StatementStore("ops", self.query, literal)

    def query(self, sql: str) -> list[dict[str, Any]]:
        self.sent.append(sql)
        return self.answers.pop(0) if self.answers else []


def test_columns_are_named_in_every_write() -> None:
    server = Server()
    server.store.append([JobEvent("j", 1, "failed", "ann", "build", NOON, "model it's")])
    assert server.sent == [
        "insert into ops.job_event (job, number, event, owner, command, at, detail) values\n"
        f"('j', 1, 'failed', 'ann', 'build', timestamp_micros({MICROS}), 'model it\\'s')"
    ]


def test_answers_may_be_texts_and_decimals() -> None:
    event = {"job": "j", "number": "1", "event": "started", "owner": "ann", "command": "run", "at": Decimal(MICROS)}
    server = Server([{**event, "detail": None}])
    assert server.store.read(JobEvent, Wanted(since=1)) == [JobEvent("j", 1, "started", "ann", "run", NOON)]
    assert server.sent == [
        "select job, number, event, owner, command, unix_micros(at) as at, detail from ops.job_event where number >= 1"
    ]


def test_only_what_is_wanted_is_asked_for() -> None:
    server = Server()
    without = tuple(name for name in ("sql", "reason", "apply_path", "resource_type"))
    assert server.store.read(ModelRun, Wanted(of=("marts.a", "marts.it's"), without=without)) == []
    assert server.sent[0].endswith("from ops.model_run where relation in ('marts.a', 'marts.it\\'s')")
    assert "sql" not in server.sent[0]


def test_a_job_begins_only_after_the_job_that_was_seen() -> None:
    began = [{"job": "mine"}]
    server = Server([], [], began)
    assert server.store.read(JobEvent) == []
    assert server.store.append_next(JobEvent("mine", 1, "started", "ann", "build", NOON))
    assert server.sent[1].endswith(
        "(select max(number) as number from ops.job_event) as newest where newest.number <=> null"
    )
    lost = Server([], [{"job": "theirs"}])
    assert not lost.store.append_next(JobEvent("mine", 1, "started", "ann", "build", NOON))


def test_the_newest_number() -> None:
    assert Server([{"number": None}]).store.newest(JobEvent) is None
    assert Server([{"number": "7"}]).store.newest(JobEvent) == 7
