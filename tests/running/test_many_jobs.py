"""Many jobs in one process leave nothing behind that grows: threads, temporary views, rows in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from entrepot.running.job import JobReport, run_job
from tests.support.dbt_case import DbtCase, delta_models

JOBS = 30
# of up to 100 threads each, of which those end that have had nothing to do for a minute
POOLS = ("block-manager-storage-async-thread-pool-", "block-manager-ask-thread-pool-", "broadcast-exchange-")


@pytest.mark.long
def test_nothing_grows_from_job_to_job(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="n"))
    table = case.source("number", "n int, word string", "values (1, 'a'), (2, 'b')")
    case.write(
        models__left_sql="select n, upper(word) as word from {{ source('raw', 'number') }}",
        models__both_sql="select l.n, l.word, r.word as again from {{ ref('left') }} as l inner join {{ ref('left') }} as r on l.n = r.n",
    )
    session = case.spark.session
    jvm = session._jvm

    def job(number: int) -> JobReport:
        case.spark.change(f"insert into {table} values ({number}, 'x')")
        report = run_job({"project_dir": case.path, "profiles_dir": case.path}, "--no-write-json")
        assert report.success, report.problems
        return report

    def names() -> list[str]:
        return [thread.getName() for thread in jvm.java.lang.Thread.getAllStackTraces().keySet().toArray()]

    def counted() -> dict[str, int]:
        return {
            "threads": threading.active_count(),
            "threads of the JVM": sum(not str(name).startswith(POOLS) for name in names()),
            "views": len(session.sql("show views in global_temp").collect()),
            "rows in memory": session.sparkContext._jsc.getPersistentRDDs().size(),
        }

    for number in range(10, 12):
        job(number)
    before = counted()
    reports = [job(number) for number in range(20, 20 + JOBS)]
    after = counted()
    # each job reads and writes its one row, whatever ran before it in this process
    assert {(one.rows_written, one.relations) for one in reports} == {(2, 2)}
    assert len({one.number for one in reports}) == JOBS
    assert after["views"] <= before["views"], (before, after)
    # connections of py4j come and go, and rows that nobody reads any more go with the next collection of garbage
    assert after["rows in memory"] <= before["rows in memory"] + 3, (before, after)
    assert after["threads"] <= before["threads"] + 2, (before, after)
    assert after["threads of the JVM"] <= before["threads of the JVM"] + 15, (before, after)
