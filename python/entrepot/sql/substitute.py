"""A query with something else in place of its tables: all places are found first, and then filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from entrepot.sql.mentions import Mention, names_of_query, numbered_mentions
from entrepot.sql.names import TableName, quoted_if_needed
from entrepot.sql.tokens import Kind, SqlError, tokens


def substitute(sql: str, replacements: Mapping[TableName, str | Sequence[str | None]]) -> str:
    """Return a query with other texts in place of some tables; what is put in may name tables itself, and stays as it is.

    A mention without an alias gets the table's own name as alias, so that `name.column` still means its columns;
    `schema.name.column` becomes `name.column`. `TABLE name` becomes a `select * from`.

    Args:
        sql: the query
        replacements: what stands in place of each table: one text for all its mentions, or one for each of them in their
            order, the last one for all that follow; where None is given, the mention stays

    Raises:
        SqlError: a mention says itself which version it reads; or a text, quoted name or comment has no end

    >>> substitute("select o.k from s.orders as o join s.lines on o.k = lines.k", {TableName("s", "lines"): "(select 1 as k)"})
    'select o.k from s.orders as o join (select 1 as k) as lines on o.k = lines.k'
    """
    names = names_of_query(sql)
    written = {table: table for table in replacements}
    numbers: dict[TableName, int] = {}
    edits: list[tuple[int, int, str]] = []
    renamed: set[TableName] = set()
    for mention in names.mentions:
        number = numbers.get(mention.table, 0)
        numbers[mention.table] = number + 1
        text = _choice(replacements.get(mention.table, ()), number)
        if text is not None:
            edits += _edits_of_mention(sql, mention, written[mention.table], text)
            if mention.alias is None:
                renamed.add(mention.table)
    edits += [(column.start, column.identifier_at, "") for column in names.columns if column.table in renamed]
    return _edited(sql, edits)


def mark_mentions(sql: str, tables: Sequence[TableName]) -> str:
    """Return a query in which every mention of the tables has an alias that a plan repeats.

    Mentions are numbered as `numbered_mentions` has them: `_occurrence_0`, `_occurrence_1`, …

    >>> mark_mentions("select * from s.a join s.b", [TableName("s", "b"), TableName("s", "a")])
    'select * from (select * from s.a as _occurrence_1) as a join (select * from s.b as _occurrence_0) as b'
    """
    marked: dict[TableName, list[str]] = {}
    for number, table in enumerate(numbered_mentions(sql, tables)):
        marked.setdefault(table, []).append(f"(select * from {table} as _occurrence_{number})")
    return substitute(sql, marked)


def inline_views(sql: str, text_of: Callable[[TableName], str | None]) -> str:
    """Return a query in which every view stands as its text, and the views in that text too.

    Args:
        sql: the query
        text_of: the text of a view, None for what is none; it is asked once for each name in a text

    Raises:
        SqlError: a view names itself; or what `substitute` raises

    >>> print(inline_views("select * from s.v", {TableName("s", "v"): "select 1"}.get))
    select * from (
    select 1
    ) as v
    """
    return _inlined(sql, text_of, ())


@lru_cache(maxsize=1024)
def view_text_told(sql: str) -> str:
    """Return a view's SQL as Spark's catalog tells it: without comments and blanks in front and blanks behind.

    >>> view_text_told("-- note" + chr(10) + " /* a */ select 1 -- b ")
    'select 1 -- b'
    """
    first = next((token for token in tokens(sql) if token.kind is not Kind.COMMENT), None)
    return sql[first.start :].rstrip() if first else ""


def _inlined(sql: str, text_of: Callable[[TableName], str | None], inside: tuple[TableName, ...]) -> str:
    texts: dict[TableName, str] = {}
    for mention in {mention.table: mention for mention in names_of_query(sql).mentions}.values():
        view = mention.table
        text = text_of(view)
        if text is not None and view in inside:
            raise SqlError(sql, mention.start, f"View {view} names itself", "Create it again from other tables.")
        if text is not None:
            texts[view] = f"(\n{_inlined(text, text_of, (*inside, view))}\n)"
    return substitute(sql, texts)


def _choice(texts: str | Sequence[str | None], number: int) -> str | None:
    """Return the text for a table's mention of that number, from 0."""
    if isinstance(texts, str):
        return texts
    return texts[min(number, len(texts) - 1)] if texts else None


def _edits_of_mention(sql: str, mention: Mention, table: TableName, text: str) -> list[tuple[int, int, str]]:
    """Return what changes at one mention: its name, and its alias where it has none."""
    if mention.is_versioned:
        problem = f"{table} is read at a version of its own"
        raise SqlError(
            sql, mention.end, problem, "Leave the version out: the job or the snapshot decides which one is read."
        )
    if mention.query_at is not None:
        query = f"select * from {text} as {quoted_if_needed(table.identifier)}"
        return [(mention.query_at, mention.end, f"table ({query})" if mention.is_argument else query)]
    edits = [(mention.start, mention.end, text)]
    if mention.alias is None:
        edits.append((mention.alias_at, mention.alias_at, f" as {quoted_if_needed(table.identifier)}"))
    return edits


def _edited(sql: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a text with all its changes."""
    pieces: list[str] = []
    last = 0
    for start, end, text in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [sql[last:start], text]
        last = end
    return "".join([*pieces, sql[last:]])
