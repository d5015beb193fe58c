"""Runs a case: a dbt project on Spark whose jobs follow the changes, compared after each job with both oracles."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow

from tests.fuzz.case import Case, Failure
from tests.fuzz.change_stream import SOURCES, Source, apply, create_statement
from tests.fuzz.duckdb_oracle import DuckDbOracle
from tests.fuzz.render import model_file
from tests.fuzz.sql_types import Row, Type, comparable, normal
from tests.fuzz.tree import Model
from tests.support.dbt_case import DbtCase, Outcome
from tests.support.spark import Spark
from tests.support.stored import BY_SPARK, stored_table

EPOCH = datetime(1970, 1, 1)


@dataclass
class Tally:
    """What ran: job steps by rule, and by rule and operator; and what the time went into."""

    steps: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    operators: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, phase: str) -> Iterator[None]:
        """Add the time that a block takes to a phase."""
        started = time.monotonic()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0) + time.monotonic() - started


class Runner:
    """Runs cases one after another in one Spark session, each in schemas of its own that it drops afterwards."""

    def __init__(self, root: Path, spark: Spark, oracle: Callable[[], DuckDbOracle] = DuckDbOracle) -> None:
        """Use entrepot of the repository `root`; `oracle` makes the DuckDB to compare with."""
        self.root, self.spark, self.make_oracle = root, spark, oracle
        self.tally = Tally()
        # of the running case: head version and expected rows of each model when it was last found right, and whether Spark's
        # recompute was asked too
        self.verified: dict[str, tuple[tuple[int, Counter[Row]], bool]] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="entrepot-fuzz-"))
        self.cases = 0

    def run(self, case: Case, recompute_every: int = 1) -> list[Failure]:
        """Run a case up to the first job with failures, and return that job's.

        Args:
            case: what to run
            recompute_every: in every how many jobs (and in the last one) Spark's recompute is compared too
        """
        self.cases += 1
        self.verified = {}
        project = DbtCase(
            self.root,
            self.folder / f"case_{self.cases}",
            f"fuzz{os.getpid()}_{self.cases}",
            self.spark,
            project=case.project,
        )
        oracle = self.make_oracle()
        try:
            return self._jobs(case, project, oracle, recompute_every)
        finally:
            oracle.close()
            with self.tally.time("clean-up"):
                self._forget(project)

    def _jobs(self, case: Case, project: DbtCase, oracle: DuckDbOracle, recompute_every: int) -> list[Failure]:
        schema, contents = f"{project.schema}_source", dict(case.contents)
        with self.tally.time("changes"):
            self._create_sources(schema, case)
        write_project(case, project, schema)
        changed = set(SOURCES)
        for number in range(len(case.jobs) + 1):
            with self.tally.time("changes"):
                for change in case.jobs[number - 1] if number else ():
                    statement, contents = apply(change, contents, schema)
                    if statement:
                        self.spark.sql(statement)
                        changed |= {source for source in SOURCES if source.name == change.table}
            with self.tally.time("duckdb"):
                for source in changed:
                    oracle.load(source, self._source_rows(source, schema))
                oracle.compute(case.models)
            changed = set()
            with self.tally.time("build"):
                outcome = project.dbt("build")
            recomputes = number % recompute_every == 0 or number == len(case.jobs)
            with self.tally.time("compare"):
                failures = [
                    f
                    for model in case.models
                    if (f := self._compare(project, oracle, model, number, outcome, recomputes))
                ]
            if not outcome.success and not failures:
                failures = [Failure("build", case.models[-1].name, number, outcome.text[-1500:])]
            if failures:
                return failures
        return []

    def _create_sources(self, schema: str, case: Case) -> None:
        self.spark.sql(f"create schema {schema}")
        for source in SOURCES:
            self.spark.scripts(create_statement(source, schema, case.contents[source.name]))

    def _compare(
        self, project: DbtCase, oracle: DuckDbOracle, model: Model, job: int, outcome: Outcome, recomputes: bool
    ) -> Failure | None:
        """What is wrong with one model after a job."""
        if not model.is_stored:
            return None
        message = outcome.messages.get(model.name, "")
        if model.name not in outcome.nodes or outcome.nodes[model.name].status not in ("success", "skipped"):
            return Failure("build", model.name, job, message or outcome.text[-1500:])
        if outcome.nodes[model.name].status == "skipped":
            return None  # a model above it failed
        self._count(model, message)
        expected = oracle.rows(model)
        state = (project.head("marts", model.name), expected)
        if self.verified.get(model.name) in ((state, True), (state, recomputes)):
            return None  # the same commit was compared with the same rows before
        columns = [(column.name, column.type) for column in model.root.columns]
        stored = Counter(map(normal, self._rows(project.table("marts", model.name), columns)))
        if stored != expected:
            return Failure("oracle", model.name, job, message, _sorted(expected - stored), _sorted(stored - expected))
        if recomputes:
            rows = project.difference_from_recompute("marts", model.name, by_spark=True)
            if rows:
                missing, extra = (tuple(row[1:] for row in rows if row[0] == side) for side in ("right", "left"))
                return Failure("recompute", model.name, job, message, missing, extra)
        self.verified[model.name] = (state, recomputes)
        return None

    def _count(self, model: Model, message: str) -> None:
        rule = message.split(":")[0].split(" (")[0] if model.materialized == "delta" else model.materialized
        self.tally.steps += 1
        self.tally.rules[rule] += 1
        for operator in {operator_name(node) for node in model.root.walk()}:
            self.tally.operators[rule, operator] += 1

    def _source_rows(self, source: Source, schema: str) -> list[Row]:
        """The rows of a source, read back from Delta."""
        types = [type_ for _, type_ in source.types]
        return [
            tuple(
                EPOCH + timedelta(microseconds=value) if type_ == "timestamp" and value is not None else value
                for value, type_ in zip(row, types, strict=True)
            )
            for row in self._rows(f"{schema}.{source.name}", source.types)
        ]

    def _rows(self, table: str, columns: Sequence[tuple[str, Type]]) -> list[Row]:
        """The rows of a table, with moments as `comparable` has them; from its files where those say what Spark would."""
        found = None if BY_SPARK else stored_table(*table.split("."))
        if found is None:
            listed = ", ".join(comparable(name, type_, "spark") for name, type_ in columns)
            return [tuple(row) for row in self.spark.sql(f"select {listed} from {table}")]
        values = [
            (
                found.rows.column(name).cast(pyarrow.int64()) if type_ == "timestamp" else found.rows.column(name)
            ).to_pylist()
            for name, type_ in columns
        ]
        return [
            tuple(tuple(v.values()) if isinstance(v, dict) else v for v in row) for row in zip(*values, strict=True)
        ]

    def _forget(self, project: DbtCase) -> None:
        """Drop what a case made, and free what the JVM keeps of it."""
        for row in self.spark.sql(f"show schemas like '{project.schema}*'"):
            self.spark.sql(f"drop schema {row[0]} cascade")
        session = self.spark.session
        for row in session.sql("show views").collect():
            session.catalog.dropTempView(row.viewName)
        shutil.rmtree(project.path)


def write_project(case: Case, project: DbtCase, schema: str) -> None:
    """Write the models and sources of a case."""
    tables = [
        {"name": source.name, "config": {"meta": {"unique_key": list(source.relation.key)}}} for source in SOURCES
    ]
    project.put("models/sources.yml", json.dumps({"sources": [{"name": "shop", "schema": schema, "tables": tables}]}))
    for model in case.models:
        project.put(f"models/{model.name}.sql", model_file(model))


def operator_name(node: object) -> str:
    """What an operator is called in the tally."""
    for attribute, name in (("kind", None), ("distinct", "distinct"), ("has_window", "window"), ("having", "having")):
        value = getattr(node, attribute, None)
        if value:
            return name or f"{value} join"
    if hasattr(node, "group"):
        return "group by" if node.group else "global aggregate"
    if hasattr(node, "branches"):
        return "union all" if getattr(node, "all", False) else "union"
    return type(node).__name__.lower()


def _sorted(rows: Counter[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows.elements(), key=repr))
