"""The properties of a Delta table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

SECONDS = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60, "second": 1, "millisecond": 0.001}
INTERVAL = re.compile(r"([0-9.]+)\s*(week|day|hour|minute|second|millisecond)")
# what `show tblproperties` tells besides, from elsewhere in the log
NOT_PROPERTIES = re.compile(r"delta\.(minreaderversion|minwriterversion|feature\..*)|clusteringcolumns", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableProperties:
    """The properties of a Delta table at its newest version; names do not depend on upper and lower case.

    Attributes:
        values: {name: value} as they were set, without those that say which features the table has
    """

    values: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        """Return a property's value.

        >>> TableProperties({"delta.appendOnly": "true"}).get("delta.appendonly")
        'true'
        """
        return next((value for key, value in self.values.items() if key.lower() == name.lower()), None)

    @property
    def has_change_feed(self) -> bool:
        """Whether the table keeps a change feed."""
        return (self.get("delta.enableChangeDataFeed") or "").lower() == "true"

    @property
    def has_commit_times(self) -> bool:
        """Whether commits say when they were made; the time of the file does not count then."""
        return (self.get("delta.enableInCommitTimestamps") or "").lower() == "true"

    @property
    def kept_seconds(self) -> float:
        """How long a file is kept at least that no version has any more."""
        return seconds(self.get("delta.deletedFileRetentionDuration") or "interval 1 week")


def table_properties(values: Mapping[str, str]) -> TableProperties:
    """Return the properties among what Delta tells of a table."""
    return TableProperties({name: value for name, value in values.items() if not NOT_PROPERTIES.fullmatch(name)})


def seconds(interval: str) -> float:
    """Return the seconds of an interval as Delta's table properties write it.

    >>> seconds("interval 30 days 12 HOURS"), seconds("interval 500 milliseconds")
    (2635200.0, 0.5)
    """
    return sum(float(number) * SECONDS[unit] for number, unit in _parts(interval))


def _parts(interval: str) -> list[tuple[str, str]]:
    return [(number, unit) for number, unit in INTERVAL.findall(interval.lower())]
