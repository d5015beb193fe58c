"""A SELECT that changes in part equals a recompute: random branches and conditions over random changes, in DuckDB."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence

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
NUMBERS = {"o": "order_id", "l": "line_id", "c": "customer_id", "j": "line.line_id"}


def branch(kind: str, random_: random.Random) -> str:
    """A branch with a condition that keeps some rows, says nothing of nulls, or is not there."""
    sql = BRANCHES[kind].format(n=random_.choice(VALUES[kind]))
    listed = ", ".join(str(number) for number in random_.sample(range(8), random_.randint(1, 6)))
    conditions = [f"{NUMBERS[kind]} % 8 in ({listed})", f"{random_.choice(VALUES[kind])} > {random_.randint(0, 5)}"]
    where = random_.choice(
        ["", f" where {conditions[0]}", f" where {conditions[0]} or {conditions[1]}", f" where {conditions[1]}"]
    )
    return sql + where


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


def test_a_select_that_changes_in_part_equals_a_recompute() -> None:
    random_ = random.Random(SEED)
    warehouse = Warehouse(SEED)
    duck = warehouse.duck
    model = Model("revised", ("kind", "id"), "", tuple(TABLES), warehouse.models[0].findings)
    duck.sql("create table main.revised (kind string, id bigint, n bigint)")
    branches = body("olcj", random_)
    duck.sql("insert into main.revised " + " union all ".join(branches))
    revised_steps = 0
    for step in range(STEPS):
        for _ in range(random_.choice([0, 2])):
            warehouse.source.change()
        warehouse.version, warehouse.before = warehouse.before, warehouse.version
        for name in TABLES:
            warehouse._keep_version(name)
        warehouse._keep_version("revised")
        warehouse.upstreams = {
            name: type(one)(one.table, one.relation, warehouse.version, one.name, one.unique_key)
            for name, one in warehouse.upstreams.items()
        }
        kinds = random_.sample("olcj", random_.randint(2, 4))
        later = body(kinds, random_, branches)
        revision = revision_of(" union all ".join(branches), "\nunion all -- again\n".join(later))
        assert revision is not None
        branches = later
        if not revision.kept:
            duck.sql("delete from main.revised")
            duck.sql("insert into main.revised " + " union all ".join(branches))
            continue
        changes = [warehouse._changes(name) for name in TABLES]
        there = [one for one in changes if one.plus + one.minus and one.upstream.name in str(revision.kept)]
        task = task_of(warehouse, model, revision, there)
        consumed = tuple(type(one)(one.table, one.relation, warehouse.before, one.name) for one in task.upstreams)
        revised = Revised(revision, COLUMNS, consumed)
        question = revised_question(task, revised)
        come, gone = duck.sql(question)[0] if question else (0, 0)
        plan = revised_rule(task, duck, revised, int(str(come or 0)), int(str(gone or 0)))
        warehouse._cache(plan.caches)
        warehouse._apply(model, plan)
        revised_steps += 1
        duck.sql("create or replace temporary table whole as " + " union all ".join(branches))
        difference = duck.sql(
            "select 'stored', * from (select * from main.revised except all select * from whole) union all "
            "select 'recomputed', * from (select * from whole except all select * from main.revised)"
        )
        assert not difference, f"ENTREPOT_TEST_SEED={SEED}, step {step}: {difference[:5]}"
    assert revised_steps > STEPS // 2
