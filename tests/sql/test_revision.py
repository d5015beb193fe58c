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


@pytest.mark.parametrize(
    "text", ["select a from t intersect select a from u", "select * from (select 1 union all select 2)"]
)
def test_texts_that_cannot_be_taken_apart(text: str) -> None:
    assert revision_of(text, A) is None
    assert revision_of(A, text) is None
