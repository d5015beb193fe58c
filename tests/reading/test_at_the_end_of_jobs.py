"""What a job leaves for readers who know nothing of versions: views that are switched together, and promises of age."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.ledger import Ledger, PublishedRelation, SourceCut
from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, Outcome, delta_models

PROMISES = """
models:
  - {name: whole, config: {meta: {entrepot: {max_age: 1h}}}, data_tests: [promises_kept]}
  - {name: half, data_tests: [promises_kept]}
exposures:
  - name: weekly_report
    type: dashboard
    owner: {name: Ada}
    depends_on: [ref('whole'), ref('half')]
    config: {meta: {entrepot: {max_age: 7 days}}}
  - {name: silent, type: notebook, owner: {name: Ada}, depends_on: [ref('seen')]}
"""


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    project = delta_models()
    project["models"]["entrepot"]["inner"] = {"+schema": "inner"}
    case = module_case(project=project | {"vars": {"entrepot_published_views": ["marts"]}})
    case.source("number", "id int, v int", "values (1, 10), (2, 20)")
    case.write(
        models__whole_sql="{{ config(unique_key='id') }} select id, v from {{ source('raw', 'number') }}",
        models__half_sql="{{ config(unique_key='id') }} select id, v / 2 as v from {{ source('raw', 'number') }}",
        models__seen_sql="{{ config(materialized='view') }} select id, v + 1 as v from {{ ref('whole') }}",
        models__promises_yml=PROMISES,
    )
    case.put("models/inner/hidden.sql", "{{ config(unique_key='id') }} select id from {{ ref('whole') }}")
    return case


def switches(outcome: Outcome) -> list[str]:
    """The views that a job has made or dropped, without their schema."""
    sent = [sql for sql in outcome.statements if "_published" in sql and "view" in sql]
    return [sql.split("_published.")[1].split(" ")[0].strip() for sql in sent]


def shown(case: DbtCase) -> list[list[tuple[object, ...]]]:
    return [
        case.spark.answer(f"select id, v from {case.schema}_marts_published.{name}")
        for name in ("whole", "half", "seen")
    ]


def views(case: DbtCase) -> set[str]:
    return {
        row["viewName"]
        for row in case.spark.sql(f"show views in {case.schema}_marts_published")
        if not row["isTemporary"]
    }


OLD = [[(1, 10), (2, 20)], [(1, 5.0), (2, 10.0)], [(1, 11), (2, 21)]]
NEW = [[(1, 10), (2, 20), (3, 30)], [(1, 5.0), (2, 10.0), (3, 15.0)], [(1, 11), (2, 21), (3, 31)]]


def test_views_are_switched_together_or_not_at_all(case: DbtCase) -> None:
    first = case.build()
    assert sorted(switches(first)) == ["half", "seen", "whole"]
    assert shown(case) == OLD and views(case) == {"half", "seen", "whole"}
    assert not any("_published" in sql and "ops" not in sql for sql in case.build().statements), "a job with no news"

    case.spark.change(f"insert into {case.schema}_raw.number values (3, 30)")
    case.write(models__half_sql="select id, assert_true(false) as v from {{ source('raw', 'number') }}")
    failed = case.dbt("build")
    assert not failed.success and switches(failed) == [] and shown(case) == OLD
    assert len(case.rows("marts", "whole")) == 3, "one arm is written"

    case.write(
        models__half_sql="{{ config(unique_key='id') }} select id, v / 2 as v from {{ source('raw', 'number') }}"
    )
    part = case.build("--select", "whole", "seen")
    assert "The published views stay as they are:" in part.text and shown(case) == OLD
    assert sorted(switches(case.build())) == ["half", "seen", "whole"]
    assert shown(case) == NEW


def test_a_view_goes_with_its_model_and_a_killed_switch_is_made_good(
    case: DbtCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.put("models/extra.sql", "{{ config(unique_key='id') }} select id, v from {{ ref('whole') }}")
    assert switches(case.build()) == ["extra"]
    (case.path / "models/extra.sql").unlink()
    assert switches(case.build()) == ["extra"] and views(case) == {"half", "seen", "whole"}
    assert switches(case.build()) == []

    write, left = Ledger.write, [True]

    def killed_after_publishing(ledger: Ledger, records: list[object]) -> None:
        write(ledger, records)
        if records and isinstance(records[0], PublishedRelation) and left.pop() is True:
            raise KeyboardInterrupt

    case.spark.change(f"insert into {case.schema}_raw.number values (4, 40)")
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "write", killed_after_publishing)
        assert not case.dbt("build").success
    assert len(shown(case)[0]) == 3
    again = case.build()
    assert sorted(switches(again)) == ["half", "seen", "whole"] and [len(rows) for rows in shown(case)] == [4, 4, 4]


def status(case: DbtCase, *options: str) -> tuple[str, int]:
    result = CliRunner().invoke(
        main, ["--project-dir", str(case.path), "--profiles-dir", str(case.path), "status", *options]
    )
    return " ".join(result.output.split()), result.exit_code


def test_promises_are_looked_at_by_status_and_by_a_test(case: DbtCase) -> None:
    case.build()
    said, code = status(case, "--check")
    assert "As fresh as promised: 2 promises are kept." in said and code == 0
    assert case.dbt("test").success

    ledger = load_target(case.path, case.path, None).ledger()
    old = datetime.now(timezone.utc) - timedelta(hours=3)
    newest = ledger.published_rows(1)
    late = [
        PublishedRelation(row.job, row.number + 1, row.relation, row.version, location=row.location, definition=row.definition, published_at=old,
                          holds_through=old, promises=row.promises, concern=row.concern)
        for row in newest
    ]  # fmt: skip
    ledger.write(late)
    said, code = status(case)
    assert f"Broken: model whole promises 1 h: {case.schema}_marts.whole is 3 h old" in said and code == 0
    assert status(case, "--check")[1] == 1
    tested = case.dbt("test")
    assert {name: result.status for name, result in tested.nodes.items() if "promises" in name} == {
        "promises_kept_whole_": "fail",
        "promises_kept_half_": "pass",
    }
    assert case.build().success, "a job is what makes it fresher, and is not refused"


def test_what_is_no_span_is_refused(case: DbtCase) -> None:
    case.write(models__promises_yml=PROMISES.replace("7 days", "soon"))
    assert "Exposure weekly_report has max_age 'soon'; accepted is a number and a unit" in case.dbt("build").text


LANDED = """
sources:
  - name: shop
    meta: {entrepot: {landed: true}}
    config:
      loaded_at_query: "{{ entrepot.landing_heard('shop') }}"
      freshness: {warn_after: {count: 1, period: hour}, error_after: {count: 2, period: day}}
    tables: [{name: customer}]
  - name: plant
    meta: {entrepot: {landed: true}}
    config: {loaded_at_query: "{{ entrepot.landing_heard('plant') }}", freshness: {error_after: {count: 1, period: hour}}}
    tables: [{name: unit}]
"""


def test_sources_are_as_fresh_as_they_were_heard_and_begin_the_lineage(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models())
    case.put("models/landed.yml", LANDED)
    case.put("seeds/event.csv", "id\n1\n")
    case.put(
        "models/mapped.sql",
        "{{ config(unique_key='id') }}{% do [source('shop', 'customer')] if not execute %} select id from {{ ref('event') }}",
    )

    def ages() -> dict[str, str]:
        found = case.dbt("source", "freshness").nodes
        return {name: str(found[name].status) for name in ("customer", "unit")}

    assert ages() == {"customer": "error", "unit": "error"}, "nothing has been heard yet"
    assert case.build().messages["mapped"] == "create: +1 ~0 -0", "no statement reads the other database"
    assert case.build("--select", "source:shop+").messages["mapped"] == "unchanged"
    ledger = load_target(case.path, case.path, None).ledger()
    now = datetime.now(timezone.utc)
    for number, hours in ((1, 30), (2, 5), (3, 0.1)):
        heard = now - timedelta(hours=hours)
        ledger.write(
            [
                SourceCut("j", number, "shop", number, now - timedelta(days=9), heard, now),
                SourceCut("j", number, "plant", 1, None, None, now),
            ]
        )
        assert ages() == {"customer": "warn" if hours > 1 else "pass", "unit": "error"}
