"""The test suite's Spark session."""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment
from pyspark import SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import Row, SparkSession

from entrepot.profile import ALWAYS
from entrepot.spark.archive import with_archive
from entrepot.spark.session import lighten_configuration, name_jobs
from tests.support.changes import changed
from tests.support.duck import answered, recomputed
from tests.support.stored import BY_SPARK, logged, stored_rows


def canonical(value: Any) -> Any:
    """A value as one that is equal to another where SQL says so in a group: NaN to NaN, -0.0 to 0.0; and can be counted.

    >>> canonical((-0.0, float("nan"), {"b": [1], "a": None}, bytearray(b"x")))
    (0.0, 'NaN', (('a', None), ('b', (1,))), b'x')
    """
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, dict):
        return tuple(sorted(((canonical(key), canonical(of)) for key, of in value.items()), key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(canonical(part) for part in value)
    return bytes(value) if isinstance(value, bytearray) else value


def _counted(rows: Iterable[Sequence[Any]]) -> Counter[Any]:
    return Counter(canonical(tuple(row)) for row in rows)


class Spark:
    """A thin face of a Spark session: `sql()` returns rows, `rows()` comparable tuples."""

    def __init__(self, session: SparkSession) -> None:
        """Wrap `session`."""
        self.session = session

    def sql(self, text: str) -> list[Row]:
        """Run one statement and return its rows."""
        # dbt's threads have a name for what they run, and take it away with their connection
        name_jobs(self.session, "a test")
        return self.session.sql(text).collect()

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        """Run a query and return its rows as tuples, sorted by their text."""
        found = stored_rows(text)
        return sorted((tuple(row) for row in (self.sql(text) if found is None else found)), key=repr)

    def answer(self, text: str) -> list[tuple[Any, ...]]:
        """Return the same of a plain query, without Spark where that is the same: what tables have is asked, and not Spark."""
        found = None if BY_SPARK else answered(text)
        return self.rows(text) if found is None else sorted(found, key=repr)

    def rows_of(self, queries: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Run queries with the same columns, forty at once, and yield their rows; Spark reads no union of hundreds."""
        for start in range(0, len(queries), 40):
            yield from self.rows("\nunion all\n".join(queries[start : start + 40]))

    def forget_logs(self, *folders: Path) -> None:
        """Let Delta read the logs of some tables anew, whose files a test has changed; those of other tests' tables it goes on knowing."""
        jvm = self.session._jvm
        assert jvm is not None
        for folder in folders:
            path = jvm.org.apache.hadoop.fs.Path(str(folder))
            jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(self.session._jsparkSession, path)

    def scripts(self, *statements: str) -> None:
        """Run several statements."""
        for statement in statements:
            self.sql(statement)

    def change(self, *statements: str) -> None:
        """Insert, update and delete rows of Delta tables; without Spark where that is the same, so nothing of it is Spark's to be tested."""
        for statement in statements:
            if not changed(statement):
                self.sql(statement)

    def equal(self, left: str, right: str, *, by_spark: bool = BY_SPARK) -> list[tuple[Any, ...]]:
        """Return the rows in which two queries differ as multisets, with the side that has them; empty where equal.

        DuckDB is asked first, and Spark where its rows differ or there are none; `by_spark` says that Spark has to say it.
        """
        if not by_spark:
            found = [_counted(rows) for text in (left, right) if (rows := recomputed(text)) is not None]
            if len(found) == 2 and found[0] == found[1]:
                return []
        frames = [self.session.sql(text) for text in (left, right)]
        frames[0].union(frames[1])  # fails where they have not as many columns, or types that cannot be compared
        rows = [
            _counted(frame.collect() if found is None else found)
            for frame, found in ((frame, stored_rows(text)) for frame, text in zip(frames, (left, right), strict=True))
        ]
        return sorted(
            (
                (side, *row)
                for side, more, less in (("left", *rows), ("right", *reversed(rows)))
                for row in (more - less).elements()
            ),
            key=repr,
        )

    def history(self, table: str) -> list[dict[str, Any]]:
        """Return the commits of a Delta table as its log has them, newest first; `metadata` is our part of them."""
        commits = logged(*table.split("."))
        for commit in commits:
            commit["metadata"] = json.loads(commit["userMetadata"]) if commit["userMetadata"] else None
        return commits


# Java's second compiler for what is called ten times as often as it would ask for: it takes a third of a session's time else. And who calls
# what is being compiled waits for it: the interpreter would take more of the busy cores than the wait (decision 10). Of what has been compiled
# nothing is thrown away, so nobody has to look for it
COMPILE_LATER = (
    "-XX:-BackgroundCompilation -XX:-MethodFlushing "
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
# Hadoop starts a process (`chmod`) for each file that it makes: 4.1 ms in place of 5.5 (decision 10)
FORK_LIGHTLY = "-Djdk.lang.Process.launchMechanism=VFORK"
# the tests make thousands of tables, and Delta holds each one's state for an hour
FORGET_TABLES = "-Ddelta.log.cacheRetentionMinutes=4"
LISTS_FILES = "spark.databricks.delta.allFilesInCrc.enabled"
IN_TESTS = {
    # as the adapter's sessions have it; the tests make most tables themselves
    LISTS_FILES: ALWAYS[LISTS_FILES],
    "spark.driver.memory": "8g",
    # as the adapter's sessions have it (`ansi` of a profile)
    "spark.sql.ansi.enabled": "false",
    # VACUUM lists a table's folder in so many tasks, whatever there is to list: 10 000 take half a minute
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    # a scan of small files is one task, after which there is less to exchange; in `make campaigns` it is two, as many as a small machine has cores
    "spark.sql.leafNodeDefaultParallelism": os.environ.get("ENTREPOT_TEST_TASKS", "1"),
    # the profile's metastore takes a quarter of a session's time; it serves the tests that start processes of their own, and `make campaigns`
    "spark.sql.catalogImplementation": os.environ.get("ENTREPOT_TEST_CATALOG", "in-memory"),
}


@contextmanager
def started_spark(profiles: Path, warehouse: Path) -> Iterator[Spark]:
    """Yield the session that dbt's session method will find, with the profile's own settings, but for `IN_TESTS`.

    The processes of one run share a JVM, as it takes minutes until a JVM is quick: who comes first starts it and stays until the others
    have gone. Each has a session of its own; tables, and temporary views of all sessions, are in the same place.

    Args:
        profiles: the project's profiles.yml
        warehouse: the folder for tables and metastore, and for what the processes tell each other
    """
    warehouse.mkdir(parents=True, exist_ok=True)
    door = warehouse / "jvm.json"
    with (warehouse / "start.lock").open("w") as start, (warehouse / "use.lock").open("w") as use:
        fcntl.flock(start, fcntl.LOCK_EX)
        ours = not door.exists()
        spark = _start(profiles, warehouse) if ours else _join(**json.loads(door.read_text()))
        if ours:
            parameters = spark.session.sparkContext._gateway.java_parameters
            door.write_text(json.dumps({"port": parameters.port, "secret": parameters.auth_token}))
        fcntl.flock(use, fcntl.LOCK_SH)
        fcntl.flock(start, fcntl.LOCK_UN)
        try:
            yield spark
        finally:
            fcntl.flock(use, fcntl.LOCK_UN)
            if ours:
                fcntl.flock(start, fcntl.LOCK_EX)
                fcntl.flock(use, fcntl.LOCK_EX)
                door.unlink()


def _start(profiles: Path, warehouse: Path) -> Spark:
    values = {"ENTREPOT_WAREHOUSE": str(warehouse)}
    text = (
        Environment()
        .from_string(profiles.read_text())
        .render(env_var=lambda name, default="": values.get(name, default))
    )
    settings = yaml.safe_load(text)["entrepot"]["outputs"]["local"]["server_side_parameters"]
    # the profile's compiler is for processes of some minutes, and this one lives longer; it serves many projects, too
    java = settings["spark.driver.extraJavaOptions"]
    for option, instead in {
        "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.1": f"{COMPILE_LATER} {FORK_LIGHTLY} {FORGET_TABLES}",
        "-Xms3g": "-Xms8g",
        "-Xmn1200m": "-Xmn4500m",
        "-XX:ReservedCodeCacheSize=384m": "-XX:ReservedCodeCacheSize=1536m",
    }.items():
        assert option in java
        java = java.replace(option, instead)
    builder = SparkSession.builder
    for key, value in with_archive(settings | IN_TESTS | {"spark.driver.extraJavaOptions": java}).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    lighten_configuration(session)
    return Spark(session)


def _join(port: int, secret: str) -> Spark:
    address = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(address)
    try:
        gateway = launch_gateway()
    finally:
        # a process that a test starts has a JVM of its own
        for name in address:
            del os.environ[name]
    jvm = gateway.jvm
    context = SparkContext(gateway=gateway, jsc=jvm.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate()))
    return Spark(SparkSession(context, jvm.SparkSession.getDefaultSession().get().newSession()))
