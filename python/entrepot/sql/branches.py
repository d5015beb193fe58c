"""A SELECT taken apart at its UNION ALL, and one branch of it under the names and types of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from entrepot.sql.names import quoted
from entrepot.sql.tokens import Token, code_tokens

_SET_OPERATORS = ("union", "except", "minus", "setminus", "intersect")
_SORTS = ("order", "sort", "cluster", "distribute")


@lru_cache(maxsize=1024)
def union_branches(sql: str) -> tuple[str, ...] | None:
    """Return the branches of a SELECT whose outermost operator is UNION ALL, each with the WITH clause of the whole.

    A SELECT without one is its own only branch. None where a set operator stands anywhere else (inside a subquery, in a
    pipe, or any other than UNION ALL), or a sort or limit over one: such text cannot be taken apart.

    >>> union_branches("with a as (select 1) select 2 union all select * from a")
    ('with a as (select 1) select 2 ', 'with a as (select 1)  select * from a')
    """
    code = code_tokens(sql)
    words = [token.word for token in code]
    cuts: list[int] = []
    depth = 0
    head: int | None = None
    has_pipe = False
    for index, word in enumerate(words):
        depth += {"(": 1, ")": -1}.get(word, 0)
        has_pipe = has_pipe or word == "|>"
        if depth == 0 and head is None and word in ("select", "from"):
            head = index
        elif word in _SET_OPERATORS and not _is_in_name_or_star(words, index):
            if depth > 0 or words[index : index + 2] != ["union", "all"] or words[index + 2 : index + 3] == ["by"]:
                return None
            cuts.append(index)
        elif depth == 0 and cuts and _is_over_all(words, index):
            return None
    if cuts and (has_pipe or (head is not None and words[head] == "from")):
        return None
    return _texts(sql, code, head, cuts)


def as_branch(sql: str, columns: Sequence[tuple[str, str]]) -> str:
    """Return a branch of a union with the names and types that the union gives its columns; as it is where there are none.

    Structs and the like are left to the write, which casts them.

    >>> print(as_branch("select 1", [("n", "bigint")]))
    select cast(`n` as bigint) as `n` from (
    select 1
    ) as _branch(`n`)
    """
    if not columns:
        return sql
    names = [quoted(name) for name, _ in columns]
    items = [
        name if "<" in type_name else f"cast({name} as {type_name}) as {name}"
        for name, (_, type_name) in zip(names, columns, strict=True)
    ]
    return f"select {', '.join(items)} from (\n{sql}\n) as _branch({', '.join(names)})"


def _texts(sql: str, code: Sequence[Token], head: int | None, cuts: Sequence[int]) -> tuple[str, ...]:
    """Return the branches between the cuts, each with what stands in front of the first SELECT."""
    begin = code[head].start if head is not None and not (cuts and cuts[0] < head) else 0
    starts = [begin, *(code[cut + 1].end for cut in cuts)]
    ends = [*(code[cut].start for cut in cuts), len(sql)]
    return tuple(sql[:begin] + sql[start:end] for start, end in zip(starts, ends, strict=True))


def _is_in_name_or_star(words: Sequence[str], index: int) -> bool:
    """Whether a word is a part of `x.union` or of `* except (…)`."""
    before = words[index - 1] if index else ""
    return before == "." or (before == "*" and words[index] == "except")


def _is_over_all(words: Sequence[str], index: int) -> bool:
    """Whether a sort or a limit begins here."""
    after = words[index + 1] if index + 1 < len(words) else ""
    before = words[index - 1]
    return before != "." and ((words[index] in _SORTS and after == "by") or words[index] in ("limit", "offset"))
