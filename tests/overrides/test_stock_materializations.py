"""What dbt-spark does by itself stays as it is beside our macros: the same project, the same tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.overrides.support import NO_JOB
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

INCREMENTAL = "{{{{ config(materialized='incremental', {}) }}}} select * from {}"
CONFIGS = {
    "appended": "incremental_strategy='append'",
    "merged": "incremental_strategy='merge', unique_key='id'",
    "merged_by_two": "incremental_strategy='merge', unique_key=['id', 'day']",
    "merged_amount": "incremental_strategy='merge', unique_key='id', merge_update_columns=['amount']",
    "merged_but_amount": "incremental_strategy='merge', unique_key='id', merge_exclude_columns=['amount']",
    "merged_wider": "incremental_strategy='merge', unique_key='id', on_schema_change='append_new_columns'",
    "overwritten": "incremental_strategy='insert_overwrite'",
    "overwritten_days": "incremental_strategy='insert_overwrite', partition_by='day'",
}
FIRST = [(1, "a", 10), (2, "a", 20), (3, "b", 30), (4, "b", None)]
SECOND = [(2, "b", 21), (3, "b", 31), (5, "b", 50)]


def build_twice(case: DbtCase) -> None:
    """Build every model on the first rows, then on the second."""
    source = f"{case.schema}_raw.sale"
    case.spark.sql(f"create schema {case.schema}_raw")
    for name, config in CONFIGS.items():
        case.put(f"models/{name}.sql", INCREMENTAL.format(config, source))
    case.put("models/a_table.sql", f"{{{{ config(materialized='table') }}}} select * from {source}")
    case.put(
        "models/a_parquet_table.sql",
        f"{{{{ config(materialized='table', file_format='parquet') }}}} select * from {source}",
    )
    case.put(
        "models/a_view.sql",
        "{{ config(materialized='view') }} select day, sum(amount) as amount from {{ ref('inner') }} group by day",
    )
    case.put("models/inner.sql", f"{{{{ config(materialized='ephemeral') }}}} select * from {source} where amount > 10")
    case.put("models/models.yml", "models: [{name: merged, columns: [{name: id, data_tests: [unique, not_null]}]}]")
    for rows, wide in ((FIRST, ""), (SECOND, ", 'x' as extra")):
        values = ", ".join(f"({number}, '{day}', {amount or 'null'})" for number, day, amount in rows)
        case.spark.scripts(
            f"create or replace view {source} as select *{wide} from values {values} as v(id, day, amount)",
        )
        if wide:  # the others keep their columns
            narrow = f"(select id, day, amount from {source}) as sale"
            for name, config in CONFIGS.items():
                if name != "merged_wider":
                    case.put(f"models/{name}.sql", INCREMENTAL.format(config, narrow))
        case.build()


EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "appended": [*FIRST, *SECOND],
    "merged": [(1, "a", 10), (2, "b", 21), (3, "b", 31), (4, "b", None), (5, "b", 50)],
    "merged_by_two": [*FIRST[:2], (2, "b", 21), (3, "b", 31), (4, "b", None), (5, "b", 50)],
    "merged_amount": [(1, "a", 10), (2, "a", 21), (3, "b", 31), (4, "b", None), (5, "b", 50)],
    "merged_but_amount": [(1, "a", 10), (2, "b", 20), (3, "b", 30), (4, "b", None), (5, "b", 50)],
    "merged_wider": [
        (1, "a", 10, None), (2, "b", 21, "x"), (3, "b", 31, "x"), (4, "b", None, None), (5, "b", 50, "x"),
    ],
    "overwritten": SECOND,
    "overwritten_days": [(1, "a", 10), (2, "a", 20), *SECOND],
    "a_table": [(*row, "x") for row in SECOND],
    "a_parquet_table": [(*row, "x") for row in SECOND],
    "a_view": [("b", 102)],
}  # fmt: skip


def insist(case: DbtCase) -> None:
    """Build every model twice, and insist on its rows."""
    build_twice(case)
    for name, rows in EXPECTED.items():
        columns = "day, amount" if name == "a_view" else "id, day, amount" + (", extra" if len(rows[0]) == 4 else "")
        found = case.spark.rows(f"select {columns} from {case.table('marts', name)}")
        assert found == sorted(rows, key=repr), name


def test_strategies_and_materializations(dbt_case: Cases) -> None:
    insist(dbt_case(project=NO_JOB))


@pytest.mark.long
def test_strategies_and_materializations_of_dbt_spark(dbt_case: Cases) -> None:
    insist(dbt_case(macros=False))
