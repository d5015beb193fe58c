"""The choice between a rule and a full recompute, from recorded costs: a pure function."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.render import Renderer

FULL = {"rule": "full", "rows_read": None, "seconds": 60.0}
CREATE = {"rule": "create", "rows_read": None, "seconds": 100.0}


def by_rule(rows: int, seconds: float) -> dict[str, Any]:
    return {"rule": "join", "rows_read": rows, "seconds": seconds}


@pytest.mark.parametrize(
    ("runs", "rows", "takes_full"),
    [
        ([], 10**9, False),
        ([FULL], 10**9, False),
        ([by_rule(100, 5.0)], 10**9, False),
        ([by_rule(100, 5.0), FULL], 10**9, False),
        ([by_rule(10_000, 15.0), by_rule(100, 5.0), FULL], 20_000, False),
        ([by_rule(10_000, 15.0), by_rule(100, 5.0), FULL], 100_000, True),
        ([by_rule(10_000, 15.0), by_rule(100, 5.0), FULL, CREATE], 80_000, True),
        ([by_rule(10_000, 15.0), by_rule(100, 5.0), CREATE, FULL], 80_000, False),
        ([by_rule(0, 0.1), by_rule(10_000, 15.0), by_rule(100, 5.0), FULL], 100_000, True),
    ],
)
def test_choice(runs: list[dict[str, Any]], rows: int, takes_full: bool) -> None:
    reason = Renderer().call("delta_cost_choice", rows, runs)
    assert (reason is not None) == takes_full, reason


def test_the_reason_has_both_costs() -> None:
    runs = [by_rule(10_000, 15.0), by_rule(100, 5.0), FULL]
    assert (
        Renderer().call("delta_cost_choice", 100_000, runs)
        == "100000 changed rows would take about 105.0 s, all rows 60.0 s"
    )
