"""CASE expressions that differ between two texts of a SELECT, and for which rows they choose the same.

Two texts that are the same but for the arms of some CASEs give the same of a row for which each CASE chooses the same result. Which one that is
can be asked outside of the SELECT where the conditions are of columns that pass through it as they are (`columns_pass`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from entrepot.sql.tokens import Kind, Token, code_tokens

# what conditions on single columns are made of, besides names and literals
_OPERATORS = ("and", "or", "not", "in", "is", "null", "true", "false", "between", "like", "<=>")
_COMPARISONS = ("=", "==", "<", ">", "<=", ">=", "<>", "!=", "(", ")", ",", "-")
# what may stand before a column; anything else in front of a name could make it an alias
_BEFORE = (
    "select", "when", "then", "else", "case", "where", "and", "or", "not", "in", "between", "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>",
    "(", ",", "+", "-", "*", "/", "%", "||",
)  # fmt: skip
# what may follow the condition of a WHERE in its own SELECT, after which the condition does not choose rows one by one
CLAUSES = (
    "group", "having", "order", "sort", "cluster", "distribute", "limit", "offset", "window", "qualify", "lateral", "|>",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A searched CASE.

    Attributes:
        arms: conditions and results in their order; a result that is nothing but a CASE is one
        otherwise: the result of ELSE, empty where there is none
    """

    arms: tuple[tuple[str, str | Case], ...]
    otherwise: str

    def numbered(self, numbers: dict[str, int]) -> str:
        """Return the SQL of which result is chosen, as a number; equal results have one, which is added to `numbers`."""
        arms = [
            f"when {condition} then {result.numbered(numbers) if isinstance(result, Case) else numbers.setdefault(result, len(numbers) + 1)}"
            for condition, result in self.arms
        ]
        other = f" else {numbers.setdefault(self.otherwise, len(numbers) + 1)}" if self.otherwise else ""
        return f"case {' '.join(arms)}{other} end"

    def conditions(self) -> Iterator[str]:
        """Yield all conditions, also those of its results."""
        for condition, result in self.arms:
            yield condition
            if isinstance(result, Case):
                yield from result.conditions()


@dataclass(frozen=True, slots=True)
class Difference:
    """CASEs of an earlier and a later text that differ.

    Attributes:
        same: SQL, true of rows for which all of them choose the same; never null
        where: conditions of which one is true wherever `same` is not; none where nobody knows
        conditions: all conditions in them
    """

    same: str
    where: tuple[str, ...] | None
    conditions: frozenset[str]


def without_cases(sql: str) -> tuple[str, tuple[Case, ...]]:
    """Return the code of SQL with its outermost searched CASEs left out, and these in their order.

    >>> without_cases("select case when a = 1 then b else c end as d from t")
    ('select case end as d from t', (Case(arms=(('a = 1', 'b'),), otherwise='c'),))
    """
    code = code_tokens(sql)
    words: list[str] = []
    found: list[Case] = []
    place = 0
    while place < len(code):
        end = _end_of_case(code, place)
        if end:
            found.append(_case(code[place:end]))
            words += ["case", "end"]
        else:
            words.append(code[place].text)
        place = end or place + 1
    return " ".join(words), tuple(found)


def difference(earlier: Sequence[Case], later: Sequence[Case]) -> Difference:
    """Return how CASEs differ from those at the same places of another text."""
    same: dict[str, None] = {}
    where: list[str] | None = []
    conditions: set[str] = set()
    for old, new in zip(earlier, later, strict=True):
        if old == new:
            continue
        numbers: dict[str, int] = {}
        same[f"({old.numbered(numbers)}) <=> ({new.numbered(numbers)})"] = None
        conditions |= {*old.conditions(), *new.conditions()}
        arms = _differing(old, new)
        where = None if where is None or arms is None else where + arms
    return Difference(
        " and ".join(same), tuple(dict.fromkeys(where)) if where is not None else None, frozenset(conditions)
    )


def columns_pass(sql: str, conditions: Sequence[str]) -> bool:
    """Whether conditions mean the same within SQL, wherever they stand in it, and at its end: they are of columns of the one table that is read.

    It is so where the SQL is a SELECT from a table or from such a SELECT, with nothing else than WHERE, and no name of a column in the conditions
    is ever an alias.

    Args:
        sql: a SELECT that ends with its WHERE
        conditions: those of its CASEs, which the WHERE of all of it names as well

    >>> columns_pass("select a, case when a = 1 then 2 end as x from t where a > 0", ["a = 1"])
    True
    >>> columns_pass("select case when a = 1 then 2 end as x from (select b as a from t) where a > 0", ["a = 1"])
    False
    """
    names: set[str] = set()
    for condition in conditions:
        found = _columns(condition)
        if found is None:
            return False
        names |= found
    code = code_tokens(sql)
    start = max((place for place, token in _outermost(code) if token.word == "where"), default=len(code))
    is_there = names <= {token.name.lower() for token in code[start:] if token.is_name}
    return is_there and _is_chain(code) and not names & _parameters(code) and not _may_be_named(code, names)


def _end_of_case(code: Sequence[Token], start: int) -> int | None:
    """The place behind the END of a searched CASE that begins at a place; None where none does."""
    if [token.word for token in code[start : start + 2]] != ["case", "when"] or (start and code[start - 1].text == "."):
        return None
    depth = 0
    for place in range(start, len(code)):
        if place and code[place - 1].text == ".":
            continue
        depth += {"case": 1, "end": -1}.get(code[place].word, 0)
        if depth == 0:
            return place + 1
    return None


def _case(code: Sequence[Token]) -> Case:
    """A CASE of all its tokens."""
    parts: list[tuple[str, list[Token]]] = []
    depth = 0
    for before, token in pairwise(code[:-1]):
        word = token.word if before.text != "." else ""
        if depth == 0 and word in ("when", "then", "else"):
            parts.append((word, []))
        else:
            depth += {"(": 1, ")": -1, "case": 1, "end": -1}.get(word, 0)
            parts[-1][1].append(token)
    otherwise = " ".join(token.text for word, found in parts if word == "else" for token in found)
    whens = [found for word, found in parts if word == "when"]
    thens = [found for word, found in parts if word == "then"]
    arms = ((" ".join(token.text for token in when), _result(then)) for when, then in zip(whens, thens, strict=True))
    return Case(tuple(arms), otherwise)


def _result(code: Sequence[Token]) -> str | Case:
    return _case(code) if _end_of_case(code, 0) == len(code) else " ".join(token.text for token in code)


def _differing(old: Case, new: Case) -> list[str] | None:
    """The conditions of arms that only one of two CASEs has; None where one of them may matter that both have."""
    common = [[arm for arm in one.arms if arm in other.arms] for one, other in ((old, new), (new, old))]
    if common[0] != common[1] or old.otherwise != new.otherwise:
        return None
    return [condition for condition, result in (*old.arms, *new.arms) if (condition, result) not in common[0]]


def _columns(condition: str) -> set[str] | None:
    """The columns of a condition, in lower case; None where it has something else than columns, literals and comparisons."""
    found = set()
    for token in code_tokens(condition):
        if token.kind in (Kind.TEXT, Kind.NUMBER) or token.word in (*_OPERATORS, *_COMPARISONS):
            continue
        if not token.is_name:
            return None
        found.add(token.name.lower())
    return found


def _is_chain(code: Sequence[Token]) -> bool:
    """Whether tokens are a SELECT from a table or from such a SELECT in brackets, with a WHERE or nothing behind it, and no other SELECT anywhere."""
    selects = sum(token.word == "select" for token in code)
    levels = 0
    while code and code[0].word == "select":
        levels += 1
        start = next((place + 1 for place, token in _outermost(code) if token.word == "from"), None)
        if start is None or start == len(code) or any(token.word == "distinct" for token in code[1:2]):
            return False
        end = start + 1
        if code[start].word == "(":
            closing = next((place for place, token in _outermost(code[end:]) if token.word == ")"), len(code))
            end += closing + 1
        else:
            while [token.text for token in code[end : end + 1]] == ["."]:
                end += 2
        behind = code[end:]
        if behind and (behind[0].word != "where" or any(token.word in CLAUSES for _, token in _outermost(behind))):
            return False
        code = code[start + 1 : end - 1] if code[start].word == "(" else ()
    return levels > 0 and levels == selects


def _outermost(code: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """Yield places and tokens that are in no brackets, and the first bracket that closes none of these."""
    depth = 0
    for place, token in enumerate(code):
        if token.word == ")":
            depth -= 1
            if depth < 0:
                yield place, token
                return
        else:
            if depth == 0:
                yield place, token
            depth += token.word == "("


def _parameters(code: Sequence[Token]) -> set[str]:
    """The names of all parameters of lambdas, in lower case."""
    found = set()
    for place, token in enumerate(code):
        if token.text == "->":
            start = place - 1
            if code[start].word == ")":
                while code[start].word != "(":
                    start -= 1
            found |= {one.name.lower() for one in code[start:place] if one.is_name}
    return found


def _may_be_named(code: Sequence[Token], names: set[str]) -> bool:
    """Whether something else may get one of these names: as an alias, or as a field of a struct that is spread out."""
    return any(
        (token.text == "*" and before.text == ".")
        or (token.is_name and token.name.lower() in names and before.word not in _BEFORE)
        for before, token in pairwise(code)
    )
