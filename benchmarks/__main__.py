"""`python -m benchmarks`: builds two models on TPC-H, changes the sources, and compares incremental with full jobs."""

from __future__ import annotations

import json
import os
import shutil
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from benchmarks import picture, report
from benchmarks.measure import Job, mean, run_dbt
from benchmarks.report import Comparison
from benchmarks.scenarios import Scenario, all_scenarios
from benchmarks.warehouse import Mark, forget, generate, load
from entrepot.java import prepare_environment
from entrepot.spark.session import WITH_METASTORE, started
from entrepot.target import load_target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
MODELS = {"order_line": "default_marts.order_line", "incomplete_orders": "default_marts.incomplete_orders"}
WARM_UP = Scenario(0.001, "update", "scattered")


class Benchmark:
    """A warehouse with TPC-H on it, and the two models."""

    def __init__(self, folder: Path, variables: dict[str, str], console: Console) -> None:
        """Start Spark on an empty warehouse below `folder`."""
        self.folder, self.variables, self.console = folder, variables, console
        self.warehouse = folder / "warehouse"
        shutil.rmtree(self.warehouse, ignore_errors=True)
        self.warehouse.mkdir(parents=True)
        os.environ["ENTREPOT_BENCHMARK_WAREHOUSE"] = str(self.warehouse)
        self.project = lay_out(folder / "project")
        self.session = start_spark(self.project, folder / "spark.log")

    def dbt(self, *arguments: str) -> Job:
        """Run and measure a dbt command."""
        return run_dbt(self.session, self.project, MODELS, [*arguments, "--vars", json.dumps(self.variables)])

    def prepare(self, scale: float) -> None:
        """Load the sources, build the models, and note how all tables stand."""
        generate(self.folder / f"tpch-{scale:g}", scale)
        load(self.session, self.folder / f"tpch-{scale:g}")
        self.dbt("build")
        self.keys = int(self.session.sql("select max(o_orderkey) as n from tpch.orders").collect()[0].n)
        self.mark = Mark(self.warehouse)

    def compare(self, scenario: Scenario) -> Comparison:
        """Change the sources, then run on them the full job, the incremental one and the full one again; leave everything as it was.

        A full job before and one after, because what runs later finds the JVM and the page cache warmer.
        """
        for statement in scenario.statements(self.keys):
            self.session.sql(statement)
        changed = Mark(self.warehouse)
        forget(self.session)
        before = self.dbt("build", "--full-refresh")
        changed.rewind(self.session)
        incremental = self.dbt("build")
        rows = [self.checksum(table) for table in MODELS.values()]
        forget(self.session)
        after = self.dbt("build", "--full-refresh")
        equal = rows == [self.checksum(table) for table in MODELS.values()]
        self.mark.rewind(self.session)
        return Comparison(scenario, incremental, mean(before, after), equal)

    def warm_up(self) -> None:
        """Run one incremental job that is not measured: the JVM compiles what runs often. The first build was a full one."""
        for statement in WARM_UP.statements(self.keys):
            self.session.sql(statement)
        self.dbt("build")
        self.mark.rewind(self.session)

    def checksum(self, table: str) -> tuple[Any, ...]:
        """What tells two contents of a table apart, in any order of the rows."""
        return tuple(
            self.session.sql(f"select count(*), sum(cast(xxhash64(*) as decimal(38, 0))) from {table}").collect()[0]
        )


def lay_out(project: Path) -> Path:
    """Copy the dbt project: what dbt writes stays out of this repository."""
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(ROOT / "benchmarks" / "project", project)
    return project


def start_spark(project: Path, log: Path) -> SparkSession:
    """Start the session that dbt's session method will find, with the settings of the project's profile."""
    prepare_environment()
    return started(WITH_METASTORE | load_target(project, project).settings, log)


@click.command()
@click.option("--scale", default=1.0, show_default=True, help="TPC-H scale factor: 1 is 6 million order lines.")
@click.option("--cores", default=2, show_default=True, help="Cores that Spark may use.")
@click.option("--memory", default="6g", show_default=True, help="Heap of Spark's JVM.")
@click.option(
    "--only", multiple=True, help="Only scenarios with this in their name, such as 'update 1 %'; can be repeated."
)
@click.option(
    "--vars", "variables", default="{}", help='dbt variables as JSON, such as \'{"order_line_rule": "full"}\'.'
)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "benchmarks", show_default="target/benchmarks",
    help="Where data and warehouse go; about 4 GB at scale factor 1.",
)  # fmt: skip
@click.option(
    "--results", type=click.Path(path_type=Path), default=ROOT / "benchmarks" / "results", show_default="benchmarks/results",
    help="Where <date>-scale-<scale>.json goes.",
)  # fmt: skip
@click.option("--draw", type=click.Path(path_type=Path), help="Write the picture here, such as docs/benchmarks.svg.")
def main(
    scale: float,
    cores: int,
    memory: str,
    only: tuple[str, ...],
    variables: str,
    folder: Path,
    results: Path,
    draw: Path | None,
) -> None:
    """Compare incremental jobs with `create or replace` on TPC-H, on the same changes in the same process."""
    console = Console(width=None if Console().is_terminal else 240)
    os.environ |= {"ENTREPOT_BENCHMARK_CORES": str(cores), "ENTREPOT_BENCHMARK_MEMORY": memory}
    benchmark = Benchmark(folder.resolve(), json.loads(variables), console)
    console.print(f"Loading TPC-H at scale factor {scale:g} and building two models ...")
    benchmark.prepare(scale)
    benchmark.warm_up()
    path = results / f"{datetime.now(timezone.utc):%Y-%m-%d}-scale-{scale:g}.json"
    comparisons: list[Comparison] = []
    for scenario in all_scenarios():
        if not only or any(part in scenario.name for part in only):
            comparisons.append(benchmark.compare(scenario))
            report.print_table(console, comparisons[-1:])
            # after each of them: a run that is stopped has not been for nothing
            record = report.as_record(comparisons, scale, cores, memory, benchmark.variables)
            report.write(record, path)
            if draw:
                picture.draw(record, draw)
    if not comparisons:
        raise click.ClickException(f"No scenario has {' or '.join(only)} in its name. There are: {names()}.")
    report.print_table(console, comparisons)
    for sentence in report.targets(record):
        console.print(sentence, highlight=False)
    console.print(f"written to {path}", highlight=False)


def names() -> str:
    """The names of all scenarios."""
    return ", ".join(scenario.name for scenario in all_scenarios())


if __name__ == "__main__":
    main()
