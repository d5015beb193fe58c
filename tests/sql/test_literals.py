"""Values as literals, and literals that mean the moment or look like a plan."""

from __future__ import annotations

from decimal import Decimal

import pytest

from entrepot.sql import has_text_like_a_plan, literal, literals, moment_literal


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (0, "0"),
        (-1.5, "-1.5"),
        (Decimal("1.10"), "1.10"),
        (True, "true"),
        (float("nan"), "double('nan')"),
        ("", "''"),
        ("it's", "'it\\'s'"),
        ("\\'", "'\\\\\\''"),
        ("a\nb", "'a\nb'"),
    ],
)
def test_literals(value: object, expected: str) -> None:
    assert literal(value) == expected
    assert literals([value, 1]) == f"{expected}, 1"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select date'today'", "date'today'"),
        ("select TIMESTAMP_NTZ \n ' Now UTC'", "TIMESTAMP_NTZ \n ' Now UTC'"),
        ('select timestamp "yesterday"', 'timestamp "yesterday"'),
        ("select date r'tomorrow'", "date r'tomorrow'"),
        ("select date'2024-01-01', 'today', x.date, mydate'now'", None),
        ("select date'todays' -- date'today'", None),
        ("select \"date'today'\"", None),
        ("select date 'today'", "date 'today'"),
        ('select timestamp_ltz" now UTC"', 'timestamp_ltz" now UTC"'),
        ("select update'today'", None),
        ("select 'date''today'", None),
        ("select date'2020-01-01' -- date'today'", None),
    ],
)
def test_a_literal_of_the_moment(sql: str, expected: str | None) -> None:
    assert moment_literal(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 'a#1'", True),
        ('select "x) AND (y"', True),
        ("select ') OR ('", True),
        ("select 'a, b) as k'", True),
        ("select 'a#b', ') and ('", False),
        ("select 1 -- it's a#1\n, `a#1` /* 'a#1' */", False),
        ("select 1 -- 'a#1'", False),
        ("select a /* 'a#1' */", False),
        ("select 'it''s'", False),
    ],
)
def test_texts_that_look_like_a_plan(sql: str, expected: bool) -> None:
    assert has_text_like_a_plan(sql) is expected
