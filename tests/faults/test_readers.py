"""Ten readers against a hundred jobs: every answer is that of one job, whole, and no reader ever fails.

`ENTREPOT_TEST_JOBS=20 pytest tests/faults/test_readers.py` runs fewer.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable

import pytest

from entrepot.snapshots import refuse_unreadable
from entrepot.spark.reader import Reader
from entrepot.target import load_target
from tests.support.dbt_case import DbtCase, delta_models

pytestmark = [pytest.mark.slow, pytest.mark.long]
JOBS = int(os.environ.get("ENTREPOT_TEST_JOBS") or 100)
READERS = 10
QUESTION = """
select (select count(*) from sale) as sales, (select sum(amount) from sale) as amount,
  (select sum(sales) from by_customer) as grouped_sales, (select sum(amount) from by_customer) as grouped_amount,
  (select count(*) from {source}) as landed
"""


def test_readers_see_whole_jobs(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models())
    source = case.source("sale", "id int, customer int, amount int", "values (0, 0, 1)")
    case.put("models/sale.sql", "{{ config(unique_key='id') }} select * from {{ source('raw', 'sale') }}")
    case.put(
        "models/by_customer.sql",
        "{{ config(unique_key='customer') }} select customer, count(*) as sales, sum(amount) as amount from {{ ref('sale') }} group by customer",
    )
    case.build()
    target, ended = load_target(case.path, case.path), threading.Event()
    seen, wrong = Counter[int](), list[str]()

    def read(session: object) -> None:
        try:
            while not ended.is_set():
                ended.wait(1)
                reader = Reader(target, session, stays=True)
                snapshot = reader.snapshots()[0]
                for relation in snapshot.relations.values():
                    refuse_unreadable(relation)
                (row,) = reader.run(QUESTION.format(source=source), snapshot).collect()
                # a job adds one sale of 1, and makes an older one worth 1 more
                sales = snapshot.number
                expected = (sales, sales + (sales - 1), sales, sales + (sales - 1), sales)
                seen[snapshot.number] += 1
                if tuple(row) != expected:
                    wrong.append(f"job {snapshot.number}: {tuple(row)}")
        except Exception as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=read, args=(case.spark.session.newSession(),)) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, JOBS):
            case.spark.sql(f"insert into {source} values ({number}, {number % 7}, 1)")
            case.spark.sql(f"update {source} set amount = amount + 1 where id = {number // 2}")
            case.build()
            if wrong:
                break
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    print(f"{sum(seen.values())} answers of {len(seen)} jobs")
    assert not wrong, wrong[:5]
    assert len(seen) > JOBS / 2
