"""A SELECT that changes in part equals a recompute: random branches and conditions over random changes, in DuckDB."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from entrepot.analysis import Occurrence, Settings, Verdict
from entrepot.rules import Change, Revised, Stored, Task, revised_question, revised_rule
from entrepot.sql import Revision, TableName, as_branch, numbered_mentions, revision_of
from tests.delta.random_source import TABLES
from tests.rules.warehouse import Model, Warehouse

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
STEPS = int(os.environ.get("ENTREPOT_RULE_STEPS") or 1000) // 50
COLUMNS = (("kind", "string"), ("id", "bigint"), ("n", "bigint"))
# each kind has keys of its own, so the model's key is unique whatever branches it has
BRANCHES = {
    "o": "select 'o' as kind, order_id as id, {n} as n from main.orders",
    "l": "select 'l', line_id, {n} from main.line",
    "c": "select 'c', customer_id, {n} from main.customer",
    "j": "select 'j', line.line_id, {n} from main.line inner join main.orders on line.order_id = orders.order_id",
}
VALUES = {
    "o": ("day", "customer_id"),
    "l": ("quantity", "order_id"),
    "c": ("length(name)", "1"),
    "j": ("orders.day", "line.quantity"),
}
# a column of theirs that a CASE may choose by
CHOSEN = {"o": "customer_id", "l": "quantity"}
NUMBERS = {"o": "order_id", "l": "line_id", "c": "customer_id", "j": "line.line_id"}


def branch(kind: str, random_: random.Random) -> str:
    """A branch with a condition that keeps some rows, says nothing of nulls, or is not there."""
    sql = BRANCHES[kind]
    listed = ", ".join(str(number) for number in random_.sample(range(8), random_.randint(1, 6)))
    conditions = [f"{NUMBERS[kind]} % 8 in ({listed})", f"{random_.choice(VALUES[kind])} > {random_.randint(0, 5)}"]
    if kind in CHOSEN and random_.random() < 0.5:
        return (
            sql.format(n=case(kind, random_))
            + f" where {CHOSEN[kind]} + 0 > {random_.randint(0, 3)} or {CHOSEN[kind]} is null"
        )
    where = random_.choice(
        ["", f" where {conditions[0]}", f" where {conditions[0]} or {conditions[1]}", f" where {conditions[1]}"]
    )
    return sql.format(n=random_.choice(VALUES[kind])) + where


def case(kind: str, random_: random.Random, depth: int = 0) -> str:
    """A CASE by a column that passes through its branch: arms come, go, change places, overlap, and have CASEs in them."""
    arms = [
        f"when {CHOSEN[kind]} in ({', '.join(str(one) for one in random_.sample(range(6), random_.randint(1, 3)))}) then "
        + (case(kind, random_, depth + 1) if depth == 0 and random_.random() < 0.3 else random_.choice(VALUES[kind]))
        for _ in range(random_.randint(1, 3))
    ]
    return f"case {' '.join(arms)}{random_.choice(['', ' else 7'])} end"


def body(kinds: Sequence[str], random_: random.Random, earlier: Sequence[str] = ()) -> list[str]:
    """Branches of some kinds; most of those that were there before stay as they were."""
    stay = {one.split("'")[1]: one for one in earlier}
    return [stay[kind] if kind in stay and random_.random() < 0.6 else branch(kind, random_) for kind in kinds]


def task_of(warehouse: Warehouse, model: Model, revision: Revision, changes: Sequence[Change]) -> Task:
    upstreams = tuple(warehouse.upstreams[name] for name in TABLES)
    kept = "\nunion all\n".join(as_branch(sql, COLUMNS) for sql in revision.kept)
    by_table = {one.table: one for one in upstreams}
    named = numbered_mentions(kept, list(by_table))
    occurrences = tuple(
        Occurrence(str(number), by_table[table].relation, by_table[table].name) for number, table in enumerate(named)
    )
    verdict = Verdict("join", "", occurrences, tuple(one.number for one in occurrences), columns=("kind", "id", "n"),
                      types=tuple(type_ for _, type_ in COLUMNS))  # fmt: skip
    stored = Stored(TableName("main", model.name), f"main.{model.name}", warehouse.before)
    return Task(stored, Settings(model.name, model.keys), verdict, kept, upstreams, tuple(changes))


class RevisedModel:
    """A model over the random source whose SELECT changes from job to job."""

    def __init__(self, seed: int) -> None:
        self.random, self.warehouse = random.Random(seed), Warehouse(seed)
        self.duck = self.warehouse.duck
        self.model = Model("revised", ("kind", "id"), "", tuple(TABLES), self.warehouse.models[0].findings)
        self.branches = body("olcj", self.random)
        self.duck.sql("create table main.revised (kind string, id bigint, n bigint)")
        self.compute_all()

    def compute_all(self) -> None:
        self.duck.sql("delete from main.revised")
        self.duck.sql("insert into main.revised " + " union all ".join(self.branches))

    def job(self) -> bool:
        """Change the sources and the SELECT, and bring the model there; whether in part."""
        self.change_sources()
        later = body(self.random.sample("olcj", self.random.randint(2, 4)), self.random, self.branches)
        revision = revision_of(" union all ".join(self.branches), "\nunion all -- again\n".join(later))
        self.branches = later
        assert revision is not None
        if not revision.kept:
            self.compute_all()
            return False
        changes = [self.warehouse._changes(name) for name in TABLES]
        there = [one for one in changes if one.plus + one.minus and one.upstream.name in str(revision.kept)]
        task = task_of(self.warehouse, self.model, revision, there)
        consumed = tuple(replace(one, version=self.warehouse.before) for one in task.upstreams)
        revised = Revised(revision, COLUMNS, consumed)
        question = revised_question(task, revised)
        come, gone = self.duck.sql(question)[0] if question else (0, 0)
        plan = revised_rule(task, self.duck, revised, int(str(come or 0)), int(str(gone or 0)))
        self.warehouse._cache(plan.caches)
        self.warehouse._apply(self.model, plan)
        return True

    def change_sources(self) -> None:
        warehouse = self.warehouse
        for _ in range(self.random.choice([0, 2])):
            warehouse.source.change()
        warehouse.version, warehouse.before = warehouse.before, warehouse.version
        for name in (*TABLES, "revised"):
            warehouse._keep_version(name)
        warehouse.upstreams = {
            name: replace(one, version=warehouse.version) for name, one in warehouse.upstreams.items()
        }

    def difference(self) -> list[tuple[object, ...]]:
        """Rows in which the model differs from its recompute."""
        self.duck.sql("create or replace temporary table whole as " + " union all ".join(self.branches))
        return self.duck.sql(
            "select 'stored', * from (select * from main.revised except all select * from whole) union all "
            "select 'recomputed', * from (select * from whole except all select * from main.revised)"
        )


@pytest.mark.campaign
def test_a_select_that_changes_in_part_equals_a_recompute() -> None:
    revised = RevisedModel(SEED)
    in_part = 0
    for step in range(STEPS):
        in_part += revised.job()
        difference = revised.difference()
        assert not difference, f"ENTREPOT_TEST_SEED={SEED}, step {step}: {difference[:5]}"
    assert in_part > STEPS // 4
