"""Models whose SQL gives something else each time: evaluated once per job, stored as they are, and right for what is built on them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models

CHANCE = "select id, g, rand() as chance, uuid() as mark from {{ source('raw', 'item') }} where rand() < 0.9"
MODELS = {
    "chance": f"{{{{ config(unique_key='id') }}}} {CHANCE}",
    "forced": f"{{{{ config(unique_key='id', delta_rule='full') }}}} {CHANCE}",
    "newest": "{{ config(unique_key='g') }} select * from (select *, row_number() over (partition by g order by n) as place "
    "from {{ source('raw', 'item') }}) where place = 1",
}
KEYS = {"chance": "id", "forced": "id", "newest": "g"}
READERS = {  # {0} is the model, {1} its key, {2} a column that may differ each time
    "{0}_joined": "{{{{ config(unique_key='{1}') }}}} select a.*, b.name from {{{{ ref('{0}') }}}} as a "
    "inner join {{{{ source('raw', 'grp') }}}} as b on a.{1} % 3 = b.g",
    "{0}_ranked": "{{{{ config(unique_key='{1}') }}}} "
    "select {1}, {2}, rank() over (partition by {1} order by {2}) as place from {{{{ ref('{0}_through') }}}}",
}
MARKS = {"chance": "mark", "forced": "mark", "newest": "id"}
ROWS = 5600  # more than are kept on the driver
UNFIXED = {"chance", "newest"}


def warned(outcome: Outcome) -> list[str]:
    """The models that the job warns of, in order."""
    return re.findall(r"Model (\w+) uses .* To make it incremental: ", outcome.text)


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    """A project of such models with readers of each."""
    case = module_case(project=delta_models())
    case.source("item", "id bigint, g bigint, n bigint", f"select id, id % 300, id % 7 from range({ROWS})")
    case.source("grp", "g bigint, name string", "values (0, 'a'), (1, 'b'), (2, 'c')")
    for name, sql in MODELS.items():
        case.put(f"models/{name}.sql", sql)
        case.put(
            f"models/{name}_through.sql", f"{{{{ config(materialized='view') }}}} select * from {{{{ ref('{name}') }}}}"
        )
        for reader, text in READERS.items():
            case.put(f"models/{reader.format(name)}.sql", text.format(name, KEYS[name], MARKS[name]))
    return case


def differences(case: DbtCase) -> dict[str, list[tuple[object, ...]]]:
    """The rows in which readers differ from their SQL on what is stored, by reader."""
    readers = [reader.format(name) for name in MODELS for reader in READERS]
    found = {reader: case.difference_from_recompute("marts", reader)[:5] for reader in readers}
    return {reader: rows for reader, rows in found.items() if rows}


def test_two_jobs_leave_their_readers_right(case: DbtCase) -> None:
    first = case.build()
    assert sorted(warned(first)) == sorted(UNFIXED)
    assert not differences(case)
    item = case.table("raw", "item")
    case.spark.change(
        f"delete from {item} where id % 50 = 1",
        f"insert into {item} select id, id % 300, id % 7 from range({ROWS}, {ROWS + 20})",
    )
    stored = case.rows("marts", "chance")
    outcome = case.build()
    assert sorted(warned(outcome)) == sorted(UNFIXED)
    evaluated = [statement for statement in outcome.statements_of("chance") if "uuid()" in statement]
    assert len(evaluated) == 1 and "create or replace table" in evaluated[0]
    assert case.rows("marts", "chance") != stored
    assert not differences(case), outcome.messages
    for name in MODELS:
        keys = [row[0] for row in case.spark.answer(f"select {KEYS[name]} from {case.table('marts', name)}")]
        assert len(keys) == len(set(keys)), name


def test_nothing_changed_means_no_evaluation_and_no_warning(case: DbtCase) -> None:
    stored = case.rows("marts", "chance")
    outcome = case.build()
    assert outcome.messages["chance"] == "unchanged" and not warned(outcome)
    assert case.rows("marts", "chance") == stored


def test_the_verdict_is_noted_with_its_reason_and_again_when_the_config_changes_it(case: DbtCase) -> None:
    def noted() -> list[tuple[object, ...]]:
        table = case.table("ops", "model_verdict")
        rows = case.spark.sql(f"select rule, reason from {table} where relation like '%newest' order by number")
        return [tuple(row) for row in rows]

    tied = ("full", "uses row_number() over an order in which rows may be equal")
    assert noted() == [tied]
    case.put("models/newest.sql", MODELS["newest"].replace("unique_key='g'", "unique_key='g', total_order=true"))
    case.spark.change(f"update {case.table('raw', 'item')} set n = 0 where id = 100")
    outcome = case.build("--select", "newest")
    assert not warned(outcome) and outcome.messages["newest"].startswith("scope: ")
    assert [rule for rule, _ in noted()] == ["full", "scope"]


@pytest.mark.long
def test_new_columns_are_added_in_place_or_not_and_readers_stay_right(case: DbtCase) -> None:
    case.put(
        "models/chance.sql",
        f"{{{{ config(unique_key='id', on_schema_change='sync_all_columns') }}}} {CHANCE.replace('g, rand', 'g, g + 1 as h, rand')}",
    )
    outcome = case.build()
    assert "chance" in warned(outcome)
    assert not differences(case), outcome.messages


def test_warnings_as_errors_fail_the_model_before_it_is_written(case: DbtCase) -> None:
    head = case.head("marts", "chance")
    case.spark.change(f"insert into {case.table('raw', 'item')} values (9001, 1, 1)")
    outcome = case.dbt("build", "--select", "chance", "--warn-error-options", '{"error": ["JinjaLogWarning"]}')
    assert not outcome.success and "Model chance uses rand()" in outcome.messages["chance"]
    assert case.head("marts", "chance") == head
