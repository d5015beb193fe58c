"""A warehouse without Spark: the constructs' models over the random source, in DuckDB, by the very SQL that the rules give."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import duckdb
import sqlglot

from entrepot.analysis import Findings, Occurrence, Settings, Verdict, verdict_of
from entrepot.rules import (
    GLOBAL_TEMPORARY,
    Cache,
    Change,
    Listed,
    Plan,
    Stored,
    Task,
    Upstream,
    again_question,
    aggregate_again,
    plan_of,
)
from entrepot.rules.bounds import bounds_of, bounds_question
from entrepot.sql import TableName, numbered_mentions, union_branches
from tests.delta.constructs import CONSTRUCTS, NAMED
from tests.delta.random_source import TABLES, RandomSource
from tests.rules.recorded import recorded_findings
from tests.support.spark import canonical

WORDS = {"INTEGER": "int", "BIGINT": "bigint", "VARCHAR": "string"}
_VERSION = re.compile(r"([\w.]+) version as of (\d+)")


@cache
def in_duckdb(sql: str) -> str:
    """Return Spark SQL as DuckDB reads it; versions of tables are tables of their own, and DuckDB's sums are wider than its series."""
    text = _VERSION.sub(r"\1__v\2", sql).replace("abs(_count)", "cast(abs(_count) as bigint)")
    return sqlglot.transpile(text, read="spark", write="duckdb")[0]


@dataclass(frozen=True, slots=True)
class Model:
    """A construct as a model.

    Attributes:
        name: its name
        keys: its unique key
        body: its SQL
        reads: the names of the tables that it reads
        findings: what Spark's plan says, as recorded
    """

    name: str
    keys: tuple[str, ...]
    body: str
    reads: tuple[str, ...]
    findings: Findings


def models() -> list[Model]:
    """The constructs, in their order; each behind those that it reads."""
    recorded = recorded_findings()
    found = []
    for name, construct in CONSTRUCTS.items():
        named = [first or second for first, second in NAMED.findall(construct.sql)]
        reads = tuple(dict.fromkeys(named))
        body = NAMED.sub(lambda match: f"main.{match[1] or match[2]}", construct.sql)
        found.append(Model(name, tuple(construct.unique_key), body, reads, recorded[name]))
    return found


# what takes longer with a few rows than it saves, a fifth of a step
FOR_MANY_ROWS = (
    "statistics_propagation,common_subexpressions,compressed_materialization,late_materialization,column_lifetime,join_filter_pushdown,"
    "sampling_pushdown,regex_range,duplicate_groups,reorder_filter,cte_filter_pusher,limit_pushdown,common_aggregate"
)


@dataclass
class Duck:
    """What `RandomSource` and the rules ask of Spark, answered by DuckDB."""

    connection: duckdb.DuckDBPyConnection = field(
        default_factory=lambda: duckdb.connect(":memory:", config={"threads": 1})
    )
    small: bool = False

    def __post_init__(self) -> None:
        """Make room for what rules keep in memory."""
        self.connection.execute(f"create schema {GLOBAL_TEMPORARY}")
        self.connection.execute(f"set disabled_optimizers = '{FOR_MANY_ROWS}'")

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement of Spark's."""
        if statement.startswith("create schema"):
            return []
        text = re.sub(r" using delta.*", "", statement)
        return self.connection.execute(in_duckdb(text)).fetchall()

    def is_small(self, stored: Stored) -> bool:
        """As the test wants it."""
        return self.small

    def bounds(self, view: str, columns: Sequence[str]) -> Mapping[str, str]:
        """The bounds, with types in Spark's words."""
        cursor = self.connection.execute(in_duckdb(bounds_question(view, columns)))
        row = dict(zip([one[0] for one in cursor.description or ()], cursor.fetchall()[0], strict=True))
        types = {name: WORDS.get(str(value), str(value).lower()) for name, value in row.items() if "type_" in name}
        return bounds_of(columns, row | types)

    def has_any(self, view: str, condition: str) -> bool:
        """Whether any row meets the condition."""
        return bool(self.sql(f"select 1 from {view} where {condition} limit 1"))

    def listed(self, view: str, columns: Sequence[str]) -> Listed | None:
        """The values in every other plan; types in Spark's words."""
        if not self.small:
            return None
        cursor = self.connection.execute(in_duckdb(f"select distinct {', '.join(columns)} from {view}"))
        types = tuple(WORDS.get(str(one[1]), str(one[1]).lower()) for one in cursor.description or ())
        rows = tuple(tuple(None if value is None else str(value) for value in row) for row in cursor.fetchall())
        return Listed(types, rows) if len(rows) <= 20 else None


class Warehouse:
    """Sources, models, and two versions of both: what a job begins with, and what it makes.

    They are numbered 0 and 1 in turn, so that jobs send the same texts, which are read once.
    """

    def __init__(self, seed: int) -> None:
        """Make the sources, and build all models."""
        self.random = random.Random(seed)
        self.duck = Duck()
        self.duck.connection.execute("create macro raise_error(message) as error(message)")
        self.source = RandomSource(self.duck, "main", self.random)  # type: ignore[arg-type]
        self.models = models()
        self.version, self.before = 0, 1
        self.keys = {name: (next(iter(types)),) for name, types in TABLES.items()}
        self.keys |= {model.name: model.keys for model in self.models}
        self.upstreams = {
            name: Upstream(TableName("main", name), f"main.{name}", 0, name, keys) for name, keys in self.keys.items()
        }
        for name in TABLES:
            self._keep_version(name)
        for model in self.models:
            columns = zip(model.findings.columns, model.findings.types, strict=True)
            self.duck.sql(
                f"create table main.{model.name} ({', '.join(f'`{name}` {type_}' for name, type_ in columns)})"
            )
            self.duck.sql(f"insert into main.{model.name} {model.body}")
            self._keep_version(model.name)

    def job(self) -> list[tuple[str, str, list[tuple[object, ...]]]]:
        """Change the sources, bring every model there by its rule, and return per model its rule and what differs from a recompute."""
        for _ in range(self.random.randint(1, 5)):
            self.source.change()
        self.version, self.before = self.before, self.version
        self.upstreams = {
            name: Upstream(one.table, one.relation, self.version, one.name, one.unique_key)
            for name, one in self.upstreams.items()
        }
        for name in TABLES:
            self._keep_version(name)
        changes = {name: self._changes(name) for name in TABLES}
        steps = []
        for model in self.models:
            rule = self._refresh(
                model,
                [changes[name] for name in model.reads if name in changes and changes[name].plus + changes[name].minus],
            )
            self._keep_version(model.name)
            changes[model.name] = self._changes(model.name)
            steps.append((model.name, rule, self._difference(model)))
        return steps

    def verdict(self, model: Model, upstreams: Sequence[Upstream], settings: Settings) -> Verdict:
        """Return the verdict of the recorded findings."""
        by_table = {one.table: one for one in upstreams}
        named = [by_table[table] for table in numbered_mentions(model.body, list(by_table))]
        occurrences = [
            Occurrence(str(number), one.relation, one.name, unique_key=one.unique_key)
            for number, one in enumerate(named)
        ]
        branches = union_branches(model.body)
        return verdict_of(settings, occurrences, model.findings, None if branches is None else len(branches))

    def _refresh(self, model: Model, changes: Sequence[Change]) -> str:
        """Bring a model up to date; return its rule."""
        if not changes:
            return "skip"
        upstreams = tuple(self.upstreams[name] for name in model.reads)
        settings = Settings(model.name, model.keys)
        stored = Stored(TableName("main", model.name), f"main.{model.name}", self.before)
        self.duck.small = self.random.random() < 0.5
        task = Task(
            stored, settings, self.verdict(model, upstreams, settings), model.body, upstreams, tuple(changes),
            is_large=self.random.random() < 0.5,
        )  # fmt: skip
        plan = plan_of(task, self.duck)
        self._cache(plan.caches)
        if plan.undecided:
            groups = self.duck.sql(again_question(plan.undecided))[0][0]
            plan = aggregate_again(task, self.duck, plan, int(str(groups or 0)))
            self._cache(plan.caches)
        self._apply(model, plan)
        return plan.rule

    def _apply(self, model: Model, plan: Plan) -> None:
        """Write a plan into the model's table: by what its parts mean, not by the statements of the engine."""
        table, keys = f"main.{model.name}", ", ".join(model.keys)
        if plan.rule == "skip":
            return
        if plan.net:
            self.duck.sql(f"create or replace temporary table net as {plan.net}")
            self._delete(table, model.keys, f"select {keys} from net where _delta < 0")
            self.duck.sql(f"insert into {table} select * except (_delta) from net where _delta > 0")
            return
        if plan.upsert:
            self.duck.sql(f"create or replace temporary table upsert as {plan.upsert}")
        if plan.gone:
            self.duck.sql(f"create or replace temporary table gone as {plan.gone}")
            self._delete(table, model.keys, f"select {keys} from gone")
        if plan.upsert and (plan.gone or plan.replaces):
            self._delete(table, model.keys, f"select {keys} from upsert")
        if plan.upsert:
            self.duck.sql(f"insert into {table} select * from upsert")

    def _delete(self, table: str, keys: Sequence[str], of: str) -> None:
        equal = " and ".join(f"{table}.{key} is not distinct from _gone.{key}" for key in keys)
        self.duck.connection.execute(f"delete from {table} where exists (select 1 from ({of}) as _gone where {equal})")

    def _cache(self, caches: Sequence[Cache]) -> None:
        for one in caches:
            self.duck.sql(f"create or replace table {one.view} as {one.sql}")

    def _keep_version(self, name: str) -> None:
        self.duck.connection.execute(
            f"create or replace table main.{name}__v{self.version} as select * from main.{name}"
        )

    def _changes(self, name: str) -> Change:
        """Return the net changes since the job before: each row as often as it has come or gone more than the other."""
        new, old, view = f"main.{name}__v{self.version}", f"main.{name}__v{self.before}", f"changes_{name}"
        self.duck.connection.execute(
            f"create or replace temporary table {view} as "
            "select * exclude (_net, _each), cast(sign(_net) as integer) as _delta from ("
            "select *, unnest(range(cast(abs(_net) as bigint))) as _each from (select *, sum(_one) as _net from ("
            f"select *, 1 as _one from {new} union all select *, -1 as _one from {old}) group by all having sum(_one) <> 0))"
        )
        counted = f"select count(*) filter (where _delta > 0), count(*) filter (where _delta < 0) from {view}"
        plus, minus = self.duck.connection.execute(counted).fetchall()[0]
        return Change(self.upstreams[name], self.before, view, int(plus), int(minus))

    def _difference(self, model: Model) -> list[tuple[object, ...]]:
        """Return the rows in which a model differs from its recompute, with the side that has them."""
        table = f"main.{model.name}"
        self.duck.connection.execute(f"create or replace temporary table whole as select * from {table} limit 0")
        self.duck.sql(f"insert into whole {model.body}")
        stored, whole = (
            Counter(map(canonical, self.duck.connection.execute(f"select * from {name}").fetchall()))
            for name in (table, "whole")
        )
        return [("stored", *row) for row in (stored - whole).elements()] + [
            ("recomputed", *row) for row in (whole - stored).elements()
        ]
