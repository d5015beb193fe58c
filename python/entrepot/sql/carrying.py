"""A SELECT that gives a column of a table that it joins besides its own, by its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from entrepot.sql.tokens import Token, code_tokens

# of the outermost level: a column of FROM is no column behind them, or the list is not that of a plain SELECT
_NOT_CARRIED = frozenset(
    ("|>", "union", "except", "minus", "setminus", "intersect", "pivot", "unpivot", "semi", "anti")
)
_NO_COLUMN = frozenset(("distinct", "all", "transform"))
_BEFORE_A_STAR = frozenset(("select", ",", "."))


@lru_cache(maxsize=1024)
def carrying(sql: str, item: str, place: int) -> str | None:
    """Return a SELECT with one more item in front of its list, a column of what stands at a place of its own FROM or JOIN.

    None where that cannot be said by looking at the words: the place is within parentheses or a WITH clause, the list has a star (which
    would give the column a second time), or the SELECT is not a plain one.

    Args:
        sql: the SELECT
        item: the item
        place: where the table's name begins

    >>> carrying("select /*+ broadcast(b) */ a.x * 2 as y from s.a join s.b", "_delta as _sign", 54)
    'select /*+ broadcast(b) */ _delta as _sign, a.x * 2 as y from s.a join s.b'
    >>> carrying("select a.* from s.a", "_delta as _sign", 16), carrying("select x from (select x from s.a)", "_delta as _sign", 29)
    (None, None)
    """
    code = code_tokens(sql)
    outermost = list(_outermost(code))
    first = code[1] if len(code) > 1 and code[0].word == "select" else None
    if first is None or first.word in _NO_COLUMN or not any(token.start == place for token in outermost):
        return None
    stars = [before.word for before, token in pairwise(outermost) if token.word == "*"]
    if _BEFORE_A_STAR & set(stars) or any(token.word in _NOT_CARRIED for token in outermost):
        return None
    return f"{sql[: first.start]}{item}, {sql[first.start :]}"


def _outermost(code: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens that stand in no parentheses, and the parentheses around others."""
    depth = 0
    for token in code:
        depth -= token.word == ")"
        if depth == 0:
            yield token
        depth += token.word == "("
