"""`python -m benchmarks.warm`: a job of 100 changes by a new `dbt build` and by `entrepot run`, and queries that the latter answers."""

from __future__ import annotations

import heapq
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.small_job.versions import ENTREPOT, RECORDED, ROOT
from entrepot.commands.console import console

CHANGES = 100
# of a new `dbt build`, of a second
JOB_TARGET, QUERY_TARGET = 1 / 3, 1.0
SQL = "select count(*) as n, sum(amount) as amount from fct_order_line"


class Scene:
    """A warehouse of the recorded opening, and the shop's changes of the day, which arrive a hundred at a time."""

    def __init__(self, folder: Path) -> None:
        """Lay out an empty warehouse and a folder of arrivals with the opening."""
        shutil.rmtree(folder, ignore_errors=True)
        self.folder, self.landing = folder, folder / "arriving"
        self.landing.mkdir(parents=True)
        for file in (RECORDED / "01_opening").glob("*.jsonl"):
            shutil.copy(file, self.landing / f"1_{file.name}")
        lines = [
            line for _, line in heapq.merge(*map(captured, sorted(RECORDED.glob("0[23]_*/*.jsonl"))), key=itemgetter(0))
        ]
        self._waiting = [lines[start : start + CHANGES] for start in range(0, len(lines) - CHANGES + 1, CHANGES)]
        self._count = 0
        self.environment = os.environ | {
            "ENTREPOT_WAREHOUSE": str(folder / "warehouse"), "DBT_PROFILES_DIR": str(ROOT), "PYTHONPATH": str(ROOT / "python"),
        }  # fmt: skip
        self.options = [
            "--vars", json.dumps({"landing_path": f"{self.landing}/*.jsonl"}),
        ]  # fmt: skip

    @property
    def left(self) -> int:
        """How many times changes can still arrive."""
        return len(self._waiting) - self._count

    def arrive(self) -> None:
        """Let the next changes arrive, in a file that appears whole."""
        written = self.landing / "next"
        written.write_text("".join(self._waiting[self._count]))
        written.replace(self.landing / f"2_{self._count}.jsonl")
        self._count += 1

    def timed(self, *command: str) -> float:
        """Run a command in a process of its own and return its seconds.

        Raises:
            click.ClickException: it failed
        """
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise click.ClickException(f"{' '.join(command)}\n{(done.stdout + done.stderr)[-4000:]}")
        return time.monotonic() - began

    def build(self) -> float:
        """Run a new `dbt build`; return its seconds."""
        paths = ["--target-path", str(self.folder / "target"), "--log-path", str(self.folder / "logs")]
        return self.timed("-m", "dbt.cli.main", "build", "--quiet", *self.options, *paths)

    def query(self) -> float:
        """Run `entrepot query`; return its seconds."""
        return self.timed("-c", ENTREPOT, "query", "-f", "csv", SQL)


def captured(file: Path) -> Iterator[tuple[int, str]]:
    """Yield a file's records with the milliseconds when they were captured; a tombstone has those of the record before it."""
    at = 0
    for line in file.read_text().splitlines(keepends=True):
        value = json.loads(json.loads(line)["value"] or "{}")
        at = value.get("payload", value).get("ts_ms", at)
        yield at, line


def next_job(lines: Any) -> Mapping[str, Any]:
    """Return the next job that a log in JSON tells of."""
    for line in lines:
        told: dict[str, Any] = json.loads(line) if line.startswith("{") else {}
        if told.get("event") == "job":
            if told["state"] != "finished":
                raise click.ClickException(f"A job failed: {told['problems']}")
            return told
    raise click.ClickException("`entrepot run` has ended.")


@click.command()
@click.option("--builds", default=3, show_default=True, type=click.IntRange(1, 7), help="How many new `dbt build`s.")
@click.option(
    "--jobs",
    default=12,
    show_default=True,
    type=click.IntRange(6, 14),
    help="How many jobs of `entrepot run`, at most what the builds leave of 15.",
)
@click.option("--queries", default=10, show_default=True, help="How many queries.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "warm", show_default="target/warm")
def main(builds: int, jobs: int, queries: int, folder: Path) -> None:
    """Measure both in turns where that can be: the process that stays has the warehouse for itself."""
    scene = Scene(folder.absolute())
    if builds + jobs > scene.left:
        raise click.UsageError(
            f"{builds} builds and {jobs} jobs are more than the {scene.left} hundreds of changes that were recorded."
        )
    scene.build()
    new = []
    for _ in range(builds):
        scene.arrive()
        new.append(scene.build())
    alone = scene.query()
    command = [sys.executable, "-c", ENTREPOT, "run", "--on-arrival", "--log-format", "json", *scene.options]
    warm, answers = [], []
    with subprocess.Popen(command, cwd=ROOT, env=scene.environment, stdout=subprocess.PIPE, text=True) as running:
        next_job(running.stdout)
        for _ in range(jobs):
            scene.arrive()
            warm.append(float(next_job(running.stdout)["seconds"]))
        answers = [scene.query() for _ in range(queries)]
        running.terminate()
    sys.exit(report(new, warm, alone, answers))


def report(new: Sequence[float], warm: Sequence[float], alone: float, answers: Sequence[float]) -> bool:
    """Print what was measured; return whether a target is missed."""
    first, last = (statistics.median(some) / statistics.median(new) for some in (warm[:3], warm[-3:]))
    table = Table("", "seconds", "median", "target", show_edge=False)
    for says, seconds, target in (
        (f"{CHANGES} changes, a new dbt build", new, ""),
        (f"{CHANGES} changes, entrepot run, its first jobs", warm[:3], f"it is {first:.2f} of it"),
        ("its next", warm[3:-3], ""),
        ("its last", warm[-3:], f"{JOB_TARGET:.2f} of it; it is {last:.2f}"),
        ("a query in a process of its own", [alone], ""),
        ("a query that entrepot run answers", answers, f"{QUERY_TARGET:g} s"),
    ):
        if seconds:
            table.add_row(says, ", ".join(f"{one:.2f}" for one in seconds), f"{statistics.median(seconds):.2f}", target)
    console().print(table)
    return last > JOB_TARGET or statistics.median(answers) > QUERY_TARGET


if __name__ == "__main__":
    main()
