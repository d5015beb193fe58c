"""Rows of Delta tables, without Spark. The tables are written by `deltalake` too; tests/tables/test_logs.py reads Spark's."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from entrepot.tables.log import LogError
from entrepot.tables.rows import query_rows
from entrepot.tables.table import Table

deltalake = pytest.importorskip("deltalake")
arro3 = pytest.importorskip("arro3.core")
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)


def micros(*moments: datetime | None) -> Any:
    numbers = [None if moment is None else round(moment.timestamp() * 1_000_000) for moment in moments]
    return arro3.Array(numbers, arro3.DataType.int64()).cast(arro3.DataType.timestamp("us", tz="UTC"))


def test_rows(tmp_path: Path) -> None:
    places = {}
    for name in ("job", "run"):
        places[name] = Table(("ops", name), f"file:{tmp_path}/{name}")
        numbers = arro3.Array([1, 2], arro3.DataType.int64())
        texts = arro3.Array([name, None], arro3.DataType.utf8())
        times = micros(AT, None)
        deltalake.write_deltalake(
            f"{tmp_path}/{name}", arro3.Table.from_pydict({"number": numbers, "text": texts, "at": times})
        )
    found = query_rows(
        "select j.number, r.text, r.at from job as j join run as r on j.number = r.number order by 1", places
    )
    assert found == [{"number": 1, "text": "run", "at": AT}, {"number": 2, "text": None, "at": None}]
    assert query_rows("select * from job where number > 5", places) == []


@pytest.mark.parametrize("location", [None, "s3://bucket/x", "/nowhere"])
def test_tables_that_are_not_here(location: str | None) -> None:
    with pytest.raises(LogError, match=r"Ask Spark\."):
        query_rows("select * from t", {"t": Table(("ops", "t"), location)})


def test_a_query_that_fails(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be read"):
        query_rows("select nothing from nowhere", {})
