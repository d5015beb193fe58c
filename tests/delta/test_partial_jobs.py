"""Jobs that build a part of the models: whatever was left out, the next whole job is right, and nothing comes twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models

# base on the source; left and right on base; top on both and on the source: four readers that can get out of step
MODELS = {
    "base": "{{ config(delta_rule='join') }} select id, g, v from {{ source('raw', 't') }} where v is not null",
    "left_half": "{{ config(delta_rule='join') }} select id, g, v + 1 as v from {{ ref('base') }}",
    "right_half": "{{ config(unique_key='g', scope={'base': ['g']}) }} select g, count(*) as n, sum(v) as v from {{ ref('base') }} group by g",
    "top": "{{ config(delta_rule='join') }} select l.id, l.v, r.n, t.v as raw_v from {{ ref('left_half') }} as l "
    "inner join {{ ref('right_half') }} as r on l.g = r.g inner join {{ source('raw', 't') }} as t on l.id = t.id",
}


class Chain:
    """The four models, and what to do with their source."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.raw = case.source("t", "id int, g int, v int", "select id, id % 3, id * 10 from range(1, 10)")
        for name, sql in MODELS.items():
            case.put(f"models/{name}.sql", sql)
        case.build()

    def change(self, *statements: str) -> None:
        """Run statements on the source, `{t}`."""
        self.case.spark.change(*(statement.format(t=self.raw) for statement in statements))

    def whole(self, twice: bool = True) -> Outcome:
        """Build everything, and compare everything with its full recompute; a job after it does nothing."""
        outcome = self.case.build()
        self.compare()
        assert not twice or set(self.case.build().messages.values()) == {"unchanged"}, "nothing twice"
        return outcome

    def compare(self) -> None:
        for name in MODELS:
            difference = self.case.difference_from_recompute("marts", name)
            assert not difference, f"{name}: {difference}"


@pytest.fixture(scope="module")
def chain(module_case: Callable[..., DbtCase]) -> Chain:
    return Chain(module_case(project=delta_models(unique_key="id")))


def test_consumers_at_different_speeds(chain: Chain) -> None:
    chain.change("insert into {t} values (20, 1, 200)")
    assert chain.case.build("--select", "base left_half").messages == {
        "base": "join: 1 in +1 ~0 -0",
        "left_half": "join: 1 in +1 ~0 -0",
    }
    chain.change("update {t} set v = 201 where id = 20", "insert into {t} values (21, 2, 210)")
    assert chain.case.build("--select", "base left_half").messages["left_half"] == "join: 3 in +1 ~1 -0"
    chain.change("delete from {t} where id = 21")
    outcome = chain.whole(twice=False)
    assert outcome.messages["left_half"] == "join: 1 in +0 ~0 -1"
    assert outcome.messages["right_half"] == "scope: 1 in +0 ~1 -0", (
        "three versions at once: what came and went cancels"
    )


@pytest.mark.long
def test_scopes_are_listed_and_stay_out_of_the_books(chain: Chain) -> None:
    """Keys are data, which may have to be erased."""
    chain.change("insert into {t} values (771, 771, 1), (772, 772, 1), (773, null, 1)")
    chain.whole(twice=False)
    # a group without a key cannot be listed: its scopes are joined
    chain.change("insert into {t} values (774, 771, 1), (775, 772, 1)")
    outcome = chain.whole(twice=False)
    (written,) = (sql for sql in outcome.statements_of("right_half") if "rule scope" in sql)
    assert "in (771, 772)" in written and "left semi join" not in written
    kept = chain.case.spark.sql(
        f"select sql from {chain.case.table('ops', 'model_run')} where relation like '%right_half' and rule = 'scope' order by number"
    )
    assert "left semi join" in kept[-2].sql
    assert "(g) in (… 2 keys)" in kept[-1].sql and not re.search(r"\b77[12]\b", kept[-1].sql)
    chain.change("delete from {t} where id > 770")
    chain.whole(twice=False)


@pytest.mark.long
def test_one_model_at_a_time(chain: Chain) -> None:
    chain.change("insert into {t} values (30, 0, 300)", "delete from {t} where id = 3")
    assert chain.case.build("--select", "top").messages["top"] == "join: 2 in +0 ~0 -1", (
        "its other upstreams are as they were"
    )
    assert chain.case.build("--select", "right_half").messages == {"right_half": "unchanged"}
    chain.case.build("--select", "base")
    chain.change("update {t} set v = 301 where id = 30")
    chain.case.build("--select", "right_half")
    chain.case.build("--select", "top")
    chain.whole()


@pytest.mark.long
def test_full_refresh_in_the_middle(chain: Chain) -> None:
    assert chain.case.build("--full-refresh", "--select", "left_half").messages["left_half"].startswith("create: ")
    assert chain.case.build().messages["top"] == "unchanged", "the same rows, written anew, are no change"
    chain.change("insert into {t} values (40, 1, 400)")
    chain.case.build("--full-refresh", "--select", "base left_half")
    outcome = chain.whole(twice=False)
    assert outcome.messages["base"] == outcome.messages["left_half"] == "unchanged"
    assert outcome.messages["right_half"] == "scope: 1 in +0 ~1 -0"
    chain.change("delete from {t} where id = 40")
    chain.case.build("--full-refresh", "--select", "right_half+")
    chain.whole()


@pytest.mark.long
def test_a_failed_model(chain: Chain) -> None:
    chain.change("insert into {t} values (50, 1, 500)")
    chain.case.put("models/left_half.sql", MODELS["left_half"] + " where assert_true(v < 500) is null")
    outcome = chain.case.dbt("build")
    assert {name: node.status for name, node in outcome.nodes.items() if name in MODELS} == {
        "base": "success",
        "left_half": "error",
        "right_half": "success",
        "top": "skipped",
    }
    chain.change("update {t} set g = 2 where id = 50")
    assert not chain.case.dbt("build").success
    chain.case.put("models/left_half.sql", MODELS["left_half"])
    outcome = chain.whole()
    assert outcome.messages["base"] == outcome.messages["right_half"] == "unchanged"
    assert outcome.messages["left_half"] == "join: 1 in +1 ~0 -0", "the net change of both jobs"


@pytest.mark.long
def test_a_model_dropped_and_built_while_its_readers_are_left_out(chain: Chain) -> None:
    base = chain.case.table("marts", "base")
    chain.change("update {t} set v = v + 1 where id = 1")
    chain.case.build()
    consumed = chain.case.head("marts", "base")
    chain.case.spark.sql(f"drop table {base}")
    chain.change("update {t} set v = v + 1 where id = 2")
    chain.case.build("--select", "base")
    newest = f"(select max(number) from {chain.case.table('ops', 'published_snapshot')})"
    published = chain.case.spark.answer(
        f"select split(relation, '[.]')[1] from {chain.case.table('ops', 'published_snapshot')} where number = {newest}"
    )
    assert published == [("base",), ("t",)], "the others have rows of the table that was dropped"
    for number in range(consumed):
        chain.case.spark.sql(f"alter table {base} set tblproperties ('note' = '{number}')")
    assert chain.case.head("marts", "base") == consumed, (
        "the new table has the version that its readers know of the old one"
    )
    outcome = chain.whole()
    assert (outcome.messages["base"], outcome.messages["left_half"]) == ("unchanged", "full: +0 ~1 -0")
