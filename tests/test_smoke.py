from __future__ import annotations

from collections.abc import Callable

from tests.support.dbt_case import DbtCase


def test_a_model_is_built_and_kept_up(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    case.write(
        models__numbers_sql="{{ config(materialized='incremental', incremental_strategy='delta', unique_key='n') }}"
        " select 1 as n",
    )
    assert case.build().messages["numbers"] == "create: +1 ~0 -0"
    outcome = case.build()
    assert outcome.messages["numbers"] == "unchanged"
    assert case.rows("marts", "numbers") == [(1,)]
