"""Proof in production: the generic test, `entrepot verify` and `entrepot explain` on a right and on a wrong table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.ledger import retention
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome, delta_models

MODELS = """
models:
  - name: kept
    data_tests: [incremental_equals_full]
  - name: counted
    data_tests: [incremental_equals_full]
  - name: paid
    latest_version: 2
    data_tests: [incremental_equals_full]
    versions: [{v: 1}, {v: 2}]
"""


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    """Two models on a source, after three jobs, of which the second one proves them; the last one changed nothing."""
    case = module_case(project=delta_models())
    raw = case.source("t", "id int, v int", "select id, id % 3 from range(1, 7)")
    case.put("models/models.yml", MODELS)
    case.put("seeds/colour.csv", "id,colour\n1,red\n")
    case.put("models/kept.sql", "{{ config(unique_key='id') }} select id, v from {{ source('raw', 't') }} where v > 0")
    case.put(
        "models/counted.sql", "{{ config(unique_key='v') }} select v, count(*) as n from {{ ref('kept') }} group by v"
    )
    for version in (1, 2):
        case.put(
            f"models/paid_v{version}.sql",
            "{{ config(unique_key='id') }}" + f"select id, {version} as n from {{{{ ref('kept') }}}}",
        )
    case.build(*WITHOUT_TESTS)
    case.spark.change(f"insert into {raw} values (7, 1)")
    case.build()
    case.build(*WITHOUT_TESTS)
    return case


def entrepot(case: DbtCase, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--project-dir", str(case.path), "--profiles-dir", str(case.path), *arguments])


def test_verify_right_tables(case: DbtCase) -> None:
    result = entrepot(case, "verify")
    assert result.exit_code == 0, result.output
    for name in ("kept", "paid_v1", "paid_v2"):
        assert f"{case.table('marts', name)} version 1: equal to its full recompute" in result.output
    assert case.dbt("test").success


def test_explain(case: DbtCase) -> None:
    shown = entrepot(case, "explain", "counted")
    assert shown.exit_code == 0, shown.output
    assert "rule aggregate: group by with count, sum, min, max, avg" in shown.output
    last = entrepot(case, "explain", case.table("marts", "counted"), "--last").output
    assert "_is_stored" in last and "Computing all rows took" in last and "_fate" in last, last
    assert "Nothing ran" in entrepot(case, "explain", "counted", "--job", "3").output
    assert "Its SQL is not recorded" in entrepot(case, "explain", "colour", "--job", "1").output
    assert "Its SQL is not recorded" in entrepot(case, "explain", "colour", "--last").output
    assert "-- stage 1: " in last
    following = entrepot(case, "explain", "kept", "--next")
    assert following.exit_code == 0 and "Nothing would run." in following.output, following.output
    refused = entrepot(case, "explain", "colour", "--next")
    assert refused.exit_code == 2 and "colour" in refused.output, refused.output
    second = entrepot(case, "explain", "paid.v2", "--next")
    assert second.exit_code == 0 and "select id, 2 as n" in second.output, second.output
    first = entrepot(case, "explain", "kept", "--job", "1").output
    assert "first build" in first and "where v > 0" in first
    for arguments, sentence in (
        (("nothing",), "No job has run nothing. `entrepot status --relations` lists what there is."),
        (("paid",), "No job has run paid. Did you mean paid_v2 or paid_v1?"),
        (("paid", "--next"), "paid has several versions. Write one of paid.v1, paid.v2."),
        (("kept", "--job", "9"), "kept has no run in job 9. It ran in the jobs 3, 2, 1."),
    ):
        result = entrepot(case, "explain", *arguments)
        assert result.exit_code == 2 and sentence in result.output.replace("\n", " "), result.output


def forge(case: DbtCase, table: str, update: str) -> None:
    """Another hand writes, and forges the record of what the rows were made from."""
    metadata = case.spark.history(table)[0]["userMetadata"]
    case.spark.scripts(
        f"set spark.databricks.delta.commitInfo.userMetadata = {metadata}",
        f"update {table} set {update}",
        "reset spark.databricks.delta.commitInfo.userMetadata",
    )


def test_a_wrong_table_is_found(case: DbtCase) -> None:
    forge(case, case.table("marts", "kept"), "v = 99 where id = 1")
    forge(case, case.table("marts", "paid_v2"), "n = 9 where id = 1")
    failed: Outcome = case.dbt("test", "--select", "kept", "paid")
    assert not failed.success and failed.nodes["incremental_equals_full_kept_"].failures == 2, failed.text
    found = {name: node.failures for name, node in failed.nodes.items() if "paid" in name}
    assert found == {"incremental_equals_full_paid_v1_": 0, "incremental_equals_full_paid_v2_": 2}
    case.build("--full-refresh", "--select", "paid.v2", *WITHOUT_TESTS)
    # what is published is still right
    assert entrepot(case, "verify", "kept").exit_code == 0
    case.build(*WITHOUT_TESTS)
    result = entrepot(case, "verify", "kept")
    assert result.exit_code == 1, result.output
    assert (
        "stored, not recomputed: id=1, v=99" in result.output and "recomputed, not stored: id=1, v=1" in result.output
    )
    assert (
        "kept differs from a full recompute, or cannot be compared. Fix: dbt build --full-refresh --select kept"
        in result.output
    )
    case.build("--full-refresh", "--select", "kept", *WITHOUT_TESTS)
    case.build(*WITHOUT_TESTS)
    assert entrepot(case, "verify").exit_code == 0


def test_a_column_of_a_job_that_was_not_published_is_not_compared(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id", on_schema_change="append_new_columns"))
    case.put("models/wide.sql", "select 1 as id").put("models/fails.sql", "select 1 as id")
    case.build()
    case.put("models/wide.sql", "select 1 as id, 2 as more")
    case.put("models/fails.sql", "select int(raise_error('no')) as id")
    assert not case.dbt("build").success
    assert case.rows("marts", "wide") == [(1, 2)]
    result = entrepot(case, "verify", "wide")
    assert result.exit_code == 0 and "wide version 0: equal to its full recompute" in result.output, result.output


def test_verify_says_what_it_cannot_compare(case: DbtCase) -> None:
    result = entrepot(case, "verify", "nothing")
    assert result.exit_code == 1 and "nothing is not maintained by delta rules and published." in result.output


def test_verify_fails_where_it_cannot_compare(case: DbtCase) -> None:
    case.spark.change(f"delete from {case.table('ops', 'model_verdict')} where relation like '%counted'")
    result = entrepot(case, "verify")
    assert result.exit_code == 1, result.output
    assert f"{case.table('marts', 'counted')}: CANNOT BE COMPARED, its SQL is not recorded" in result.output
    assert "counted differs from a full recompute, or cannot be compared." in result.output
    case.build("--full-refresh", "--select", "counted", *WITHOUT_TESTS)
    case.build(*WITHOUT_TESTS)
    assert entrepot(case, "verify").exit_code == 0


def test_verify_before_the_first_job(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id"))
    case.put("models/one.sql", "select 1 as id")
    result = entrepot(case, "verify")
    assert result.exit_code == 1 and "No model is maintained by delta rules and published." in result.output


@pytest.mark.parametrize(
    ("properties", "path", "titles"),
    [
        ({}, "merge", ["merge, without Spark"]),
        pytest.param(
            {"delta.dataSkippingNumIndexedCols": "32"},
            "delete+insert",
            ["delete, undone unless the next stage follows", "insert"],
            marks=pytest.mark.long,
        ),
    ],
    ids=["plain", "only Spark writes it"],
)
def test_what_is_explained_is_what_runs(
    dbt_case: Callable[..., DbtCase], properties: dict[str, str], path: str, titles: list[str]
) -> None:
    case = dbt_case(project=delta_models(unique_key="id", tblproperties=properties))
    case.source("t", "id int, v int", "values (1, 10), (2, 20), (3, 30)")
    case.put("models/kept.sql", "select id, v from {{ source('raw', 't') }}")
    case.build()
    case.spark.change(
        f"update {case.table('raw', 't')} set v = 11 where id = 1", f"delete from {case.table('raw', 't')} where id = 2"
    )
    before = sorted(case.rows("marts", "kept"))
    following = entrepot(case, "explain", "kept", "--next").output
    assert "rule join: changed: raw.t" in following and f"apply path {path}: +0 ~1 -1" in following, following
    assert [line for line in following.splitlines() if line.startswith("-- stage")] == [
        f"-- stage {number}: {title}" for number, title in enumerate(titles, 1)
    ]
    assert sorted(case.rows("marts", "kept")) == before, "nothing is written"
    case.build()
    stages = following.partition("-- stage 1")[2].strip()
    assert stages in entrepot(case, "explain", "kept", "--last").output


def test_maintain_takes_its_turn_in_the_chain(
    dbt_case: Callable[..., DbtCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "JOBS_KEPT", 1)
    case = dbt_case(project=delta_models(unique_key="id"))
    case.put("models/one.sql", "select 1 as id")
    assert "No job has run" in entrepot(case, "maintain").output
    case.build()
    case.build()
    counted = entrepot(case, "maintain", "--keep-days", "0")
    assert counted.exit_code == 0 and "Nothing was done: say --apply." in counted.output, counted.output
    applied = entrepot(case, "maintain", "--keep-days", "0", "--apply")
    assert applied.exit_code == 0 and "Done." in applied.output, applied.output
    case.build()
    jobs = case.rows("ops", "job_event")
    assert {(number, command) for _, number, _, _, command, _, _ in jobs} == {(3, "maintain"), (4, "build")}
    assert entrepot(case, "verify").exit_code == 0
