"""How fresh a query asks to be, in its own text: `CURRENCY BOUND 10 MIN` at its end (OD-ETL 3.3)."""

from __future__ import annotations

from datetime import timedelta

from entrepot.errors import QueryError
from entrepot.spans import span_told
from entrepot.sql.tokens import code_tokens


def without_bound(sql: str) -> tuple[str, timedelta | None]:
    """Return a query without the bound at its end, and the bound; none where it states none.

    Raises:
        QueryError: what follows the words is no span of time

    >>> without_bound("select 1 -- why" + chr(10) + "currency bound 10 min;")
    ('select 1 -- why\\n', datetime.timedelta(seconds=600))
    >>> without_bound("select currency bound from t")
    ('select currency bound from t', None)
    """
    code = [token for token in code_tokens(sql) if token.text != ";"]
    place = next(
        (at for at in range(len(code) - 2, -1, -1) if (code[at].word, code[at + 1].word) == ("currency", "bound")), None
    )
    if place is None or any(token.word == "from" for token in code[place + 2 :]):
        return sql, None
    told = " ".join(token.text for token in code[place + 2 :])
    found = span_told(told)
    if found is None:
        raise QueryError(
            f"CURRENCY BOUND {told or '(nothing)'} is no span of time.",
            "Write a number and SEC, MIN, HOUR or DAY at the end of the query, such as CURRENCY BOUND 10 MIN.",
        )
    return sql[: code[place].start], found
