"""Which tables a query names, and the same query with other tables in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from entrepot.errors import QueryError


@dataclass(frozen=True)
class Mention:
    """One place in a query's text.

    Attributes:
        name: the table as `schema.name` or `name`, without quotes
        start, end: where it stands in the text, [start, end)
        alias: what must follow so that its columns still resolve; empty where the query gives an alias itself
    """

    name: str
    start: int
    end: int
    alias: str


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


def mentions(sql: str) -> list[Mention]:
    """Return the places where a query names a table, in the order of the text; names of its own CTEs are none.

    Raises:
        QueryError: the text is not one query
    """
    found: dict[int, Mention] = {}
    for scope in traverse_scope(parse_query(sql)):
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
                parts = source.parts
                start, end = parts[0].meta["start"], parts[-1].meta["end"] + 1
                alias = "" if source.alias else parts[-1].name
                found[start] = Mention(".".join(part.name for part in parts), start, end, alias)
    return [found[start] for start in sorted(found)]


def named_tables(sql: str) -> list[str]:
    """Return the tables that a query reads, each once, in order of appearance.

    >>> named_tables("with a as (select * from marts.x) select * from a join y on a.k = y.k")
    ['marts.x', 'y']
    """
    return list(dict.fromkeys(mention.name for mention in mentions(sql)))


def replace_tables(sql: str, replacements: Mapping[str, str]) -> str:
    """Return the query with tables replaced by name; the rest of the text stays as it is.

    >>> replace_tables("select x.k, y.k from marts.x join y on marts.x.k = y.k", {"marts.x": "`a`"})
    'select x.k, y.k from `a` as x join y on x.k = y.k'
    """
    edits: list[tuple[int, int, str]] = []
    for mention in mentions(sql):
        if mention.name in replacements:
            suffix = f" as {mention.alias}" if mention.alias else ""
            edits.append((mention.start, mention.end, replacements[mention.name] + suffix))
    for column in parse_query(sql).find_all(exp.Column):
        schema, table = column.args.get("db"), column.args.get("table")
        if schema is not None and table is not None and f"{schema.name}.{table.name}" in replacements:
            edits.append((schema.meta["start"], table.meta["start"], ""))
    for start, end, text in sorted(set(edits), reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql
