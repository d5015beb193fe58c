"""Names in SQL that something in parentheses follows, as it follows the name of a function."""

from __future__ import annotations

from entrepot.sql.tokens import Token, code_tokens


def called_names(sql: str) -> list[str]:
    """Return the names that an opening parenthesis follows, as they are written and each once; keywords are among them.

    >>> called_names("select upper(a), `b-c`.price (d) from t where e in (select 'f(x)' /* g() */)")
    ['upper', '`b-c`.price', 'in']
    """
    found: dict[str, None] = {}
    name: list[Token] = []
    for token in code_tokens(sql):
        if token.word == "(" and name:
            found["".join(piece.text for piece in name)] = None
        goes_on = bool(name) and (token.word == "." or name[-1].word == ".")
        name = [*(name if goes_on else []), token] if goes_on or token.is_name else []
    return list(found)
