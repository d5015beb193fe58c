"""Findings on plans as Spark 4.2 prints them, without Spark.

`ENTREPOT_UPDATE_GOLDEN=1` writes the findings of `plans.txt` anew; read the diff, it is the review of the change.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from entrepot.analysis.findings import Findings, findings_by_text, findings_of
from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.plan import Call, Use
from tests.analysis.plans import FILE, OCCURRENCES, Case, as_text, cases, findings_on

CASES = cases()


def test_golden_findings() -> None:
    found = {name: findings_on(case.sql, case.plan) for name, case in CASES.items()}
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN"):
        texts = [
            f"##### {name}\n{case.sql}\n\n{case.plan}\n=>\n{as_text(found[name])}\n" for name, case in CASES.items()
        ]
        FILE.write_text("\n".join(texts))
    for name, case in cases().items():
        assert json.loads(found[name].to_json()) == json.loads(case.findings), name


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_stored_findings_are_read_as_they_were(case: Case) -> None:
    stored = Findings.from_json(case.findings)
    assert stored is not None
    assert json.loads(stored.to_json()) == json.loads(case.findings)
    assert stored == findings_on(case.sql, case.plan)


def test_a_configured_model_has_no_stored_findings() -> None:
    assert Findings.from_json("{}") is None


def test_what_cannot_be_read_is_not_known() -> None:
    plan = CASES["left"].plan
    for broken in (plan.replace("+- Join", "Join"), plan.replace("Project", "*Project"), ""):
        found = findings_on("select 1", broken)
        assert found.join and found.unknown and not found.scopes, broken


def test_an_operator_that_is_not_known_follows_nothing() -> None:
    plan = CASES["left"].plan
    found = findings_on("select 1", plan.replace("Join LeftOuter", "Join LeftMystery"))
    assert found.unknown == "Join LeftMystery" and not found.scopes
    found = findings_on("select 1", plan.replace("Project [id#809, name#816]", "Mystery [id#809, name#816]"))
    assert found.unknown == "Mystery" and found.join


def test_an_operator_without_its_inputs_follows_nothing() -> None:
    for kind in (
        "Project [id#1]",
        "Join Inner",
        "Aggregate [count(1) AS n#1L]",
        "Window [], []",
        "GlobalLimit 5",
        "Union",
    ):
        found = findings_on("select 1", f"id: int\n{kind}")
        assert found.unknown and not found.scopes, kind


def test_an_order_by_a_narrower_integer_may_have_ties() -> None:
    case = CASES["window"]
    assert findings_on(case.sql, case.plan).untold is None
    for type_, is_told in (("bigint", True), ("tinyint", False)):
        plan = case.plan.replace("id#1882 ASC NULLS FIRST", f"cast(id#1882 as {type_}) ASC NULLS FIRST")
        assert (findings_on(case.sql, plan).untold is None) is is_told, type_


def test_texts_that_mislead_and_literals_of_the_moment() -> None:
    case = CASES["left"]
    printed = f"== Analyzed Logical Plan ==\n{case.plan}\n\n== Optimized Logical Plan ==\n"
    assert findings_by_text(printed, case.sql, case.sql, OCCURRENCES) == findings_on(case.sql, case.plan)
    misleading = findings_by_text(printed, f"{case.sql} where 'a#1' <> ''", case.sql, OCCURRENCES)
    assert misleading == Findings.nothing("a text that looks like a part of a plan")
    today = findings_by_text(printed, f"{case.sql} where d < date'today'", case.sql, OCCURRENCES)
    assert today.refused == "date'today', which is another day each time"


def test_functions_that_spark_prints_in_capitals_are_of_the_moment_too() -> None:
    case = CASES["left"]
    plan = case.plan.replace("name#816]", "SPARK_PARTITION_ID() AS p#900]", 1)
    found = findings_on(case.sql.replace("c.name", "spark_partition_id() as p"), plan)
    assert found.refused == "spark_partition_id(), which gives something else each time"


def test_sparks_own_word_counts_where_no_function_is_known() -> None:
    case = CASES["join"]
    plan = plan_of_text(f"== Analyzed Logical Plan ==\n{case.plan}\n\n== Optimized Logical Plan ==\n")
    assert plan is not None
    said = [
        findings_of(replace(plan, is_deterministic=word), case.sql, OCCURRENCES).refused for word in (None, True, False)
    ]
    assert said == [None, None, "a function that Spark calls not deterministic"]


def test_functions_of_others_are_named() -> None:
    case = CASES["join"]
    plan = plan_of_text(f"== Analyzed Logical Plan ==\n{case.plan}\n\n== Optimized Logical Plan ==\n")
    assert plan is not None
    root = replace(plan.root, uses=(Use(Call("price", ()), is_foreign=True), *plan.root.uses))
    found = findings_of(replace(plan, root=root), case.sql, OCCURRENCES)
    assert found.unvouched == "price(), which is not a function of Spark's own and may give something else each time"
    assert (found.refused, found.untold) == (None, None)
