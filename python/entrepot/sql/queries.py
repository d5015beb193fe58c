"""Whether a text is one query."""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from entrepot.errors import QueryError
from entrepot.sql.tokens import tokens

# functions of Spark that call any method of Java
REFLECTING = ("reflect", "try_reflect", "java_method")
# what sqlglot does not know it takes for a command, with a line on the screen
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def check_one_query(sql: str) -> None:
    """Check that a text is one SELECT, and that it reads and does nothing else.

    Raises:
        QueryError: it is not
        SqlError: it is no SQL at all, such as a text that does not end

    >>> check_one_query("with a as (select 1) select * from a")
    """
    try:
        statements = [statement for statement in sqlglot.parse(sql, dialect="spark") if statement is not None]
    except SqlglotError as error:
        raise QueryError(f"The query cannot be read{_place(error)}.", "Correct it and ask again.") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query | exp.Values):
        first = next((token.text.upper() for token in tokens(sql) if token.is_name), "")
        given = f"is {len(statements)} statements" if len(statements) != 1 else f"begins with {first}"
        raise QueryError(f"One SELECT is answered at a time, and this {given}.", "Changes are made by dbt models.")
    if runs := _run_by(statements[0]):
        raise QueryError(
            f"A query reads and does nothing else, and this one has {runs}.", "Ask in Spark's other functions."
        )


def _place(error: SqlglotError) -> str:
    found = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    near = str(found.get("highlight") or "").strip()
    where = f" at line {found['line']}, column {found['col']}" if found.get("line") and found.get("col") else ""
    return where + (f", near {near}" if near else "")


def _run_by(query: exp.Query | exp.Values) -> str | None:
    """What of a query runs a program, or any method of Java."""
    if query.find(exp.QueryTransform):
        return "a transform … using, which runs a program"
    calls = (call.name.lower() for call in query.find_all(exp.Anonymous))
    found = next((name for name in calls if name in REFLECTING), None)
    return f"{found}, which calls any method of Java" if found else None
