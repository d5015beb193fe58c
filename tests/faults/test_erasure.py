"""`entrepot erase` with its job, in processes of their own: killed in the middle of the job, it is said again and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.chain import Chain
from tests.faults.changes import first_changes
from tests.project.test_generate import PARTS
from tests.support.dbt_case import DbtCase
from tests.upkeep.test_warehouse import Shop

pytestmark = [pytest.mark.slow, pytest.mark.long]


def erase(chain: Chain) -> subprocess.Popen[str]:
    """Start `entrepot erase customer 2 --apply` in a process group of its own."""
    return subprocess.Popen(
        [str(Path(sys.executable).with_name("entrepot")), *chain.shop.place, "erase", "customer", "2", "--apply"],
        env=os.environ | {"ENTREPOT_WAREHOUSE": str(chain.folder), "COLUMNS": "250"},
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("table", ["mapped.customer", "history.customer_history", "marts.mart_city", None])
def test_killed_when_a_table_has_been_written(
    table: str | None, dbt_case: Callable[..., DbtCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain.made(Shop(dbt_case(parts=PARTS)), tmp_path, monkeypatch.context())
    first_changes(chain.shop)
    chain.build()
    number, before = chain.published()
    assert any(row[0] == 2 for row in before["marts.fct_booking"])
    if table:
        begun, process = chain.head(table), erase(chain)
        while chain.head(table) == begun:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert chain.published() == (number, before)
    process = erase(chain)
    said, _ = process.communicate()
    assert process.returncode == 0, said
    assert "Older versions of" in said
    assert ("Nothing of it is left in landing" in said) == bool(table), said
    number_after, after = chain.published()
    assert number_after > number
    for name in ("mapped.customer", "history.customer_history", "marts.fct_booking"):
        kept = [row for row in before[name] if "name-2" not in repr(row)]
        assert after[name] == kept, name
    assert erase(chain).communicate()[0].strip().endswith("Nothing has landed of it.")
