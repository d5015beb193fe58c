"""What a profile says: dbt-spark's keys, and Spark's ANSI mode as a choice."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.spark.connections import SparkCredentials

from entrepot.profile import with_ours


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
        self.server_side_parameters |= with_ours(self.server_side_parameters, self.ansi)

    @property
    def type(self) -> str:
        """The adapter's name in profiles."""
        return "entrepot"

    def _connection_keys(self) -> tuple[str, ...]:
        """What `dbt debug` prints."""
        return (*super()._connection_keys(), "ansi")
