"""A session that keeps tables up by their folders: no metastore, so it works where dbt has none open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.errors import EnvironmentProblemError
from entrepot.spark.sentences import sentence
from entrepot.spark.session import reader_session
from entrepot.target import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # what is needed is worked out before, from the logs and the books
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    # Delta 4.4 would take any RETAIN but 0 hours for the table's own retention
    "spark.databricks.delta.vacuum.retentionWindowIgnore.enabled": "false",
    "spark.databricks.delta.vacuum.logging.enabled": "true",
    # files from this size on are left alone
    "spark.databricks.delta.optimize.minFileSize": str(16 * 2**20),
    "spark.databricks.delta.optimize.maxFileSize": str(128 * 2**20),
    "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled": "false",
    # VACUUM would list a folder in 10 000 tasks
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",
    "spark.sql.session.timeZone": "UTC",
}


class KeeperError(EnvironmentProblemError):
    """Spark refuses a statement."""


class Keeper:
    """Runs the statements of upkeep."""

    def __init__(self, target: Target, log: Path) -> None:
        """Start the session; `log` is where Spark's own messages go."""
        self.session: SparkSession = reader_session(target, log)
        for name, value in SETTINGS.items():
            self.session.conf.set(name, value)

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Run a statement that names tables by their folders, and return its rows.

        Raises:
            KeeperError: Spark refuses it
        """
        from pyspark.errors import PySparkException

        try:
            return [row.asDict(recursive=True) for row in self.session.sql(sql).collect()]
        except PySparkException as error:
            raise KeeperError(
                f"Spark refuses `{sql.splitlines()[0]}`: {sentence(error)}.",
                "What had been done before stands; say it again when the cause is gone.",
            ) from error

    def checkpoint(self, folder: str) -> None:
        """Write a checkpoint of a table's log, after which Delta removes what is older than the log's retention."""
        jvm: Any = self.session._jvm
        jvm.org.apache.spark.sql.delta.DeltaLog.forTable(self.session._jsparkSession, folder).checkpoint()

    def say(self, text: str | None) -> None:
        """Let the next commits carry a text; None for nothing."""
        from entrepot.tables.metadata import COMMIT_METADATA

        if text is None:
            self.session.conf.unset(COMMIT_METADATA)
        else:
            self.session.conf.set(COMMIT_METADATA, text)
