"""Where a running job is, told as its models begin and end."""

from __future__ import annotations

from datetime import datetime, timezone
from threading import Lock as Mutex

from entrepot.ledger import Ledger, Progress, Step


class Following:
    """Tells where a job is whenever a model or test begins or ends; dbt's threads say so side by side."""

    def __init__(self, books: Ledger, job: str, number: int) -> None:
        """Follow a job from its beginning.

        Args:
            books: where it is told
            job: the job's id
            number: its place in the chain
        """
        self._books, self._job, self._number = books, job, number
        self._running: dict[str, Step] = {}
        self._last: Step | None = None
        self._place = self._total = 0
        self._is_over = False
        self._turns = Mutex()

    def begins(self, unique_id: str, name: str, place: int, total: int) -> None:
        """Tell that a step begins: dbt's id and name of it, and its place among how many."""
        with self._turns:
            self._place, self._total = max(self._place, place), total
            self._running[unique_id] = Step(name, datetime.now(timezone.utc))
            self._tell()

    def ends(self, unique_id: str, says: str | None) -> None:
        """Tell that a step has ended, and what came of it; none of what writes no rows."""
        with self._turns:
            step = self._running.pop(unique_id, None)
            if step is None:
                return
            if says is not None:
                self._last = Step(step.name, datetime.now(timezone.utc), says)
            self._tell()

    def over(self) -> None:
        """Tell nothing more: the job has ended, however it did."""
        with self._turns:
            if not self._is_over:
                self._books.tell(None)
            self._is_over = True

    def lost(self) -> None:
        """Tell nothing more, and leave what is told: another job has taken over."""
        with self._turns:
            self._is_over = True

    def _tell(self) -> None:
        if not self._is_over:
            running = tuple(self._running.values())
            self._books.tell(Progress(self._job, self._number, self._place, self._total, running, self._last))
