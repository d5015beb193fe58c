"""`python -m benchmarks.many_jobs`: what a job and a query of the shop take after 10 jobs, and after 1,000."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from benchmarks import processes
from benchmarks.processes import ROOT
from benchmarks.shop.__main__ import lay_out
from benchmarks.shop.changes import Shop
from entrepot.cli import main as entrepot
from entrepot.ledger.files import FileStore
from entrepot.ledger.records import RECORDS, JobEvent
from entrepot.ledger.store import Wanted
from entrepot.target import load_target

MOST = 1.2
WARMING, MEASURED = 4, 6
QUESTION = "select count(*) as customers from default.customers"


def build(project: Path, jobs: int) -> dict[str, list[float]]:
    """Run jobs of 60 changes in this process, each with a query behind it; the seconds of both.

    The first job of a warehouse builds all tables. How many days the shop has seen is noted beside the project.
    """
    from entrepot.spark.embedded import start_session

    session = start_session(load_target(project, project).settings, project / "spark.log")
    shop, noted = Shop(), project / "days"
    opening, past = list(shop.opening()), int(noted.read_text()) if noted.exists() else None
    for _ in range(past or 0):
        list(shop.day())  # what an earlier process has made
    seconds: dict[str, list[float]] = {"job": [], "query": []}
    first = 0 if past is None else past + 1
    for day in range(first, first + jobs):
        for statement in shop.day() if day else opening:
            session.sql(statement)
        noted.write_text(str(day))
        seconds["job"].append(timed(lambda: processes.build(project)))
        seconds["query"].append(timed(lambda: _ask(project)))
    return seconds


def timed(do: Callable[[], object]) -> float:
    """Return the seconds of something."""
    began = time.monotonic()
    do()
    return time.monotonic() - began


def _ask(project: Path) -> None:
    done = CliRunner().invoke(
        entrepot, ["--project-dir", str(project), "--profiles-dir", str(project), "query", QUESTION]
    )
    if done.exit_code:
        raise click.ClickException(done.output)


def simulate(project: Path, jobs: int) -> None:
    """Write into the books what jobs like the newest would write, commit by commit, until so many are in them."""
    place = load_target(project, project)
    store = FileStore({record.table: str(place.table_path("ops", record.table)) for record in RECORDS})
    newest = store.newest(JobEvent) or 0
    rows: dict[type[Any], list[Any]] = {record: store.read(record, Wanted(since=newest)) for record in RECORDS}
    events = sorted(rows.pop(JobEvent), key=lambda event: event.at)
    for number in range(newest + 1, jobs + 1):
        own, later = {"number": number, "job": f"simulated {number}"}, timedelta(minutes=number - newest)
        for event in events:
            store.append([replace(event, **own, at=event.at + later)])
        for of_table in rows.values():
            store.append([replace(row, **own) for row in of_table])


def measure(folder: Path, jobs: int) -> dict[str, list[float]]:
    """Run `build` in a process of its own."""
    arguments = ("--folder", str(folder), "--one", str(jobs))
    return dict(processes.measured_apart("benchmarks.many_jobs", folder / "warehouse", *arguments))


@click.command()
@click.option("--jobs", default=1000, show_default=True, help="How many jobs the books shall have at the end.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "many_jobs", show_default="target/many_jobs"
)
@click.option("--one", type=int, hidden=True)
def main(jobs: int, folder: Path, one: int | None) -> None:
    """Compare jobs and queries of a warehouse with ten jobs, and of the same with a thousand in its books.

    Each measurement is a process of its own; its first jobs, which warm it up, do not count.
    """
    os.environ["ENTREPOT_WAREHOUSE"] = str(folder / "warehouse")
    if one:
        click.echo(json.dumps(build(folder / "project", one)))
        return
    shutil.rmtree(folder, ignore_errors=True)
    lay_out(folder / "project", "entrepot", 4)
    measure(folder, 10)
    few = measure(folder, WARMING + MEASURED)
    simulate(folder / "project", jobs)
    many = measure(folder, WARMING + MEASURED)
    missed = False
    for what in ("job", "query"):
        before, after = (statistics.median(seconds[what][-MEASURED:]) for seconds in (few, many))
        missed = missed or after / before > MOST
        click.echo(
            f"{what}: {before:.2f} s after 10 jobs, {after:.2f} s after {jobs}, {after / before:.2f} (at most {MOST})"
        )
    sys.exit(missed)


if __name__ == "__main__":
    main()
