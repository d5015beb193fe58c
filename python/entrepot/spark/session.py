"""The Spark session of readers: no metastore, so it works beside a running job and never disturbs one."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from entrepot.errors import EnvironmentProblemError
from entrepot.java import java_problem, prepare_environment
from entrepot.spark.archive import JAVA_OPTIONS, with_archive
from entrepot.spark.sentences import sentence
from entrepot.target import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WITH_METASTORE = {"spark.sql.catalogImplementation": "hive"}
READER_SETTINGS = {
    # a published version may be older than the table's retention, and complete: it was the newest until the running job
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
# what Java says before it ends would go to standard output, in the middle of an answer
AS_ERRORS = "-XX:+DisplayVMOutputToStderr"
NO_MEMORY = (
    r"Could not reserve enough space|os::commit_memory.* failed|insufficient memory for the Java Runtime"
    r"|Invalid (?:initial|maximum) heap size"
)
# where Hadoop 3 keeps in private from which file an entry of its configuration comes
ORIGINS = "updatingResource"
WRITER_ONLY = ("spark.hadoop.javax.jdo.", "spark.driver.extraJavaOptions", "spark.sql.warehouse.dir")


def quiet_loggers() -> None:
    """Let PySpark raise what Spark refuses, without printing it, with both stack traces, as a line of JSON on standard error, too."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def started(settings: Mapping[str, str], log: Path) -> SparkSession:
    """Return this process's Spark with some settings; what a JVM that has to be started prints as errors goes to `log`.

    Raises:
        EnvironmentProblemError: it did not start
    """
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException, PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if SparkContext._gateway is None:
        options = with_archive(settings)
        options[JAVA_OPTIONS] = f"{options.get(JAVA_OPTIONS, '')} {AS_ERRORS}".strip()
        conf = SparkConf().setAll(list(options.items()))
        # its first conversation with Java needs it, and half a second to import it with pandas: while Java starts nobody waits for that
        threading.Thread(target=_import, args=("pyspark.testing.utils",), daemon=True).start()
        with _opened(log) as sink:
            before = sink.tell()
            try:
                gateway = launch_gateway(conf, {"stderr": sink})
            except PySparkRuntimeError:
                raise EnvironmentProblemError(start_problem(log, before), f"Spark's own words are in {log}.") from None
            SparkContext._ensure_initialized(gateway=gateway)
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        session = builder.getOrCreate()
        if session.sparkContext.master.startswith("local"):
            lighten_configuration(session)
        return session
    except (Py4JError, PySparkException) as error:
        raise EnvironmentProblemError(
            f"Spark could not start: {sentence(error).splitlines()[0].rstrip('.')}.", f"Spark's own words are in {log}."
        ) from error


def _import(module: str) -> None:
    """Import a module for others; who needs one that is missing will say so."""
    with suppress(ImportError):
        import_module(module)


def lighten_configuration(session: SparkSession) -> None:
    """Leave out of Hadoop's configuration what nothing reads where Spark runs on this machine alone: YARN's defaults, and where entries come from.

    Spark sends the configuration with each scan and each write, and compresses for each entry alone where it comes from: 11 ms with both
    (decision 10). A Hadoop that keeps the origins elsewhere keeps them.
    """
    from py4j.protocol import Py4JJavaError

    jvm, configuration = session._jvm, session._jsc.hadoopConfiguration()
    find = jvm.java.lang.Class.forName
    find("org.apache.hadoop.mapred.JobConf")  # adds them, whenever it is loaded
    unset = jvm.java.beans.EventHandler.create(find("java.util.function.Consumer"), configuration, "unset", "")
    configuration.getValByRegex("^yarn[.]").keySet().forEach(unset)
    with suppress(Py4JJavaError):
        origins = find("org.apache.hadoop.conf.Configuration").getDeclaredField(ORIGINS)
        origins.setAccessible(True)
        origins.set(configuration, jvm.java.util.concurrent.ConcurrentHashMap())


def name_jobs(session: SparkSession, name: str | None) -> None:
    """Let Spark call what this thread runs by a name, in its UI and its log of events; by what it finds itself again with none.

    For each statement and each step of its plan it would look through Java's stack, and find py4j (decision 10).
    """
    if name is None:
        session._jsc.clearCallSite()
        return
    for form in ("short", "long"):
        session._jsc.setLocalProperty(f"callSite.{form}", name)


def _opened(log: Path) -> BinaryIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("ab")
    except OSError as error:
        raise EnvironmentProblemError(
            f"Spark's messages cannot be written: {log}: {error.strerror}.",
            "Make room, or correct the folder's rights.",
        ) from error


def reader_session(target: Target, log: Path) -> SparkSession:
    """Start a session that reads Delta tables by their location.

    Raises:
        EnvironmentProblemError: no usable Java, or Spark did not start
    """
    if problem := java_problem():
        raise EnvironmentProblemError(problem, "")
    prepare_environment()
    quiet_loggers()
    settings = {key: value for key, value in target.settings.items() if not key.startswith(WRITER_ONLY)}
    return started(settings | READER_SETTINGS, log).newSession()


def session_beside() -> SparkSession:
    """Return a session for reading in a process whose Spark jobs use; it has their settings, and none of their temporary views."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate().newSession()


def spark_is_gone() -> bool:
    """Whether the JVM that this process had started has ended by itself, or was killed."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def kill_spark() -> None:
    """End this process's JVM at once: nothing more is written."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.kill()


def end_spark() -> None:
    """End this process's Spark, and wait until its JVM is gone: the next process can have the warehouse then."""
    from pyspark import SparkContext

    context, gateway = SparkContext._active_spark_context, SparkContext._gateway
    if context is None or gateway is None:
        return
    context.stop()
    gateway.shutdown()
    # the JVM ends when nobody can speak to it any more
    gateway.proc.stdin.close()
    gateway.proc.wait()


def start_problem(log: Path, since: int = 0) -> str:
    """Say in a sentence why Spark did not start, from what it wrote to `log` behind so many bytes."""
    text = log.read_bytes()[since:].decode(errors="replace")[-20000:] if log.exists() else ""
    if "unresolved dependency" in text or "UNRESOLVED DEPENDENCIES" in text:
        return (
            "Spark could not fetch Delta's jars: the package registry (Maven) is not reachable from here, "
            "or a proxy stands in between. Once fetched they are kept, and no network is needed."
        )
    if "No space left on device" in text:
        return "Spark could not start: no space left on the device."
    if re.search(NO_MEMORY, text):
        return (
            "Spark could not start: Java cannot have as much memory as it is to have. Make room, or let it have less: "
            "spark.driver.memory and spark.driver.extraJavaOptions in profiles.yml."
        )
    return "Spark could not start."
