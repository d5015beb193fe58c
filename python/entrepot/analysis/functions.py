"""Which functions of a model's SQL are not Spark's own, where only the plan's text is there: in it, all functions look alike."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from entrepot.sql import called_names

# what `show system functions` tells of Spark 4.2, a test says whether it still does
FILE = Path(__file__).with_name("functions.txt")
# classes of Spark's own functions are in this package
OWN_PACKAGE = "org.apache.spark.sql.catalyst."
# and what else stands before a parenthesis
_KEYWORDS = frozenset([
    "all", "as", "by", "cube", "distinct", "else", "except", "from", "group", "having", "intersect", "join", "lateral",
    "limit", "minus", "offset", "on", "over", "pivot", "rollup", "select", "sets", "table", "tablesample", "then",
    "union", "unpivot", "using", "values", "where", "with", "within", "dec", "numeric", "varchar",
])  # fmt: skip


@cache
def known_names() -> frozenset[str]:
    """Return the names of Spark's own functions and keywords, in lower case."""
    return _KEYWORDS.union(FILE.read_text().split())


def unknown_functions(sql: str) -> list[str]:
    """Return the names that SQL calls and that are neither Spark's own nor keywords; a table's alias with columns is one of them, too.

    >>> unknown_functions("select upper(a), price(b), default.upper(c) from t where d in (1, 2)")
    ['price', 'default.upper']
    """
    return [name for name in called_names(sql) if name.lower() not in known_names()]


def is_of_others(description: Iterable[str]) -> bool:
    """Return whether `describe function` tells of a function that others have written in another language than SQL.

    One in SQL is in the plan as what it computes.

    >>> is_of_others(["Function: default.price", "Class: org.example.Price", "Usage: N/A."])
    True
    >>> is_of_others(["Function: upper", "Class: org.apache.spark.sql.catalyst.expressions.Upper"])
    False
    >>> is_of_others(["Function: default.next", "Type:     SCALAR", "Input:    a INT"])
    False
    """
    classes = [line.removeprefix("Class:").strip() for line in description if line.startswith("Class:")]
    return any(not class_.startswith(OWN_PACKAGE) for class_ in classes)


def words_for(name: str) -> str:
    """Return the words for a function that is not Spark's own."""
    return f"{name}(), which is not a function of Spark's own and may give something else each time"
