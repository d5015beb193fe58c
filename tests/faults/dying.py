"""A process that dies before its n-th statement, for good or as if.

A statement is what is sent to Spark, or a commit that goes without Spark, to the bookkeeping or to a small table; nothing else of a job
outlives its process.

`python -m tests.faults.dying N FILE build …` is dbt in a process that gets SIGKILL, and its JVM with it. FILE has the statements until then,
one per line. `dying(n)` is the same for a job in this process, twenty times as fast: from its n-th statement on all of them are refused.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from dbt.adapters.entrepot import engine
from entrepot.ledger import files

NEVER = 10**9


class DeadError(Exception):
    """What a statement comes to in a process that is dead."""


class Statements:
    """What a process has sent until it died.

    Attributes:
        sent: the statements, their first 200 characters
        counted: how many of them have had the text
        died_before: the one that it did not live to send
    """

    def __init__(self, point: int, die: Callable[[Statements], None], of: str = "") -> None:
        """Let `die` be called with these before the `point`-th statement that has `of` in its text, and before all after it."""
        self.sent: list[str] = []
        self.died_before: str | None = None
        self._point, self._die, self._of, self.counted, self._lock = point, die, of, 0, threading.Lock()

    def counting(self, call: Callable[..., Any], named: Callable[..., str]) -> Callable[..., Any]:
        """A function that does what `call` does while the process lives; its statement is what `named` makes of the arguments."""

        def run(*arguments: Any, **options: Any) -> Any:
            with self._lock:
                text = named(*arguments)
                # without dbt's remark in front
                statement = " ".join(re.sub(r"^/\*.*?\*/", "", text).split())[:200]
                self.counted += self._of in text
                if self.died_before or self.counted >= self._point:
                    self.died_before = self.died_before or statement
                    self._die(self)
                self.sent.append(statement)
            return call(*arguments, **options)

        return run

    def count(self, patch: pytest.MonkeyPatch) -> None:
        """Count what this process sends from now on."""
        patch.setattr(SparkSession, "sql", self.counting(SparkSession.sql, lambda session, sql, *rest: sql))
        commit = self.counting(files.write_deltalake, lambda table, rows: f"commit to {table.table_uri}")
        patch.setattr(files, "write_deltalake", commit)
        merge = self.counting(engine.merged, lambda table, few, *rest: f"merge into {table.relation} without Spark")
        patch.setattr(engine, "merged", merge)


@contextmanager
def dying(point: int, of: str = "") -> Iterator[Statements]:
    """Let what runs within be dead from its `point`-th statement on, of those that have `of` in their text."""

    def die(statements: Statements) -> None:
        raise DeadError(f"dead before: {statements.died_before}")

    statements = Statements(point, die, of)
    with pytest.MonkeyPatch.context() as patch:
        statements.count(patch)
        yield statements


def main() -> None:
    """Run dbt's command line until it dies."""
    from dbt.cli.main import cli

    from entrepot.java import prepare_environment

    told = Path(sys.argv[2])

    def die(statements: Statements) -> None:
        told.write_text("\n".join([*statements.sent, statements.died_before or ""]))
        os.killpg(0, signal.SIGKILL)

    prepare_environment()
    statements = Statements(int(sys.argv[1]), die)
    statements.count(pytest.MonkeyPatch())
    try:
        cli(sys.argv[3:])
    finally:
        told.write_text("\n".join(statements.sent))


if __name__ == "__main__":
    main()
