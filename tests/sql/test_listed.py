"""Conditions that list keys."""

from __future__ import annotations

import random

import duckdb
import pytest

from entrepot.sql import listed_keys


def test_the_column_with_most_values_is_listed() -> None:
    rows = [("1", "x"), ("1", "y"), ("1", "z")]
    assert listed_keys(["a", "b"], ["int", "string"], rows) == "a = 1 and b in ('x', 'y', 'z')"


def test_of_columns_with_as_many_values_the_last_one_is() -> None:
    rows = [("1", "2024-01-01"), ("2", "2024-01-02")]
    found = listed_keys(["a", "d"], ["bigint", "date"], rows)
    assert found == "a = 1L and d in (date'2024-01-01')\n  or a = 2L and d in (date'2024-01-02')"


def test_what_cannot_be_listed() -> None:
    assert listed_keys(["a"], ["int"], []) is None
    assert listed_keys(["a", "b"], ["int", "int"], [("1", "1"), ("2", None)]) is None
    assert listed_keys(["a"], ["timestamp"], [("2024-01-01 00:00:00",)]) is None
    many = [(str(number), str(number)) for number in range(20_001)]
    assert listed_keys(["a", "b"], ["int", "int"], many) is None


def test_more_than_twenty_combinations_are_listed_whole_behind_the_column_with_most_values() -> None:
    many = [(str(number % 2), str(number // 2), f"'{number}") for number in range(42)]
    assert "(a, b)" not in str(listed_keys(["a", "b"], ["int", "int"], [row[:2] for row in many]))
    found = str(listed_keys(["a", "b", "c"], ["int", "bigint", "string"], many))
    assert (
        found.startswith("c in ('\\'0', '\\'1', ")
        and "\n  and (a, b, c) in ((0, 0L, '\\'0'), (1, 0L, '\\'1'), " in found
    )


def test_values_with_the_same_combinations_are_listed_once() -> None:
    rows = [(str(order), str(line), "x") for order in range(30) for line in range(order % 3 + 1)]
    condition = str(listed_keys(["o", "l", "c"], ["int", "int", "string"], rows))
    assert condition.startswith("l = 0 and c = 'x' and o in (0, 3, 6, ")
    assert "\n  or (l, c) in ((0, 'x'), (1, 'x')) and o in (1, 4, 7, " in condition
    assert condition.count(",") < len(rows)


@pytest.mark.parametrize("seed", range(3))
def test_a_condition_has_the_listed_rows_and_no_other(seed: int) -> None:
    random_ = random.Random(seed)
    names, types = ["a", "b", "c"], ["int", "int", "string"]
    for _ in range(100):
        width = [random_.choice([1, 2, 5, 40]) for _ in range(random_.randint(1, 3))]
        drawn = {tuple(str(random_.randrange(most)) for most in width) for _ in range(random_.choice([5, 60]))}
        listed = {row for row in drawn if random_.random() < 0.5}
        keys = names[: len(width)]
        condition = listed_keys(keys, types[: len(width)], sorted(listed))
        rows = ", ".join(f"({', '.join(row)})" for row in drawn)
        told = f"select columns(*)::text from (values {rows}) as t ({', '.join(keys)}) where {condition or 'false'}"
        assert set(duckdb.sql(told).fetchall()) == listed, condition
