"""Which rows of a SELECT may differ from those of an earlier text of it: its branches taken one by one, and their last condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.sql.branches import union_branches
from entrepot.sql.tokens import Kind, code_tokens, tokens

# what may follow the condition of a WHERE in its own SELECT, after which the condition does not choose rows one by one
_CLAUSES = (
    "group",
    "having",
    "order",
    "sort",
    "cluster",
    "distribute",
    "limit",
    "offset",
    "window",
    "qualify",
    "lateral",
    "|>",
)


@dataclass(frozen=True, slots=True)
class Revision:
    """An earlier text of a SELECT against a later one, as SELECTs with the columns of both.

    Attributes:
        kept: rows that both texts give, from the same rows of their upstreams
        come: rows that only the later text gives
        gone: rows that only the earlier text gives
    """

    kept: tuple[str, ...]
    come: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Branch:
    """A branch that ends in `where <condition>`: what stands before it, and the condition."""

    rows: str
    condition: str

    def where(self, condition: str) -> str:
        return f"{self.rows}where {condition}"


def revision_of(earlier: str, later: str) -> Revision | None:
    """Return what differs between two texts of one SELECT; None where either cannot be taken apart at a UNION ALL.

    Branches with the same code are kept, whatever their comments and blanks. Of two that are the same but for the condition of their last
    WHERE, rows that meet both conditions are kept.

    >>> found = revision_of("select a from t where b in (1, 2)", "select a from t where b in (2, 3)")
    >>> print(*found.kept, *found.come, *found.gone, sep=chr(10))
    select a from t where (b in (1, 2)) and (b in (2, 3))
    select a from t where (b in (2, 3)) and not coalesce((b in (1, 2)), false)
    select a from t where (b in (1, 2)) and not coalesce((b in (2, 3)), false)
    """
    before, after = union_branches(earlier), union_branches(later)
    if before is None or after is None:
        return None
    kept = _common(after, before)
    gone, come = _without(before, kept), _without(after, kept)
    both: list[str] = []
    more: list[str] = []
    less: list[str] = []
    for old, new in _alike(gone, come):
        was, is_ = _condition(gone[old]), _condition(come[new])
        both.append(is_.where(f"{was.condition} and {is_.condition}"))
        more.append(is_.where(f"{is_.condition} and not coalesce({was.condition}, false)"))
        less.append(is_.where(f"{was.condition} and not coalesce({is_.condition}, false)"))
        gone[old] = come[new] = ""
    return Revision(
        (*kept, *both), (*(one for one in come if one), *more), (*(one for one in gone if one), *less)
    )  # fmt: skip


def _common(branches: Sequence[str], others: Sequence[str]) -> list[str]:
    """The branches that others have as well, each as often as these do."""
    there = Counter(map(_code, others))
    found = []
    for branch in branches:
        if there[_code(branch)]:
            there[_code(branch)] -= 1
            found.append(branch)
    return found


def _without(branches: Sequence[str], common: Sequence[str]) -> list[str]:
    left = Counter(map(_code, common))
    found = []
    for branch in branches:
        if left[_code(branch)]:
            left[_code(branch)] -= 1
        else:
            found.append(branch)
    return found


def _alike(gone: Sequence[str], come: Sequence[str]) -> list[tuple[int, int]]:
    """Places of branches that are the same but for their last condition; none of those that several are the same as."""
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, branches in enumerate((gone, come)):
        for place, branch in enumerate(branches):
            if found := _split(branch):
                places.setdefault(_code(found.rows), ([], []))[side].append(place)
    return [(old[0], new[0]) for old, new in places.values() if len(old) == len(new) == 1]


def _condition(branch: str) -> _Branch:
    found = _split(branch)
    assert found is not None, "it has been split"
    return found


def _split(branch: str) -> _Branch | None:
    """A branch at its last WHERE; None where it has none, or something else comes after the condition."""
    depth, start = 0, None
    code = code_tokens(branch)
    for before, token in zip((None, *code), code, strict=False):
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if depth or (before and before.text == "."):
            continue
        if token.word == "where":
            start = token
        elif start and token.word in _CLAUSES:
            start = None
    if start is None or any(token.word == "|>" for token in code):
        return None
    condition = branch[start.end :].strip()
    # a comment at the end of a line would take the bracket behind it
    end = "\n)" if tokens(condition)[-1].kind is Kind.COMMENT else ")"
    return _Branch(branch[: start.start], f"({condition}{end}")


def _code(sql: str) -> str:
    """The tokens of SQL without comments: two texts that Spark reads alike."""
    return " ".join(token.text for token in tokens(sql) if token.kind is not Kind.COMMENT)
