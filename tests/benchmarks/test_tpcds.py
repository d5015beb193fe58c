"""The benchmark beside OD-ETL 3.6: its stream, its readers and what it tells without Spark; a small run against DuckDB."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from benchmarks.tpcds import readers
from benchmarks.tpcds.__main__ import lay_out
from benchmarks.tpcds.chain import Job, summed
from benchmarks.tpcds.stream import ROUND, TICKETS, Stream
from benchmarks.tpcds.telling import ratios
from tests.conftest import ROOT


def test_a_stream_begins_again_with_other_numbers() -> None:
    statements = list(Stream(first=1000, parts=4).statements(3, 3))
    assert len(statements) == 6, "items, sales and corrections of part 3, then of parts 0 and 1 of the next round"
    assert ["part >= 3 and part < 4" in text for text in statements] == [True, True, False] + [False] * 3
    assert f"ss_ticket_number + {ROUND} as" in statements[4] and "part >= 0 and part < 2" in statements[4]
    corrected = [
        [int(number) for number in re.findall(r"ss_ticket_number >?=?<? ?(\d+)", text)] for text in statements[2::3]
    ]
    assert corrected == [
        [1000 + 2 * TICKETS, 1000 + 3 * TICKETS],
        [1000 + ROUND - TICKETS, 1000 + ROUND + TICKETS],
    ]


def test_a_batch_has_the_statements_of_its_parts() -> None:
    stream = Stream(first=1000, parts=40)
    (items, sales, corrected), parts = stream.statements(0, 3), [list(stream.statements(n, 1)) for n in range(3)]
    assert "part >= 0 and part < 3" in items and "part >= 0 and part < 3" in sales
    ends = [tuple(map(int, re.findall(r"ss_ticket_number [<>]=? (\d+)", text))) for *_, text in parts]
    assert all(left[1] == right[0] for left, right in itertools.pairwise(ends)), (
        "no line is corrected twice, none left out"
    )
    assert tuple(map(int, re.findall(r"ss_ticket_number [<>]=? (\d+)", corrected))) == (ends[0][0], ends[-1][1])


def test_readers_count_what_does_not_fit() -> None:
    working, within, after = threading.Event(), threading.Event(), threading.Event()
    done = count()

    def work() -> None:
        within.clear()
        working.set()
        within.wait()
        after.clear()
        working.clear()
        after.wait()
        next(done)

    def ask(question: str) -> tuple[Any, Any]:
        at_work = working.is_set()
        (within if at_work else after).set()
        return 1, 2 if at_work else 1

    found = readers.measure(ask, 2, 0.2, work, 0.01)
    assert 0 < found["inconsistent"] < found["queries"] and found["example"] == ["1", "2"]
    assert found["jobs"] == next(done)
    assert readers.measure(lambda _: (1, 1), 2, 0.02, lambda: None, 0.01)["inconsistent"] == 0


def test_work_is_done_again_and_again() -> None:
    done = count()

    def work() -> None:
        if next(done) == 3:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        readers.measure(lambda _: (1, 1), 2, 3600.0, work, 0.0)


def test_what_a_reader_raises_is_raised() -> None:
    def ask(question: str) -> tuple[Any, Any]:
        raise ValueError("no such table")

    with pytest.raises(ValueError, match="no such table"):
        readers.measure(ask, 2, 5.0, lambda: None, 5.0)


def test_the_first_jobs_and_the_last_ones_are_compared() -> None:
    told = summed([Job(float(number), 1.0, 3, 5, {}) for number in range(40)])
    assert (told["seconds"], told["statements"], told["spark_jobs"]) == (780.0, 120, 200)
    assert (told["first"], told["last"]) == (1.5, 37.5), "medians of a tenth"


def test_the_project_parses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_WAREHOUSE", str(tmp_path / "warehouse"))
    project = str(lay_out(tmp_path / "project"))
    done = dbtRunner().invoke(["--quiet", "--warn-error", "parse", "--project-dir", project, "--profiles-dir", project])
    assert done.success, done.exception
    own = {node.name for node in done.result.nodes.values() if node.package_name == "tpcds"}
    assert own == {"item_change", "item_history", "fct_store_sale", "mart_item_sales"}


def tiny(folder: Path) -> None:
    """Write two small tables with the columns that TPC-DS has: 21 items with up to two revisions, 400 tickets of three lines."""
    import duckdb

    folder.mkdir(parents=True)
    numbers = ("sold_date_sk", "sold_time_sk", "customer_sk", "cdemo_sk", "hdemo_sk", "addr_sk", "store_sk", "promo_sk")
    amounts = (
        "wholesale_cost", "list_price", "sales_price", "ext_discount_amt", "ext_sales_price", "ext_wholesale_cost", "ext_list_price",
        "ext_tax", "coupon_amt", "net_paid", "net_paid_inc_tax", "net_profit",
    )  # fmt: skip
    columns = [f"cast((ticket * 7 + line) % 90 as int) as ss_{name}" for name in numbers]
    columns += [f"cast((ticket * 13 + line * 3) % 500 + 0.5 as decimal(7, 2)) as ss_{name}" for name in amounts]
    duckdb.sql(
        f"""copy (select cast((ticket * 3 + line * 11) % 40 + 1 as int) as ss_item_sk, cast(ticket as bigint) as ss_ticket_number,
        cast(ticket % 9 + line as int) as ss_quantity, {", ".join(columns)} from range(1, 401) as t(ticket), range(3) as l(line))
        to '{folder}/store_sales.parquet' (format parquet)"""
    )
    duckdb.sql(
        f"""copy (select cast(n as int) as i_item_sk, 'AAAAAAAA' || chr(65 + cast(n as int) // 2) || 'AAAAAAA' as i_item_id,
        cast(n as decimal(7, 2)) as i_current_price, 'brand ' || n as i_brand, 'category ' || n % 3 as i_category
        from range(1, 41) as t(n)) to '{folder}/item.parquet' (format parquet)"""
    )


@pytest.mark.slow
@pytest.mark.long
def test_a_small_run(tmp_path: Path) -> None:
    tiny(tmp_path / "work" / "data-1")
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.tpcds", "--jobs", "3", "--fulls", "1", "--readers", "2", "--seconds", "5",
         "--folder", str(tmp_path / "work"), "--results", str(tmp_path), "--draw", str(tmp_path / "picture.svg")],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT)])},
        capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout + process.stderr
    (path,) = tmp_path.glob("*.json")
    record = json.loads(path.read_text())
    maintenance = record["maintenance"]
    assert maintenance["equal"]
    assert maintenance["rows"]["fct_store_sale"] == 400 * 3 + 4 * TICKETS * 3, (
        "eight parts are two rounds of the four held back"
    )
    assert 21 < maintenance["rows"]["item_history"] <= maintenance["rows"]["item_change"], (
        "a price that comes again makes no version"
    )
    assert all(job["models"]["fct_store_sale"][1].startswith("join: ") for job in maintenance["chain"]["each"])
    assert maintenance["chain"]["written"]["mart_item_sales"]["commits"] > 0
    assert all(ways["snapshot"]["inconsistent"] == 0 for ways in record["throughput"].values())
    assert set(ratios(record)) and (tmp_path / "picture.svg").exists()
