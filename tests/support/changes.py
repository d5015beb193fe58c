"""Statements that change stored rows, without Spark: deltalake writes them in some milliseconds, where Spark takes half a second to one.

They are what happens to a source before what is tested. What Spark itself writes is tested elsewhere, and in `make campaigns`.
"""

from __future__ import annotations

import re
from typing import Any

import duckdb
import pyarrow
import sqlglot
from deltalake import DeltaTable, PostCommitHookProperties, write_deltalake
from deltalake.exceptions import DeltaError
from sqlglot import exp

from tests.support.stored import BY_SPARK, PRIMITIVES, opened

FEATURES = {"appendOnly", "invariants", "changeDataFeed", "timestampNtz"}
# what only Spark sees to
OF_SPARK = ("delta.constraints.", "delta.generationExpression", "delta.invariants", "CURRENT_DEFAULT", "delta.identity")
# sqlglot reads 'it''s' as two texts, deltalake large numbers as doubles, and DuckDB writes bytes out where they are to be a text
READ_IN_ANOTHER_WAY = re.compile(r"[^\s(,=]''|[\d.]{16}|cast\(x'")
IN_DUCKDB = {
    "string": "varchar", "long": "bigint", "integer": "integer", "short": "smallint", "byte": "tinyint", "binary": "blob",
    "timestamp": "timestamptz", "timestamp_ntz": "timestamp",
}  # fmt: skip
NO_UPKEEP = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)


def changed(statement: str) -> bool:
    """Insert, update or delete rows of a stored table; False where Spark has to."""
    if BY_SPARK or READ_IN_ANOTHER_WAY.search(statement):
        return False
    try:
        tree = sqlglot.parse_one(statement, read="spark")
        named = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        if not isinstance(tree, exp.Insert | exp.Update | exp.Delete) or not isinstance(named, exp.Table):
            return False
        table = opened(named.db, named.name) if named.db and not named.catalog else None
        if table is None or not _can_be_written(table) or tree.find(exp.Subquery):
            return False
        if isinstance(tree, exp.Insert):
            return _insert(table, tree)
        where = tree.args.get("where")
        predicate = where.this.sql(dialect="duckdb") if where else None
        if isinstance(tree, exp.Delete):
            table.delete(predicate, post_commithook_properties=NO_UPKEEP)
        elif predicate is None or any(set_.this == set_.expression for set_ in tree.expressions):
            return False  # deltalake keeps no images of all rows of a table, nor of rows that stay as they are
        else:
            updates = {set_.this.name: set_.expression.sql(dialect="duckdb") for set_ in tree.expressions}
            table.update(updates, predicate=predicate, post_commithook_properties=NO_UPKEEP)
    except (sqlglot.errors.SqlglotError, duckdb.Error, DeltaError, pyarrow.ArrowInvalid):
        return False
    return True


def _can_be_written(table: DeltaTable) -> bool:
    protocol = table.protocol()
    told = [*table.metadata().configuration, table.schema().to_json()]
    return (
        set(protocol.writer_features or ()) <= FEATURES
        and not any(word in text for word in OF_SPARK for text in told)
        and all(_type_of(field.type) for field in table.schema().fields)
    )


def _type_of(kind: Any) -> str | None:
    """Return a type as DuckDB calls it; None for nested ones."""
    name = getattr(kind, "type", "")
    if name.startswith("decimal"):
        return name
    return IN_DUCKDB.get(name, name) if name in PRIMITIVES else None


def _insert(table: DeltaTable, tree: exp.Insert) -> bool:
    if any(value for part, value in tree.args.items() if part not in ("this", "expression")):
        return False  # such as BY NAME, or OVERWRITE
    fields = table.schema().fields
    given = [column.name.lower() for column in tree.this.expressions] if isinstance(tree.this, exp.Schema) else None
    for source in list(tree.expression.find_all(exp.Table)):
        if isinstance(source.this, exp.Identifier):
            return False
        if not source.args.get("alias"):
            # Spark's range has a column id
            source.set("alias", exp.TableAlias(this=exp.to_identifier("range"), columns=[exp.to_identifier("id")]))
    with duckdb.connect(config={"autoinstall_known_extensions": "false", "threads": "1"}) as connection:
        connection.execute("set timezone = 'UTC'")
        rows = connection.sql(tree.expression.sql(dialect="duckdb"))
        names = given or [field.name.lower() for field in fields]
        if len(rows.columns) != len(names) or not set(names) <= {field.name.lower() for field in fields}:
            return False
        positions = {name: number for number, name in enumerate(names)}
        columns = ", ".join(f"c{number}" for number in range(len(names)))
        typed = ", ".join(
            f"cast({f'c{positions[field.name.lower()]}' if field.name.lower() in positions else 'null'} as {_type_of(field.type)}) as f{number}"
            for number, field in enumerate(fields)
        )
        found = connection.sql(f"select {typed} from rows as given({columns})").to_arrow_table()
    data = pyarrow.table(found.columns, names=[field.name for field in fields])
    write_deltalake(table, data, mode="append", post_commithook_properties=NO_UPKEEP)
    return True
