"""Which functions of a model's SQL are not Spark's own, where only the plan's text is there: in it, all functions look alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from entrepot.sql import called_names, code_only, texts, words

# what `show system functions` tells of Spark 4.2, a test says whether it still does
FILE = Path(__file__).with_name("functions.txt")
# classes of Spark's own functions are in this package
OWN_PACKAGE = "org.apache.spark.sql.catalyst."
# what gives something else each time: functions of the moment, of chance, of where a row is stored, of who asks
OF_THE_MOMENT = frozenset([
    "rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle", "monotonically_increasing_id",
    "spark_partition_id", "input_file_name", "input_file_block_start", "input_file_block_length", "current_timestamp",
    "now", "localtimestamp", "current_date", "curdate", "current_time", "current_user", "session_user", "user",
    "current_database", "current_schema", "current_catalog", "java_method", "reflect", "unix_timestamp",
])  # fmt: skip
# and what may, by arguments that are not looked at
_NOT_ALWAYS_THE_SAME = frozenset(["tablesample", "aes_encrypt", "try_reflect", "python_worker_logs"])
# `transform … using '…'` asks a program
_SCRIPT = re.compile(r"(?i)\busing\s*''")
# texts that are another day each day, cast to a date or time
DAY = re.compile(r"(now|today|tomorrow|yesterday)( [^()]*)?")
# and what else stands before a parenthesis
_KEYWORDS = frozenset([
    "all", "as", "by", "cube", "distinct", "else", "except", "from", "group", "having", "intersect", "join", "lateral",
    "limit", "minus", "offset", "on", "over", "pivot", "qualify", "rollup", "select", "sets", "table", "tablesample", "then",
    "union", "unpivot", "using", "values", "where", "with", "within", "dec", "numeric", "varchar", "character",
    "try_cast", "timestampadd", "timestampdiff",
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


def is_repeatable(sql: str) -> bool:
    """Return whether SQL, by its words alone, gives the same from the same rows whenever it runs.

    A column that is called as a function of the moment is taken for one.

    >>> is_repeatable("select a from t where b = 'of today' and upper(c) = 'X'")
    True
    >>> [is_repeatable(f"select * from t where {it}") for it in ("a < current_date", "a < date ' Today'", "price(a) > 1")]
    [False, False, False]
    """
    if not (OF_THE_MOMENT | _NOT_ALWAYS_THE_SAME).isdisjoint(words(sql)) or _SCRIPT.search(code_only(sql)):
        return False
    return not unknown_functions(sql) and not any(DAY.fullmatch(text.strip().lower()) for text in texts(sql))


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
