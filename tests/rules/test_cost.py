"""The choice between a rule and a full recompute, from recorded costs and sizes: pure functions."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from entrepot.rules import RunCost, cost_choice
from entrepot.stages.delete import keys_to_list

FULL = RunCost("full", None, 60.0)
FULL_OF_A_MILLION = RunCost("full", 1_000_000, 60.0)
CREATE = RunCost("create", None, 100.0)


def by_rule(rows: int, seconds: float) -> RunCost:
    return RunCost("join", rows, seconds)


MEASURED = [by_rule(10_000, 15.0), by_rule(100, 5.0)]
MEASURED_TO_100_000 = [by_rule(100_000, 105.0), by_rule(100, 5.0)]


@pytest.mark.parametrize(
    ("runs", "rows", "takes_full"),
    [
        ([], 10**9, False),
        ([FULL], 10**9, False),
        ([by_rule(100, 5.0)], 10**9, False),
        ([by_rule(100, 5.0), FULL], 10**9, False),
        ([*MEASURED, FULL], 20_000, False),
        ([*MEASURED, FULL], 100_000, True),
        ([*MEASURED, FULL, CREATE], 80_000, True),
        ([*MEASURED, CREATE, FULL], 80_000, False),
        ([by_rule(0, 0.1), *MEASURED, FULL], 100_000, True),
    ],
)
def test_choice_by_recorded_seconds(runs: list[RunCost], rows: int, takes_full: bool) -> None:
    reason = cost_choice(rows, None, runs)
    assert (reason is not None) == takes_full, reason


def test_a_run_of_fewer_rows_that_took_longer_says_nothing_of_rows() -> None:
    # rows and about the seconds of TPC-H at scale factor 10: the oldest run, the last here but for the full one, was the process's first
    runs = [by_rule(120_574, 8.04), by_rule(600_633, 7.86), by_rule(120_574, 8.41), replace(FULL, seconds=10.26)]
    assert cost_choice(1_201_266, None, runs) is None
    noisy = [by_rule(119_868, 14.1), by_rule(120_040, 16.8), replace(FULL, seconds=30.0)]
    assert cost_choice(1_200_000, None, noisy) is None, "nearly as many rows"
    dear = [by_rule(240_000, 24.1), *noisy]
    assert cost_choice(1_200_000, None, dear), "twice as many rows tell"


@pytest.mark.parametrize(
    ("rows_in_all", "takes_full"),
    [
        (None, True),
        (0, True),
        (500_000, True),
        (1_000_000, True),
        (1_700_000, True),
        (1_800_000, False),
        (10**7, False),
    ],
)
def test_a_full_run_costs_more_where_tables_have_grown(rows_in_all: int | None, takes_full: bool) -> None:
    reason = cost_choice(100_000, rows_in_all, [*MEASURED_TO_100_000, FULL_OF_A_MILLION])
    assert (reason is not None) == takes_full, reason


@pytest.mark.parametrize(
    ("rows", "rows_in_all", "runs", "takes_full"),
    [
        (20_000, 10_000, [], True),
        (20_000, 10_000, [FULL], True),
        (10_000, 10_000, [FULL], False),
        (20_000, 10_000, [by_rule(100, 5.0), FULL], False),
        (20_000, None, [FULL], False),
    ],
)
def test_before_a_rule_was_measured_the_share_of_changed_rows_decides(
    rows: int, rows_in_all: int | None, runs: list[RunCost], takes_full: bool
) -> None:
    reason = cost_choice(rows, rows_in_all, runs)
    assert (reason is not None) == takes_full, reason


def inserted(rows: int, seconds: float) -> RunCost:
    return replace(by_rule(rows, seconds), appends=True)


def updated(rows: int, seconds: float) -> RunCost:
    return by_rule(rows, seconds)


@pytest.mark.parametrize(
    ("runs", "appends", "takes_full"),
    [
        ([inserted(500_000, 20.0), inserted(100, 5.0), updated(400_000, 70.0), updated(100, 10.0)], True, False),
        ([inserted(500_000, 20.0), inserted(100, 5.0), updated(400_000, 70.0), updated(100, 10.0)], False, True),
        ([inserted(500_000, 20.0), inserted(100, 5.0)], False, False),
        ([updated(400_000, 70.0), updated(100, 10.0)], True, True),
    ],
)
def test_inserts_are_compared_with_inserts_where_there_are_any(
    runs: list[RunCost], appends: bool, takes_full: bool
) -> None:
    reason = cost_choice(500_000, None, [*runs, FULL_OF_A_MILLION], appends)
    assert (reason is not None) == takes_full, reason


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (10_000, None),  # as measured: 5 s
        (200_000, None),  # 5 s, and 190 000 times four rows of a full run: 50.6 s of 60 s
        (250_000, "250000 changed rows would take about 62.6 s, all rows 60.0 s"),
    ],
)
def test_above_what_was_measured_a_changed_row_costs_as_four(rows: int, expected: str | None) -> None:
    runs = [by_rule(10_000, 5.0), by_rule(100, 5.0), FULL_OF_A_MILLION]
    assert cost_choice(rows, None, runs) == expected


def test_small_runs_tell_little_of_large_ones() -> None:
    # TPC-H at scale factor 1: 10 % inserts took 12 s by rule, what 0.1 % and 1 % took would have made them 21 s
    full = RunCost("create", 7_726_405, 16.04)
    inserts = [inserted(75_042, 7.16), inserted(7_632, 5.6), full]
    assert cost_choice(749_282, None, inserts, True) is None
    noisy = [inserted(75_042, 6.69), inserted(749_282, 9.95), inserted(7_632, 4.5), full]
    assert cost_choice(750_659, None, noisy, True) is None, "the largest run tells most"
    updates = [updated(120_040, 14.98), updated(12_224, 14.1), full]
    assert cost_choice(1_198_908, None, updates), "30 s by rule, and 15 s for all rows"


def test_one_run_alone_does_not_send_others_to_full() -> None:
    slow = updated(12_224, 15.1)
    full = RunCost("create", 7_651_378, 14.9)
    assert cost_choice(12_224, None, [slow, full]) is None
    assert cost_choice(24_448, None, [slow, full]) is None
    assert cost_choice(1_200_000, None, [slow, full]), "far above it"
    assert cost_choice(12_224, None, [slow, slow, full]), "two say it"


def test_numbers_as_queries_return_them() -> None:
    runs = [
        RunCost("join", Decimal(100_000), Decimal("105.0")),
        RunCost("join", Decimal(100), 5.0),
        RunCost("create", Decimal(1_000_000), Decimal("60.0")),
    ]
    for rows in (100_000, Decimal(100_000)):
        for rows_in_all in (1_500_000, Decimal(1_500_000), None):
            assert cost_choice(rows, rows_in_all, runs)


@pytest.mark.parametrize(
    ("row_count", "keys"),
    [(None, 10_000), (0, 10_000), (600_000, 10_000), (3_000_000, 50_000), (6_000_000, 100_000), (60_000_000, 100_000)],
)
def test_keys_are_listed_where_they_are_few_beside_the_stored_rows(row_count: int | None, keys: int) -> None:
    assert keys_to_list(row_count, 100_000) == keys


def test_the_reason_has_both_costs() -> None:
    assert (
        cost_choice(100_000, 1_500_000, [*MEASURED_TO_100_000, FULL_OF_A_MILLION])
        == "100000 changed rows would take about 105.0 s, all rows 90.0 s"
    )
