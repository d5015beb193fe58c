"""Insist that the files of a version of a table give what Delta gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from entrepot.spark.files import frame_of
from entrepot.tables.files import TableFiles
from entrepot.tables.table import Table
from tests.support.spark import Spark


def agree(
    spark: Spark, table: Table, version: int, files: TableFiles, rows: Sequence[tuple[Any, ...]] | None = None
) -> None:
    """Compare columns and rows; `rows` are what another reader has told of the version, Delta is asked otherwise."""
    frame = frame_of(spark.session, files)
    told = spark.session.sql(f"select * from {table.quoted} version as of {version}")
    assert frame.schema == told.schema, version
    found = told.collect() if rows is None else rows
    assert sorted(map(_text, frame.collect())) == sorted(map(_text, found)), version


def _text(value: Any) -> str:
    """A value as a text that is the same for a row and a tuple."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    return repr(bytes(value) if isinstance(value, bytearray) else value)
