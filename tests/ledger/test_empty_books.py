"""The books that the tests' projects get are those that Spark makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from entrepot.ledger.layout import create_table
from entrepot.ledger.records import RECORDS
from tests.support.dbt_case import DbtCase
from tests.support.spark import Spark

SCHEMA = "books_made_by_spark"
# what is each table's own
OWN = {"id", "name", "location", "createdAt", "lastModified", "numFiles", "sizeInBytes"}


def told(spark: Spark, name: str) -> tuple[Any, ...]:
    """What Spark says of a table: its columns, its properties and features, and its kind."""
    (detail,) = spark.sql(f"describe detail {name}")
    rows = spark.sql(f"describe extended {name}")
    kind = {row.col_name: row.data_type for row in rows if row.col_name in ("Type", "Provider", "Table Properties")}
    columns = [(row.col_name, row.data_type) for row in spark.sql(f"describe {name}")]
    return {key: value for key, value in detail.asDict().items() if key not in OWN}, kind, columns


def test_a_copy_is_what_spark_makes(spark: Spark, dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case().write(models__one_sql="select 1 as id")
    outcome = case.build()
    assert not [sql for sql in outcome.statements if "create table" in sql], "they are copied"
    spark.sql(f"create schema {SCHEMA}")
    try:
        for record in RECORDS:
            spark.sql(create_table(SCHEMA, record))
            assert told(spark, case.table("ops", record.table)) == told(spark, f"{SCHEMA}.{record.table}")
    finally:
        spark.sql(f"drop schema {SCHEMA} cascade")
    copies = [case.table("ops", record.table) for record in RECORDS]
    assert len({spark.sql(f"describe detail {name}")[0].id for name in copies}) == len(copies)
