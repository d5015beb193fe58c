"""Whether a text is one query."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from entrepot.errors import QueryError


def check_one_query(sql: str) -> None:
    """Check that a text is one SELECT.

    Raises:
        QueryError: it is not

    >>> check_one_query("with a as (select 1) select * from a")
    """
    try:
        statements = [statement for statement in sqlglot.parse(sql, dialect="spark") if statement is not None]
    except SqlglotError as error:
        sentence = " ".join(str(error).split())
        raise QueryError(f"The query cannot be read: {sentence}.", "Correct it and ask again.") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        given = f"{len(statements)} statements" if len(statements) != 1 else f"a {statements[0].key.upper()}"
        raise QueryError(f"One SELECT is answered at a time, and this is {given}.", "Changes are made by dbt models.")
