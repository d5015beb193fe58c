"""A SELECT taken apart at its UNION ALL."""

from __future__ import annotations

import pytest

from entrepot.sql import as_branch, union_branches


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1", ["select 1"]),
        ("select 1 UNION\n/* x */ ALL select 2", ["select 1 ", " select 2"]),
        ("-- a\nselect 1 union all select 2", ["-- a\nselect 1 ", "-- a\n select 2"]),
        ("with a as (select 1) select 2 union all select 3", ["with a as (select 1) select 2 ", "with a as (select 1)  select 3"]),
        ("(select 1) union all (select 2)", ["(select 1) ", " (select 2)"]),
        ("select 'union' as `union` union all select 2", ["select 'union' as `union` ", " select 2"]),
        ("select * except (a) from t union all select x.* except (b) from u", ["select * except (a) from t ", " select x.* except (b) from u"]),
        ("select x.union, (select max(a) from t order by a) from x", ["select x.union, (select max(a) from t order by a) from x"]),
        ("select 1 -- union\n/* intersect */", ["select 1 -- union\n/* intersect */"]),
        ("select 1 order by 1", ["select 1 order by 1"]),
        ("select row_number() over (order by a) union all select sum(b) over (order by c)",
         ["select row_number() over (order by a) ", " select sum(b) over (order by c)"]),
        ("select 1 union select 2", None),
        ("select 1 union distinct select 2", None),
        ("select 1 union all select 2 except select 3", None),
        ("select 1 intersect select 2", None),
        ("select 1 minus select 2", None),
        ("select * from (select 1 union all select 2)", None),
        ("with a as (select 1 union all select 2) select * from a", None),
        ("select 1 union all select 2 order by 1", None),
        ("select 1 union all select 2 cluster /* x */ by 1", None),
        ("select 1 union all select 2 limit 3", None),
        ("from t |> union all select 2", None),
        ("select 1 union all select 2 |> limit 1", None),
        ("from t select a union all select 2", None),
    ],
)  # fmt: skip
def test_branches(sql: str, expected: list[str] | None) -> None:
    assert union_branches(sql) == (tuple(expected) if expected is not None else None)


def test_a_branch_with_the_names_and_types_of_the_union() -> None:
    assert as_branch("select 1", []) == "select 1"
    assert as_branch("select 1, x", [("n", "bigint"), ("s`t", "struct<a: int>")]) == (
        "select cast(`n` as bigint) as `n`, `s``t` from (\nselect 1, x\n) as _branch(`n`, `s``t`)"
    )
