"""The Spark session of readers: no metastore, so it works beside a running job and never disturbs one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from entrepot.errors import EnvironmentProblemError
from entrepot.java import java_problem, prepare_environment
from entrepot.target import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

READER_SETTINGS = {
    # a published version may be older than the table's retention, and complete: it was the newest until the running job
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
WRITER_ONLY = ("spark.hadoop.javax.jdo.", "spark.driver.extraJavaOptions", "spark.sql.warehouse.dir")


def quiet_loggers() -> None:
    """Let PySpark raise what Spark refuses, without printing it, with both stack traces, as a line of JSON on standard error, too."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


@contextmanager
def quiet_stderr(log: Path) -> Iterator[None]:
    """Send what a starting JVM prints on standard error to `log`; it goes on writing there afterwards."""
    log.parent.mkdir(parents=True, exist_ok=True)
    sys.stderr.flush()
    kept = os.dup(2)
    with log.open("ab") as sink:
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def reader_session(target: Target, log: Path) -> SparkSession:
    """Start a session that reads Delta tables by their location.

    Raises:
        EnvironmentProblemError: no usable Java, or Spark did not start
    """
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    if problem := java_problem():
        raise EnvironmentProblemError(problem, "")
    prepare_environment()
    quiet_loggers()
    builder = SparkSession.builder
    for key, value in target.settings.items():
        if not key.startswith(WRITER_ONLY):
            builder = builder.config(key, value)
    for key, value in READER_SETTINGS.items():
        builder = builder.config(key, value)
    try:
        with quiet_stderr(log):
            return builder.getOrCreate().newSession()
    except (PySparkRuntimeError, OSError) as error:
        raise EnvironmentProblemError(start_problem(log), f"Spark's own words are in {log}.") from error


def start_problem(log: Path) -> str:
    """Say in a sentence why Spark did not start, from what it wrote to `log`."""
    text = log.read_text(errors="replace")[-20000:] if log.exists() else ""
    if "unresolved dependency" in text or "UNRESOLVED DEPENDENCIES" in text:
        return (
            "Spark could not fetch Delta's jars: the package registry (Maven) is not reachable from here, "
            "or a proxy stands in between. Once fetched they are kept, and no network is needed."
        )
    if "No space left on device" in text:
        return "Spark could not start: no space left on the device."
    return "Spark could not start."
