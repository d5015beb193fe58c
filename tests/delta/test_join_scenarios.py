"""Numbered scenarios of rule `join`: given three tables, when they change, then every model equals its full recompute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.dbt_case import DbtCase, delta_models

MODELS = {
    "chained": "{{ config(unique_key=['a_id', 'b_id', 'c_id']) }} select a.id as a_id, b.id as b_id, c.id as c_id, a.v + b.v + c.v as v "
    "from {{ source('raw', 'a') }} as a inner join {{ source('raw', 'b') }} as b on a.k = b.k "
    "inner join {{ source('raw', 'c') }} as c on b.v = c.k",
    "cte_used_twice": "{{ config(unique_key=['one', 'two']) }} with x as (select * from {{ source('raw', 'a') }}) "
    "select p.id as one, q.id as two from x as p inner join x as q on p.k = q.k",
    "kept": "{{ config(materialized='ephemeral') }} select * from {{ source('raw', 'a') }} where v > 0",
    "ephemeral_used_twice": "{{ config(unique_key=['one', 'two']) }} "
    "select p.id as one, q.id as two from {{ ref('kept') }} as p inner join {{ ref('kept') }} as q on p.k = q.k",
    "ephemeral_used_once": "{{ config(unique_key='id') }} select kept.id, b.v from {{ ref('kept') }} as kept "
    "inner join {{ source('raw', 'b') }} on kept.id = b.id",
    "union_with_cte": "{{ config(unique_key=['side', 'id']) }} with x as (select * from {{ source('raw', 'a') }}), "
    "y as (select * from {{ source('raw', 'b') }}) select 'x' as side, id, v from x union all select 'y' as side, id, v from y",
    "only_a": "-- depends_on: {{ ref('chained') }}\n{{ config(unique_key='id') }} "
    "select id, 'not {{ source('raw', 'b') }}' as text, v /* {{ source('raw', 'c') }} */ from {{ source('raw', 'a') }}",
}
SCENARIOS = {
    "1 both sides' matching rows go in one job": ["delete from {a} where id = 1", "delete from {b} where id = 1"],
    "2 a row comes on one side while its match goes on the other": [
        "insert into {a} values (10, 2, 5)",
        "delete from {b} where k = 2",
        "insert into {c} values (10, 20, 1)",
    ],
    "3 the join key moves to null": ["update {a} set k = null where id in (3, 4)"],
    "4 and back, while another row takes its place": [
        "update {a} set k = 3 where id = 4",
        "insert into {b} values (30, 3, 30)",
    ],
    "5 duplicates on both sides": [
        "insert into {a} values (11, 3, 7), (12, 3, 7)",
        "insert into {b} values (31, 3, 30), (32, 3, 30)",
    ],
    "6 insert and delete of one row cancel": ["insert into {a} values (50, 3, 1)", "delete from {a} where id = 50"],
    "7 only deletions": ["delete from {a} where id = 11"],
    "8 a table that one model only mentions": ["update {c} set v = v + 1"],
    "9 pre-image equal to post-image": ["update {a} set v = v"],
    "10 everything goes": ["delete from {b}"],
    "11 matching rows come on all sides, equal ones among them, and nothing goes": [
        "insert into {a} values (60, 6, 1), (61, 6, 1)",
        "insert into {b} values (60, 6, 60), (61, 6, 60), (62, 0, 60)",
        "insert into {c} values (60, 60, 1), (61, 60, 1)",
    ],
    "12 and once more": ["insert into {a} values (63, 6, 2)", "insert into {c} values (63, 60, 2)"],
}


# each in a job of its own; or neighbours in one, where they meet, but for those of which more is expected
ALONE = [[scenario] for scenario in SCENARIOS]


def together(*jobs: tuple[int, ...]) -> list[list[str]]:
    """Scenarios by number, job by job."""
    names = {int(name.split()[0]): name for name in SCENARIOS}
    return [[names[number] for number in job] for job in jobs]


TOGETHER = together((1, 2, 3), (4, 5), (6, 9), (7,), (8,), (10, 11, 12))


@pytest.mark.parametrize(
    ("merge_bytes", "jobs"),
    [
        pytest.param(2**25, TOGETHER, id="small"),
        pytest.param(0, TOGETHER, id="large", marks=pytest.mark.long),
        pytest.param(2**25, ALONE, id="small, one by one", marks=pytest.mark.long),
        pytest.param(0, ALONE, id="large, one by one", marks=pytest.mark.long),
    ],
)
def test_scenarios(dbt_case: Callable[..., DbtCase], merge_bytes: int, jobs: list[list[str]]) -> None:
    case = dbt_case(project=delta_models(delta_rule="join") | {"vars": {"entrepot_merge_bytes": merge_bytes}})
    rows = {"a": "id, id % 4, id * 10", "b": "id, id % 4, id * 10", "c": "id, id * 10, id"}
    tables = {
        name: case.source(name, "id int, k int, v int", f"select {columns} from range(1, 7)")
        for name, columns in rows.items()
    }
    for name, sql in MODELS.items():
        case.put(f"models/{name}.sql", sql)
    stored = [name for name in MODELS if name != "kept"]
    case.build()
    for scenarios in jobs:
        for scenario in scenarios:
            case.spark.change(*(statement.format(**tables) for statement in SCENARIOS[scenario]))
        outcome = case.build()
        for name in stored:
            difference = case.difference_from_recompute("marts", name)
            assert not difference, f"scenarios {scenarios}: {name} ({outcome.messages[name]}): {difference}"
        if scenarios[0].startswith("8"):
            assert outcome.messages["only_a"] == "unchanged"
            assert outcome.statements_of("only_a", "cte_used_twice") == []
        if scenarios[0].startswith(("6", "9")):
            written = {
                name: outcome.messages[name] for name in stored if not outcome.messages[name].endswith("+0 ~0 -0")
            }
            assert set(written.values()) <= {"unchanged"}, written
