"""Insist that the files of a version of a table give what Delta gives."""

from __future__ import annotations

from entrepot.spark.files import frame_of
from entrepot.tables.files import TableFiles
from entrepot.tables.table import Table
from tests.support.spark import Spark


def agree(spark: Spark, table: Table, version: int, files: TableFiles) -> None:
    """Compare columns and rows."""
    frame = frame_of(spark.session, files)
    told = spark.session.sql(f"select * from {table.quoted} version as of {version}")
    assert frame.schema == told.schema, version
    assert sorted(map(str, frame.collect())) == sorted(map(str, told.collect())), version
