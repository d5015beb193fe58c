"""A job in this process may begin with a project that dbt has read before."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from dbt.cli import requires
from dbt.cli.main import dbtRunner, dbtRunnerResult

from entrepot.commands.demo import parsed_project
from entrepot.commands.holder import held
from entrepot.running.job import JobReport, run_job
from entrepot.target import open_place
from tests.support.dbt_case import DbtCase, delta_models


def test_jobs_of_one_reading_of_the_project(dbt_case: Callable[..., DbtCase], monkeypatch: pytest.MonkeyPatch) -> None:
    case = dbt_case(project=delta_models(unique_key="n"))
    table = case.source("number", "n int", "values (1), (2)")
    case.write(
        models__step_sql="{{ config(materialized='ephemeral') }} select n from {{ source('raw', 'number') }} where n < {{ var('below', 0) }}",
        models__few_sql="select n, {{ var('below', 0) }} as below from {{ ref('step') }}",
        models__none_sql="{{ config(enabled=false) }} select 1 as n",
    )
    place = {"project_dir": case.path, "profiles_dir": case.path}

    def job(below: int) -> JobReport:
        variables = json.dumps({"below": below})
        manifest = parsed_project(place)
        with monkeypatch.context() as patched:
            patched.setattr(requires, "parse_manifest", None)
            return run_job(place, "--vars", variables, "--no-write-json", manifest=manifest)

    first = job(2)
    assert (first.problems, first.success) == ([], True)
    assert case.rows("marts", "few") == [(1, 2)]
    case.spark.change(f"insert into {table} values (3)")
    second = job(4)
    assert (second.success, second.problems, second.number) == (True, [], (first.number or 0) + 1)
    # what a job has compiled is not what the next one runs
    assert sorted(case.rows("marts", "few")) == [(1, 4), (2, 4), (3, 4)]


def test_what_others_do_is_none_of_its_own(dbt_case: Callable[..., DbtCase], monkeypatch: pytest.MonkeyPatch) -> None:
    """A maintenance that has begun before the report is made has a number, too, and so has one that holds the lock while a job is refused."""
    case = dbt_case(project=delta_models(unique_key="n"))
    case.write(models__few_sql="select n from values (1), (2) as number (n)")
    place = {"project_dir": case.path, "profiles_dir": case.path}
    ledger, build = open_place(**place).ledger(), dbtRunner.invoke

    def maintained(runner: dbtRunner, *arguments: Any) -> dbtRunnerResult:
        result = build(runner, *arguments)
        with held(ledger, place, "maintain"):
            return result

    with monkeypatch.context() as patched:
        patched.setattr(dbtRunner, "invoke", maintained)
        first = run_job(place, "--no-write-json")
    assert (first.success, first.number, first.rows_written) == (True, 1, 2)
    with held(ledger, place, "erase"):
        refused = run_job(place, "--no-write-json")
    assert (refused.success, refused.number, refused.runs) == (False, None, [])
