"""Numbered scenarios of rule `aggregate`: given groups, when rows come and go, then every model equals its full recompute."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.support.dbt_case import DbtCase, delta_models

ROWS = "{{ source('raw', 'line') }}"
MODELS = {
    "counted": f"{{{{ config(unique_key='k') }}}} select k, count(*) as n, count(v) as vs, sum(v) as total, avg(v) as mean, "
    f"count(d) as ds, sum(d) as d_total, avg(d) as d_mean from {ROWS} group by k",
    "bare": f"{{{{ config(unique_key='k') }}}} select k, sum(v) as total from {ROWS} group by k",
    "extremes": f"{{{{ config(unique_key='k') }}}} select k, count(*) as n, min(v) as least, max(v) as most, "
    f"max(f) as f_most, min(t) as t_least from {ROWS} group by k",
    "whole": f"{{{{ config(unique_key='part') }}}} select 'all' as part, count(*) as n, count(v) as vs, sum(v) as total, max(v) as most from {ROWS}",
    "joined": f"{{{{ config(unique_key=['name', 'k']) }}}} select head.name, line.k, sum(line.v) as total, min(line.v) as least "
    f"from {ROWS} as line inner join {{{{ source('raw', 'head') }}}} as head on line.h = head.id group by head.name, line.k",
    "by_other_key": f"{{{{ config(unique_key='name') }}}} select head.id, head.name, count(*) as n, count(line.v) as vs, sum(line.v) as total "
    f"from {ROWS} as line inner join {{{{ source('raw', 'head') }}}} as head on line.h = head.id group by head.id, head.name",
}


class Scenario(NamedTuple):
    """What happens to `{line}` and `{head}` before a job, and per group that only the upstreams can tell its model."""

    job: int
    statement: str
    again: str = ""


SCENARIOS = {
    "1 a row comes to a group": Scenario(1, "insert into {line} values (10, 1, 1, 5, 1.50, 1, 'b')"),
    "2 a new group": Scenario(1, "insert into {line} values (11, 7, 1, 5, 1.25, 1, 'b')"),
    "3 a group of null": Scenario(1, "insert into {line} values (12, null, 2, 8, null, null, null)"),
    "4 not a number, and minus zero": Scenario(
        1,
        "insert into {line} values (13, 1, 1, 1, 1, double('NaN'), 'a'), (14, 8, 1, 1, 1, -0.0, 'a'), (15, 8, 1, 1, 1, 0.0, 'A')",
    ),
    "5 a row changes in place, within the extremes": Scenario(2, "update {line} set d = 9 where id = 10"),
    "6 the only maximum goes": Scenario(2, "delete from {line} where id = 29", "bare extremes joined whole"),
    "7 a row goes that is no extreme": Scenario(2, "delete from {line} where id = 36", "bare joined"),
    "8 a group is emptied": Scenario(2, "delete from {line} where k = 7", "bare joined"),
    "9 all values of a group become null": Scenario(
        2, "update {line} set v = null, d = null, f = null, t = null where k = 4", "bare extremes joined joined"
    ),
    "10 a row leaves one group and enters another": Scenario(
        2, "update {line} set k = 6 where id = 59", "bare extremes joined"
    ),
    "11 a value comes back to a group of nulls": Scenario(3, "update {line} set v = -4 where id = 45"),
    "12 insert and delete of one row": Scenario(3, "insert into {line} values (70, 1, 1, 999, 9, 9, 'y')"),
    "13 of which nothing remains": Scenario(3, "delete from {line} where id = 70"),
    "14 both sides of the join change": Scenario(3, "insert into {line} values (71, 9, 3, -100, 1, 1, 'a')"),
    "15 and cancel within a group": Scenario(3, "update {head} set name = 'moved' where id = 3", "joined " * 8),
    "16 everything goes": Scenario(4, "delete from {line}", "bare " * 9 + "joined " * 15 + "whole"),
    "17 and one row comes": Scenario(5, "insert into {line} values (80, 1, 1, 1, 1, 1, 'a')"),
}


AS_LARGE = ("--vars", "entrepot_merge_bytes: 0")


@pytest.fixture
def case(dbt_case: Callable[..., DbtCase]) -> DbtCase:
    case = dbt_case(project=delta_models(strict=True))
    case.source(
        "line",
        "id int, k int, h int, v bigint, d decimal(10, 2), f double, t string",
        "select id, id div 10, id % 3 + 1, id * 10, id / 8, id / 7, char(130 - id) from range(10, 70, 5) "
        "union all select 29, 2, 3, 999, 0, 9, 'z' union all select 36, 3, 3, 320, 0, 4.5, 'a' union all select 59, 5, 3, 1, 0, 1, 'y'",
    )
    case.source("head", "id int, name string", "values (1, 'one'), (2, 'two'), (3, 'three')")
    for name, sql in MODELS.items():
        case.put(f"models/{name}.sql", sql)
    case.build()
    return case


@pytest.mark.parametrize("large", [(2,), pytest.param((1, 2, 3, 4, 5), marks=pytest.mark.long)])
def test_scenarios(case: DbtCase, large: tuple[int, ...]) -> None:
    """In five jobs, of which some write their tables as large ones are written."""
    tables = {name: f"{case.schema}_raw.{name}" for name in ("line", "head")}
    for job in range(1, 6):
        scenarios = [scenario for scenario in SCENARIOS.values() if scenario.job == job]
        case.spark.change(*(scenario.statement.format(**tables) for scenario in scenarios))
        outcome = case.build(*(AS_LARGE if job in large else ()))
        for name in MODELS:
            difference = case.difference_from_recompute("marts", name)
            assert not difference, f"job {job}: {name} ({outcome.messages[name]}): {difference}"
        runs = case.spark.answer(
            f"select relation, rule, reason from {case.table('ops', 'model_run')} where number = {job + 1}"
        )
        assert {rule for _, rule, _ in runs} <= {"aggregate", "skip"}, f"job {job}: {runs}"
        again = {r.split(".")[1]: int(n) for r, _, why in runs for n in re.findall("from the upstreams: (.*)", why)}
        assert again == Counter(" ".join(scenario.again for scenario in scenarios).split()), f"job {job}: {runs}"


def test_a_sum_beyond_its_type(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="k"))
    table = case.source("t", "k int, v bigint", "values (1, 9223372036854775807), (2, 2)")
    case.put("models/total.sql", "select k, sum(v) as total from {{ source('raw', 't') }} group by k")
    case.build()
    case.spark.change(f"insert into {table} values (1, 1), (2, 1)")
    outcome = case.dbt("build")
    assert not outcome.success
    assert "Model total: the sum total is beyond bigint. Sum a wider type, for example: sum(cast(" in outcome.text
    assert case.rows("marts", "total") == [(1, 9223372036854775807), (2, 2)], "the last good rows"
    case.spark.change(f"update {table} set v = -1 where v = 1 and k = 1")
    case.build()
    assert case.rows("marts", "total") == [(1, 9223372036854775806), (2, 3)]


@pytest.mark.long
def test_sums_of_as_many_digits_as_there_are(dbt_case: Callable[..., DbtCase]) -> None:
    """A group near its type's limit is read again: Spark's own sum is null where it comes beyond it on the way."""
    case = dbt_case(project=delta_models(unique_key="k", strict=True))
    near, tiny = "999999999999999999999999999999999", "0.000001"  # 33 digits; the type has 32 before the point
    table = case.source(
        "t", "k int, v decimal(38, 6)", f"values (1, 1.5), (2, {near[1:]}), (3, -{near[2:]}), (4, null), (5, 7)"
    )
    case.put(
        "models/total.sql",
        "select k, sum(v) as total, coalesce(sum(v), 0) as or_nothing, count(*) as n from {{ source('raw', 't') }} group by k",
    )
    case.put("models/counted.sql", "select k, count(v) as vs, sum(v) as total from {{ source('raw', 't') }} group by k")
    case.build()
    for again, statement in (
        (0, f"insert into {table} values (1, {tiny}), (5, {near[4:]})"),
        (1, f"insert into {table} values (2, {near[1:]})"),  # beyond
        (1, f"insert into {table} values (2, -{near[1:]})"),  # and back
        (1, f"insert into {table} values (3, -9), (1, -{tiny})"),
        (2, f"insert into {table} values (4, 3), (5, {near[2:]})"),
        (2, f"delete from {table} where v = 3 or v = {near[2:]}"),
    ):
        case.spark.change(statement)
        outcome = case.build()
        for name in ("total", "counted"):
            difference = case.difference_from_recompute("marts", name)
            assert not difference, f"{statement}: {name} ({outcome.messages[name]}): {difference}"
            assert outcome.messages[name].startswith("aggregate"), outcome.messages
        reason = case.spark.answer(
            f"select reason from {case.table('ops', 'model_run')} where relation like '%total' order by number desc limit 1"
        )[0][0]
        found = re.findall("from the upstreams: (.*)", reason)
        assert (int(found[0]) if found else 0) == again, f"{statement}: {reason}"


def test_a_configured_rule_that_is_wrong(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="k", delta_rule="aggregate"))
    case.source("t", "k int, v double")
    case.put("models/total.sql", "select k, sum(v) as total from {{ source('raw', 't') }} group by k")
    outcome = case.dbt("build")
    assert not outcome.success
    assert "Model total has delta_rule 'aggregate': the rule is right for one group by over" in outcome.text
