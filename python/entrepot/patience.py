"""How long a job waits for the job of somebody else: as ENTREPOT_WAIT says, such as 5m; where it says nothing, not at all."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta

from entrepot.errors import EnvironmentProblemError
from entrepot.spans import humanized, span_told

VARIABLE = "ENTREPOT_WAIT"
PAUSE = 0.5


class Patience:
    """A span of time that begins now."""

    def __init__(self, span: timedelta) -> None:
        """Begin it."""
        self._span, self._until = span, time.monotonic() + span.total_seconds()
        self.has_waited = False

    @classmethod
    def told(cls) -> Patience:
        """Return what ENTREPOT_WAIT says.

        Raises:
            EnvironmentProblemError: it says no span
        """
        text = os.environ.get(VARIABLE, "")
        span = span_told(text) if text.strip() else timedelta(0)
        if span is None:
            raise EnvironmentProblemError(
                f"{VARIABLE} is {text!r}.", "It says how long to wait for the job of somebody else, such as 30s or 5m."
            )
        return cls(span)

    def goes_on(self, problem: str) -> bool:
        """Whether to try again, after a moment; the first time what is waited for is told on standard error.

        Args:
            problem: what stands in the way
        """
        if time.monotonic() >= self._until:
            return False
        if not self.has_waited:
            print(
                f"{problem} It is waited for, up to {humanized(self._span)} ({VARIABLE}).", file=sys.stderr, flush=True
            )
        self.has_waited = True
        time.sleep(PAUSE)
        return True
