"""Which values of rows on the driver SQL may list, and how they are written."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pyarrow
import pytest

from entrepot.spark.listed import listed_rows

DAY = pyarrow.array([date(999, 1, 2), date(999, 1, 2), None])


def test_each_value_comes_once_as_spark_writes_it() -> None:
    rows = pyarrow.table(
        {"a": pyarrow.array([7, 7, None]), "T": ["x", "x", "it's"], "day": DAY, "other": [1.0, 2.0, 3.0]}
    )
    found = listed_rows(rows, ["A", "`t`", "day"], 2)
    assert found is not None and found.types == ("bigint", "string", "date")
    assert set(found.rows) == {("7", "x", "0999-01-02"), (None, "it's", None)}


def test_a_column_may_be_asked_for_twice() -> None:
    """As by a model that has an upstream's key under two names, both of them in its own key."""
    found = listed_rows(pyarrow.table({"id": [7, 7]}), ["id", "ID"], 2)
    assert found is not None and (found.types, found.rows) == (("bigint", "bigint"), (("7", "7"),))


def test_more_than_the_most_are_not_listed() -> None:
    assert listed_rows(pyarrow.table({"a": [1, 2, 3]}), ["a"], 2) is None


def test_a_part_of_a_column_is_not_listed() -> None:
    assert listed_rows(pyarrow.table({"a": pyarrow.array([{"b": 1}])}), ["a.b"], 2) is None


@pytest.mark.parametrize(
    "values",
    [
        pyarrow.array([0.0, -0.0]),
        pyarrow.array([Decimal("1.10")]),
        pyarrow.array([True]),
        pyarrow.array([b"x"]),
        pyarrow.array([0], pyarrow.timestamp("us", "UTC")),
        pyarrow.array([3_000_000], pyarrow.int32()).view(pyarrow.date32()),
        pyarrow.StringArray.from_buffers(1, pyarrow.py_buffer(b"\0\0\0\0\1\0\0\0"), pyarrow.py_buffer(b"\xff")),
    ],
    ids=["double", "decimal", "boolean", "binary", "timestamp", "year 10183", "no UTF-8"],
)
def test_what_is_not_written_exactly_is_not_listed(values: pyarrow.Array) -> None:
    assert listed_rows(pyarrow.table({"a": values}), ["a"], 9) is None
