"""A job that was paused on another machine until somebody else has taken over: awake again it writes nothing more, and publishes nothing.

The other machine is a name in the books: this process says of itself that it is on one that nobody knows, as a job of a shared metastore is seen from
elsewhere. While it is paused, in the middle of a job, the job that takes over begins and ends in the books, and writes one of its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from entrepot.ledger import lock as chain_lock
from entrepot.ledger.lock import Holder
from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, delta_models

pytestmark = pytest.mark.slow
LONG_AGO = timedelta(minutes=30)


@pytest.mark.parametrize("model", ["tail", pytest.param("base", marks=pytest.mark.long)])
def test_a_paused_job_that_wakes_up_publishes_nothing(
    model: str, dbt_case: Callable[..., DbtCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = dbt_case(project=delta_models(unique_key="id"))
    source = case.source("t", "id int, v int", "values (1, 10), (2, 20)")
    case.put("models/base.sql", "select id, v from {{ source('raw', 't') }}")
    case.put("models/tail.sql", "select id, v + 1 as v from {{ ref('base') }}")
    case.build()
    ledger = load_target(case.path, case.path).ledger()
    before = {name: row.version for name, row in ledger.published().items()}
    monkeypatch.setattr(chain_lock, "_machine", lambda: "another")
    case.spark.sql(f"insert into {source} values (3, 30)")

    def pause(event: Any) -> None:
        """What happens elsewhere while this process sleeps for half an hour, before it writes a model."""
        if "START sql incremental model" not in event.info.msg or f".{model} " not in event.info.msg:
            return
        case.watch = lambda event: None
        monkeypatch.setattr(chain_lock, "_machine", lambda: "elsewhere")
        monkeypatch.setattr(chain_lock, "datetime", Later)
        taken_over = ledger.begin(Holder("elsewhere", "build", 10, is_alone=False, process="elsewhere:1:1"))
        case.spark.sql(f"update {case.table('marts', 'base')} set v = -1 where id = 1")
        taken_over.release("finished", None)

    case.watch = pause
    outcome = case.dbt("build")
    assert not outcome.success
    assert "gave no sign of life for more than 10 minutes, and job 3 has taken over" in outcome.text
    assert {name: row.version for name, row in ledger.published().items()} == before
    assert f"insert into {case.table('marts', model)}" not in " ".join(outcome.statements)
    monkeypatch.undo()
    case.build()
    assert case.rows("marts", "base") == [(1, 10), (2, 20), (3, 30)]
    assert case.rows("marts", "tail") == [(1, 11), (2, 21), (3, 31)]


class Later(datetime):
    """The time when it wakes up."""

    @classmethod
    def now(cls, tz: timezone | None = None) -> datetime:  # type: ignore[override]
        """Half an hour later than it is."""
        return datetime.now(tz) + LONG_AGO
