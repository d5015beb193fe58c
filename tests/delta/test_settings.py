"""What a model's author reads when the configuration is not right: what was given, what is accepted, how to go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models

DELTA = "materialized='incremental', incremental_strategy='delta'"
BAD = {
    "wrong_key": (
        f"{{{{ config({DELTA}, unique_key='idd') }}}} select id, n from {{{{ ref('number') }}}}",
        "Model wrong_key has unique_key idd, but no column idd: columns of its SELECT are accepted: id, n",
    ),
    "no_key": (f"{{{{ config({DELTA}) }}}} select 1 as id", "Model no_key has no unique_key"),
    "named_like_ours": (
        f"{{{{ config({DELTA}, unique_key='id') }}}} select id, n as _Upsert from {{{{ ref('number') }}}}",
        "Model named_like_ours has a column _Upsert: the statements that maintain it have one of this name",
    ),
    "named_like_an_aggregates": (
        f"{{{{ config({DELTA}, unique_key='n') }}}} select n, count(*) as _stored from {{{{ ref('number') }}}} group by n",
        "Model named_like_an_aggregates has a column _stored",
    ),
    "no_rule": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='merge') }}}} select 1 as id",
        "join, aggregate, scope and full are accepted",
    ),
    "no_scope": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='scope') }}}} select 1 as id",
        "has delta_rule 'scope' without scope: no column of the result could be followed",
    ),
    "bad_scope": (
        f"{{{{ config({DELTA}, unique_key=['id', 'n'], scope={{'x': ['id']}}) }}}} select 1 as id, 2 as n",
        "a list with one upstream column for each of",
    ),
    "other_scope": (
        f"{{{{ config({DELTA}, unique_key='id', scope={{'numbr': ['id']}}) }}}} select id, n from {{{{ ref('number') }}}}",
        "has scope numbr: tables that the model reads are accepted: number",
    ),
    "no_format": (
        f"{{{{ config({DELTA}, unique_key='id', file_format='parquet') }}}} select 1 as id",
        "has file_format parquet",
    ),
    "grouped": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='join') }}}} select 1 as id, count(*) as n group by 1",
        "has delta_rule 'join' and uses an aggregate or group by",
    ),
    "outer_joined": (
        f"{{{{ config({DELTA}, unique_key='id', delta_rule='join') }}}} select 1 as id from (select 1) as a left join (select 2) as b on true",
        "uses an outer join",
    ),
    "in_python": (
        "def model(dbt, session):\n"
        "    dbt.config(materialized='incremental', incremental_strategy='delta', unique_key='id')\n"
        "    return session.sql('select 1 as id')\n",
        "Model in_python is written in Python: delta rules read a SELECT",
    ),
    "asks_what_is_new": (
        f"{{{{ config({DELTA}, unique_key='id') }}}} select id from {{{{ ref('number') }}}} {{% if is_incremental() %}} where id > 3 {{% endif %}}",
        "Model asks_what_is_new uses is_incremental(): its table is kept at what its SELECT gives",
    ),
    "asks_by_a_macro": (
        f"{{{{ config({DELTA}, unique_key='id') }}}} select id, n from {{{{ ref('number') }}}} {{{{ only_new('id') }}}}",
        "Model asks_by_a_macro uses is_incremental()",
    ),
    "strict_rank": (
        f"{{{{ config({DELTA}, unique_key='id', strict=true) }}}} select id, rank() over (order by n) as place from {{{{ ref('number') }}}}",
        "is strict and would be computed in full",
    ),
}
UNFIXED = {
    "of_the_moment": (
        "select id, current_timestamp() as at from {{ ref('number') }}",
        "uses current_timestamp(), which gives something else each time",
    ),
    "of_the_day": (
        "select id, curdate() as day from {{ ref('number') }}",
        "uses current_date(), which gives something else each time",
    ),
    "of_a_literal_day": (
        "select id from {{ ref('number') }} where date'2020-01-01' + cast(id as int) < date'today'",
        "uses date'today', which is another day each time",
    ),
    "of_a_cast_day": (
        "select id from {{ ref('number') }} where date'2020-01-01' + cast(id as int) < 'yesterday'",
        "uses 'yesterday' as a date or time, which is another one each day",
    ),
    "any_first": (
        "{{ config(unique_key='n') }} select n, first_value(id) as id from {{ ref('number') }} group by n",
        "which depends on the order in which rows come",
    ),
    "any_mode": (
        "{{ config(unique_key='n') }} select n, mode(id) as id from {{ ref('number') }} group by n",
        "uses mode(), which depends on the order in which rows come",
    ),
    "any_best": (
        "{{ config(unique_key='g') }} select id % 2 as g, max_by(id, n) as best from {{ ref('number') }} group by 1",
        "uses max_by() over an order in which rows may be equal",
    ),
    "peers": (
        "select id, first_value(id) over (order by n) as f from {{ ref('number') }}",
        "over an order in which rows may be equal",
    ),
    "by_chance": (
        "select id from {{ ref('number') }} where rand() < 0.5",
        "uses rand(), which gives something else each time",
    ),
    "some": (
        "select id, n from {{ ref('number') }} order by n limit 2",
        "uses limit over an order in which rows may be equal",
    ),
    "tied": (
        "select id, row_number() over (order by n) as place from {{ ref('number') }}",
        "uses row_number() over an order in which rows may be equal",
    ),
    "any_row": (
        "{{ config(unique_key='n') }} select n, first(id) as id from {{ ref('number') }} group by n",
        "uses first(), which depends on the order in which rows come",
    ),
    "foreign": (
        "select id, n from {{ ref('number') }} where n < (select count(*) from range(3) as r cross join {{ ref('number').schema }}.elsewhere as e)",
        "which is named without ref() or source(), so that its changes are not seen",
    ),
}
GOOD = {
    "largest": "select id, n from {{ ref('number') }} order by n, id limit 2",
    "numbered": "select id, row_number() over (order by n, id) as place from {{ ref('number') }}",
    "best": "{{ config(unique_key='g') }} select id % 2 as g, max_by(n, struct(n, id)) as best from {{ ref('number') }} group by 1",
    "with_today": "select id, 'today' as today from {{ ref('number') }} where 'now' <> 'today'",
    "named_like_it": "select id, 'now()' as text, n as rand from {{ ref('number') }}",
    "strict_group": "{{ config(unique_key='n', strict=true) }} select n, count(*) as rows_found from {{ ref('number') }} group by n",
    "known": "{{ config(total_order=true) }} select id, row_number() over (order by n * 10 + id) as place from {{ ref('number') }}",
    "named_almost_so": "select id, n as _stored, id as _new, n as _key from {{ ref('number') }}",
    "asking_in_a_hook": "{{ config(pre_hook='select {{ is_incremental() }}') }} select id, n from {{ ref('number') }}",
    "forced": "{{ config(delta_rule='full') }} select id, current_date() as day from {{ ref('number') }}",
}


@pytest.fixture(scope="module")
def outcome(module_case: Callable[..., DbtCase]) -> Outcome:
    """A job with everything that is not right, and what is close to it."""
    case = module_case()
    case.put("models/number.sql", f"{{{{ config({DELTA}, unique_key='id') }}}} select id, id % 3 as n from range(1, 7)")
    case.spark.sql(f"create schema if not exists {case.schema}_marts")
    case.spark.sql(f"create table {case.schema}_marts.elsewhere (id bigint) using delta")
    case.put(
        "macros/only_new.sql",
        "{% macro only_new(column) %}{% if is_incremental() %}where {{ column }} > 3{% endif %}{% endmacro %}",
    )
    for name, (sql, _) in BAD.items():
        case.put(f"models/{name}.{'py' if sql.startswith('def ') else 'sql'}", sql)
    for name, (sql, _) in UNFIXED.items():
        case.put(f"models/{name}.sql", f"{{{{ config({DELTA}, unique_key='id') }}}} {sql}")
        case.put(f"models/strictly_{name}.sql", f"{{{{ config({DELTA}, unique_key='id', strict=true) }}}} {sql}")
    for name, sql in GOOD.items():
        case.put(f"models/{name}.sql", f"{{{{ config({DELTA}, unique_key='id') }}}} {sql}")
    return case.dbt("build")


def test_each_mistake_has_its_sentence(outcome: Outcome) -> None:
    assert not outcome.success
    refused = {f"strictly_{name}": sentence for name, (_, sentence) in UNFIXED.items()}
    for name, sentence in ({name: sentence for name, (_, sentence) in BAD.items()} | refused).items():
        message = outcome.messages[name]
        assert sentence in message, message
        assert "For example:" in message and "docs/delta-rules.md" in message
        assert "\tat " not in message and "Traceback" not in message


def test_what_has_no_one_right_result_is_built_with_a_warning(outcome: Outcome) -> None:
    for name, (_, sentence) in UNFIXED.items():
        assert outcome.nodes[name].status == "success", outcome.messages[name]
        warnings = [line for line in outcome.log if f"Model {name} uses " in line]
        assert len(warnings) == 1 and sentence in warnings[0], (name, warnings)
        assert "To make it incremental: " in warnings[0] and "config(delta_rule='full')" in warnings[0]


def test_what_is_right_has_no_warning(outcome: Outcome) -> None:
    assert {name: outcome.nodes[name].status for name in GOOD} == dict.fromkeys(GOOD, "success"), outcome.text
    warned = {line.split("Model ")[1].split()[0] for line in outcome.log if "To make it incremental: " in line}
    assert warned == set(UNFIXED)


def test_a_key_may_have_a_name_that_wants_backticks(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models())
    table = case.source(
        "t", "`größe` int, `x-y` int, `1d` int, `true` int", "values (1, 1, 1, 1), (2, 2, 2, 2), (1, 3, 3, 3)"
    )
    source = "{{ source('raw', 't') }}"
    models = {
        "selected": ("x-y", f"select `x-y`, `größe` from {source}"),
        "written_so": ("`x-y`", f"select `x-y`, `1d` from {source}"),
        "summed": ("größe", f"select `größe`, count(*) as n, max(`true`) as last from {source} group by `größe`"),
        "distinct_days": ("1d", f"select `1d`, count(distinct `größe`) as n from {source} group by `1d`"),
        "literal": ("true", f"select `true`, count(*) as n from {source} group by `true`"),
    }
    for name, (key, sql) in models.items():
        case.put(f"models/{name}.sql", f"{{{{ config(unique_key='{key}') }}}} {sql}")
    case.build()
    case.spark.change(f"insert into {table} values (2, 4, 1, 1)", f"delete from {table} where `x-y` = 2")
    case.build()
    for name in models:
        assert not case.difference_from_recompute("marts", name), name
