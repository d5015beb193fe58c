"""The analyzer on plans as Spark 4.2 prints them: the verdict of each, without Spark.

`plans.txt` has one case after another: `##### name`, the SQL, a blank line, what `explain extended` printed of the analyzed plan,
`=>`, the verdict as JSON. `ENTREPOT_UPDATE_GOLDEN=1` writes the verdicts anew; read the diff, it is the review of the change.
Occurrences 0 and 2 are `orders` (key `id`), 1 is `cust` (key `id`, of another integer type).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from entrepot.sql import code_only
from tests.support.render import Renderer

FILE = Path(__file__).with_name("plans.txt")
ORDERS = {
    "columns": {
        "id": "int", "cust": "int", "amount": "decimal(10,2)", "d": "date", "tags": "array<string>", "s": "struct<a:int>",
    },
    "unique_key": ["id"],
}  # fmt: skip
CUSTOMER = {"columns": {"id": "bigint", "name": "string", "region": "string"}, "unique_key": ["id"]}
OCCURRENCES = [ORDERS, CUSTOMER, ORDERS]


def cases() -> dict[str, tuple[str, str, str]]:
    """{name: (SQL, plan, verdict as text)}"""
    found = {}
    for block in FILE.read_text().split("##### ")[1:]:
        name, sql, rest = block.split("\n", 2)
        plan, _, verdict = rest.strip().partition("\n=>\n")
        found[name] = (sql, plan, verdict)
    return found


def verdict_of(renderer: Renderer, sql: str, plan: str) -> dict[str, Any]:
    printed = f"== Analyzed Logical Plan ==\n{plan}\n\n== Optimized Logical Plan ==\n"
    return dict(renderer.call("analyzer_verdict", printed, code_only(sql), OCCURRENCES))


def as_text(verdict: dict[str, Any]) -> str:
    """A verdict as JSON, one line for each of its parts."""
    return "{\n" + ",\n".join(f' "{part}": {json.dumps(found)}' for part, found in verdict.items()) + "\n}"


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


def test_verdicts(renderer: Renderer) -> None:
    found = {name: verdict_of(renderer, sql, plan) for name, (sql, plan, _) in cases().items()}
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN"):
        FILE.write_text(
            "\n".join(
                f"##### {name}\n{sql}\n\n{plan}\n=>\n{as_text(found[name])}\n"
                for name, (sql, plan, _) in cases().items()
            )
        )
    for name, (_, _, expected) in cases().items():
        assert found[name] == json.loads(expected), name


def test_what_cannot_be_read_is_not_known(renderer: Renderer) -> None:
    _, plan, _ = cases()["left"]
    for broken in (plan.replace("+- Join", "Join"), plan.replace("Project", "*Project"), ""):
        found = verdict_of(renderer, "select 1", broken)
        assert found["join"] and found["unknown"] and not found["scopes"], broken


def test_an_operator_that_is_not_known_follows_nothing(renderer: Renderer) -> None:
    _, plan, _ = cases()["left"]
    found = verdict_of(renderer, "select 1", plan.replace("Join LeftOuter", "Join LeftMystery"))
    assert found["unknown"] == "Join LeftMystery" and not found["scopes"]
    found = verdict_of(renderer, "select 1", plan.replace("Project [id#809, name#816]", "Mystery [id#809, name#816]"))
    assert found["unknown"] == "Mystery" and found["join"]


@pytest.mark.parametrize(
    ("condition", "conjuncts"),
    [
        ("(a#1 = b#2)", ["(a#1 = b#2)"]),
        ("((a#1 = b#2) AND (c#3 > 4))", ["(a#1 = b#2)", "(c#3 > 4)"]),
        ("(((a#1 = b#2) AND (c#3 > 4)) AND d#5)", ["(a#1 = b#2)", "(c#3 > 4)", "d#5"]),
        ("((a#1 = b#2) OR ((c#3 > 4) AND d#5))", ["((a#1 = b#2) OR ((c#3 > 4) AND d#5))"]),
        ("NOT ((a#1 = b#2) AND d#5)", ["NOT ((a#1 = b#2) AND d#5)"]),
    ],
)
def test_conjuncts(renderer: Renderer, condition: str, conjuncts: list[str]) -> None:
    assert sorted(renderer.call("analyzer_conjuncts", condition)) == sorted(conjuncts)
