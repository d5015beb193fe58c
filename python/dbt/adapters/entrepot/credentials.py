"""What a profile says: dbt-spark's keys, and Spark's ANSI mode as a choice."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.spark.connections import SparkCredentials

# what the engine relies on in every session, whatever the profile says
ALWAYS = {
    # Delta would refuse to read a version that was committed longer ago than the table's retention, even one that was the
    # newest until a moment ago and is complete; what may be incomplete we see from the history
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false",
    # Spark skips batches of tables in memory by their smallest and largest values, for which NaN does not count:
    # `x > 1` would lose rows with NaN
    "spark.sql.inMemoryColumnarStorage.partitionPruning": "false",
    # rows that are kept on the driver go through Java's types: these are exact for every date, the older ones are not
    "spark.sql.datetime.java8API.enabled": "true",
    # Delta would answer the largest date of a whole table from its statistics, and fails at it with those types
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    # plans are read by the analyzer, which needs all columns of them
    "spark.sql.debug.maxToStringFields": "100000",
}


@dataclass
class EntrepotCredentials(SparkCredentials):
    """One target of a profile with `type: entrepot`.

    Attributes:
        ansi: whether Spark's ANSI mode is on: casts that fail and integers that overflow are errors, not nulls. dbt-spark
            switches it off; so do we where the profile does not say
    """

    ansi: bool = False

    def __post_init__(self) -> None:
        """Check the profile as dbt-spark does, then put our settings into it."""
        super().__post_init__()
        self.server_side_parameters |= {**ALWAYS, "spark.sql.ansi.enabled": str(self.ansi).lower()}

    @property
    def type(self) -> str:
        """The adapter's name in profiles."""
        return "entrepot"

    def _connection_keys(self) -> tuple[str, ...]:
        """What `dbt debug` prints."""
        return (*super()._connection_keys(), "ansi")
