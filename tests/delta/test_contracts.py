"""Contracts of models that delta rules maintain: kept by every job, and not only when a table is made."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.dbt_case import DbtCase

COLUMNS = {"n": "integer", "name": "string", "price": "decimal(2,1)"}
CONFIG = "{{ config(materialized='incremental', incremental_strategy='delta', unique_key='n', on_schema_change='append_new_columns') }}"


def case_of(case: DbtCase, columns: dict[str, str], sql: str) -> DbtCase:
    listed = ", ".join(f"{{name: {name}, data_type: '{type_}'}}" for name, type_ in columns.items())
    case.put(
        "models/models.yml", f"models: [{{name: item, config: {{contract: {{enforced: true}}}}, columns: [{listed}]}}]"
    )
    return case.write(models__item_sql=f"{CONFIG} {sql}")


def test_a_contract_is_kept_by_every_job(dbt_case: Callable[..., DbtCase]) -> None:
    sql = "select 1 as n, 'nail' as name, 2.5BD as price"
    case = case_of(dbt_case(), COLUMNS, sql)
    assert case.build().messages["item"] == "create: +1 ~0 -0"
    unchanged = case.build()
    assert unchanged.messages["item"] == "unchanged"
    # `integer` is not as Spark spells it: it is asked once
    assert len([one for one in unchanged.statements_of("item") if "cast(null as integer)" in one]) == 1

    # a contract that promises another type, and a column that is not there, of a table that stands
    exact = {"n": "int", "name": "STRING", "price": "decimal(2, 1)"}
    refused = case_of(case, exact | {"price": "decimal(4,1)", "colour": "string"}, sql).dbt("build")
    sentence = " ".join(refused.text.split())
    assert (
        "Model item has a contract of other columns than its rows have (+ price decimal(4,1), + colour string, - price decimal(2,1))"
        in sentence
    )
    assert "then dbt build --select item --full-refresh where a type has changed" in sentence
    assert not refused.success and case.head("marts", "item") == 0

    # a column more in the SELECT only, then in both: added in place
    wider = f"{sql}, 'red' as colour"
    refused = case_of(case, exact, wider).dbt("build")
    assert not refused.success and "(- colour string)" in refused.text
    outcome = case_of(case, exact | {"colour": "string"}, wider).build()
    assert outcome.messages["item"] == "full: +0 ~1 -0"
    assert not [one for one in outcome.statements_of("item") if "cast(null" in one]
    # another type in both: only a table that is made anew has it
    retyped = wider.replace("2.5BD", "cast(2.5 as decimal(4, 1))")
    refused = case_of(case, exact | {"price": "decimal(4,1)", "colour": "string"}, retyped).dbt("build")
    assert not refused.success and "on_schema_change 'append_new_columns'" in refused.text
