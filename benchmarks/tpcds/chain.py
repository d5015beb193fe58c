"""Jobs of the project in one warm process, measured: a chain of small ones, the same changes at once, everything anew."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Measured, cpu_seconds, newest_version, read_commits
from benchmarks.processes import build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MODELS = {
    "item_change": "default_mapped.item_change",
    "item_history": "default_history.item_history",
    "fct_store_sale": "default_marts.fct_store_sale",
    "mart_item_sales": "default_marts.mart_item_sales",
}
FEW = 21  # a tenth of the jobs of OD-ETL 3.6


@dataclass(frozen=True)
class Job:
    """One `dbt build` of the project.

    Attributes:
        seconds: wall time
        cpu_seconds: of the process and its JVM
        statements: that dbt has sent
        spark_jobs: that Spark has run
        models: {model: (seconds, dbt's line)}
    """

    seconds: float
    cpu_seconds: float
    statements: int
    spark_jobs: int
    models: dict[str, tuple[float, str]]

    def record(self) -> dict[str, Any]:
        """The job as data."""
        return {
            "seconds": round(self.seconds, 2),
            "cpu_seconds": round(self.cpu_seconds, 2),
            "statements": self.statements,
            "spark_jobs": self.spark_jobs,
            "models": {name: [round(seconds, 2), message] for name, (seconds, message) in self.models.items()},
        }


@dataclass
class Project:
    """The dbt project, built in this process.

    Attributes:
        session: Spark, which dbt uses too
        folder: of the project
        target: of its profile
    """

    session: SparkSession
    folder: Path
    target: str
    _heads: dict[str, int] = field(default_factory=dict)

    def job(self, *arguments: str) -> Job:
        """Run `dbt build` and measure it.

        Raises:
            click.ClickException: it failed
        """
        sent = 0

        def listen(event: Any) -> None:
            nonlocal sent
            sent += event.info.name == "SQLQuery"

        scheduler = self.session.sparkContext._jsc.sc().dagScheduler()
        began, cpu_began, jobs_began = time.monotonic(), cpu_seconds(), scheduler.numTotalJobs()
        results = build(self.folder, listen, self.target, arguments)
        return Job(
            time.monotonic() - began,
            cpu_seconds() - cpu_began,
            sent,
            scheduler.numTotalJobs() - jobs_began,
            {result.node.name: (result.execution_time, str(result.message)) for result in results},
        )

    def begin(self) -> None:
        """Note how the tables stand, for `written`."""
        self._heads = {name: newest_version(self.session, table) for name, table in MODELS.items()}

    def written(self) -> dict[str, dict[str, int]]:
        """Return {model: what Delta's commits since `begin` say}: commits, rows written, files written and removed."""
        found = {}
        for name, table in MODELS.items():
            measured = Measured()
            read_commits(self.session, table, self._heads[name], measured)
            counted = ("commits", "rows_written", "files_written", "files_removed")
            found[name] = {what: getattr(measured, what) for what in counted}
        return found

    def contents(self) -> dict[str, list[str]]:
        """Return {model: [number of rows, checksums of them]}: equal for equal tables, in whatever order."""
        hashed = "xxhash64(to_json(struct(*)))"
        return {
            name: [
                str(value)
                for value in self.session.sql(
                    f"select count(*), sum(cast({hashed} as decimal(38, 0))), bit_xor({hashed}) from {table}"
                ).collect()[0]
            ]
            for name, table in MODELS.items()
        }

    def files(self) -> dict[str, int]:
        """Return {model: data files of its newest version}."""
        return {
            name: int(self.session.sql(f"describe detail {table}").collect()[0].numFiles)
            for name, table in MODELS.items()
        }


def summed(jobs: list[Job]) -> dict[str, Any]:
    """Return what jobs took together, and how the first tenth of them compares with the last one (at least one job)."""
    part = max(1, min(FEW, len(jobs) // 10))
    first, last = (statistics.median(job.seconds for job in some) for some in (jobs[:part], jobs[-part:]))
    return {
        "jobs": len(jobs),
        "seconds": round(sum(job.seconds for job in jobs), 1),
        "cpu_seconds": round(sum(job.cpu_seconds for job in jobs), 1),
        "statements": sum(job.statements for job in jobs),
        "spark_jobs": sum(job.spark_jobs for job in jobs),
        "median": round(statistics.median(job.seconds for job in jobs), 2),
        "first": round(first, 2),
        "last": round(last, 2),
        "first_cpu": round(statistics.median(job.cpu_seconds for job in jobs[:part]), 2),
        "last_cpu": round(statistics.median(job.cpu_seconds for job in jobs[-part:]), 2),
    }
