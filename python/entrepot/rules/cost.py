"""Whether a full recompute is cheaper than a rule (OD-ETL ch. 8: the incremental join loses above some share of changes)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WHOLE = ("create", "full")
# a row above those of the largest run is thought to cost what four rows of a full run cost (docs/benchmarks.md: 2.5 for inserts, 7 for updates)
BEYOND = 4


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a recorded run of a model cost.

    Attributes:
        rule: the rule of the run
        rows_read: how many rows it read; none where nobody counted
        seconds: how long it took
        appends: whether the changed rows had only come
    """

    rule: str
    rows_read: int | None
    seconds: float
    appends: bool = False


def cost_choice(rows_read: int, rows_in_all: int | None, runs: Iterable[RunCost], appends: bool = False) -> str | None:
    """Return why a full recompute is cheaper, in words; none where the rule shall run.

    A run by rule costs a fixed part and a part per changed row, taken from the recorded runs: those of rows that had only come where
    rows have only come, the others else, because an update is looked up, deleted and inserted, and a group that it leaves is read again.
    Fixed: the quickest; per row: by the run of most rows, if at least twice the quickest's. What is thought too dear is never measured
    again, so one run alone does not say it, nor do runs of fewer rows that took longer, as the first one of a process does. A full run
    costs what the last one did, as much more as there are more rows now. Before a run by rule has been measured, full is taken where
    more rows have changed than there are: half of them were replaced, above which the paper's join lost.

    Args:
        rows_read: how many rows have changed
        rows_in_all: how many rows a full recompute reads; none where that is not known
        runs: this model's recorded runs, newest first
        appends: whether rows have only come
    """
    known = list(runs)
    full = [run for run in known if run.rule in WHOLE]
    by_rule = [run for run in known if run.rule not in WHOLE and run.rows_read]
    if not by_rule and rows_in_all and rows_read > rows_in_all:
        return f"{rows_read} changed rows, {rows_in_all} in all"
    if not full or not by_rule:
        return None
    last_seconds, last_rows = float(full[0].seconds), float(full[0].rows_read or 0)
    whole = last_seconds * (float(rows_in_all) / last_rows if rows_in_all and last_rows else 1)
    of_kind = [run for run in by_rule if run.appends == appends]
    expected = _by_rule(float(rows_read), of_kind or by_rule, last_seconds, last_rows)
    if expected is None or expected <= whole:
        return None
    return f"{rows_read} changed rows would take about {round(expected, 1)} s, all rows {round(whole, 1)} s"


def _by_rule(rows_read: float, measured: list[RunCost], full_seconds: float, full_rows: float) -> float | None:
    """Return how many seconds a run by rule is thought to take; none where that cannot be said."""
    costs = [(float(run.seconds), float(run.rows_read or 0)) for run in measured]
    quickest_seconds, quickest_rows = min(costs, key=lambda cost: cost[0])
    largest_seconds, largest_rows = max(costs, key=lambda cost: (cost[1], -cost[0]))
    if len(costs) == 1 and rows_read <= 2 * largest_rows:
        return None
    tells = largest_rows >= 2 * quickest_rows
    per_row = (largest_seconds - quickest_seconds) / largest_rows if tells else 0.0
    known = min(rows_read, largest_rows) if full_rows else rows_read
    beyond = (rows_read - known) * BEYOND * full_seconds / (full_rows or 1)
    return quickest_seconds + per_row * known + beyond
