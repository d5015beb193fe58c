"""What the texts in a model's SQL do to its analysis."""

from __future__ import annotations

import pytest

from entrepot.sql import has_text_like_a_plan, moment_literal


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 'a#1'", True),
        ('select "x) AND (y"', True),
        ("select 1 -- 'a#1'", False),
        ("select a /* 'a#1' */", False),
        ("select 'it''s'", False),
    ],
)
def test_misleading_texts(sql: str, expected: bool) -> None:
    assert has_text_like_a_plan(sql) is expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select date 'today'", "date 'today'"),
        ('select timestamp_ltz" now UTC"', 'timestamp_ltz" now UTC"'),
        ("select update'today'", None),
        ("select 'date''today'", None),
        ("select date'2020-01-01' -- date'today'", None),
    ],
)
def test_literals_of_the_moment(sql: str, expected: str | None) -> None:
    assert moment_literal(sql) == expected
