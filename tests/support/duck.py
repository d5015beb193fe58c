"""Queries of stored tables without Spark: DuckDB asks the rows that deltalake reads, in some milliseconds; Spark takes some hundred.

It is another engine than the one that is tested, so what it computes again is a proof of its own.
"""

from __future__ import annotations

import re
from typing import Any

import duckdb
import pyarrow
import sqlglot
from sqlglot import exp

from tests.support.stored import StoredTable, moment, stored_table

# what both engines understand alike, of values whose types they have alike
PLAIN = (
    exp.Select, exp.From, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Distinct, exp.Table, exp.TableAlias, exp.Alias,
    exp.Identifier, exp.Column, exp.Star, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Tuple, exp.Neg,
    exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Is, exp.Between,
    exp.Count, exp.CountIf, exp.Min, exp.Max, exp.Sum, exp.LogicalAnd, exp.LogicalOr,
    exp.Like, exp.If, exp.Case, exp.Coalesce,
)  # fmt: skip
# a backslash, and a quote within a text
OF_EACH = re.compile(r"\\|[^\s(,=]''")
PLAIN_TYPES = re.compile(
    r"BOOLEAN|(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)|DECIMAL\(\d+,\d+\)|FLOAT|DOUBLE|VARCHAR|BLOB|DATE|TIMESTAMP( WITH TIME ZONE)?"
)


def answered(query: str) -> list[tuple[Any, ...]] | None:
    """Return what Spark would collect, of a plain query of stored tables; None where it is not one."""
    try:
        tree = sqlglot.parse_one(query, read="spark")
    except sqlglot.errors.SqlglotError:
        return None
    return _rows(tree) if not OF_EACH.search(query) and all(isinstance(node, PLAIN) for node in tree.walk()) else None


def recomputed(query: str) -> list[tuple[Any, ...]] | None:
    """Return the rows of any query of stored tables as DuckDB understands it; None where it does not.

    Equal rows are a proof. Others may be due to what the engines understand in two ways: Spark has to be asked.
    """
    try:
        return _rows(sqlglot.parse_one(query, read="spark"))
    except sqlglot.errors.SqlglotError:
        return None


def _rows(tree: exp.Expression) -> list[tuple[Any, ...]] | None:
    tables: dict[str, StoredTable] = {}
    common = {table.alias_or_name.lower() for table in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        if not table.db and table.name.lower() in common:
            continue
        name = f"{table.db}__{table.name}".lower()
        found = tables.get(name) or (stored_table(table.db, table.name) if table.db and not table.catalog else None)
        if found is None or any(
            part for key, part in table.args.items() if key not in ("this", "db", "alias", "joins")
        ):
            return None
        tables[name] = found
        table.set("alias", table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name)))
        table.set("db", None)
        table.set("this", exp.to_identifier(name, quoted=True))
    if not tables:
        return None
    with duckdb.connect(config={"autoinstall_known_extensions": "false", "threads": "1"}) as connection:
        connection.execute("set timezone = 'UTC'")
        for name, found in tables.items():
            # of a table of its own DuckDB asks Arrow nothing, for which NaN is no number
            connection.register("given", pyarrow.table(found.rows))
            connection.execute(f'create table "{name}" as select * from given')
        try:
            result = connection.sql(tree.sql(dialect="duckdb"))
            types = [str(kind) for kind in result.types]
            if not all(PLAIN_TYPES.fullmatch(kind) for kind in types):
                return None
            columns = [column.to_pylist() for column in result.to_arrow_table().columns]
        except (duckdb.Error, sqlglot.errors.SqlglotError):
            return None
    convert = {"HUGEINT": lambda value: None if value is None else int(value), "TIMESTAMP WITH TIME ZONE": moment}
    values = [
        list(map(convert[kind], column)) if kind in convert else column
        for kind, column in zip(types, columns, strict=True)
    ]
    return list(zip(*values, strict=True))
