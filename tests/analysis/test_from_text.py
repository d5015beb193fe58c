"""The front end for text: how an operator's line is taken apart."""

from __future__ import annotations

import time

import pytest

from entrepot.analysis.from_text import conjuncts, expression, output, plan_of_text
from entrepot.analysis.plan import Alias, Call, Column, Literal, Other


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(a#1 = b#2)", ["(a#1 = b#2)"]),
        ("((a#1 = b#2) AND (c#3 > 4))", ["(a#1 = b#2)", "(c#3 > 4)"]),
        ("(((a#1 = b#2) AND (c#3 > 4)) AND d#5)", ["(a#1 = b#2)", "(c#3 > 4)", "d#5"]),
        ("((a#1 = b#2) OR ((c#3 > 4) AND d#5))", ["((a#1 = b#2) OR ((c#3 > 4) AND d#5))"]),
        ("NOT ((a#1 = b#2) AND d#5)", ["NOT ((a#1 = b#2) AND d#5)"]),
    ],
)
def test_conjuncts(condition: str, expected: list[str]) -> None:
    assert sorted(conjuncts(condition)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "a#1",
        "a#1L",
        "cast(a#1 as bigint)",
        "cast(outer(a#1) as bigint)",
        "cast(cast(1 as decimal(1,0)) as decimal(10,2))",
        "sum(distinct a#1)",
        "count(1) FILTER (WHERE (a#1 > cast(1 as bigint)))",
        "coalesce(sum(a#1L), cast(0 as bigint))",
        "named_struct(a, a#1, b, f(b#2, c#3))",
        "count_if((region#28 = a (b)",
        "x",
    ],
)
def test_an_expression_is_written_as_it_was_read(text: str) -> None:
    assert str(expression(text)) == text


def test_arguments_that_a_text_with_a_comma_blurs_stay_together() -> None:
    assert expression("count_if((a#1 = b,c))") == Call("count_if", (Other("(a#1 = b,c)"),))
    assert expression("concat_ws(a,b, c#1)") == Call("concat_ws", (Other("a,b, c#1"),))


def test_outputs() -> None:
    assert output("a#1L") == Column("1", "a")
    assert output("1 AS one#7") == Alias(Literal("1"), "7", "one")
    assert output("a b#1#57L") == Alias(Other("a b#1#57L"), "57", "a b#1")
    assert output("a piece of a text") == Literal("a piece of a text")


def test_a_deep_plan_is_read() -> None:
    depth = 3000
    lines = [f"{'   ' * (number - 1)}+- Distinct" if number else "Distinct" for number in range(depth)]
    plan = plan_of_text("== Analyzed Logical Plan ==\n\n" + "\n".join(lines))
    assert plan is not None
    assert sum(1 for _ in plan.root.walk()) == depth


def test_long_lines_are_read_in_time_that_grows_with_their_length() -> None:
    """Of 5,000 calls, 170 kB: a quarter of a minute where each call looked at all text before it."""
    line = ", ".join(f"upper(coalesce(a{number}#{number}, x)) AS b{number}#{number}" for number in range(2500))
    printed = f"== Analyzed Logical Plan ==\nb: string\nProject [{line}]\n+- Relation t[a#1]\n"
    begun = time.perf_counter()
    plan = plan_of_text(printed)
    assert time.perf_counter() - begun < 5
    assert plan is not None and len(plan.root.uses) == 5000
    assert {(use.what.name, use.around) for use in plan.root.uses if isinstance(use.what, Call)} == {
        ("upper", ""),
        ("coalesce", "upper"),
    }
