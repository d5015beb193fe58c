"""Table properties: every Delta table has the project's defaults, whatever creates or replaces it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.overrides.support import NO_HOOKS, properties
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

DEFAULTS = {
    "delta.enableChangeDataFeed": "true",
    "delta.deletedFileRetentionDuration": "interval 30 days",
    "delta.logRetentionDuration": "interval 30 days",
}
# No table properties in dbt_project.yml.
PLAIN = {
    "models": {"entrepot": {"+file_format": "delta", "+schema": "marts"}, "dbt_entrepot": NO_HOOKS},
    "seeds": {"entrepot": {"+file_format": "delta", "+schema": "seeds"}},
    "snapshots": {"entrepot": {"+file_format": "delta", "+schema": "history"}},
}
TABLES = [
    ("marts", "as_table"),
    ("marts", "as_incremental"),
    ("marts", "as_delta"),
    ("seeds", "as_seed"),
    ("history", "as_snapshot"),
]
SNAPSHOT = """
{% snapshot as_snapshot %}
{{ config(unique_key="id", strategy="check", check_cols="all") }} select 1 as id
{% endsnapshot %}
"""


def project(case: DbtCase) -> DbtCase:
    return (
        case.put("models/as_table.sql", "{{ config(materialized='table') }} select 1 as id")
        .put("models/as_incremental.sql", "{{ config(materialized='incremental') }} select 1 as id")
        .put("seeds/as_seed.csv", "id\n1\n")
        .put("snapshots/as_snapshot.sql", SNAPSHOT)
    )


def delta_properties(case: DbtCase, layer: str, name: str) -> dict[str, str]:
    found = properties(case, case.table(layer, name))
    return {key: value for key, value in found.items() if not key.startswith(("delta.feature.", "delta.min"))}


def test_every_table_has_the_defaults(dbt_case: Cases) -> None:
    case = project(dbt_case(project=PLAIN))
    case.put(
        "models/as_delta.sql",
        "{{ config(materialized='incremental', incremental_strategy='delta', unique_key='id') }} select 1 as id",
    )
    case.put(
        "models/own.sql",
        """{{ config(materialized='table', tblproperties={
            'delta.enableChangeDataFeed': false, 'delta.logRetentionDuration': none,
            'steward': "Anna's", 'place': 'C:\\\\new'
        }) }} select 1 as id""",
    )
    case.put("models/no_delta.sql", "{{ config(materialized='table', file_format='parquet') }} select 1 as id")
    case.build()
    for layer, name in TABLES:
        assert delta_properties(case, layer, name) == DEFAULTS, name
    assert delta_properties(case, "marts", "own") == {
        "delta.enableChangeDataFeed": "false",
        "delta.deletedFileRetentionDuration": "interval 30 days",
        "steward": "Anna's",
        "place": "C:\\new",
    }
    assert not DEFAULTS.keys() & delta_properties(case, "marts", "no_delta").keys()

    # `create or replace` resets what only an ALTER has said; the defaults are said every time.
    table = case.table("marts", "as_table")
    case.spark.sql(f"alter table {table} set tblproperties ('delta.logRetentionDuration' = 'interval 90 days')")
    case.build("--select", "as_table")
    assert delta_properties(case, "marts", "as_table") == DEFAULTS
    case.build("--select", "as_table", "--vars", "{entrepot_table_properties: {delta.enableChangeDataFeed: true}}")
    assert delta_properties(case, "marts", "as_table") == {"delta.enableChangeDataFeed": "true"}


@pytest.mark.long
def test_stock_tables_have_none(dbt_case: Cases) -> None:
    case = project(dbt_case(macros=False, project=PLAIN))
    case.build()
    for layer, name in TABLES:
        if name != "as_delta":
            assert delta_properties(case, layer, name) == {}, name
