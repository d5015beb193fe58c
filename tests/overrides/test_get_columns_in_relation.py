"""The macro `get_columns_in_relation` returns what the adapter's method of the same name returns."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.overrides.support import NO_JOB
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

COLUMNS = """
{%- set by_macro = get_columns_in_relation(ref('part')) -%}
{%- set by_adapter = adapter.get_columns_in_relation(ref('part')) -%}
select
  '{{ by_macro | map(attribute="name") | join(",") }}' as by_macro,
  '{{ by_adapter | map(attribute="name") | join(",") }}' as by_adapter,
  '{{ by_macro | map(attribute="data_type") | join(",") }}' as types
"""


def project(case: DbtCase) -> DbtCase:
    return case.put(
        "models/part.sql",
        "{{ config(materialized='table', partition_by='b') }} select 1L as a, 'x' as b, current_date() as c",
    ).put("models/columns.sql", COLUMNS)


def test_the_macro_returns_columns(dbt_case: Cases) -> None:
    case = project(dbt_case(project=NO_JOB))
    case.build()
    assert case.rows("marts", "columns") == [("a,b,c", "a,b,c", "bigint,string,date")]


@pytest.mark.long
def test_stock_macro_returns_something_else(dbt_case: Cases) -> None:
    case = project(dbt_case(macros=False))
    outcome = case.dbt("build")
    assert not outcome.success or case.rows("marts", "columns") != [("a,b,c", "a,b,c", "bigint,string,date")]
