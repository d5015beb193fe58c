"""Constructs without `delta_rule`: the analyzer finds the rule, and after random jobs each model equals its full recompute.

`tests/rules` runs them in DuckDB, and `tests/analysis/test_random_plans.py` has what Spark's plans say of them.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable

import pytest

from tests.delta.constructs import CONSTRUCTS
from tests.delta.random_source import TABLES, RandomSource
from tests.support.dbt_case import DbtCase, delta_models

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
JOBS = int(os.environ.get("ENTREPOT_TEST_JOBS") or 1)
pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]


class Project:
    """Constructs as one dbt project."""

    def __init__(self, case: DbtCase) -> None:
        print(f"ENTREPOT_TEST_SEED={SEED}")
        self.case = case
        self.random = random.Random(SEED)
        self.source = RandomSource(case.spark, f"{case.schema}_source", self.random)
        tables = [
            {"name": name, "config": {"meta": {"unique_key": next(iter(columns))}}} for name, columns in TABLES.items()
        ]
        sources = {"sources": [{"name": "shop", "schema": self.source.schema, "tables": tables}]}
        case.put("models/source.yml", json.dumps(sources))
        for name, construct in CONSTRUCTS.items():
            sql = re.sub(r"{(\w+)}", r"{{ source('shop', '\1') }}", construct.sql)
            sql = re.sub(r"\[(\w+)\]", r"{{ ref('\1') }}", sql)
            case.put(f"models/{name}.sql", f"{{{{ config(unique_key={construct.unique_key}) }}}}\n{sql}")
        self.first = case.build()


@pytest.fixture(scope="module")
def project(module_case: Callable[..., DbtCase]) -> Project:
    return Project(module_case(project=delta_models()))


def test_the_analyzer_finds_the_rule(project: Project) -> None:
    rows = project.case.spark.answer(f"select relation, rule, reason from {project.case.table('ops', 'model_verdict')}")
    found = {relation.split(".")[1]: (rule, reason) for relation, rule, reason in rows}
    assert {name: rule for name, (rule, _) in found.items()} == {name: c.rule for name, c in CONSTRUCTS.items()}, found


def test_random_jobs_equal_full_recompute(project: Project) -> None:
    case = project.case
    rules: dict[str, set[str]] = {}
    for job in range(JOBS):
        done = [project.source.change() for _ in range(project.random.choice([1, 1, 2, 3, 6]))]
        done += [project.source.insert(table) for table in TABLES if job == JOBS - 1]
        # some jobs write and look up as with large tables, and list the keys that go, or not
        large = f"{{entrepot_merge_bytes: 0, entrepot_delete_keys: {project.random.choice([0, 100000])}}}"
        outcome = case.build(*(["--vars", large] if project.random.random() < 0.5 else []))
        for name, message in outcome.messages.items():
            rules.setdefault(name, set()).add(message.split(":")[0])
        for name in CONSTRUCTS:
            difference = case.difference_from_recompute("marts", name)
            assert not difference, (
                f"seed {SEED}, job {job}, {name} ({outcome.messages[name]}) after {done}: {difference}"
            )
    # a change of what stands in NOT IN, or behind two left joins, is followed by computing all rows
    sometimes_full = {"not_contained", "left_joined_without_its_column"}
    for name, used in rules.items():
        if CONSTRUCTS[name].rule != "full" and name not in sometimes_full:
            assert used <= {CONSTRUCTS[name].rule, "unchanged"}, f"{name} ran {used}"
