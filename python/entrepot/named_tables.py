"""Which tables a query names, and the same query with other tables in their place."""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from entrepot.errors import QueryError
from entrepot.sql import SqlError, mentions, substitute


def parse_query(sql: str) -> exp.Query:
    """Parse one SELECT in Spark's dialect.

    Raises:
        QueryError: the text is not one query
    """
    try:
        statements = [statement for statement in sqlglot.parse(sql, dialect="spark") if statement is not None]
    except SqlglotError as error:
        sentence = " ".join(str(error).split())
        raise QueryError(f"The query cannot be read: {sentence}.", "Correct it and ask again.") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        given = f"{len(statements)} statements" if len(statements) != 1 else f"a {statements[0].key.upper()}"
        raise QueryError(f"One SELECT is answered at a time, and this is {given}.", "Changes are made by dbt models.")
    return statements[0]


def named_tables(sql: str) -> list[str]:
    """Return the tables that a query reads as `schema.name` or `name`, each once, in order of appearance.

    Raises:
        QueryError: the text is not one query

    >>> named_tables("with a as (select * from marts.x) select * from a join y on a.k = y.k")
    ['marts.x', 'y']
    """
    parse_query(sql)
    return list(dict.fromkeys(mention.table.plain for mention in mentions(sql)))


def replace_tables(sql: str, replacements: Mapping[str, str]) -> str:
    """Return the query with tables replaced by name; the rest of the text stays as it is.

    Raises:
        QueryError: a table is read at a version that the query itself gives

    >>> replace_tables("select x.k, y.k from marts.x join y on marts.x.k = y.k", {"marts.x": "`a`"})
    'select x.k, y.k from `a` as x join y on x.k = y.k'
    """
    tables = {mention.table.plain: mention.table for mention in mentions(sql)}
    texts = {tables[name]: text for name, text in replacements.items() if name in tables}
    try:
        return substitute(sql, texts)
    except SqlError as error:
        raise QueryError(error.problem, error.way_out) from error
