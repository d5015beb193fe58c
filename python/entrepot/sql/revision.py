"""Which rows of a SELECT may differ from those of an earlier text of it: its branches taken one by one, their last condition, and their CASEs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.sql.branches import union_branches
from entrepot.sql.cases import CLAUSES, columns_pass, difference, without_cases
from entrepot.sql.tokens import Kind, code_tokens, tokens


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
    WHERE, rows that meet both conditions are kept. So they are where CASEs differ, too, but choose the same (`entrepot.sql.cases`).

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
    changed: list[_Changed] = []
    for old, new in _alike(gone, come):
        if found := _changed(gone[old], come[new]):
            changed.append(found)
            gone[old] = come[new] = ""
    return Revision(
        (*kept, *(one.both for one in changed)),
        (*(one for one in come if one), *(one.come for one in changed)),
        (*(one for one in gone if one), *(one.gone for one in changed)),
    )


@dataclass(frozen=True, slots=True)
class _Changed:
    """A branch of which some rows stay: SELECTs of these, and of those that come and go."""

    both: str
    come: str
    gone: str


def _changed(old: str, new: str) -> _Changed | None:
    """What differs between two branches that are alike; None where nobody can tell."""
    was, is_ = _condition(old), _condition(new)
    if _code(was.rows) == _code(is_.rows):
        return _Changed(
            is_.where(f"{was.condition} and {is_.condition}"),
            is_.where(f"{is_.condition} and not coalesce({was.condition}, false)"),
            was.where(f"{was.condition} and not coalesce({is_.condition}, false)"),
        )
    cases = difference(without_cases(was.rows)[1], without_cases(is_.rows)[1])
    if not all(columns_pass(text, sorted(cases.conditions)) for text in (old, new)):
        return None
    return _Changed(
        is_.where(f"{was.condition} and {is_.condition} and {cases.same}"),
        is_.where(_narrowed(is_, was, cases.where) + f" and not coalesce({was.condition} and {cases.same}, false)"),
        was.where(_narrowed(was, is_, cases.where) + f" and not coalesce({is_.condition} and {cases.same}, false)"),
    )


def _narrowed(branch: _Branch, other: _Branch, cases: Sequence[str] | None) -> str:
    """The condition of a branch for rows that another one may not give in the same way: one that storage can skip files by."""
    if cases is None:
        return branch.condition
    there = {_code(one) for one in _alternatives(other.condition)}
    more = [one for one in _alternatives(branch.condition) if _code(one) not in there]
    return f"{branch.condition} and ({' or '.join(f'({one})' for one in (*more, *cases)) or 'false'})"


def _alternatives(condition: str) -> list[str]:
    """The parts of a condition in brackets between its outermost ORs."""
    code = code_tokens(condition)[1:-1]
    cuts, depth = [code[0].start], 0
    parts = []
    for token in code:
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if depth == 0 and token.word == "or":
            parts.append(condition[cuts[-1] : token.start])
            cuts.append(token.end)
    # a comment at the end of a line would take what follows
    return [f"{part}\n" if "--" in part else part.strip() for part in (*parts, condition[cuts[-1] : code[-1].end])]


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
    """Places of branches that are the same but for their last condition and the arms of CASEs; none of those that several are the same as."""
    places: dict[str, tuple[list[int], list[int]]] = {}
    for side, branches in enumerate((gone, come)):
        for place, branch in enumerate(branches):
            if found := _split(branch):
                places.setdefault(without_cases(found.rows)[0], ([], []))[side].append(place)
    return [pair for old, new in places.values() for pair in _paired(gone, old, come, new)]


def _paired(gone: Sequence[str], old: Sequence[int], come: Sequence[str], new: Sequence[int]) -> list[tuple[int, int]]:
    """Of branches that are the same but for CASEs, those whose CASEs are the same, too; and what is left, where that is one of each."""
    exact: dict[str, tuple[list[int], list[int]]] = {}
    for side, (branches, places) in enumerate(((gone, old), (come, new))):
        for place in places:
            exact.setdefault(_code(_condition(branches[place]).rows), ([], []))[side].append(place)
    found = [(one[0], other[0]) for one, other in exact.values() if len(one) == len(other) == 1]
    left = set(old) - {one for one, _ in found}, set(new) - {other for _, other in found}
    return [*found, *(zip(*left, strict=True) if len(left[0]) == len(left[1]) == 1 else ())]


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
        elif start and token.word in CLAUSES:
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
