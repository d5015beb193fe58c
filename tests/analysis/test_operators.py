"""The table of operators: every entry is proved by a plan, and the documentation says what it says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from entrepot.analysis.from_text import plan_of_text
from entrepot.analysis.operators import OPERATORS, operator_of, operators_table
from entrepot.analysis.plan import Node
from entrepot.analysis.refusal import REFUSALS
from tests.analysis.plans import cases

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "delta-rules.md"
BEGIN, END = "<!-- operators: generated -->\n", "<!-- operators: end -->\n"
NOT_IN_PLANS = {"LogicalRDD", "View", "RelationV2", "HiveTableRelation", "Tail"}


def test_every_operator_is_in_a_golden_plan() -> None:
    found = set()
    for case in cases().values():
        plan = plan_of_text(f"== Analyzed Logical Plan ==\n{case.plan}")
        assert plan is not None
        found |= {operator_of(node).name for node, _ in plan.root.walk()}
    assert found - {"Expand"} == set(OPERATORS) - NOT_IN_PLANS


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (Node("Mystery", 0), "Mystery"),
        (Node("Join", 0, "LeftMystery"), "an outer join"),
        (Node("Join", 0, "LeftSemiMystery"), "a semi or anti join"),
    ],
)
def test_what_is_not_in_the_table_is_a_refusal(node: Node, words: str) -> None:
    operator = operator_of(node)
    assert operator.rows is None and operator.not_join == words and not operator.is_by_row


def test_every_refusal_says_how_to_go_on() -> None:
    assert all(refusal.code and refusal.sentence and refusal.hint for refusal in REFUSALS)
    assert len({refusal.code for refusal in REFUSALS}) == len(REFUSALS)


def test_the_documentation_has_the_table() -> None:
    before, _, rest = DOCUMENT.read_text().partition(BEGIN)
    written, _, after = rest.partition(END)
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN"):
        DOCUMENT.write_text(f"{before}{BEGIN}\n{operators_table()}\n{END}{after}")
        written = f"\n{operators_table()}\n"
    assert written == f"\n{operators_table()}\n"
