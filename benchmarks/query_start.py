"""A small query in a new process beside the bare start of a Spark session with the same settings: `python -m benchmarks.query_start`.

Seconds are those that a user waits for the process; CPU seconds, of Python and the JVM until the answer is there, say the same on a machine
that has other work.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import click

QUERY = "select count(*) as n from dim_item"
TICKS = os.sysconf("SC_CLK_TCK")


def bare(_query: str) -> None:
    """Start Spark as readers do, and ask nothing."""
    from pyspark.sql import SparkSession

    from entrepot.spark.archive import with_archive
    from entrepot.spark.session import READER_SETTINGS, WRITER_ONLY
    from entrepot.target import load_target

    settings = {key: value for key, value in load_target().settings.items() if not key.startswith(WRITER_ONLY)}
    builder = SparkSession.builder
    for key, value in with_archive(settings | READER_SETTINGS).items():
        builder = builder.config(key, value)
    builder.getOrCreate()


def query(text: str) -> None:
    """Answer a query as `entrepot query` does."""
    from click.testing import CliRunner

    from entrepot.cli import main

    result = CliRunner().invoke(main, ["query", "--format", "json", text])
    assert result.exit_code == 0, result.output


def cpu() -> float:
    """CPU seconds of this process and of its JVM so far."""
    from pyspark import SparkContext

    own = resource.getrusage(resource.RUSAGE_SELF)
    fields = Path(f"/proc/{SparkContext._gateway.proc.pid}/stat").read_text().rpartition(")")[2].split()
    return own.ru_utime + own.ru_stime + (int(fields[11]) + int(fields[12])) / TICKS


def measured(what: str, text: str) -> tuple[float, float]:
    """Seconds and CPU seconds of one process."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.query_start", "--only", what, "--query", text], capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    return seconds, float(done.stdout.split()[-1])


@click.command()
@click.option(
    "--query", "text", default=QUERY, show_default=True, help="What is asked of the warehouse of the project here."
)
@click.option("--pairs", default=3, show_default=True, help="How often both are measured, one after the other.")
@click.option("--only", type=click.Choice(["bare", "query"]), hidden=True)
def main(text: str, pairs: int, only: str | None) -> None:
    """Measure both in turn, and print seconds and CPU seconds of each, and what the query takes more."""
    if only:
        {"bare": bare, "query": query}[only](text)
        click.echo(f"{cpu():.2f}")
        return
    for _ in range(pairs):
        (plain, plain_cpu), (asked, asked_cpu) = measured("bare", text), measured("query", text)
        click.echo(
            f"bare {plain:.1f} s, CPU {plain_cpu:.1f}; query {asked:.1f} s, CPU {asked_cpu:.1f}; "
            f"more: {asked - plain:.1f} s, CPU {asked_cpu - plain_cpu:.1f}"
        )


if __name__ == "__main__":
    main()
