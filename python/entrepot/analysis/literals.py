"""What the texts in a model's SQL do to its analysis."""

from __future__ import annotations

import re

_NOT_CODE = r"--[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_DAY = r"(?:now|today|tomorrow|yesterday)(?=[\s'\"])[^'\"]*"


def is_misleading(sql: str) -> bool:
    """Return whether a text in the SQL looks like a part of a printed plan: a column's id, or the end of a condition.

    >>> is_misleading("select 'a#1'"), is_misleading("select 1 -- a#1")
    (True, False)
    """
    texts = (text for text in re.findall(f"(?is){_NOT_CODE}", sql) if text[:1] in ("'", '"'))
    return any(re.search(r"#\d|\) (?:AND|OR) \(", text) for text in texts)


def day_literal(sql: str) -> str | None:
    """Return what is wrong with a literal that Spark takes for the moment; none where there is none: plans show the day that it is.

    >>> day_literal("select date'today'")
    "date'today', which is another day each time"
    >>> day_literal("select 'date''today' -- date'today'")
    """
    literal = rf"\b((?:date|timestamp\w*)\s*(?:'\s*{_DAY}'|\"\s*{_DAY}\"))"
    for found in re.finditer(f"(?is){literal}|{_NOT_CODE}", sql):
        if found[1]:
            return f"{found[1]}, which is another day each time"
    return None
