"""A SELECT that gives a column of a table that it joins besides its own, by its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from entrepot.sql.names import CLAUSE_WORDS
from entrepot.sql.tokens import Token, code_tokens

# of the outermost level: what FROM has is not what the SELECT can give, or the list is not that of a plain SELECT
_NOT_PLAIN = frozenset(("|>", "union", "except", "minus", "setminus", "intersect", "pivot", "unpivot", "semi", "anti"))
_NO_COLUMN = frozenset(("distinct", "all", "transform"))
_BEHIND_FROM = frozenset(
    ("where", "lateral", "group", "having", "qualify", "order", "sort", "cluster", "distribute", "window", "limit")
)
_BEFORE_A_TABLE = frozenset(("from", "join", ","))
_BEFORE_A_STAR = frozenset(("select", ",", "."))


@dataclass(frozen=True, slots=True)
class _Query:
    """A query of a WITH clause, or the one behind it, which has no name."""

    name: str | None
    code: Sequence[Token]


@lru_cache(maxsize=1024)
def carrying(sql: str, column: str, name: str, place: int) -> str | None:
    """Return a SELECT with one more column in front, which what stands at a place has: of its own FROM, or that of a query of its WITH clause.

    None where that cannot be said by looking at the words: the place is within other parentheses, a query of the WITH clause is not read
    just once, a list has a star among others (which would give the column a second time), or a SELECT is not a plain one.

    Args:
        sql: the SELECT
        column: the column
        name: what it is called in the result
        place: where the table's name begins

    >>> carrying("select /*+ broadcast(b) */ a.x * 2 as y from s.a join s.b", "_delta", "_sign", 54)
    'select /*+ broadcast(b) */ _delta as _sign, a.x * 2 as y from s.a join s.b'
    >>> carrying("with a as (select x from s.a) select * from a", "_delta", "_sign", 25)
    'with a as (select _delta, x from s.a) select _delta as _sign, * except (_delta) from a'
    >>> carrying("select a.* from s.a", "_delta", "_sign", 16)
    """
    code = code_tokens(sql)
    pieces: list[str] = []
    done = 0
    for query in _queries(code):
        if not query.code or not query.code[0].start <= place < query.code[-1].end:
            continue
        if not _is_plain(query.code, place):
            return None
        first, is_last = query.code[1], query.name is None
        if is_last or first.word != "*":
            pieces += [sql[done : first.start], f"{column} as {name}, " if is_last else f"{column}, "]
            done = first.start
        if query.name is None:
            rest = sql[first.end :]
            return "".join([*pieces, f"* except ({column}){rest}" if first.word == "*" else first.text + rest])
        readers = _readers(code, query.name)
        if len(readers) != 1:
            return None
        place = readers[0].start
    return None


def _queries(code: Sequence[Token]) -> Iterator[_Query]:
    """Yield the queries of the WITH clause and the one behind it; only those in front where the clause says more than names."""
    at = 0
    while code and code[at].word == ("," if at else "with"):
        words = [token.word for token in code[at + 2 : at + 4]]
        if words != ["as", "("]:
            return
        inner = tuple(_within(code[at + 4 :]))
        yield _Query(code[at + 1].name.lower(), inner)
        at += 5 + len(inner)
        if at >= len(code):
            return
    yield _Query(None, code[at:])


def _is_plain(code: Sequence[Token], place: int) -> bool:
    """Whether a query is a SELECT whose own FROM or JOIN has a place, and whose list can have one more column."""
    outermost = list(_outermost(code))
    words = [token.word for token in outermost]
    if len(code) < 3 or words[0] != "select" or code[1].word in _NO_COLUMN or _NOT_PLAIN & set(words):
        return False
    begins = next((at for at, word in enumerate(words) if word == "from" and words[at - 1] != "distinct"), len(words))
    is_star = words[1:begins] == ["*"]
    if not is_star and any(words[at] == "*" and words[at - 1] in _BEFORE_A_STAR for at in range(begins)):
        return False
    tables = takewhile(lambda at: words[at] not in _BEHIND_FROM, range(begins, len(words)))
    found = next((at for at in tables if outermost[at].start == place), None)
    return found is not None and words[found - 1] in _BEFORE_A_TABLE and not _has_named_columns(outermost[found:])


def _has_named_columns(code: Sequence[Token]) -> bool:
    """Whether names for its columns follow a table's alias, as in `s.a as t (x, y)`: as many as it has."""
    words = [token.word for token in code]
    at = 1
    while words[at : at + 1] == ["."]:
        at += 2
    has_as = words[at : at + 1] == ["as"]
    return words[at + has_as + 1 : at + has_as + 2] == ["("] and (has_as or words[at] not in CLAUSE_WORDS)


def _readers(code: Sequence[Token], name: str) -> list[Token]:
    """Return where a name of the WITH clause stands, but for where it gets its query and where it qualifies a column."""
    words = ["", *(token.word for token in code), "", ""]
    return [
        token
        for at, token in enumerate(code)
        if token.is_name
        and token.name.lower() == name
        and "." not in (words[at], words[at + 2])
        and words[at + 2 : at + 4] != ["as", "("]
    ]


def _within(code: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens up to the parenthesis that closes what has been opened in front of them."""
    depth = 1
    for token in code:
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if depth == 0:
            return
        yield token


def _outermost(code: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens that stand in no parentheses, and the parentheses around others."""
    depth = 0
    for token in code:
        depth -= token.word == ")"
        if depth == 0:
            yield token
        depth += token.word == "("
