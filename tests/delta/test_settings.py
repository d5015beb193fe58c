"""What a model's author reads when the configuration is not right: what was given, what is accepted, how to go on."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.dbt_case import DbtCase

DELTA = "materialized='incremental', incremental_strategy='delta'"
BAD = {
    "no_key": (f"{{{{ config({DELTA}) }}}} select 1 as id", "Model no_key has no unique_key"),
    "no_rule": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='merge') }}}} select 1 as id",
        "join, scope and full are accepted",
    ),
    "no_scope": (f"{{{{ config({DELTA}, unique_key='id', delta_rule='scope') }}}} select 1 as id", "without scope"),
    "bad_scope": (
        f"{{{{ config({DELTA}, unique_key=['id', 'n'], scope={{'x': ['id']}}) }}}} select 1 as id, 2 as n",
        "a list with one upstream column for each of",
    ),
    "no_format": (
        f"{{{{ config({DELTA}, unique_key='id', file_format='parquet') }}}} select 1 as id",
        "has file_format parquet",
    ),
    "grouped": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='join') }}}} select 1 as id, count(*) as n group by 1",
        "has delta_rule 'join' and uses group by",
    ),
    "outer_joined": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='join') }}}} select 1 as id from (select 1) as a left join (select 2) as b on true",
        "uses an outer join",
    ),
}


def test_each_mistake_has_its_sentence(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    for name, (sql, _) in BAD.items():
        case.put(f"models/{name}.sql", sql)
    outcome = case.dbt("build")
    assert not outcome.success
    for name, (_, sentence) in BAD.items():
        message = outcome.messages[name]
        assert sentence in message, message
        assert "For example:" in message and "docs/delta-rules.md" in message
        assert "\tat " not in message and "Traceback" not in message
