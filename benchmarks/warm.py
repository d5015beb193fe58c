"""`python -m benchmarks.warm`: a job of 100 changes by a new `dbt build` and by `entrepot run`, and queries that the latter answers."""

from __future__ import annotations

import heapq
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.further import further
from benchmarks.small_job.versions import ENTREPOT, RECORDED, ROOT
from entrepot.commands.console import console

CHANGES = 100
# these first ones bring tables that the opening has none of: they arrive with it
WITH_THE_OPENING = 3
# of a new `dbt build`, of a second
JOB_TARGET, QUERY_TARGET = 1 / 3, 1.0
# jobs in which Java still compiles much
FIRST = 3
SQL = "select count(*) as n, sum(amount) as amount from fct_order_line"


@dataclass(frozen=True)
class Timed:
    """What a job took, and whether a table has other columns, or other types, in its changes than before."""

    has_new_columns: bool
    seconds: float


class Scene:
    """A warehouse of the recorded opening, and the shop's changes of the day, which arrive a hundred at a time; then further ones of its rows."""

    def __init__(self, folder: Path) -> None:
        """Lay out an empty warehouse and a folder of arrivals with the opening."""
        shutil.rmtree(folder, ignore_errors=True)
        self.folder, self.landing = folder, folder / "arriving"
        self.landing.mkdir(parents=True)
        for file in (RECORDED / "01_opening").glob("*.jsonl"):
            shutil.copy(file, self.landing / f"1_{file.name}")
        self._shapes = set(shapes(line for file in self.landing.iterdir() for line in file.read_text().splitlines()))
        lines = [
            line for _, line in heapq.merge(*map(captured, sorted(RECORDED.glob("0[23]_*/*.jsonl"))), key=itemgetter(0))
        ]
        lines = lines[: len(lines) // CHANGES * CHANGES]
        recorded = (lines[start : start + CHANGES] for start in range(0, len(lines), CHANGES))
        opening = (line for file in self.landing.iterdir() for line in file.read_text().splitlines(keepends=True))
        self._waiting = itertools.chain(recorded, further([*opening, *lines], CHANGES))
        self._count = 0
        self.environment = os.environ | {
            "ENTREPOT_WAREHOUSE": str(folder / "warehouse"), "DBT_PROFILES_DIR": str(ROOT), "PYTHONPATH": str(ROOT / "python"),
        }  # fmt: skip
        self.options = [
            "--vars", json.dumps({"landing_path": f"{self.landing}/*.jsonl"}),
        ]  # fmt: skip

    def arrive(self) -> bool:
        """Let the next changes arrive, in a file that appears whole; return whether a table has other columns or types in them than before."""
        lines, written = next(self._waiting), self.landing / "next"
        written.write_text("".join(lines))
        written.replace(self.landing / f"2_{self._count}.jsonl")
        self._count += 1
        new = set(shapes(lines)) - self._shapes
        self._shapes |= new
        return bool(new)

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


def shapes(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the table of each record that has a row, its columns, and their types where the record tells them."""
    for line in lines:
        value = json.loads(json.loads(line)["value"] or "{}")
        payload = value.get("payload", value)
        row = payload.get("after") or payload.get("before")
        if row:
            source = payload["source"]
            told = [field for field in value.get("schema", {}).get("fields", []) if field["field"] == "after"]
            yield (source["db"], source["schema"], source["table"], *sorted(row), json.dumps(told))


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
@click.option("--builds", default=2, show_default=True, type=click.IntRange(1, 4), help="How many new `dbt build`s.")
@click.option(
    "--jobs",
    default=16,
    show_default=True,
    type=click.IntRange(min=7),
    help="How many jobs of `entrepot run`: 12 of the recorded changes, then of further ones.",
)
@click.option("--queries", default=10, show_default=True, help="How many queries.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "warm", show_default="target/warm")
def main(builds: int, jobs: int, queries: int, folder: Path) -> None:
    """Measure both: the process that stays has the warehouse for itself; behind it new builds, of its last jobs' changes and tables."""
    scene = Scene(folder.absolute())
    for _ in range(WITH_THE_OPENING):
        scene.arrive()
    scene.build()
    command = [sys.executable, "-c", ENTREPOT, "run", "--on-arrival", "--log-format", "json", *scene.options]
    with subprocess.Popen(command, cwd=ROOT, env=scene.environment, stdout=subprocess.PIPE, text=True) as running:
        next_job(running.stdout)
        warm = [Timed(scene.arrive(), float(next_job(running.stdout)["seconds"])) for _ in range(jobs)]
        answers = [scene.query() for _ in range(queries)]
        running.terminate()
    alone = scene.query()
    new = [Timed(scene.arrive(), scene.build()) for _ in range(builds)]
    sys.exit(report(new, warm, alone, answers))


def report(new: Sequence[Timed], warm: Sequence[Timed], alone: float, answers: Sequence[float]) -> bool:
    """Print what was measured; return whether a target is missed.

    Jobs are compared with builds whose tables have the columns of before, as theirs have: other ones make a job map anew.
    """
    builds = [one.seconds for one in new if not one.has_new_columns]
    later = [one.seconds for one in warm[FIRST:] if not one.has_new_columns]
    ratio = statistics.median(later[-3:]) / statistics.median(builds)
    table = Table("", "seconds", "median", "target", show_edge=False)
    for says, seconds, target in (
        (f"{CHANGES} changes, a new dbt build", builds, ""),
        ("the same, a table has new columns", [one.seconds for one in new if one.has_new_columns], ""),
        (f"{CHANGES} changes, entrepot run, its first jobs", [one.seconds for one in warm[:FIRST]], ""),
        ("its later ones", later, f"{JOB_TARGET:.2f} of a new one; its last three are {ratio:.2f} of it"),
        ("the same, a table has new columns", [one.seconds for one in warm[FIRST:] if one.has_new_columns], ""),
        ("a query in a process of its own", [alone], ""),
        ("a query that entrepot run answers", answers, f"{QUERY_TARGET:g} s"),
    ):
        if seconds:
            table.add_row(says, ", ".join(f"{one:.2f}" for one in seconds), f"{statistics.median(seconds):.2f}", target)
    console().print(table)
    return ratio > JOB_TARGET or statistics.median(answers) > QUERY_TARGET


if __name__ == "__main__":
    main()
