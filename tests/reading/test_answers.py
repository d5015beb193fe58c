"""The rows of an answer as Python has them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from entrepot.snapshots import Snapshot
from entrepot.warehouse import Answer
from tests.support.spark import Spark


def test_dates_that_python_does_not_know_are_text(spark: Spark) -> None:
    frame = spark.session.sql(
        "select 1 as id, timestamp'0001-01-01 00:00:00' as `first moment`, make_date(12345, 1, 2) as later, "
        "named_struct('at', timestamp'-0044-03-15 12:00:00') as nested, timestamp'2026-03-01 08:00:00' as usual"
    )
    answer = Answer(Snapshot(1, "a", datetime.now(timezone.utc), None), {}, frame, timedelta(), None)
    assert answer.rows() == [
        {
            "id": 1, "first moment": "0001-01-01 00:00:00", "later": "+12345-01-02", "nested": "{-0044-03-15 12:00:00}",
            "usual": "2026-03-01 08:00:00",
        }
    ]  # fmt: skip
    months = spark.session.sql("select interval '1-2' year to month as span")
    assert Answer(answer.snapshot, {}, months, timedelta(), None).rows() == [{"span": "INTERVAL '1-2' YEAR TO MONTH"}]
    known = Answer(answer.snapshot, {}, frame.select("id", "usual"), timedelta(), None)
    assert known.rows() == [{"id": 1, "usual": datetime(2026, 3, 1, 8)}]
