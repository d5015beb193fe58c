"""Differential fuzzing: random models, maintained over random changes, equal what DuckDB and Spark compute from scratch."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from entrepot.jobs import writing
from tests.conftest import ROOT
from tests.fuzz.campaign import Plan, run_campaign
from tests.fuzz.case import Case
from tests.fuzz.change_stream import SOURCES, Change, Contents
from tests.fuzz.reproduction import write_reproduction
from tests.fuzz.runner import Runner
from tests.fuzz.shrink import shrink
from tests.fuzz.tree import Item, Model, Select
from tests.support.spark import Spark

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
STEPS = int(os.environ.get("ENTREPOT_FUZZ_STEPS") or 8)


@pytest.mark.campaign
def test_random_models_equal_both_oracles(spark: Spark, tmp_path: Path) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED} ENTREPOT_FUZZ_STEPS={STEPS}")
    folder = Path(os.environ.get("ENTREPOT_FUZZ_FOLDER") or ROOT / "target/fuzz")
    models, jobs = (14, 5) if STEPS > 100 else (6, 3)
    plan = Plan(SEED, STEPS, models, jobs, recompute_every=jobs, attempts=12, most_failures=1, folder=folder)
    report = run_campaign(plan, Runner(ROOT, spark))
    print(report)
    assert not report.found, str(report)
    assert {"create", "unchanged"} < set(report.tally.rules)


@pytest.mark.long
def test_a_planted_fault_is_found_shrunk_and_written_as_a_project(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: nothing is ever deleted. The project that is written fails by dbt's own means."""
    for name in ("difference_sql", "merge_sql"):
        right = getattr(writing, name)
        monkeypatch.setattr(writing, name, partial(_never_deletes, right))

    orders = SOURCES[0]
    items = tuple(Item(column.name, column.expression) for column in orders.relation.columns[:2])
    root = Select(tuple(item.column for item in items), ("id",), False, orders.relation, items)
    contents: Contents = {source.name: () for source in SOURCES} | {
        "orders": tuple((number, number, None, None, None, None) for number in range(4))
    }
    jobs = ((Change("orders", "delete", keys=((2,),)), Change("orders", "update", keys=((1,),), column=1, value=7)),)
    case = Case(0, (Model("kept", root, "delta", False, "full"), Model("other", root, "view", False)), contents, jobs)
    runner = Runner(ROOT, spark)
    found = runner.run(case)
    assert [(failure.model, failure.kind, len(failure.extra)) for failure in found] == [("kept", "oracle", 1)]
    assert found[0].extra[0][0] == 2

    small, failure = shrink(case, found[0], runner.run, attempts=1)
    assert [model.name for model in small.models] == ["kept"]
    folder = write_reproduction(small, failure, ROOT, tmp_path)
    profile = folder / "profiles.yml"
    profile.write_text(profile.read_text().replace("schema: reproduction", f"schema: fuzz{os.getpid()}_reproduction"))
    commands = [command for job in (0, 1) for command in (("run-operation", f"changes_{job}"), ("build",))]
    assert [_dbt(folder, *command) for command in commands] == [True, True, True, False]
    results = json.loads((folder / "target/run_results.json").read_text())["results"]
    failed = [result["unique_id"].split(".")[2] for result in results if result["status"] == "fail"]
    assert failed == ["kept_equals_recompute"]


def _never_deletes(right: Callable[..., str], *arguments: Any, **named: Any) -> str:
    """Return what `right` gives, with the fault."""
    sql = right(*arguments, **named)
    assert "_new._upsert is null" in sql, "the fault is to be planted elsewhere now"
    return sql.replace("_new._upsert is null", "_new._upsert is null and false")


def _dbt(folder: Path, *arguments: str) -> bool:
    return (
        dbtRunner().invoke([*arguments, "--project-dir", str(folder), "--profiles-dir", str(folder), "--quiet"]).success
    )
