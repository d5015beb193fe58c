"""Killed runs: repeated, they end equal to one never killed, and readers never see anything half done.

One kill between two commits that belong together; hundreds at random moments with `make campaigns`.
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
from tests.support.dbt_case import DbtCase, delta_models

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
KILLS = int(os.environ.get("ENTREPOT_TEST_KILLS") or 300)
KILLS_IN_A_GENERATION = 3
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

    def __init__(self, case: DbtCase, folder: Path, checked: tuple[str, ...]) -> None:
        self.case, self.folder, self.checked = case, folder, checked
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

    def head(self, model: str) -> int:
        """The newest version of a model's table; -1 where there is none."""
        log = self.folder / f"{self.case.schema}_marts.db" / model / "_delta_log"
        return max((int(commit.stem) for commit in log.glob("*.json")), default=-1)

    def kill_at_commit(self, model: str) -> int:
        """Start a job and kill everything that belongs to it as soon as it commits to a model; return the version before."""
        before, process = self.head(model), self.start()
        while self.head(model) == before:
            assert process.poll() is None, process.communicate()[0].decode()[-4000:]
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return before

    def published(self, reader: Reader) -> tuple[int, Tables]:
        """Return the newest published job's number and what it published; 0 and nothing before the first."""
        snapshots = reader.snapshots()
        if not snapshots:
            return 0, {}
        tables = {
            name: sorted((tuple(row) for row in reader.run(f"select * from {name}", snapshots[0]).collect()), key=repr)
            for name in self.checked
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
        return {
            name: self.never_killed.rows("seeds" if name == "orders" else "marts", name) for name in self.killed.checked
        }


MakePair = Callable[..., Pair]


@pytest.fixture
def make_pair(dbt_case: Callable[..., DbtCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakePair:
    def make(*without: str) -> Pair:
        """The project, without some of its models."""
        models = {name: sql for name, sql in MODELS.items() if name[8:-4] not in without}
        checked = tuple(name for name in CHECKED if name not in without)
        never_killed, case = (dbt_case(project=delta_models()).write(**models) for _ in range(2))
        killed = KilledWarehouse(case, tmp_path / "warehouse", checked)
        with monkeypatch.context() as patch:
            patch.setenv("ENTREPOT_WAREHOUSE", str(killed.folder))
            target = load_target(case.path, case.path)
        return Pair(killed, Reader.start(target, tmp_path / "spark.log"), never_killed)

    return make


@pytest.mark.slow
def test_a_kill_within_a_write(make_pair: MakePair) -> None:
    pair = make_pair("per_customer", "ranked")
    killed, reader = pair.killed, pair.reader
    before = pair.new_seeds(random.Random(1))
    killed.complete()
    assert killed.published(reader) == (1, before)
    after = pair.new_seeds(random.Random(2))
    # what goes and what comes are two commits, and it dies after the first
    begun = killed.kill_at_commit("joined")
    assert killed.head("joined") == begun + 1
    assert killed.published(reader) == (1, before)
    killed.complete()
    number, seen = killed.published(reader)
    assert number > 1
    assert seen == after


@pytest.mark.long
def test_killed_runs_end_equal_to_one_never_killed(make_pair: MakePair) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    pair = make_pair()
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
