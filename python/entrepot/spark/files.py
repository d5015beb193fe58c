"""A small table as Spark reads it by its files, past Delta (decision 23)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from entrepot.tables.files import TableFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame_of(session: SparkSession, files: TableFiles) -> DataFrame:
    """Return the rows of a table's files, in one partition: groups, windows and joins of such tables need no exchange."""
    from pyspark.sql.types import StructType

    schema = StructType.fromJson(json.loads(files.schema))
    return session.read.schema(schema).parquet(*(f"file:{path}" for path in files.paths)).coalesce(1)
