"""What waits for a person, from job to job: counted by the job that publishes, and only what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.ledger import Ledger, PublishedRelation
from tests.support.dbt_case import DbtCase, Outcome

MODELS = """
models:
  - {name: late, config: {meta: {entrepot: {concern: late orders, reason: country, amount: pieces}}}}
  - {name: lost, config: {meta: {entrepot: {concern: lost lines}}}}
"""


@pytest.fixture
def shop(dbt_case: Callable[..., DbtCase]) -> DbtCase:
    case = dbt_case()
    case.put("models/shop.yml", MODELS)
    case.put("models/late.sql", "{{ config(materialized='view') }} select * from {{ ref('orders') }} where pieces > 1")
    case.put("models/lost.sql", "{{ config(materialized='view') }} select * from {{ ref('line') }}")
    case.put("models/plain.sql", "{{ config(materialized='view') }} select * from {{ ref('line') }}")
    case.put("seeds/orders.csv", "id,country,pieces\n1,DE,2\n2,DE,3\n3,,4\n4,FR,1\n")
    return case.put("seeds/line.csv", "id\n1\n")


def counting(outcome: Outcome) -> list[str]:
    """The views that a job has counted, a text for each statement."""
    sent = [sql for sql in outcome.statements if "what waits for a person" in sql]
    return ["+".join(name for name in ("late", "lost", "plain") if f".{name}' as relation" in sql) for sql in sent]


def status(case: DbtCase) -> str:
    result = CliRunner().invoke(main, ["--project-dir", str(case.path), "--profiles-dir", str(case.path), "status"])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.long
def test_from_job_to_job(shop: DbtCase, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted(counting(shop.build())) == ["late", "lost"]
    assert "9 late orders: 5 DE; 4 without a reason 1 lost lines" in status(shop)
    assert counting(shop.build()) == [], "nothing has changed"
    assert "9 late orders: 5 DE; 4 without a reason 1 lost lines" in status(shop)

    shop.put("seeds/orders.csv", "id,country,pieces\n1,DE,2\n5,FR,8\n")
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "write", killed_before_publishing(Ledger.write))
        assert not shop.dbt("build").success
    assert "9 late orders: 5 DE; 4 without a reason 1 lost lines" in status(shop), (
        "as the last published job has left it"
    )

    assert counting(shop.build()) == ["late"], "the changes of the killed job, and only those"
    assert "10 late orders: 8 FR; 2 DE 1 lost lines" in status(shop)

    shop.put("models/shop.yml", MODELS.replace("country", "contry"))
    assert counting(shop.build()) == ["late"]
    said = status(shop)
    assert "? late orders: could not be counted: " in said and "contry" in said and "1 lost lines" in said
    assert counting(shop.build("--select", "lost")) == ["late"], "again, until it can be counted"


def killed_before_publishing(write: Callable[..., None]) -> Callable[..., None]:
    def killed(self: Ledger, records: Any) -> None:
        if records and isinstance(records[0], PublishedRelation):
            raise KeyboardInterrupt
        write(self, records)

    return killed
