"""Tables and changes as Spark reads them by their files, past Delta (decisions 23 and 58)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from entrepot.tables.feed import FeedFiles
from entrepot.tables.files import MOST_BYTES, TableFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def frame_of(session: SparkSession, files: TableFiles | FeedFiles) -> DataFrame:
    """Return the rows of files; those of changes with `_change_type` as Delta's change feed has it.

    Those of small files are in one partition: groups, windows and joins of such tables need no exchange.
    """
    from pyspark.sql.types import StructType

    columns = StructType.fromJson(json.loads(files.schema))
    frame = _changes(session, files, columns) if isinstance(files, FeedFiles) else _read(session, columns, files.paths)
    return frame.coalesce(1) if files.size <= MOST_BYTES else frame


def _changes(session: SparkSession, feed: FeedFiles, columns: StructType) -> DataFrame:
    from pyspark.sql.functions import lit
    from pyspark.sql.types import StringType, StructType

    said = StructType([*columns.fields]).add("_change_type", StringType())
    frames = [_read(session, said, feed.told)] if feed.told else []
    for paths, change in ((feed.inserted, "insert"), (feed.deleted, "delete")):
        if paths:
            frames.append(_read(session, columns, paths).withColumn("_change_type", lit(change)))
    return reduce(lambda some, more: some.unionAll(more), frames)


def _read(session: SparkSession, columns: StructType, paths: Sequence[str]) -> DataFrame:
    return session.read.schema(columns).parquet(*(f"file:{path}" for path in paths))
