"""An analyzed plan as one tree of operators over a small family of expressions: only what the analysis asks about.

Both front ends, `from_text` and `from_session`, give this tree. What they cannot tell, or what the analysis never asks about,
is `Other`: it equals only what has the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

INTEGERS = ("tinyint", "smallint", "int", "bigint")
INFIX = frozenset({"=", "<=>", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "AND", "OR"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column that an operator below gives, known by its expression id; `is_outer`: of the query around a subquery."""

    id: str
    name: str
    is_outer: bool = False
    type: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        """Write the column as Spark does."""
        text = f"{self.name}#{self.id}{'L' if self.type == 'bigint' else ''}"
        return f"outer({text})" if self.is_outer else text


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, by its text."""

    text: str

    def __str__(self) -> str:
        """Write the constant as Spark does, without quotes."""
        return self.text


@dataclass(frozen=True, slots=True)
class Cast:
    """A value converted to another type."""

    value: Expression
    type: str

    def __str__(self) -> str:
        """Write the cast as Spark does."""
        return f"cast({self.value} as {self.type})"


@dataclass(frozen=True, slots=True)
class Call:
    """A function, an aggregate or an infix operator over its arguments, by the name that Spark prints."""

    name: str
    arguments: tuple[Expression, ...]
    is_distinct: bool = False
    filter: Expression | None = None

    @property
    def inside(self) -> str:
        """The text of the arguments and the filter: equal for calls that see the same values."""
        filtered = "" if self.filter is None else f" FILTER (WHERE {self.filter})"
        return ", ".join(map(str, self.arguments)) + filtered

    def __str__(self) -> str:
        """Write the call as Spark does."""
        if self.name in INFIX and len(self.arguments) == 2:
            return f"({self.arguments[0]} {self.name} {self.arguments[1]})"
        filtered = "" if self.filter is None else f" FILTER (WHERE {self.filter})"
        return f"{self.name}({'distinct ' * self.is_distinct}{', '.join(map(str, self.arguments))}){filtered}"


@dataclass(frozen=True, slots=True)
class Membership:
    """`value IN (subquery)`."""

    value: Expression

    def __str__(self) -> str:
        """Write the condition."""
        return f"{self.value} IN (subquery)"


@dataclass(frozen=True, slots=True)
class Windowed:
    """A function over a window; `is_by_rows`: its frame ends at a row, so it tells rows apart that the order does not."""

    function: str
    is_by_rows: bool
    text: str

    def __str__(self) -> str:
        """Write the function as Spark does."""
        return self.text


@dataclass(frozen=True, slots=True)
class Other:
    """An expression that the analysis asks nothing about; equal where the text is equal."""

    text: str

    def __str__(self) -> str:
        """Write the expression as Spark does."""
        return self.text


@dataclass(frozen=True, slots=True)
class Alias:
    """A named expression with the id under which the operators above know it; none where the text does not tell."""

    value: Expression
    id: str | None
    name: str

    def __str__(self) -> str:
        """Write the alias as Spark does."""
        return f"{self.value} AS {self.name}#{self.id}"


Expression = Column | Literal | Cast | Call | Membership | Windowed | Other | Alias


@dataclass(frozen=True, slots=True)
class Use:
    """A function or a cast anywhere in an operator, and the function whose first argument it is.

    `is_foreign`: the function is not Spark's own, so that only its author knows whether the same values always give the same.
    """

    what: Call | Cast
    around: str = ""
    is_foreign: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of an analyzed plan.

    Attributes:
        kind: what Spark prints, such as `Project` or `Join`
        number: its place, counted from the top, subqueries before inputs
        variant: the type of a join, the name of an alias or a relation, the number of a CTE
        outputs: what it lists as its columns
        groups: what it groups or partitions by
        order: what it sorts by
        conditions: what a filter or a join asks for, all at once
        uses: the functions and casts in all of that
        subplans: the plans of the subqueries in its expressions
        children: its inputs
    """

    kind: str
    number: int
    variant: str = ""
    outputs: tuple[Expression, ...] = ()
    groups: tuple[Expression, ...] = ()
    order: tuple[Expression, ...] = ()
    conditions: tuple[Expression, ...] = ()
    uses: tuple[Use, ...] = ()
    subplans: tuple[Node, ...] = ()
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        """Give this operator and all below it by their numbers, each with the three operators above it, nearest first."""
        waiting: list[tuple[Node, tuple[Node, ...]]] = [(self, ())]
        while waiting:
            node, above = waiting.pop()
            yield node, above
            waiting.extend((below, (node, *above[:2])) for below in reversed(node.subplans + node.children))


@dataclass(frozen=True, slots=True)
class Plan:
    """An analyzed plan: its tree, names and types of the result's columns, and whether Spark calls it deterministic, where it says."""

    root: Node
    columns: tuple[tuple[str, str], ...]
    is_deterministic: bool | None = None


def value_of(expression: Expression) -> Expression:
    """Return what is named, without the name."""
    return expression.value if isinstance(expression, Alias) else expression


def id_of(expression: Expression) -> str | None:
    """Return the id under which operators above know an output; none where it has none.

    >>> id_of(Alias(Literal("1"), "7", "one")), id_of(Literal("1"))
    ('7', None)
    """
    if isinstance(expression, Alias) or (isinstance(expression, Column) and not expression.is_outer):
        return expression.id
    return None


def column_of(expression: Expression, with_outer: bool = False) -> tuple[Column, str | None] | None:
    """Return the column that an expression is and the integer type that it is cast to; none where it is anything else.

    >>> column_of(Cast(Column("1", "a"), "bigint"))
    (Column(id='1', name='a', is_outer=False, type=None), 'bigint')
    """
    is_cast = isinstance(expression, Cast) and expression.type in INTEGERS
    column = expression.value if isinstance(expression, Cast) and is_cast else expression
    if isinstance(column, Column) and (with_outer or not column.is_outer):
        return column, expression.type if isinstance(expression, Cast) else None
    return None


def plain_column(expression: Expression) -> Column | None:
    """Return the column that an expression is, as it is; none where it is anything else."""
    return expression if isinstance(expression, Column) and not expression.is_outer else None
