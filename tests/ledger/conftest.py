"""Bookkeeping tables in a folder, as Spark would have made them; no Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from entrepot.ledger.files import FileStore
from entrepot.ledger.records import RECORDS, columns

TYPES = {"string": "string", "boolean": "boolean", "bigint": "long", "double": "double", "timestamp": "timestamp"}


@pytest.fixture
def open_store(tmp_path: Path) -> Callable[[], FileStore]:
    """Opens the same tables anew each time, as another process would."""
    folders = {record.table: str(tmp_path / record.table) for record in RECORDS}
    for record in RECORDS:
        fields = [Field(column.name, PrimitiveType(TYPES[column.spark_type])) for column in columns(record)]
        DeltaTable.create(folders[record.table], Schema(fields), configuration={"delta.isolationLevel": "Serializable"})
    return lambda: FileStore(folders)
