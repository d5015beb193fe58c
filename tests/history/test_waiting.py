"""What waits for its master data: rows that are no facts yet, each with what is missing; against plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from tests.support.render import Renderer
from tests.support.spark import Spark

VIEWS = ("sale_row", "sale_fact", "item_of", "place_of")


def test_waiting_rows(spark: Spark, views: None) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    draw = random.Random(seed)
    rows = [
        (
            number // 4,
            number % 4,
            draw.choice([1, 2, 3, None]),
            draw.choice(["a", "b", "c"]),
            datetime(2026, 1, 1) + timedelta(hours=number),
        )
        for number in range(80)
    ]
    facts = {row[:2] for row in rows if draw.random() < 0.5}
    items, places = draw.sample([1, 2, 3], 2), draw.sample(["a", "b", "c"], 2)
    values = ", ".join(
        f"({day}, {place}, {'null' if item is None else item}, '{where}', timestamp '{at}')"
        for day, place, item, where, at in rows
    )
    spark.sql(
        f"create temporary view sale_row as select * from values {values} as t(day, line, item_code, place_code, sold_at)"
    )
    spark.sql(f"create temporary view sale_fact as select * from values {', '.join(map(str, facts))} as t(day, line)")
    # a history has many versions of a key
    spark.sql(
        f"create temporary view item_of as select explode(array({', '.join(f'{one}, {one}' for one in items)})) as item_code"
    )
    spark.sql(f"create temporary view place_of as select explode(array({', '.join(map(repr, places))})) as place_code")
    needs = {"item": ["item_of", "item_code"], "place": ["place_of", "place_code"]}
    keys = ["day", "line"]
    sql = Renderer().call("waiting_facts", "sale_row", "sale_fact", keys, needs, "sold_at", "an open day")
    expected = []
    for day, line, item, where, at in rows:
        if (day, line) not in facts:
            missing = [
                name
                for name, is_missing in (
                    ("item", item is not None and item not in items),
                    ("place", where not in places),
                )
                if is_missing
            ]
            expected.append((day, line, item, where, at, ", ".join(missing) or "an open day"))
    found = [
        (row.day, row.line, row.item_code, row.place_code, row.committed_at, row.waits_for) for row in spark.sql(sql)
    ]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert "current" not in sql, "jobs would count it anew though nothing has changed"


@pytest.fixture
def views(spark: Spark) -> Iterator[None]:
    yield
    for view in VIEWS:
        spark.session.catalog.dropTempView(view)
