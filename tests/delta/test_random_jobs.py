"""Random jobs: after each of them every incremental model equals its full recompute at the pinned versions."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.delta.random_source import TABLES, RandomSource
from tests.support.dbt_case import DbtCase, delta_models

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
JOBS = int(os.environ.get("ENTREPOT_TEST_JOBS") or 3)
MODELS = Path(__file__).parent / "models"
CHECKED = sorted(path.stem for path in MODELS.glob("*.sql") if "materialized=" not in path.read_text())


@pytest.mark.campaign
@pytest.mark.long
def test_random_jobs_equal_full_recompute(dbt_case: Callable[..., DbtCase]) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_ = random.Random(SEED)
    case = dbt_case(project=delta_models())
    source = RandomSource(case.spark, f"{case.schema}_source", random_)
    tables = "".join(f"      - name: {name}\n" for name in TABLES)
    case.put("models/source.yml", f"sources:\n  - name: shop\n    schema: {source.schema}\n    tables:\n{tables}")
    for path in MODELS.glob("*.sql"):
        case.put(f"models/{path.name}", path.read_text())
    rules: set[tuple[str, str]] = set()
    for job in range(JOBS):
        # first the models are created, then nothing changes, at last something in every table, whatever the seed
        done = [source.change() for _ in range(random_.choice([1, 1, 2, 3, 6]) if job > 1 else 0)]
        done += [source.insert(table) for table in TABLES if job == JOBS - 1]
        # every third job writes as into large tables: delete and insert, in two commits, keys listed or not
        large = f"{{entrepot_merge_bytes: 0, entrepot_delete_keys: {random_.choice([0, 100000])}}}"
        outcome = case.build(*(["--vars", large] if job % 3 == 2 else []))
        rules |= {(name, message.split(":")[0]) for name, message in outcome.messages.items()}
        for name in CHECKED:
            difference = case.difference_from_recompute("marts", name)
            assert not difference, f"seed {SEED}, job {job}, model {name} after {done}: {difference}"
        if job and not done:
            assert outcome.statements_of(*CHECKED) == [], f"seed {SEED}, job {job}: nothing had changed"
        published = case.spark.answer(
            f"select relation, version from {case.table('ops', 'published_snapshot')} "
            f"where number = {job + 1} and relation like '%marts%' and version is not null"
        )
        heads = [(case.table("marts", name), case.head("marts", name)) for name in CHECKED]
        assert [row for row in published if row[0] in dict(heads)] == sorted(heads, key=repr)
    used = {rule for _, rule in rules}
    assert {"create", "join", "scope", "full", "unchanged"} <= used
