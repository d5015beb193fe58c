"""Names in SQL: of tables and columns, quoted where they have to be, and the lists that are made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

SESSION_CATALOG = "spark_catalog"

# words that Spark never takes for an alias, or that begin what may follow a table
_JOINS = (
    "on",
    "using",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "semi",
    "anti",
    "natural",
    "outer",
    "lateral",
)
_CLAUSES = (
    "select",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "window",
    "qualify",
    "cluster",
    "distribute",
)
_SETS = ("sort", "union", "except", "minus", "setminus", "intersect")
_TABLES = ("tablesample", "pivot", "unpivot", "version", "timestamp", "for")
# what is something else than a column where an expression stands, or begins one
_NO_NAMES = frozenset(("true", "false", "null", "distinct", "all", "not", "case", "interval"))
CLAUSE_WORDS = frozenset((*_JOINS, *_CLAUSES, *_SETS, *_TABLES))


@dataclass(frozen=True, slots=True, eq=False)
class TableName:
    """The name of a table or view, as it is written; two names are equal that differ in upper and lower case alone.

    Attributes:
        schema: its schema; empty where the table is named alone
        identifier: its name in the schema
        catalog: its catalog; empty for Spark's own
    """

    schema: str
    identifier: str
    catalog: str = ""

    @classmethod
    def of(cls, parts: Sequence[str]) -> TableName:
        """Return the table that a name of one part or more stands for.

        >>> TableName.of(["spark_catalog", "marts", "orders"])
        TableName(schema='marts', identifier='orders', catalog='')
        """
        catalog = parts[0] if len(parts) > 2 else ""
        schema = ".".join(parts[1 if catalog else 0 : -1])
        return cls(schema, parts[-1], "" if catalog.lower() == SESSION_CATALOG else catalog)

    def __eq__(self, other: object) -> bool:
        """Whether the other name stands for the same table."""
        return isinstance(other, TableName) and self._folded == other._folded

    def __hash__(self) -> int:
        """Return the same number for names that stand for one table."""
        return hash(self._folded)

    @property
    def _folded(self) -> tuple[str, str, str]:
        return self.catalog.lower(), self.schema.lower(), self.identifier.lower()

    @property
    def plain(self) -> str:
        """The name without quotes, such as `marts.orders`."""
        return ".".join(part for part in (self.catalog, self.schema, self.identifier) if part)

    def __str__(self) -> str:
        """Return the name as SQL.

        >>> print(TableName("marts", "orders"), TableName("marts", "order-line"))
        marts.orders marts.`order-line`
        """
        return ".".join(quoted_if_needed(part) for part in (self.catalog, self.schema, self.identifier) if part)


def quoted(name: str) -> str:
    """Return a name in backticks.

    >>> quoted("odd`name")
    '`odd``name`'
    """
    return "`" + name.replace("`", "``") + "`"


def quoted_if_needed(name: str) -> str:
    """Return a name as Spark reads it: in backticks where it is more than letters and digits, or begins a clause.

    >>> quoted_if_needed("2024_orders"), quoted_if_needed("order-line"), quoted_if_needed("left")
    ('2024_orders', '`order-line`', '`left`')
    """
    is_plain = re.fullmatch(r"[A-Za-z0-9_]*[A-Za-z_][A-Za-z0-9_]*", name) and not re.fullmatch(
        r"(?i)\d+(?:e\d+)?(?:[lsydf]|bd)?", name
    )
    return name if is_plain and name.lower() not in CLAUSE_WORDS else quoted(name)


def is_name(text: str) -> bool:
    """Return whether Spark reads a text as a column's name wherever an expression may stand; others have to be in backticks.

    >>> is_name("order_id"), is_name("größe"), is_name("a.b"), is_name("1d"), is_name("true")
    (True, False, False, False, False)
    """
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is not None and text.lower() not in _NO_NAMES


def columns_as(columns: Sequence[str], names: Sequence[str]) -> str:
    """Return columns with new names.

    >>> columns_as(["a", "b"], ["x", "y"])
    'a as x, b as y'
    """
    return ", ".join(f"{column} as {name}" for column, name in zip(columns, names, strict=True))


def qualified(alias: str, columns: Sequence[str]) -> str:
    """Return columns behind an alias.

    >>> qualified("a", ["x", "y"])
    'a.x, a.y'
    """
    return ", ".join(f"{alias}.{column}" for column in columns)


def keys_equal(left: str, left_columns: Sequence[str], right: str, right_columns: Sequence[str]) -> str:
    """Return the condition that two keys are equal, in which null equals null; empty where there are no columns.

    >>> keys_equal("l", ["a", "b"], "r", ["x", "y"])
    'l.a <=> r.x and l.b <=> r.y'
    """
    pairs = zip(left_columns, right_columns, strict=True)
    return " and ".join(f"{left}.{one} <=> {right}.{other}" for one, other in pairs)
