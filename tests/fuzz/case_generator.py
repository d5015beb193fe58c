"""Random cases: a project, the first contents of its sources and the changes of some jobs, all from one seed."""

from __future__ import annotations

import random

import duckdb

from tests.fuzz.case import Case
from tests.fuzz.change_stream import SOURCES, Contents, random_changes, random_rows
from tests.fuzz.duckdb_oracle import DuckDbOracle
from tests.fuzz.model_generator import random_models
from tests.fuzz.tree import Model

MOST_ROWS = 200


def random_case(seed: int, models: int, jobs: int, force_join: bool = False) -> Case:
    """Draw a case; the same seed and sizes give the same one.

    Args:
        seed: where the randomness comes from
        models: how many models
        jobs: how many jobs follow the first build
        force_join: whether models that rule `join` takes are configured with it
    """
    random_ = random.Random(seed)
    contents: Contents = {source.name: random_rows(random_, source, 7) for source in SOURCES}
    oracle = DuckDbOracle()
    for source in SOURCES:
        oracle.load(source, contents[source.name])

    def accept(so_far: list[Model]) -> bool:
        """Refuse what DuckDB cannot plan (some full joins), and results that are large beside these sources."""
        try:
            oracle.compute(so_far[-1:])
        except (duckdb.NotImplementedException, duckdb.BinderException) as error:
            if isinstance(error, duckdb.BinderException) and "not supported" not in str(error):
                raise
            return False
        return oracle.rows(so_far[-1]).total() <= MOST_ROWS

    drawn = random_models(random_, models, accept, force_join)
    oracle.close()
    changes = []
    after = contents
    for _ in range(jobs):
        job, after = random_changes(random_, after)
        changes.append(job)
    return Case(seed, drawn, contents, tuple(changes), random_variables(random_))


def random_variables(random_: random.Random) -> dict[str, int]:
    """Vars under which jobs write as into large tables, list the keys that go or not, and ask what full runs cost."""
    large = {"entrepot_merge_bytes": 0, "entrepot_delete_keys": random_.choice([0, 3, 100000])}
    asked = {"entrepot_cost_rows": 1}  # seldom: most runs are full then
    return (large if random_.random() < 0.5 else {}) | (asked if random_.random() < 0.2 else {})
