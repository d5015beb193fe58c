"""`python -m benchmarks.tpcds`: 210 jobs on item and store_sales of TPC-DS, and readers meanwhile, beside the figures of OD-ETL 3.6."""

from __future__ import annotations

import os
import shutil
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console

from benchmarks import report
from benchmarks.processes import ROOT
from benchmarks.tpcds import readers, stream
from benchmarks.tpcds.chain import Project, summed
from benchmarks.tpcds.telling import draw, markdown
from benchmarks.warehouse import Mark, generate

HERE = Path(__file__).parent
WARMING = 5
# parts of a job, seconds between jobs: 570 lines now and then, and six times as many in one job after the other (OD-ETL 3.6.1)
LOADS = {"read-heavy": (1, 30.0), "update-heavy": (6, 0.0)}


def lay_out(folder: Path) -> Path:
    """Write the project, with this repository's own profile."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "project", folder)
    profile = yaml.safe_load((ROOT / "profiles.yml").read_text())["entrepot"]
    (folder / "profiles.yml").write_text(yaml.safe_dump({"tpcds": profile}))
    return folder


class Run:
    """One run: the source, the project, and how far the stream has come."""

    def __init__(self, project: Path, target: str, data: Path, jobs: int, console: Console) -> None:
        """Start Spark and make the source's tables."""
        from entrepot.spark.embedded import start_session
        from entrepot.target import load_target

        place = load_target(project, project, target)
        self.session = start_session(place.settings, project / "spark.log")
        self.project = Project(self.session, project, target)
        self.warehouse, self.jobs, self._console = place.warehouse, jobs, console
        self._stream = stream.load(self.session, data, WARMING + jobs)
        self._next = 0

    def change(self, parts: int) -> None:
        """Commit the next parts to the source."""
        for statement in self._stream.statements(self._next, parts):
            self.session.sql(statement)
        self._next += parts

    def full(self, times: int) -> list[dict[str, Any]]:
        """Make everything anew so many times."""
        return [self.project.job("--full-refresh").record() for _ in range(times)]

    def maintenance(self, fulls: int, minutes: float) -> dict[str, Any]:
        """Measure a chain of jobs, one job with the same changes, and full ones at both ends; say whether the tables are equal."""
        opening = self.project.job().record()
        self._console.print(f"opening: {opening['seconds']} s")
        for _ in range(WARMING):
            self.change(1)
            self.project.job()
        before = self._apart(lambda: self.full(fulls))
        self.project.job()  # finds the tables as they were, and reads their logs
        mark = Mark(self.warehouse, spared=[stream.SCHEMA])
        self.project.begin()
        chained, began = [], time.monotonic()
        for number in range(self.jobs):
            self.change(1)
            chained.append(self.project.job())
            if time.monotonic() - began > minutes * 60:
                break
            if (number + 1) % 10 == 0:
                self._console.print(f"job {number + 1} of {self.jobs}: {chained[-1].seconds:.1f} s")
        chain = summed(chained) | {"written": self.project.written(), "files": self.project.files()}
        contents = {"chain": self.project.contents()}
        mark.rewind(self.session)
        self.project.begin()
        batch = self.project.job().record() | {"written": self.project.written(), "files": self.project.files()}
        contents["batch"] = self.project.contents()
        self._console.print(f"chain {chain['seconds']} s, one job {batch['seconds']} s")
        after = self.full(fulls)
        contents["full"] = self.project.contents()
        return {
            "opening": opening,
            "chain": chain | {"each": [job.record() for job in chained]},
            "batch": batch,
            "full": {"before": before, "after": after},
            "rows": {name: int(count) for name, (count, *_) in contents["full"].items()},
            "equal": contents["chain"] == contents["batch"] == contents["full"],
        }

    def _apart(self, do: Any) -> Any:
        """Do something and put the project's tables back as they were."""
        mark = Mark(self.warehouse, spared=[stream.SCHEMA])
        done = do()
        mark.rewind(self.session)
        return done

    def throughput(self, threads: int, seconds: float) -> dict[str, dict[str, Any]]:
        """Measure readers by snapshots and of the tables as they are, under both loads."""
        beside = readers.Beside(self.project.folder, self.project.target)
        ways = {"snapshot": readers.by_snapshot(beside), "as they are": readers.as_they_are(beside.reader.session)}
        found: dict[str, dict[str, Any]] = {}
        for load, (parts, pause) in LOADS.items():
            for way, ask in ways.items():

                def work(parts: int = parts) -> None:
                    self.change(parts)
                    self.project.job()

                for question in readers.QUESTIONS:
                    ask(question)
                found.setdefault(load, {})[way] = readers.measure(ask, threads, seconds, work, pause)
                self._console.print(f"{load}, {way}: {found[load][way]}")
        return found


@click.command()
@click.option("--scale", default=1.0, show_default=True, help="TPC-DS scale factor.")
@click.option(
    "--target",
    default="local",
    show_default=True,
    help="Target of profiles.yml; `large` generates code, which pays for many rows.",
)
@click.option("--jobs", default=210, show_default=True, help="How many jobs are in the chain.")
@click.option(
    "--minutes", default=60.0, show_default=True, help="How long the chain goes on at most; it is shorter then."
)
@click.option(
    "--fulls", default=3, show_default=True, help="How often everything is made anew, before the chain and after it."
)
@click.option("--readers", "threads", default=4, show_default=True, help="How many threads ask.")
@click.option("--seconds", default=120.0, show_default=True, help="How long they ask, in each of four settings.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "tpcds", show_default="target/tpcds"
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=ROOT / "benchmarks" / "results",
    show_default="benchmarks/results",
)
@click.option("--draw", "picture", type=click.Path(path_type=Path), help="Where a picture of the run goes, as SVG.")
def main(
    scale: float,
    target: str,
    jobs: int,
    minutes: float,
    fulls: int,
    threads: int,
    seconds: float,
    folder: Path,
    results: Path,
    picture: Path | None,
) -> None:
    """Measure a chain of small jobs, one job with all their changes, full ones, and how many queries are answered meanwhile."""
    console = Console()
    data = folder / f"data-{scale:g}"
    folder.mkdir(parents=True, exist_ok=True)
    generate(data, scale, "tpcds", stream.TABLES)
    warehouse = folder / "warehouse"
    shutil.rmtree(warehouse, ignore_errors=True)
    os.environ["ENTREPOT_WAREHOUSE"] = str(warehouse)
    run = Run(lay_out(folder / "project"), target, data, jobs, console)
    record: dict[str, Any] = {
        "benchmark": "tpcds",
        "scale": scale,
        "target": target,
        "readers": threads,
        "versions": report.versions(),
        "machine": report.machine(),
    }
    path = results / f"{date.today()}-tpcds-scale-{scale:g}.json"
    record |= {"maintenance": run.maintenance(fulls, minutes), "throughput": {}}
    report.write(record, path)  # a run that is stopped has not been for nothing
    record["throughput"] = run.throughput(threads, seconds)
    record["machine"]["load_after"] = report.machine()["load"]
    report.write(record, path)
    console.print(markdown(record))
    if picture:
        draw(record, picture)
    sys.exit(not record["maintenance"]["equal"])


if __name__ == "__main__":
    main()
