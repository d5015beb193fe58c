"""Queries answered by the process that runs the jobs."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from entrepot.answers import Printed, Screen, printed
from entrepot.running.chain import Chain, InChain
from entrepot.running.question import Question
from entrepot.spark.reader import Reader
from entrepot.spark.session import session_beside
from entrepot.warehouse import Chosen, Warehouse

# Spark works at so many at a time; further ones wait. Each thread that speaks to the JVM has one of its own there, so they are kept
AT_ONCE = 4


class WarmWarehouse(Warehouse):
    """A warehouse that is asked in the process that runs its jobs: by a session beside theirs, refreshed by a job among theirs."""

    def __init__(self, place: Mapping[str, Any], chain: Chain) -> None:
        """Open the warehouse; Spark is there already."""
        super().__init__(**place)
        self._refreshing = InChain(self.target.warehouse, chain=chain)
        self._reader = Reader(self.target, session_beside(), stays=True)
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="query")

    def answer(self, question: Question, screen: Screen) -> Printed:
        """Answer a question as text; raises what `Warehouse.query` does."""
        # a question that waits for a job keeps none of the threads
        return self._pool.submit(self._printed, question.choose(self), question, screen).result()

    def _printed(self, chosen: Chosen, question: Question, screen: Screen) -> Printed:
        return printed(self.read(chosen), question.form, screen)

    def end(self) -> None:
        """Wait for what Spark is asked just now, and ask it nothing more."""
        self._pool.shutdown()
