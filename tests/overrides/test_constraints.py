"""Contracts: `not_null` and `check` are enforced by Delta, from the table's first commit on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.overrides.support import NO_JOB, properties, statements
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

MODELS = """
models:
  - name: part
    config: {contract: {enforced: true}}
    constraints: [{type: check, name: Positive Number, expression: "number > 0"}]
    columns:
      - {name: number, data_type: int, constraints: [{type: not_null}]}
      - {name: name, data_type: string, constraints: [{type: not_null}, {type: check, expression: "length(name) < 5"}]}
  - name: part_log
    config: {materialized: incremental, on_schema_change: fail, contract: {enforced: true}, post_hook: "{{ late() }}"}
    constraints:
      - {type: not_null, columns: [number, name]}
      - {type: primary_key, columns: [number]}
      - {type: unique, columns: [name], warn_unenforced: false}
    columns: [{name: number, data_type: int}, {name: name, data_type: string}]
"""
SQL = "select cast({{ var('number', '1') }} as int) as number, cast({{ var('name', \"'a'\") }} as string) as name"
# Constraints that come late to a table, or that somebody has changed: brought in line by `persist_constraints`.
LATE = """
{% macro late() %}
  {% if execute and var('drop', false) %}
    {% do run_query("alter table " ~ this ~ " drop constraint number_not_null") %}
    {% do run_query("alter table " ~ this ~ " drop constraint name_not_null") %}
    {% do run_query("alter table " ~ this ~ " add constraint name_not_null check (name <> '')") %}
    {% do run_query("alter table " ~ this ~ " add constraint of_somebody check (number < 100)") %}
    {% do persist_constraints(this, model) %}
  {% endif %}
{% endmacro %}
"""


def project(case: DbtCase) -> DbtCase:
    return (
        case.put("models/part.sql", "{{ config(materialized='table') }} " + SQL)
        .put("models/part_log.sql", SQL)
        .put("models/models.yml", MODELS)
        .put("macros/late.sql", LATE)
    )


def constraints(case: DbtCase, name: str) -> dict[str, str]:
    found = properties(case, case.table("marts", name)).items()
    return {key.removeprefix("delta.constraints."): value for key, value in found if "delta.constraints." in key}


def test_not_null_and_check_are_enforced_when_rows_are_written(dbt_case: Cases) -> None:
    case = project(dbt_case(project=NO_JOB))
    outcome = case.build()
    assert "Model part_log has constraints that Delta does not enforce: primary_key. Test them" in outcome.text
    assert constraints(case, "part") == {
        "number_not_null": "`number` is not null",
        "name_not_null": "`name` is not null",
        "name_check_3e4d98c7": "length(name) < 5",
        "positive_number": "number > 0",
    }
    assert len(case.spark.history(case.table("marts", "part"))) == 1  # table and constraints are one commit

    for variables, constraint, model in [
        ("{number: 'null'}", "number_not_null (number IS NOT NULL)", "part_log"),
        ("{name: 'null'}", "name_not_null (name IS NOT NULL)", "part_log"),
        ("{name: '\"longer\"'}", "name_check_3e4d98c7 (length(name) < 5)", "part"),
    ]:
        outcome = case.dbt("build", "--vars", variables, "--select", model)
        said = " ".join(outcome.messages[model].split())
        assert f"CHECK constraint {constraint} violated by row with values: - " in said
        assert case.rows("marts", model) == [(1, "a")]  # the refused table has not replaced the good one

    outcome = case.build("--vars", "{number: 2, drop: true}", "--select", "part_log")
    assert constraints(case, "part_log") == {
        "number_not_null": "`number` is not null",
        "name_not_null": "`name` is not null",
        "of_somebody": "number < 100",
    }
    outcome = case.build("--vars", "{number: 3}", "--select", "part_log")
    assert not [sql for sql in statements(outcome, "model.entrepot.part_log") if sql.startswith("alter")]
    assert case.rows("marts", "part_log") == [(1, "a"), (2, "a"), (3, "a")]


@pytest.mark.long
def test_stock_not_null_fails(dbt_case: Cases) -> None:
    case = project(dbt_case(macros=False)).put("macros/late.sql", "{% macro late() %}{% endmacro %}")
    models = MODELS.replace("Positive Number", "positive")
    outcome = case.put("models/models.yml", models).dbt("build", "--select", "part")
    assert "Cannot change nullable column to non-nullable" in outcome.messages["part"]
    models = models.replace("constraints: [{type: not_null}]", "").replace("{type: not_null}, ", "")
    outcome = case.put("models/models.yml", models).dbt("build", "--select", "part", "--vars", "{number: -1}")
    assert "violate the new CHECK constraint" in outcome.messages["part"]
    assert case.rows("marts", "part") == [(-1, "a")]  # the refused rows are there all the same
