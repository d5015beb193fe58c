"""How long to wait after jobs that failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double from one failure to the next, up to a longest one.

    Attributes:
        first: after the first failure
        most: the longest
    """

    first: timedelta = timedelta(seconds=10)
    most: timedelta = timedelta(minutes=10)

    def pause(self, failures: int) -> timedelta:
        """Return how long to wait after so many failures in a row.

        >>> [Backoff().pause(failures).total_seconds() for failures in (0, 1, 2, 3, 7, 1000)]
        [0.0, 10.0, 20.0, 40.0, 600.0, 600.0]
        """
        if not failures:
            return timedelta()
        # a number of doublings above which any first pause is longer than any longest one
        return min(self.first * 2 ** min(failures - 1, 32), self.most)
