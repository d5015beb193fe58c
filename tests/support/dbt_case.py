"""A dbt project in ten lines: write models, build them in-process, see what happened (elementary's dbt_project.py)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from dbt.cli.main import dbtRunner

from tests.support.lean import without_macro_docs
from tests.support.spark import BY_SPARK, Spark

# as many as the local profile has; `make campaigns` runs the tests of jobs with one, too
THREADS = int(os.environ.get("ENTREPOT_TEST_THREADS", "4"))
CHANGE_FEED = {"delta.enableChangeDataFeed": "true"}
# for a `build` whose tests are not what it is about
WITHOUT_TESTS = ("--exclude-resource-type", "test")


def delta_models(**config: Any) -> dict[str, Any]:
    """The part of dbt_project.yml that makes every model an incremental one of strategy delta, with more config."""
    settings = {
        "file_format": "delta",
        "schema": "marts",
        "materialized": "incremental",
        "incremental_strategy": "delta",
    }
    return {"models": {"entrepot": {f"+{key}": value for key, value in (settings | config).items()}}}


def reads(sql: str, table: str) -> bool:
    """Whether a statement of the engine reads a table at a version, from its files or by Delta."""
    return f"{table} version as of" in sql or f"global_temp.files_{table.replace('.', '_')}_" in sql


def reads_changes(sql: str, table: str | None = None) -> bool:
    """Whether a statement of the engine reads the change feed of a table, or of any, from its files or by Delta."""
    names = (f"{table}'", f"{table.replace('.', '_')}_") if table else ("", "")
    return f"table_changes('{names[0]}" in sql or f"global_temp.feed_files_{names[1]}" in sql


@dataclass
class Outcome:
    """What one dbt invocation did.

    Attributes:
        success: whether dbt says so
        nodes: {node name: its run result}
        messages: {node name: the message on its line, such as `join: 3 in +1 ~2 -0`}
        log: every message that dbt would print, in order
        traces: where in Java Spark's errors happened
        statements: the SQL statements that were sent to Spark, in order
        by_node: the same by the name of the node that sent them
    """

    success: bool
    nodes: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    by_node: dict[str, list[str]] = field(default_factory=dict)

    def statements_of(self, *names: str) -> list[str]:
        """The SQL statements of some nodes."""
        return [statement for name in names for statement in self.by_node.get(name, [])]

    def results(self, test: str, relation: str) -> list[tuple[str, int]]:
        """Status and number of rows of one generic test on one relation."""
        return [
            (str(result.status), result.failures)
            for name, result in self.nodes.items()
            if name.startswith(f"{test}_{relation}_") and result.node.attached_node.endswith(f".{relation}")
        ]

    @property
    def text(self) -> str:
        """The whole log as one text."""
        return "\n".join(self.log)


class DbtCase:
    """One throw-away dbt project on entrepot's macros. `schema` prefixes every schema that it uses.

    `watch` is called with every event of dbt's log: for what happens in the middle of a job. `artifacts` says whether dbt writes its
    manifest and results, which takes half a second a job and is needed by few tests.
    """

    name = "entrepot"
    artifacts = False

    def __init__(
        self,
        root: Path,
        path: Path,
        schema: str,
        spark: Spark,
        macros: bool = True,
        parts: tuple[str, ...] = (),
        project: dict[str, Any] | None = None,
    ) -> None:
        """Lay the project out.

        Args:
            root: the entrepot repository
            path: where to write the project
            schema: the profile's schema
            spark: the session
            macros: whether the project is entrepot's, with its adapter and macros; False leaves plain dbt-spark
            parts: files and folders of the repository to copy, such as `models/landing`, with their configuration
            project: what to set in dbt_project.yml besides the usual
        """
        self.path, self.schema, self.spark = path, schema, spark
        self.sources: list[str] = []
        self.watch: Callable[[Any], None] = lambda event: None
        path.mkdir(parents=True)
        if macros:
            shutil.copytree(root / "macros", path / "macros", ignore=without_macro_docs)
        profile = yaml.safe_load((root / "profiles.yml").read_text())
        target = {"schema": schema, "type": "entrepot" if macros else "spark", "threads": THREADS if macros else 1}
        profile["entrepot"]["outputs"]["local"] |= target
        (path / "profiles.yml").write_text(yaml.safe_dump(profile))
        settings: dict[str, Any] = {
            "name": "entrepot",
            "version": "1.0.0",
            "profile": "entrepot",
            "flags": {"send_anonymous_usage_stats": False},
            "models": {"entrepot": {"+file_format": "delta", "+tblproperties": CHANGE_FEED, "+schema": "marts"}},
            "seeds": {"entrepot": {"+file_format": "delta", "+tblproperties": CHANGE_FEED, "+schema": "seeds"}},
            "snapshots": {"entrepot": {"+file_format": "delta", "+tblproperties": CHANGE_FEED, "+schema": "history"}},
        }
        if parts:
            own = yaml.safe_load((root / "dbt_project.yml").read_text())
            settings |= {key: own[key] for key in ("models", "seeds", "snapshots", "vars", "docs-paths")}
            parts = (*parts, *own["docs-paths"])
        for part in parts:
            if (root / part).is_dir():
                shutil.copytree(root / part, path / part)
            else:
                (path / part).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / part, path / part)
        settings |= project or {}
        if macros and "models/ops" not in parts:
            # the views on the bookkeeping would be in every outcome; `enabled: false` of the whole would take the hooks too
            settings["models"] = {"dbt_entrepot": {"ops": {"+enabled": False}}} | settings["models"]
        (path / "dbt_project.yml").write_text(yaml.safe_dump(settings))

    def write(self, **files: str) -> DbtCase:
        """Write files: `models__x_sql='select 1'` becomes models/x.sql."""
        for name, text in files.items():
            folder, _, rest = name.partition("__")
            stem, _, extension = rest.rpartition("_")
            self.put(f"{folder}/{stem}.{extension}", text)
        return self

    def source(
        self, table: str, columns: str, rows: str = "", properties: str = "'delta.enableChangeDataFeed' = 'true'"
    ) -> str:
        """Create a Delta table of source `raw`, with `rows` (a SELECT, or VALUES), and return its name."""
        schema = f"{self.schema}_raw"
        self.sources.append(table)
        declared = {"name": "raw", "schema": schema, "tables": [{"name": name} for name in self.sources]}
        self.put("models/raw.yml", yaml.safe_dump({"sources": [declared]}))
        self.spark.sql(f"create schema if not exists {schema}")
        self.spark.sql(f"create table {schema}.{table} ({columns}) using delta tblproperties ({properties})")
        if rows:
            self.spark.change(f"insert into {schema}.{table} {rows}")
        return f"{schema}.{table}"

    def put(self, name: str, text: str) -> DbtCase:
        """Write one file by its path within the project."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return self

    def dbt(self, *arguments: str) -> Outcome:
        """Run one dbt command in this process, such as `dbt('build', '--select', 'x')`."""
        outcome = Outcome(success=False)

        def listen(event: Any) -> None:
            self.watch(event)
            if event.info.name == "SQLQuery":
                outcome.statements.append(event.data.sql)
                outcome.by_node.setdefault(event.data.node_info.node_name, []).append(event.data.sql)
            elif event.info.level in ("info", "warn", "error"):
                outcome.log.append(event.info.msg)
            elif event.info.name == "AdapterEventDebug" and "\n\tat " in event.info.msg:
                outcome.traces.append(event.info.msg)

        quiet = ["--quiet", "--log-level-file", "none"]
        json = [] if self.artifacts else ["--no-write-json"]
        result = dbtRunner(callbacks=[listen]).invoke(
            [*arguments, "--project-dir", str(self.path), "--profiles-dir", str(self.path), *quiet, *json]
        )
        outcome.success = result.success
        if result.exception is not None:
            outcome.log.append(str(result.exception))
        for node in getattr(result.result, "results", None) or []:
            outcome.nodes[node.node.name] = node
            if node.node.resource_type != "operation":
                outcome.messages[node.node.name] = node.message
            if node.status in ("error", "fail"):
                outcome.log.append(f"{node.node.name}: {node.message}")
        return outcome

    def build(self, *arguments: str) -> Outcome:
        """Run `dbt build` and insist that it passes."""
        outcome = self.dbt("build", *arguments)
        assert outcome.success, outcome.text[-4000:] + "\n".join(outcome.traces)[:4000]
        return outcome

    def table(self, layer: str, name: str) -> str:
        """The full name of a table of this project."""
        return f"{self.schema}_{layer}.{name}"

    def rows(self, layer: str, name: str) -> list[tuple[Any, ...]]:
        """The rows of a table of this project, sorted."""
        return self.spark.rows(f"select * from {self.table(layer, name)}")

    def head(self, layer: str, name: str) -> int:
        """The newest version of a table of this project, from its log folder."""
        folder = Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{self.schema}_{layer}.db" / name / "_delta_log"
        return max(int(path.stem) for path in folder.glob("*.json"))

    def difference_from_recompute(self, layer: str, model: str, *, by_spark: bool = BY_SPARK) -> list[tuple[Any, ...]]:
        """The rows in which a model differs from its own SQL, as last compiled and run on what there is now."""
        body = (self.path / f"target/compiled/{self.name}/models" / f"{model}.sql").read_text()
        return self.spark.equal(
            f"select * from {self.table(layer, model)}", f"select * from (\n{body}\n)", by_spark=by_spark
        )
