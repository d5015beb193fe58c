"""Every rule equals a recompute: the constructs in DuckDB, job by job, over random changes."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import takewhile

import pytest

from entrepot.analysis import Settings
from tests.delta.constructs import CONSTRUCTS
from tests.rules.warehouse import Warehouse

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
STEPS = int(os.environ.get("ENTREPOT_RULE_STEPS") or 1000)
JOBS = 6


def test_the_analyzer_finds_the_rules() -> None:
    warehouse = Warehouse(SEED)
    found = {}
    for model in warehouse.models:
        upstreams = tuple(warehouse.upstreams[name] for name in model.reads)
        found[model.name] = warehouse.verdict(model, upstreams, Settings(model.name, model.keys)).rule
    assert found == {name: construct.rule for name, construct in CONSTRUCTS.items()}


@pytest.mark.campaign
def test_rules_equal_a_recompute() -> None:
    steps: Counter[str] = Counter()
    seed = SEED
    while steps.total() < STEPS:
        warehouse = Warehouse(seed)
        for job in takewhile(lambda _: steps.total() < STEPS, range(JOBS)):
            for model, rule, difference in warehouse.job():
                assert not difference, (
                    f"ENTREPOT_TEST_SEED={seed}: {model} by rule {rule} in job {job}: {difference[:5]}"
                )
                steps.update([rule] if rule != "skip" else [])
        seed += 1
    print(f"{steps.total()} steps from seed {SEED}: {dict(steps)}")
    assert {"join", "aggregate", "scope", "full"} <= steps.keys()
