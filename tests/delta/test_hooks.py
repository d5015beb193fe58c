"""What a hook writes into the table that it belongs to is read by models, tests and queries alike, from job to job."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, delta_models

WITHOUT_TWO = "post_hook='delete from {{ this }} where id = 2'"
FOLLOWERS = {"follows": "unique_key='id'", "rebuilt": "materialized='table'", "seen": "materialized='view'"}


@pytest.fixture(scope="module")
def case(module_case: Callable[..., DbtCase]) -> DbtCase:
    """A model and a seed whose hooks take row 2 away, what follows them, and tests of what is left; built once."""
    case = module_case(project=delta_models(unique_key="id"))
    case.source("t", "id int, v int", "values (1, 10), (2, 20), (4, 40)")
    case.put("models/hooked.sql", f"{{{{ config({WITHOUT_TWO}) }}}} select id, v from {{{{ source('raw', 't') }}}}")
    case.put("models/tidied.sql", "{{ config(post_hook='optimize {{ this }}') }} select id, v from {{ ref('hooked') }}")
    case.put("seeds/listed.csv", "id\n1\n2\n")
    case.put("seeds/listed.yml", "seeds: [{name: listed, config: {post_hook: 'delete from {{ this }} where id = 2'}}]")
    for name, config in FOLLOWERS.items():
        case.put(f"models/{name}.sql", f"{{{{ config({config}) }}}} select id, v from {{{{ ref('hooked') }}}}")
    case.put("models/of_seed.sql", "select id from {{ ref('listed') }}")
    for name in ("hooked", "listed"):
        case.put(f"tests/no_two_in_{name}.sql", f"select * from {{{{ ref('{name}') }}}} where id = 2")
    case.build()
    return case


def ids(case: DbtCase) -> dict[str, list[int]]:
    """The ids in each table, as the newest snapshot publishes it."""
    published = load_target(case.path, case.path).ledger().published()
    found = {}
    for name in ("hooked", "tidied", "follows", "rebuilt"):
        table = case.table("marts", name)
        rows = case.spark.rows(f"select id from {table} version as of {published[table].version}")
        assert rows == case.spark.answer(f"select id from {table}"), name
        found[name] = [row[0] for row in rows]
    for layer, name in (("seeds", "listed"), ("marts", "of_seed")):
        table = case.table(layer, name)
        rows = case.spark.rows(f"select id from {table} version as of {published[table].version}")
        found[name] = [row[0] for row in rows]
    assert json.loads(published[case.table("marts", "follows")].reads or "{}") == {
        case.table("marts", "hooked"): case.head("marts", "hooked")
    }
    return found


def test_a_first_build(case: DbtCase) -> None:
    assert ids(case) == {
        "hooked": [1, 4], "tidied": [1, 4], "follows": [1, 4], "rebuilt": [1, 4], "listed": [1], "of_seed": [1],
    }  # fmt: skip


def test_changes_and_no_changes(case: DbtCase) -> None:
    case.spark.change(f"insert into {case.schema}_raw.t values (5, 50)")
    outcome = case.build()
    assert outcome.messages["hooked"].startswith("full: "), (
        "what hooks have written is compared with what the SQL gives"
    )
    after = {"hooked": [1, 4, 5], "tidied": [1, 4, 5], "follows": [1, 4, 5], "rebuilt": [1, 4, 5], "listed": [1], "of_seed": [1]}  # fmt: skip
    assert ids(case) == after
    reasons = load_target(case.path, case.path).ledger().runs_of_last_job()
    assert any("its hooks have written it" in (run.reason or "") for run in reasons)
    case.build()
    assert case.build().messages["tidied"] == "unchanged", "a hook that changes no rows is no news"
    assert ids(case) == after


@pytest.mark.long
def test_what_a_later_model_has_read_in_this_job(case: DbtCase) -> None:
    case.spark.change(f"delete from {case.schema}_raw.t where id = 4")
    case.build("--select", "hooked+")
    assert ids(case)["follows"] == [1, 5]
    case.build("--full-refresh")
    assert ids(case)["follows"] == ids(case)["tidied"] == [1, 5]
