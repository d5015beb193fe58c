"""Killed runs: repeated, they end equal to one never killed, and readers never see anything half done.

One that dies before each of two commits; hundreds of kills at random moments with `make campaigns`. Those before every statement of a
job from landing to marts are in `tests/faults`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from entrepot.spark.reader import Reader
from entrepot.target import load_target
from tests.faults.dying import NEVER, dying
from tests.faults.put_back import kept
from tests.support.dbt_case import DbtCase, delta_models

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
KILLS = int(os.environ.get("ENTREPOT_TEST_KILLS") or 300)
KILLS_IN_A_GENERATION = 3
NODE = "model.entrepot.joined"
CHECKED = ("orders", "joined", "per_customer", "ranked")
Tables = dict[str, list[tuple[Any, ...]]]

MODELS = {
    "models__joined_sql": """{{ config(unique_key='order_id', delta_rule='join') }}
        select orders.order_id, orders.amount, customer.customer_id, customer.name
        from {{ ref('orders') }} inner join {{ ref('north') }} as customer on orders.customer_id = customer.customer_id""",
    "models__per_customer_sql": """{{ config(unique_key='customer_id',
            scope={'customer': ['customer_id'], 'orders': ['customer_id']}) }}
        select customer.customer_id, count(orders.order_id) as orders, sum(orders.amount) as amount
        from {{ ref('customer') }} left join {{ ref('orders') }} on customer.customer_id = orders.customer_id
        group by customer.customer_id""",
    "models__ranked_sql": """{{ config(unique_key='customer_id', delta_rule='full') }}
        select customer_id, rank() over (order by amount desc nulls last) as place from {{ ref('per_customer') }}""",
    "models__north_sql": """{{ config(materialized='view') }}
        select * from {{ ref('customer') }} where region = 'north'""",
}


def write_seeds(case: DbtCase, random_: random.Random) -> None:
    """Write two seeds with random rows: few keys, so that rows come, change, go and come back."""
    customers = [
        f"{number},{random_.choice(['ada', 'bea', ''])},{random_.choice(['north', 'south'])}"
        for number in range(1, 9) if random_.random() < 0.8
    ]  # fmt: skip
    orders = [
        f"{number},{random_.randint(1, 8)},{random_.randint(1, 99)}"
        for number in range(1, 25)
        if random_.random() < 0.8
    ]
    case.put("seeds/customer.csv", "\n".join(["customer_id,name,region", *customers]) + "\n")
    case.put("seeds/orders.csv", "\n".join(["order_id,customer_id,amount", *orders]) + "\n")


class KilledWarehouse:
    """A warehouse of its own whose jobs are processes of their own. Tables above `merge_bytes` take changes in two commits."""

    def __init__(self, case: DbtCase, folder: Path) -> None:
        self.case, self.folder = case, folder
        self.merge_bytes = 0

    def start(self) -> subprocess.Popen[bytes]:
        """Start `dbt build` in a process group of its own."""
        command = [
            str(Path(sys.executable).with_name("dbt")),
            "build",
            "--quiet",
            "--project-dir",
            ".",
            "--profiles-dir",
            ".",
            "--vars",
            f"entrepot_merge_bytes: {self.merge_bytes}",
        ]
        return subprocess.Popen(
            command, cwd=self.case.path, start_new_session=True, env=os.environ | {"ENTREPOT_WAREHOUSE": str(self.folder)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def complete(self) -> float:
        """Run one job to its end; return how many seconds it took."""
        began = time.monotonic()
        process = self.start()
        output, _ = process.communicate()
        assert process.returncode == 0, output.decode()[-4000:]
        return time.monotonic() - began

    def kill_after(self, seconds: float, meanwhile: Callable[[], None]) -> None:
        """Start a job, call `meanwhile` half-way, and kill everything that belongs to it after `seconds`."""
        process = self.start()
        time.sleep(seconds / 2)
        began = time.monotonic()
        meanwhile()
        time.sleep(max(0.0, seconds / 2 - (time.monotonic() - began)))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def published(self, reader: Reader) -> tuple[int, Tables]:
        """Return the newest published job's number and what it published; 0 and nothing before the first."""
        snapshots = reader.snapshots()
        if not snapshots:
            return 0, {}
        tables = {
            name: sorted((tuple(row) for row in reader.run(f"select * from {name}", snapshots[0]).collect()), key=repr)
            for name in CHECKED
        }
        return snapshots[0].number, tables

    def check(self, reader: Reader, last_number: int, before: Tables, after: Tables, where: str) -> None:
        """Insist that a reader sees what the last successful job has published, and nothing else."""
        number, seen = self.published(reader)
        assert seen == (before if number == last_number else after), f"{where}: job {number}"


@dataclass
class Pair:
    """A warehouse whose runs are killed, the reader of it, and the same project in a warehouse whose runs never are."""

    killed: KilledWarehouse
    reader: Reader
    never_killed: DbtCase

    def new_seeds(self, random_: random.Random) -> Tables:
        """Give both the same new seeds, run the job that is never killed, and return what it came to."""
        write_seeds(self.never_killed, random_)
        for name in ("customer", "orders"):
            self.killed.case.put(f"seeds/{name}.csv", (self.never_killed.path / "seeds" / f"{name}.csv").read_text())
        self.never_killed.build()
        return {name: self.never_killed.rows("seeds" if name == "orders" else "marts", name) for name in CHECKED}


@pytest.fixture
def pair(dbt_case: Callable[..., DbtCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    never_killed, case = (dbt_case(project=delta_models()).write(**MODELS) for _ in range(2))
    killed = KilledWarehouse(case, tmp_path / "warehouse")
    with monkeypatch.context() as patch:
        patch.setenv("ENTREPOT_WAREHOUSE", str(killed.folder))
        target = load_target(case.path, case.path)
    return Pair(killed, Reader.start(target, tmp_path / "spark.log"), never_killed)


@pytest.mark.long
def test_a_kill_within_a_write(dbt_case: Callable[..., DbtCase], tmp_path: Path) -> None:
    """Before the two commits of one model: what goes, and what comes."""
    models = {name: MODELS[name] for name in ("models__joined_sql", "models__north_sql")}
    twin, case = (
        dbt_case(project=delta_models() | {"vars": {"entrepot_merge_bytes": 0}}).write(**models) for _ in range(2)
    )
    for project in (twin, case):
        write_seeds(project, random.Random(1))
        project.build()
        write_seeds(project, random.Random(2))
    before, began = case.rows("marts", "joined"), case.head("marts", "joined")
    with dying(NEVER, NODE) as job:
        twin.build()
    after, died = twin.rows("marts", "joined"), list[str]()
    assert twin.head("marts", "joined") == began + 2
    with kept(case, tmp_path) as put_back:
        for point in (job.counted - 1, job.counted):
            put_back()
            with dying(point, NODE) as dead:
                assert not case.dbt("build").success
            died.append(str(dead.died_before))
            published = load_target(case.path, case.path).ledger().published()[case.table("marts", "joined")]
            assert published.version == began, died[-1]
            stored = f"select * from {case.table('marts', 'joined')} version as of {began}"
            assert case.spark.rows(stored) == before, died[-1]
            case.build()
            assert case.rows("marts", "joined") == after, died[-1]
    assert ["delete from" in died[0], "insert into" in died[1]] == [True, True], died


@pytest.mark.long
def test_killed_runs_end_equal_to_one_never_killed(pair: Pair) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_ = random.Random(SEED)
    killed, reader = pair.killed, pair.reader
    last_number, before, duration = 0, Tables(), 30.0
    kills = 0
    for generation in range(-(-KILLS // KILLS_IN_A_GENERATION)):
        killed.merge_bytes = 0 if generation % 2 else 2**25
        after = pair.new_seeds(random_)

        check = partial(killed.check, reader, last_number, before, after, f"seed {SEED}, generation {generation}")
        for _ in range(KILLS_IN_A_GENERATION):
            killed.kill_after(random_.uniform(0.25, 1.0) * duration, check)
            kills += 1
            check()
        duration = killed.complete()
        number, seen = killed.published(reader)
        assert number > last_number
        assert seen == after, f"seed {SEED}, generation {generation}"
        last_number, before = number, after
    assert kills >= KILLS
