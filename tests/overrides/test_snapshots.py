"""dbt's own snapshot strategies on Delta: nulls, deletions, returns. `hard_deletes: new_record` needs an override."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.overrides.support import NO_JOB
from tests.support.dbt_case import DbtCase

Cases = Callable[..., DbtCase]

STRATEGIES = {
    "timestamp_invalidate": "strategy='timestamp', updated_at='changed_at', hard_deletes='invalidate'",
    "timestamp_new_record": "strategy='timestamp', updated_at='changed_at', hard_deletes='new_record'",
    "check_ignore": "strategy='check', check_cols=['name']",
    "check_invalidate": "strategy='check', check_cols=['name'], hard_deletes='invalidate'",
    "check_new_record": "strategy='check', check_cols='all', hard_deletes='new_record'",
}

# with a key of two columns; dbt-spark's own fail from the second run on
TWO_KEYS = {
    "two_keys_ignore": "strategy='check', check_cols=['name']",
    "two_keys_new_record": "strategy='timestamp', updated_at='changed_at', hard_deletes='new_record'",
}


def put(case: DbtCase, name: str, key: str, config: str) -> None:
    """A snapshot of the parts; `twin` is another column that tells them apart."""
    text = "{% snapshot " + name + " %}{{ config(unique_key=" + key + ", " + config + ") }}"
    case.put(f"snapshots/{name}.sql", f"{text} select *, -id as twin from {case.schema}_raw.part {{% endsnapshot %}}")


def snapshot_three_times(case: DbtCase) -> None:
    """Four parts; then one gets a name, one loses it, one is deleted and one is new; then the deleted one is back."""
    table = f"{case.schema}_raw.part"
    day = "timestamp '2024-01-0{}'".format
    case.spark.scripts(
        f"create schema {case.schema}_raw",
        f"create table {table} (id int, name string, changed_at timestamp) using delta",
        f"insert into {table} values (1, 'a', {day(1)}), (2, null, {day(1)}), (3, 'c', {day(1)}), (4, null, {day(1)})",
    )
    for name, config in STRATEGIES.items():
        put(case, name, "'id'", config)
    case.build()
    case.spark.scripts(
        f"update {table} set name = null, changed_at = {day(2)} where id = 1",
        f"update {table} set name = 'b', changed_at = {day(2)} where id = 2",
        f"delete from {table} where id = 3",
        f"insert into {table} values (5, 'e', {day(2)})",
    )
    case.build()
    case.spark.change(f"insert into {table} values (3, 'c', {day(3)})")
    case.build()


def versions(case: DbtCase, name: str) -> list[tuple[Any, ...]]:
    deleted = ", dbt_is_deleted" if name.endswith("new_record") else ""
    return case.spark.answer(
        f"select id, name, dbt_valid_to is null as is_current{deleted} from {case.table('history', name)}"
    )


CHANGED = [(1, "a", False), (1, None, True), (2, "b", True), (2, None, False)]
REST = [(4, None, True), (5, "e", True)]
BACK = [(3, "c", False), (3, "c", True)]


EXPECTED = {
    "timestamp_invalidate": [*CHANGED, *BACK, *REST],
    "check_ignore": [*CHANGED, (3, "c", True), *REST],
    "check_invalidate": [*CHANGED, *BACK, *REST],
    "two_keys_ignore": [*CHANGED, (3, "c", True), *REST],
}


@pytest.mark.long
def test_dbt_snapshots(dbt_case: Cases) -> None:
    case = dbt_case(project=NO_JOB)
    for name, config in TWO_KEYS.items():
        put(case, name, "['id', 'twin']", config)
    snapshot_three_times(case)
    for name, rows in EXPECTED.items():
        assert versions(case, name) == rows, name
    marked = [(3, "c", False, "False"), (3, "c", False, "True"), (3, "c", True, "False")]
    expected = sorted([*[(*row, "False") for row in [*CHANGED, *REST]], *marked], key=repr)
    assert versions(case, "timestamp_new_record") == expected
    assert versions(case, "check_new_record") == expected
    assert versions(case, "two_keys_new_record") == expected
    columns = case.spark.sql(f"describe {case.table('history', 'two_keys_ignore')}")
    assert not [column for column in columns if "unique_key" in column.col_name]


@pytest.mark.long
def test_dbt_snapshots_of_dbt_spark(dbt_case: Cases) -> None:
    stock = dbt_case(macros=False)
    snapshot_three_times(stock)
    for name in STRATEGIES:
        if name.endswith("new_record"):  # the deletion is recorded without its key, so it never ends
            assert (None, None, True, "True") in versions(stock, name)
        else:
            assert versions(stock, name) == EXPECTED[name], name


@pytest.mark.long
def test_keys_of_two_columns_fail_with_dbt_spark(dbt_case: Cases) -> None:
    stock = dbt_case(macros=False)
    stock.spark.scripts(
        f"create schema {stock.schema}_raw", f"create table {stock.schema}_raw.part (id int, name string) using delta"
    )
    put(stock, "two_keys", "['id', 'twin']", TWO_KEYS["two_keys_ignore"])
    stock.build()
    assert "dbt_unique_key_1` is ambiguous" in stock.dbt("build").text
