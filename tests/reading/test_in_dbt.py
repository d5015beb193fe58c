"""Published tables inside dbt: analyses, inline queries, tests and exports read what a finished job has left, and no half of a job."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from entrepot.pins import Pins
from entrepot.snapshots import published_snapshots
from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, Outcome, delta_models

BOTH = "select a.id, a.v as whole, b.v as half from {{ snapshot_ref('whole') }} as a inner join {{ snapshot_ref('half') }} as b on a.id = b.id"
NAMED = "select id from {{ snapshot_ref('seen', snapshot=WHICH) }}"
EXPORT = "{{ config(materialized='table', file_format='parquet') }} select * from {{ snapshot_ref('whole') }}"


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    case = module_case(project=delta_models())
    case.source("number", "id int, v int", "values (1, 10), (2, 20)")
    case.write(
        models__whole_sql="{{ config(unique_key='id') }} select id, v from {{ source('raw', 'number') }}",
        models__half_sql="{{ config(unique_key='id') }} select id, v / {{ var('by', 2) }} as v from {{ source('raw', 'number') }}",
        models__seen_sql="{{ config(materialized='view') }} select id, v + 1 as v from {{ ref('whole') }}",
        analyses__both_sql=BOTH,
    )
    return case


def compiled(case: DbtCase, analysis: str) -> str:
    return (case.path / "target/compiled/entrepot/analyses" / f"{analysis}.sql").read_text()


def asked(case: DbtCase, analysis: str = "both") -> list[tuple[object, ...]]:
    outcome = case.dbt("compile", "--select", analysis)
    assert outcome.success, outcome.text
    return case.spark.rows(compiled(case, analysis))


def shown(case: DbtCase, sql: str) -> Outcome:
    return case.dbt("show", "--inline", sql, "--output", "json")


def test_before_anything_is_published(case: DbtCase) -> None:
    assert "Nothing has been published on this warehouse yet. Run `dbt build` without" in case.dbt("compile").text


def test_an_analysis_reads_one_snapshot(case: DbtCase) -> None:
    case.build()
    assert asked(case) == [(1, 10, 5.0), (2, 20, 10.0)]
    assert re.findall(r"version as of (\d)", compiled(case, "both")) == ["0", "0"]
    case.spark.change(f"insert into {case.schema}_raw.number values (3, 30)")
    # one arm fails, the other one is written
    case.write(models__half_sql="select id, assert_true(false) as v from {{ source('raw', 'number') }}")
    assert not case.dbt("build").success
    assert case.head("marts", "whole") == 1
    assert asked(case) == [(1, 10, 5.0), (2, 20, 10.0)], "both as the finished job has left them"
    case.write(
        models__half_sql="{{ config(unique_key='id') }} select id, v / 2 as v from {{ source('raw', 'number') }}"
    )


def test_a_part_that_was_published_alone_is_not_mixed(case: DbtCase) -> None:
    case.build("--select", "whole")
    assert asked(case) == [(1, 10, 5.0), (2, 20, 10.0)], "the newest job that has published both"
    case.put("analyses/one.sql", "select id, v from {{ snapshot_ref('WHOLE' | lower) }}")
    assert len(asked(case, "one")) == 3, "the newest that has the one"
    case.build()
    assert len(asked(case)) == 3


def test_views_have_versions_inside(case: DbtCase) -> None:
    case.put("analyses/of_view.sql", "select sum(v) from {{ snapshot_ref('seen') }} as seen")
    assert asked(case, "of_view") == [(63,)]
    assert "version as of 1" in compiled(case, "of_view")
    assert '"v": 63' in shown(case, "select sum(v) as v from {{ snapshot_ref('seen') }}").text


def test_a_snapshot_by_number_or_name(case: DbtCase) -> None:
    target = load_target(case.path, case.path, None)
    snapshots = published_snapshots(target.ledger())
    first = min(snapshot.number for snapshot in snapshots)
    Pins(target).add("month-end", snapshots[0])
    case.spark.change(f"insert into {case.schema}_raw.number values (4, 40)")
    case.build()
    for snapshot, rows in ((first, 2), ("'month-end'", 3), ("none", 4)):
        case.put("analyses/named.sql", NAMED.replace("WHICH", str(snapshot)))
        assert len(asked(case, "named")) == rows, snapshot
    for snapshot, sentence in (
        ("'gone'", "No snapshot is kept under the name 'gone'; kept is month-end."),
        (77, "Job 77 has published no snapshot."),
    ):
        case.put("analyses/named.sql", NAMED.replace("WHICH", str(snapshot)))
        assert sentence in case.dbt("compile", "--select", "named").text
    (case.path / "analyses/named.sql").unlink()


def test_exports_are_models_that_no_snapshot_has_and_no_other_model_may(case: DbtCase) -> None:
    case.put("models/export.sql", EXPORT)
    case.build("--select", "export")
    assert len(case.rows("marts", "export")) == 4
    newest = published_snapshots(load_target(case.path, case.path, None).ledger())[0]
    assert newest.resolve("export") is None
    for config in ("materialized='view'", "unique_key='id'", "materialized='table'"):
        case.put("models/export.sql", EXPORT.replace("materialized='table', file_format='parquet'", config))
        outcome = case.dbt("build", "--select", "export")
        assert "and is published itself: one snapshot would have rows of two. Say ref." in outcome.text
    (case.path / "models/export.sql").unlink()


def test_lineage_and_data_tests(case: DbtCase) -> None:
    case.put(
        "tests/no_fewer.sql", "select id from {{ snapshot_ref('whole') }} except select id from {{ ref('whole') }}"
    )
    assert case.build("--select", "no_fewer").nodes["no_fewer"].status == "pass"
    assert {"whole", "half", "both"} <= case.dbt("compile", "--select", "+both").nodes.keys()
