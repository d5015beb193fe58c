"""One dbt command in this process, measured model by model: time, CPU, statements, rows, files and commits."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.tables.log_files import LogFiles
from entrepot.tables.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Return the CPU time of this process and everything below it (the JVM), user and system, from /proc."""
    parents, ticks = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has ended meanwhile
                continue
            parents[int(folder.name)], ticks[int(folder.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks.get(process, 0) for process in ours) / TICKS


@dataclass
class Measured:
    """What one model took in one job.

    Attributes:
        message: dbt's line, such as `join: 3 in +1 ~2 -0`
        seconds: wall time
        cpu_seconds: of the whole process tree
        statements: Spark statements sent
        rows_read: records that Spark's stages have read, whatever they come from
        files_read: data files scanned
        rows_written: inserted, updated and deleted, as Delta's commits say
        files_written: data files added, as Delta's commits say
        files_removed: data files removed, as Delta's commits say
        commits: Delta commits
    """

    message: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    statements: int = 0
    rows_read: int = 0
    files_read: int = 0
    rows_written: int = 0
    files_written: int = 0
    files_removed: int = 0
    commits: int = 0
    _began: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0), repr=False)
    _window: tuple[float, float] = field(default=(0.0, 0.0), repr=False)

    def start(self) -> None:
        """Start the clocks."""
        self._began = (time.monotonic(), cpu_seconds(), time.time())

    def stop(self) -> None:
        """Stop the clocks."""
        self.seconds, self.cpu_seconds = time.monotonic() - self._began[0], cpu_seconds() - self._began[1]
        self._window = (self._began[2] * 1000, time.time() * 1000)


@dataclass
class Job:
    """One dbt command: the whole of it, and its models by name."""

    seconds: float
    cpu_seconds: float
    models: dict[str, Measured]


def mean(first: Job, last: Job) -> Job:
    """Return the mean seconds of a job that ran twice; what it has read and written is the last one's."""

    def both(of_first: Measured, of_last: Measured) -> Measured:
        return replace(
            of_last,
            seconds=(of_first.seconds + of_last.seconds) / 2,
            cpu_seconds=(of_first.cpu_seconds + of_last.cpu_seconds) / 2,
        )

    return Job(
        (first.seconds + last.seconds) / 2,
        (first.cpu_seconds + last.cpu_seconds) / 2,
        {name: both(first.models[name], last.models[name]) for name in last.models},
    )


def run_dbt(session: SparkSession, project: Path, models: dict[str, str], arguments: list[str]) -> Job:
    """Run a dbt command and measure it.

    Args:
        session: the Spark session, which dbt uses too
        project: the dbt project's folder
        models: {name: table} of the models to measure
        arguments: of dbt

    Raises:
        RuntimeError: dbt failed
    """
    from dbt.cli.main import dbtRunner

    found = {name: Measured() for name in models}

    def listen(event: Any) -> None:
        name = getattr(getattr(event.data, "node_info", None), "node_name", None)
        if name not in found:
            return
        if event.info.name == "NodeStart":
            found[name].start()
        elif event.info.name == "NodeFinished":
            found[name].stop()
        elif event.info.name == "SQLQuery":
            found[name].statements += 1

    heads = {name: newest_version(session, table) for name, table in models.items()}
    began, cpu_began = time.monotonic(), cpu_seconds()
    result = dbtRunner(callbacks=[listen]).invoke(
        [*arguments, "--quiet", "--project-dir", str(project), "--profiles-dir", str(project)]
    )
    job = Job(time.monotonic() - began, cpu_seconds() - cpu_began, found)
    nodes = getattr(result.result, "results", None) or []
    if not result.success:
        problems = [f"{node.node.name}: {node.message}" for node in nodes if node.status in ("error", "fail")]
        raise RuntimeError(f"dbt {' '.join(arguments)} failed: {'; '.join(problems) or result.exception}")
    for node in nodes:
        if node.node.name in found:
            found[node.node.name].message = node.message
    read_spark(session, found)
    for name, table in models.items():
        read_commits(session, table, heads[name], found[name])
    return job


def newest_version(session: SparkSession, table: str) -> int:
    """Return a Delta table's newest version; -1 where there is no table."""
    if not session.catalog.tableExists(table):
        return -1
    return int(session.sql(f"describe history {table} limit 1").collect()[0].version)


def read_commits(session: SparkSession, table: str, since: int, measured: Measured) -> None:
    """Count what a table's commits after version `since` say of themselves, or of their files where they have been written without Spark."""
    location = session.sql(f"describe detail {table}").collect()[0].location
    for commit in LogFiles().commits(Table(tuple(table.split(".")), location), from_version=since + 1):
        said = {key: int(value) for key, value in commit.metrics.items() if value.isdigit()}
        merged = [said.get(f"numTargetRows{what}", 0) for what in ("Inserted", "Updated", "Deleted")]
        measured.commits += 1
        measured.rows_written += (
            sum(merged)
            if "numTargetRowsInserted" in said
            else said.get("numOutputRows", 0) + said.get("numDeletedRows", 0)
        )
        measured.files_written += first(
            said, "numTargetFilesAdded", "num_target_files_added", "numAddedFiles", "numFiles"
        )
        measured.files_removed += first(said, "numTargetFilesRemoved", "num_target_files_removed", "numRemovedFiles")


def first(values: dict[str, int], *keys: str) -> int:
    """Return the value of the first key that is there; 0 where none is."""
    return next((values[key] for key in keys if key in values), 0)


def read_spark(session: SparkSession, found: dict[str, Measured]) -> None:
    """Add up what Spark has read during each model: records of its stages, and files of its scans."""
    context = session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty(60000)
    empty = session.sparkContext._gateway.new_array(session._jvm.double, 0)
    stages = context.statusStore().stageList(None, False, False, empty, None)
    for index in range(stages.size()):
        stage = stages.apply(index)
        if stage.submissionTime().isDefined():
            measured = during(found, stage.submissionTime().get().getTime())
            if measured:
                measured.rows_read += stage.inputRecords()
    store = session._jsparkSession.sharedState().statusStore()
    executions = store.executionsList()
    for index in range(executions.size()):
        execution = executions.apply(index)
        measured = during(found, execution.submissionTime())
        if measured:
            measured.files_read += files_read(store, execution)


def files_read(store: Any, execution: Any) -> int:
    """Return how many files the scans of one SQL execution have read."""
    metrics = execution.metrics()
    wanted = {
        metrics.apply(index).accumulatorId()
        for index in range(metrics.size())
        if metrics.apply(index).name() == "number of files read"
    }
    if not wanted:
        return 0
    values = store.executionMetrics(execution.executionId())
    total = 0
    for accumulator in wanted:
        value = values.get(accumulator)
        if value.isDefined():
            total += int(value.get().replace(",", ""))
    return total


def during(found: dict[str, Measured], moment: float) -> Measured | None:
    """Return the model that ran at a moment (milliseconds since 1970)."""
    return next((measured for measured in found.values() if measured._window[0] <= moment <= measured._window[1]), None)
