"""Values as SQL literals, and what the literals of a SELECT mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal

from entrepot.sql.tokens import Kind, code_tokens

# what stands before and behind the text of a value that is no text; other types have no text that is exact
_EXACT = {"tinyint": ("", "Y"), "smallint": ("", "S"), "int": ("", ""), "bigint": ("", "L"), "date": ("date'", "'")}
_MOMENT = re.compile(r"(?i)\s*(?:now|today|tomorrow|yesterday)(?:\s|$)")
# a text that a printed plan shows as it is, so that it cannot be taken for anything else there
SAFE_TEXT = re.compile(r"(?!null$|0x)[\w.:/|~-]+")
MASK = "_text_"
# what Spark reads where it reads the SQL: another text in its place could be an error
_READ_AT_ONCE = frozenset(["date", "time", "timestamp", "timestamp_ntz", "timestamp_ltz", "interval", "x", "escape"])
_LOOKS_LIKE_A_PLAN = re.compile(r"#\d|\) (?:AND|OR) \(|\) (?:AS|as) ")


def literal(value: object) -> str:
    r"""Return a value as a Spark SQL literal: numbers as they are, None as `null`, all else as text.

    >>> literal(None), literal(7), literal("it's"), literal(Decimal("0E-9"))
    ('null', '7', "'it\\'s'", '0.000000000')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return f"double('{value}')"
    if isinstance(value, Decimal):
        # with an exponent it would be a double
        return f"{value:f}"
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def literals(values: Iterable[object]) -> str:
    """Return values as Spark SQL literals with commas between them.

    >>> literals([1, "a", None])
    "1, 'a', null"
    """
    return ", ".join(literal(value) for value in values)


def exact_literal(text: str, type_name: str) -> str | None:
    """Return the literal of a value of a type from its text, as Spark casts it; None for types whose text is not exact.

    >>> exact_literal("7", "bigint"), exact_literal("2024-02-29", "date"), exact_literal("a'b", "string")
    ('7L', "date'2024-02-29'", "'a\\\\'b'")
    >>> exact_literal("0.1", "double") is None
    True

    Args:
        text: the value
        type_name: what `typeof` says
    """
    if type_name == "string":
        return literal(text)
    if type_name not in _EXACT:
        return None
    before, behind = _EXACT[type_name]
    return f"{before}{text}{behind}"


def moment_literal(sql: str) -> str | None:
    """Return the first literal that Spark takes for the moment, as it is written; None where there is none.

    >>> moment_literal("select * from s.t where d < date 'today'")
    "date 'today'"
    """
    found = code_tokens(sql)
    for before, type_name, text in zip((None, *found), found, found[1:], strict=False):
        is_type = type_name.word == "date" or type_name.word.startswith("timestamp")
        is_column = before is not None and before.word == "."
        if is_type and not is_column and text.kind is Kind.TEXT and _MOMENT.match(text.content):
            return sql[type_name.start : text.end]
    return None


def has_text_like_a_plan(sql: str) -> bool:
    """Whether a text in the SQL looks like a part of a printed plan: a column's id, the end of a condition, or a name.

    >>> has_text_like_a_plan("select 'a#1'"), has_text_like_a_plan("select 1 -- a#1")
    (True, False)
    """
    return any(token.kind is Kind.TEXT and _LOOKS_LIKE_A_PLAN.search(token.text) for token in code_tokens(sql))


def with_texts_masked(sql: str) -> str:
    """Return SQL with other texts in place of those that look like a part of a printed plan, equal ones for equal ones.

    A plan of it has the same operators over the same columns.

    >>> with_texts_masked("select 'a#1' as x, 'a' as y, 'a#1' as z")
    "select '_text_0' as x, 'a' as y, '_text_0' as z"
    """
    masks: dict[str, str] = {}
    pieces: list[str] = []
    last = 0
    found = code_tokens(sql)
    for before, token in zip((None, *found), found, strict=False):
        is_masked = token.kind is Kind.TEXT and _LOOKS_LIKE_A_PLAN.search(token.text)
        if is_masked and not (before and before.word in _READ_AT_ONCE):
            pieces += [sql[last : token.start], f"'{MASK}{masks.setdefault(token.content, str(len(masks)))}'"]
            last = token.end
    return "".join([*pieces, sql[last:]])


def texts_are_safe(sql: str) -> bool:
    """Whether every text in the SQL can be taken for nothing else in a printed plan.

    >>> texts_are_safe("select 'north-west'"), texts_are_safe("select 'a, b'")
    (True, False)
    """
    return all(SAFE_TEXT.fullmatch(token.content) for token in code_tokens(sql) if token.kind is Kind.TEXT)
