"""`--defer`: models of one target are built on tables and views of another one, and kept up by their changes."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.dbt_case import DbtCase, delta_models

MODELS = {
    "base": "select id, v from {{ ref('t') }} where v is not null",
    "seen": "{{ config(materialized='view') }} select id, v * 10 as v from {{ ref('base') }}",
    "joined": "select b.id, b.v, s.v as ten from {{ ref('base') }} as b inner join {{ ref('seen') }} as s on b.id = s.id",
    "last": "select id, ten from {{ ref('joined') }}",
}


def project(case: DbtCase, rows: str) -> DbtCase:
    case.put("seeds/t.csv", f"id,v\n{rows}")
    for name, sql in MODELS.items():
        case.put(f"models/{name}.sql", sql)
    return case


def test_a_model_on_what_another_target_has(dbt_case: Callable[..., DbtCase]) -> None:
    there = project(dbt_case(project=delta_models(unique_key="id")), "1,10\n2,20\n")
    there.artifacts = True
    there.build()
    here = project(dbt_case(project=delta_models(unique_key="id")), "7,70\n")
    defer = ("--defer", "--state", str(there.path / "target"))
    here.build("--select", "joined", *defer)
    assert sorted(here.rows("marts", "joined")) == [(1, 10, 100), (2, 20, 200)]
    here.build("--select", "last", *defer)
    assert sorted(here.rows("marts", "last")) == [(1, 100), (2, 200)], "what is there already is one's own"

    project(there, "1,10\n2,21\n3,30\n")
    there.build()
    messages = here.build("--select", "joined", "last", *defer).messages
    assert sorted(here.rows("marts", "last")) == [(1, 100), (2, 210), (3, 300)], messages
    assert messages["last"] == "join: 3 in +1 ~1 -0"
    nothing = here.build("--select", "joined", "last", *defer).messages
    assert nothing == {"joined": "full: +3 ~0 -0", "last": "unchanged"}, (
        "of the other's view nobody knows whether it has changed"
    )
    here.build("--select", "last", *defer, "--favor-state")
    assert sorted(here.rows("marts", "last")) == [(1, 100), (2, 210), (3, 300)], "made from the other's joined"

    here.build()
    assert here.rows("marts", "last") == [(7, 700)], "all is one's own"
    assert sorted(there.rows("marts", "last")) == [(1, 100), (2, 210), (3, 300)]
    assert set(there.build().messages.values()) == {"unchanged"}
