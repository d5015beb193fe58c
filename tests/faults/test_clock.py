"""A machine's clock jumps back: all that has happened so far happened tomorrow."""

from __future__ import annotations

from collections.abc import Callable

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
    age(shop.case, -1)
    for one in (twin, shop):
        more_changes(one)
        messages = one.case.build().messages
        assert not messages["fct_booking"].startswith(("full", "create")), messages
        assert set(one.case.build().messages.values()) >= {"unchanged"}
    assert published(shop.case)[1] == published(twin.case)[1]
    shop.same_as_recompute()
