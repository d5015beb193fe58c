"""How jobs go on: after a clock that jumped back, and where the log of a table is gone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.changes import first_changes, more_changes
from tests.faults.test_every_statement import published
from tests.project.test_generate import PARTS
from tests.support.dbt_case import DbtCase
from tests.upkeep.ageing import age
from tests.upkeep.test_warehouse import Shop

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_jobs_go_on_after_the_clock_jumped_back(dbt_case: Callable[..., DbtCase]) -> None:
    twin, shop = (Shop(dbt_case(parts=PARTS)) for _ in range(2))
    for one in (twin, shop):
        first_changes(one)
        one.case.build()
    # all that has happened so far happened tomorrow
    age(shop.case, -1)
    for one in (twin, shop):
        more_changes(one)
        one.case.build()
        assert set(one.case.build().messages.values()) >= {"unchanged"}
    assert published(shop.case)[1] == published(twin.case)[1]
    shop.same_as_recompute()


def test_a_table_whose_log_is_gone_is_dropped_and_made_anew(dbt_case: Callable[..., DbtCase]) -> None:
    shop = Shop(dbt_case(parts=PARTS))
    first_changes(shop)
    shop.case.build()
    expected = shop.case.rows("marts", "fct_booking")
    table = shop.case.table("marts", "fct_booking")
    folder = Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{shop.case.schema}_marts.db" / "fct_booking"
    shutil.rmtree(folder / "_delta_log")
    shop.case.spark.forget_logs(folder)
    refused = shop.case.dbt("build")
    assert not refused.success
    assert "The log of this table is not there. Put it back from a copy" in refused.text, refused.text[-2000:]
    shop.case.spark.sql(f"drop table {table}")
    shop.case.build()
    assert shop.case.rows("marts", "fct_booking") == expected
    shop.same_as_recompute()
