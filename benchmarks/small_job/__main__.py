"""`python -m benchmarks.small_job`: the demo's jobs by this checkout and by an earlier version, in turns; seconds and statements."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import click
from rich.table import Table

from benchmarks.small_job.versions import ROOT, Version, check_out
from entrepot.commands.console import console
from entrepot.commands.demo import PHASES

FIRST, SECOND, THIRD = (name for name, _ in PHASES)
NO_NEWS, DEMO, THIRD_OF_DEMO = "nothing new, beyond the start of Spark", "make demo", "its third job"
SECONDS, STATEMENTS = "seconds", "statements"
# what each may be of the earlier version's
TARGETS = {
    (FIRST, SECONDS): 0.6,
    (THIRD, SECONDS): 0.35,
    (THIRD, STATEMENTS): 0.45,
    (NO_NEWS, SECONDS): 0.2,
    (DEMO, SECONDS): 0.4,
    (THIRD_OF_DEMO, SECONDS): 0.35,
}

Measured = dict[tuple[str, str], list[float]]


def measure(version: Version, start: float, with_demo: bool, found: Measured) -> None:
    """Run all jobs of a version once, and add what they took.

    Args:
        version: whose jobs
        start: the seconds until Spark is there
        with_demo: whether `entrepot demo` is run, too
        found: {(job, seconds or statements): one figure a run}
    """
    version.empty()
    arrived: list[str] = []
    for job in (FIRST, SECOND, THIRD, NO_NEWS):
        arrived += [] if job == NO_NEWS else [job]
        seconds, statements = version.build(*arrived)
        found[job, SECONDS].append(seconds - (start if job == NO_NEWS else 0))
        found[job, STATEMENTS].append(statements)
    if with_demo:
        for job, seconds in zip((DEMO, THIRD_OF_DEMO), version.demo(), strict=True):
            found[job, SECONDS].append(seconds)


def report(ours: Measured, theirs: Measured, earlier: str) -> list[str]:
    """Print the medians of both, and return which targets are missed."""
    table = Table("job", "", "now", earlier, "ratio", "at most", show_edge=False)
    missed = []
    for (job, what), runs in ours.items():
        now, then = statistics.median(runs), statistics.median(theirs[job, what])
        most = TARGETS.get((job, what))
        ratio = f"{now / then:.2f}" if then else ""
        table.add_row(job, what, f"{now:.0f}", f"{then:.0f}", ratio, "" if most is None else str(most))
        if most is not None and now > most * then:
            missed.append(f"{what} of {job}")
    console().print(table)
    return missed


@click.command()
@click.option("--pairs", default=3, show_default=True, help="How often each of the two runs, in turns.")
@click.option("--earlier", default="7c4d313", show_default=True, help="The commit to compare with.")
@click.option("--demo/--no-demo", default=True, show_default=True, help="Whether `make demo` is measured, too.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "small_job", show_default="target/small_job"
)
def main(pairs: int, earlier: str, demo: bool, folder: Path) -> None:
    """Compare the demo's three jobs and a job without news, each a `dbt build` in a new process; the median of the pairs counts.

    `make demo` runs the three in one process.
    """
    shutil.rmtree(folder, ignore_errors=True)
    check_out(earlier, folder / "checkout")
    ours, theirs = (
        Version("this checkout", ROOT, folder / "ours"),
        Version(earlier, folder / "checkout", folder / "theirs"),
    )
    start = statistics.median(ours.start_spark() for _ in range(pairs))
    found: dict[Version, Measured] = {ours: defaultdict(list), theirs: defaultdict(list)}
    for _ in range(pairs):
        for version, figures in found.items():
            measure(version, start, demo, figures)
    missed = report(found[ours], found[theirs], earlier)
    click.echo(f"start of Spark: {start:.1f} s; pairs: {pairs}; targets missed: {', '.join(missed) or 'none'}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
