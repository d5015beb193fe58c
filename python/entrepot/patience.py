"""How long a job waits for the job of somebody else: as ENTREPOT_WAIT says, such as 5m; where it says nothing, not at all."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import timedelta

from entrepot.errors import EnvironmentProblemError
from entrepot.spans import humanized, span_told

VARIABLE = "ENTREPOT_WAIT"
PAUSE = 0.5


def _on_standard_error(says: str) -> None:
    print(says, file=sys.stderr, flush=True)


class Patience:
    """A span of time that begins now."""

    def __init__(self, span: timedelta, tell: Callable[[str], None], is_over: Callable[[], bool]) -> None:
        """Begin it; `told` says what the others are."""
        self._span, self._until = span, time.monotonic() + span.total_seconds()
        self._tell, self._is_over = tell, is_over
        self.has_waited = False

    @classmethod
    def told(
        cls, tell: Callable[[str], None] = _on_standard_error, is_over: Callable[[], bool] = lambda: False
    ) -> Patience:
        """Return what ENTREPOT_WAIT says.

        Args:
            tell: takes the sentence that says what is waited for
            is_over: whether nobody wants to wait any longer

        Raises:
            EnvironmentProblemError: it says no span
        """
        text = os.environ.get(VARIABLE, "")
        span = span_told(text) if text.strip() else timedelta(0)
        if span is None:
            raise EnvironmentProblemError(
                f"{VARIABLE} is {text!r}.", "It says how long to wait for the job of somebody else, such as 30s or 5m."
            )
        return cls(span, tell, is_over)

    def goes_on(self, problem: str) -> bool:
        """Whether to try again, after a moment; the first time what is waited for is told.

        Args:
            problem: what stands in the way
        """
        if time.monotonic() >= self._until or self._is_over():
            return False
        if not self.has_waited:
            self._tell(f"{problem} It is waited for, up to {humanized(self._span)} ({VARIABLE}).")
        self.has_waited = True
        time.sleep(PAUSE)
        return True
