"""What macros ask about SQL text, as methods of the adapter (see `entrepot.sql`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot import sql as text


class Relation(Protocol):
    """What is asked of dbt's relations."""

    schema: str
    identifier: str


class SqlMethods(metaclass=AdapterMeta):
    """SQL text as macros need it; no connection is asked."""

    @for_macros
    def sql_mention_count(self, sql: str, relation: Relation) -> int:
        """Return how often a query reads a relation; `sql_substitute` replaces as many mentions."""
        return len(text.mentions(sql, table_of(relation)))

    @for_macros
    def sql_substitute(self, sql: str, texts: Mapping[Relation, str | Sequence[str | None]]) -> str:
        """Return a query with other texts in place of some relations.

        Args:
            sql: the query
            texts: what stands in place of each relation: one text for all its mentions, or one for each of them in their
                order, the last one for all that follow; where None is given, the mention stays
        """
        return text.substitute(sql, {table_of(relation): places for relation, places in texts.items()})

    @for_macros
    def sql_view_text_told(self, sql: str) -> str:
        """Return a view's SQL as Spark's catalog tells it: without comments and blanks in front and blanks behind."""
        return text.view_text_told(sql)

    @for_macros
    def sql_literal(self, value: object) -> str:
        """Return a value as a Spark SQL literal: numbers as they are, none as `null`, all else as text."""
        return text.literal(value)

    @for_macros
    def sql_literals(self, values: Iterable[object]) -> str:
        """Return values as Spark SQL literals with commas between them."""
        return text.literals(values)

    @for_macros
    def sql_name(self, name: str) -> str:
        """Return a name as Spark reads it, in backticks where it has to be."""
        return text.quoted_if_needed(name)

    @for_macros
    def sql_qualified(self, alias: str, columns: Sequence[str]) -> str:
        """Return `a.x, a.y`."""
        return text.qualified(alias, columns)


def table_of(relation: Relation) -> text.TableName:
    """Return a relation's name; a profile's schema may have a catalog in front."""
    return text.TableName.of([*relation.schema.split("."), relation.identifier])
