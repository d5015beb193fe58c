"""Names of tables and columns."""

from __future__ import annotations

import pytest

from entrepot.sql import TableName, columns_as, keys_equal, qualified, quoted, quoted_if_needed


def test_names_of_tables() -> None:
    assert TableName.of(["t"]) == TableName("", "t")
    assert TableName.of(["c", "s", "t"]) == TableName("s", "t", "c")
    assert TableName.of(["Spark_Catalog", "s", "t"]) == TableName("S", "T")
    assert len({TableName("s", "t"), TableName("S", "T"), TableName("s", "t", "c")}) == 2
    assert str(TableName("s", "a.b", "c")) == "c.s.`a.b`"
    assert TableName("s", "a.b").plain == "s.a.b"


@pytest.mark.parametrize("name", ["orders", "_x", "2024_orders"])
def test_plain_names(name: str) -> None:
    assert quoted_if_needed(name) == name


@pytest.mark.parametrize("name", ["a b", "größe", "2024", "1L", "1e5", "order", "a`b", ""])
def test_names_that_are_quoted(name: str) -> None:
    assert quoted_if_needed(name) == quoted(name)


def test_lists_of_columns() -> None:
    assert columns_as(["a"], ["x"]) == "a as x"
    assert qualified("a", []) == ""
    assert keys_equal("l", [], "r", []) == ""
    with pytest.raises(ValueError, match="zip"):
        keys_equal("l", ["a"], "r", [])
