"""How the texts of a column are converted, and which of them do not fit; no Spark."""

from __future__ import annotations

import pytest

from entrepot.seeds import column_of

NUMBER = r"regexp_replace(_0, r'[%,_\p{Sc}]', '')"
BIGINT = f"try_cast(try_cast({NUMBER} as decimal(38, 6)) as bigint)"


def misfit(value: str) -> str:
    return f"_0 is not null and {value} is null"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("bigint", BIGINT),
        ("double", f"try_cast({NUMBER} as double)"),
        ("boolean", "try_cast(_0 as boolean)"),
        ("date", "try_cast(_0 as date)"),
        ("timestamp", "try_cast(_0 as timestamp)"),
    ],
)
def test_an_inferred_number_may_be_written_as_for_dbt(type_: str, value: str) -> None:
    column = column_of(0, "`a`", type_, is_declared=False)
    assert (column.text, column.value, column.misfit) == ("_0", value, misfit(value))


@pytest.mark.parametrize("type_", ["bigint", "double", "int", "decimal(4, 2)", "array<string>", "varchar"])
def test_a_declared_type_is_strict(type_: str) -> None:
    value = f"try_cast(_0 as {type_})"
    column = column_of(0, "`a`", type_, is_declared=True)
    assert (column.value, column.misfit) == (value, misfit(value))


@pytest.mark.parametrize("is_declared", [True, False])
@pytest.mark.parametrize("type_", ["string", " STRING "])
def test_every_text_is_a_string(type_: str, is_declared: bool) -> None:
    column = column_of(3, "`a`", type_, is_declared=is_declared)
    assert (column.value, column.misfit) == ("_3", None)


@pytest.mark.parametrize("type_", ["varchar(12)", "char(12)", " VarChar ( 12 ) "])
def test_a_text_of_limited_length_is_a_string_that_may_be_too_long(type_: str) -> None:
    column = column_of(0, "`a`", type_, is_declared=True)
    assert (column.value, column.misfit) == ("_0", "length(_0) > 12")
