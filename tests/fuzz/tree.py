"""Random models as small immutable trees: expressions, relational operators, models and projects.

Every operator knows its columns and a unique key of its rows by construction. `tests.fuzz.render` writes it as SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tests.fuzz.sql_types import Dialect, Type, literal

JoinKind = Literal["inner", "left", "right", "full", "semi", "anti", "exists", "not exists", "in", "not in"]
Materialization = Literal["delta", "view", "ephemeral", "table"]
# habits of writing that mean nothing: comments that read like SQL, names in backticks, names in other letters than where they are given
Manner = Literal["commented", "quoted", "shouted"]
# joins that only say which rows of the left side stay
FILTERING: tuple[JoinKind, ...] = ("semi", "anti", "exists", "not exists", "in", "not in")


@dataclass(frozen=True)
class Expression:
    """A scalar or aggregate expression over the columns of one input, as text of both dialects."""

    type: Type
    spark: str
    duckdb: str

    def text(self, dialect: Dialect) -> str:
        """Its text in a dialect."""
        return self.spark if dialect == "spark" else self.duckdb


@dataclass(frozen=True)
class Column:
    """An output column of an operator."""

    name: str
    type: Type

    @property
    def expression(self) -> Expression:
        """The column itself as an expression."""
        return Expression(self.type, self.name, self.name)


@dataclass(frozen=True)
class Item:
    """An expression and the name that a SELECT gives it."""

    name: str
    expression: Expression

    @property
    def column(self) -> Column:
        """The output column."""
        return Column(self.name, self.expression.type)


def null_item(column: Column) -> Item:
    """A column of nulls with the name and type of another."""
    spark, duckdb = literal(None, column.type, "spark"), literal(None, column.type, "duckdb")
    return Item(column.name, Expression(column.type, spark, duckdb))


@dataclass(frozen=True)
class Node:
    """An operator.

    Attributes:
        columns: what it returns
        key: names of columns that tell its rows apart
        key_may_be_null: whether a row may have nothing but nulls in its key
    """

    columns: tuple[Column, ...]
    key: tuple[str, ...]
    key_may_be_null: bool

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The operators that it reads."""
        return ()

    def with_inputs(self, inputs: tuple[Node, ...]) -> Node:
        """The same operator over other inputs."""
        return self

    def walk(self) -> Iterator[Node]:
        """It and all operators below, as often as they are used."""
        yield self
        for node in self.inputs:
            yield from node.walk()

    def column(self, name: str) -> Column:
        """One of its columns by name."""
        return next(column for column in self.columns if column.name == name)

    def of_types(self, *types: Type) -> list[Column]:
        """Its columns of some types."""
        return [column for column in self.columns if column.type in types]


@dataclass(frozen=True)
class Relation(Node):
    """A source table or another model, by name."""

    name: str
    is_source: bool


@dataclass(frozen=True)
class Unary(Node):
    """An operator with one input."""

    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The operator that it reads."""
        return (self.input,)

    def with_inputs(self, inputs: tuple[Node, ...]) -> Node:
        """The same operator over another input."""
        return replace(self, input=inputs[0])


@dataclass(frozen=True)
class Select(Unary):
    """Expressions and, perhaps, a filter; with `distinct`, or with window functions among the expressions."""

    items: tuple[Item, ...]
    where: Expression | None = None
    distinct: bool = False
    has_window: bool = False


@dataclass(frozen=True)
class Group(Unary):
    """Group by columns; without any, one row about everything. `items` are constants, group columns and aggregates."""

    group: tuple[str, ...]
    items: tuple[Item, ...]
    having: Expression | None = None


@dataclass(frozen=True)
class Explode(Unary):
    """One row for each element of a list, with its position; the key is the input's key and the position."""

    items: tuple[Item, ...]
    list_column: str
    position: str
    element: str


@dataclass(frozen=True)
class Join(Node):
    """Two inputs joined on equal columns and, perhaps, a range.

    Attributes:
        pairs: columns of the left and the right side that must be equal
        null_safe: whether null equals null in them
        between: left column, and the two right columns in whose half-open range it must be
        items: side ('left' or 'right'), column and output name
    """

    left: Node
    right: Node
    kind: JoinKind
    pairs: tuple[tuple[str, str], ...]
    null_safe: bool
    between: tuple[str, str, str] | None
    items: tuple[tuple[str, str, str], ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The two sides."""
        return (self.left, self.right)

    def with_inputs(self, inputs: tuple[Node, ...]) -> Node:
        """The same join of other sides."""
        return replace(self, left=inputs[0], right=inputs[1])


@dataclass(frozen=True)
class Union(Node):
    """Two or more selects with the same columns, with or without duplicates."""

    branches: tuple[Node, ...]
    all: bool

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The selects."""
        return self.branches

    def with_inputs(self, inputs: tuple[Node, ...]) -> Node:
        """The same union of other selects."""
        return replace(self, branches=inputs)


@dataclass(frozen=True)
class Model:
    """A dbt model. `ctes` writes operators as CTEs instead of subqueries; `rule` is a configured delta_rule; `manners` say how it is written."""

    name: str
    root: Node
    materialized: Materialization
    ctes: bool
    rule: str | None = None
    manners: frozenset[Manner] = frozenset()

    @property
    def is_stored(self) -> bool:
        """Whether there is a table to compare."""
        return self.materialized in ("delta", "table")

    @property
    def reads(self) -> set[str]:
        """Names of the models and sources that it names."""
        return {node.name for node in self.root.walk() if isinstance(node, Relation)}

    @property
    def relation(self) -> Relation:
        """The model as an input of others."""
        return Relation(self.root.columns, self.root.key, self.root.key_may_be_null, self.name, False)


def is_join_only(node: Node, outermost: bool = True) -> bool:
    """Whether rule `join` takes the tree: select, where, inner join, and union all as the outermost operator."""
    if isinstance(node, Union):
        return node.all and outermost and all(is_join_only(branch, False) for branch in node.branches)
    if isinstance(node, Select) and (node.distinct or node.has_window):
        return False
    if isinstance(node, Group | Explode) or (isinstance(node, Join) and node.kind != "inner"):
        return False
    return all(is_join_only(input_, False) for input_ in node.inputs)
