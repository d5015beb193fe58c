"""Readers that ask questions with one right answer, by published snapshots or of the tables as they are, while jobs run."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import cpu_seconds
from entrepot.warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# each answer is a pair, of the aggregate and of the facts below it: equal where both are of one job
QUESTIONS = (
    "select (select sum(lines) from default_marts.mart_item_sales) as above, (select count(*) from default_marts.fct_store_sale) as below",
    "select (select sum(net_paid) from default_marts.mart_item_sales) as above, (select sum(net_paid) from default_marts.fct_store_sale) as below",
    "select (select sum(quantity) from default_marts.mart_item_sales where item_id < 'AAAAAAAAI') as above, "
    "(select sum(quantity) from default_marts.fct_store_sale where item_id < 'AAAAAAAAI') as below",
)


class Beside(Warehouse):
    """A warehouse that is asked in the process of its jobs, by a session beside theirs, as `entrepot run` does."""

    def __init__(self, project: Path, target: str) -> None:
        """Open the warehouse of a project; Spark is there already."""
        from entrepot.spark.reader import Reader
        from entrepot.spark.session import session_beside

        super().__init__(project, project, target)
        self._reader = Reader(self.target, session_beside(), stays=True)


Ask = Callable[[str], tuple[Any, Any]]


def by_snapshot(warehouse: Warehouse) -> Ask:
    """Ask the newest published snapshot, as `entrepot query` and `entrepot run` do."""

    def ask(question: str) -> tuple[Any, Any]:
        (row,) = warehouse.query(question).rows()
        return row["above"], row["below"]

    return ask


def as_they_are(session: SparkSession) -> Ask:
    """Ask the tables, each as it is at that moment."""

    def ask(question: str) -> tuple[Any, Any]:
        (row,) = session.sql(question).collect()
        return row.above, row.below

    return ask


def measure(ask: Ask, readers: int, seconds: float, work: Callable[[], None], pause: float) -> dict[str, Any]:
    """Have so many threads ask one question after the other, for so long, while `work` is done again and again with a pause between.

    Each thread asks once at least and waits for its last answer, and `work` is done once at least.

    Returns:
        figures: queries, seconds, per_second, median and slowest tenth of a query, inconsistent answers, jobs and their median seconds

    Raises:
        Exception: what a reader or `work` raised first
    """
    over = threading.Event()
    taken: list[float] = []
    wrong: list[tuple[Any, Any]] = []
    failed: list[BaseException] = []

    def read(first: int) -> None:
        for number in count(first):
            began = time.monotonic()
            try:
                above, below = ask(QUESTIONS[number % len(QUESTIONS)])
            except Exception as error:  # the main thread says it
                failed.append(error)
                over.set()
                return
            taken.append(time.monotonic() - began)
            if above != below:
                wrong.append((above, below))
            if over.is_set():
                return

    threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
    began, cpu_began = time.monotonic(), cpu_seconds()
    jobs = []
    try:
        for thread in threads:
            thread.start()
        while True:
            job_began = time.monotonic()
            work()
            jobs.append(time.monotonic() - job_began)
            if (
                over.wait(max(0.0, min(pause, seconds - (time.monotonic() - began))))
                or time.monotonic() - began >= seconds
            ):
                break
    finally:
        over.set()
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]
    lasted = time.monotonic() - began
    return {
        "queries": len(taken),
        "seconds": round(lasted, 1),
        "cpu_seconds": round(cpu_seconds() - cpu_began, 1),
        "per_second": round(len(taken) / lasted, 3),
        "median": round(statistics.median(taken), 3),
        "slow": round(sorted(taken)[len(taken) * 9 // 10], 3),
        "inconsistent": len(wrong),
        "example": [str(value) for value in wrong[0]] if wrong else None,
        "jobs": len(jobs),
        "job_median": round(statistics.median(jobs), 2),
    }
