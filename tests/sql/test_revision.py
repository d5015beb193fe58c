"""What has changed between two texts of a SELECT."""

from __future__ import annotations

import pytest

from entrepot.sql import revision_of

A, B = "select a from t where b = 1", "select a from u"


@pytest.mark.parametrize(
    ("earlier", "later", "kept", "come", "gone"),
    [
        (A, A, [A], [], []),
        (f"{A} union all {B}", f"-- note\n{B}\nUNION ALL {A}", [f"-- note\n{B}\n", f"-- note\n {A}"], [], []),
        (f"{A} union all {B}", B, [B], [], [f"{A} "]),
        (B, f"{B} union all {A}", [f"{B} "], [f" {A}"], []),
        (B, A, [], [A], [B]),
        # a branch that is there twice is two branches
        (f"{B} union all {B}", B, [B], [], [f" {B}"]),
        # a text or a hint is code
        ("select 'x'", "select 'X'", [], ["select 'X'"], ["select 'x'"]),
        ("select /*+ broadcast(u) */ a from u", B, [], [B], ["select /*+ broadcast(u) */ a from u"]),
        # something after the condition; a condition inside of brackets
        ("select a from t where b order by a", "select a from t where c order by a", [],
         ["select a from t where c order by a"], ["select a from t where b order by a"]),
        ("select a from (select a from t where b)", "select a from (select a from t where c)", [],
         ["select a from (select a from t where c)"], ["select a from (select a from t where b)"]),
        # which of two is meant is not told
        ("select a from t where b union all select a from t where c", "select a from t where d", [],
         ["select a from t where d"], ["select a from t where b ", " select a from t where c"]),
        # a column of that name, and a comment that would take the bracket
        ("select x.where from x where x.where -- old", "select x.where from x where y -- new",
         ["select x.where from x where (x.where -- old\n) and (y -- new\n)"],
         ["select x.where from x where (y -- new\n) and not coalesce((x.where -- old\n), false)"],
         ["select x.where from x where (x.where -- old\n) and not coalesce((y -- new\n), false)"]),
    ],
)  # fmt: skip
def test_revisions(earlier: str, later: str, kept: list[str], come: list[str], gone: list[str]) -> None:
    found = revision_of(earlier, later)
    assert found is not None
    assert (list(found.kept), list(found.come), list(found.gone)) == (kept, come, gone)


INNER = "select x, case when s = 'a' then case when v in ({}) then {} end end as y from (select *, p + 1 as q from t)"


def test_a_case_that_chooses_otherwise() -> None:
    """Rows for which the CASEs choose the same stay, and what changed is looked for where an arm or a part of the condition is another one."""
    found = revision_of(
        f"{INNER.format('1', 'f(q)')} where s = 'a' and v in (1)",
        f"{INNER.format('1, 2', 'f(q)')} where s = 'a' and v in (1, 2)",
    )
    assert found is not None
    arms = (
        "case when s = 'a' then case when v in ( 1 ) then 1 end end",
        "case when s = 'a' then case when v in ( 1 , 2 ) then 1 end end",
    )
    same = f"({arms[0]}) <=> ({arms[1]})"
    was, is_ = "(s = 'a' and v in (1))", "(s = 'a' and v in (1, 2))"
    rows = INNER.format("1", "f(q)"), INNER.format("1, 2", "f(q)")
    looked = "({} or (s = 'a'))"
    assert found.kept == (f"{rows[1]} where {was} and {is_} and {same}",)
    assert found.come == (f"{rows[1]} where {is_} and {looked.format(is_)} and not coalesce({was} and {same}, false)",)
    assert found.gone == (f"{rows[0]} where {was} and {looked.format(was)} and not coalesce({is_} and {same}, false)",)


@pytest.mark.parametrize(
    "text",
    [
        # the name is another column, or may be one
        "select {} from (select b as a from t) where a > 0",
        "select {} from (select b a from t) where a > 0",
        "select {} from (select s.* from t) where a > 0",
        "select transform(b, a -> {}) as c from t where a > 0",
        "select transform(b, (c, a) -> {}) as c from t where a > 0",
        "select {} from (select a from t group by a) where a > 0",
        "select {} from t inner join u on t.b = u.b where a > 0",
        "select (select {} from u) as c from t where a > 0",
        "select {} from (select distinct a from t) where a > 0",
        # nobody outside knows it
        "select b from (select b, {} as c from t) where b > 0",
    ],
)
def test_a_case_on_what_is_not_known_outside(text: str) -> None:
    before, after = (text.format(f"case when a = {number} then 1 end") for number in (1, 2))
    found = revision_of(before, after)
    assert found is not None
    assert (found.kept, found.come, found.gone) == ((), (after,), (before,))


@pytest.mark.parametrize("condition", ["t.a = 1", "f(a) = 1", "a[0] = 1", "a = (select 1)"])
def test_a_case_on_more_than_columns(condition: str) -> None:
    before, after = (f"select case when {condition} then {number} end from t where a > 0" for number in (1, 2))
    found = revision_of(before, after)
    assert found is not None and not found.kept


@pytest.mark.parametrize(
    "text", ["select a from t intersect select a from u", "select * from (select 1 union all select 2)"]
)
def test_texts_that_cannot_be_taken_apart(text: str) -> None:
    assert revision_of(text, A) is None
    assert revision_of(A, text) is None
