"""`python -m benchmarks.small_job`: the demo's jobs by this checkout and by an earlier version, in turns; seconds and statements."""

from __future__ import annotations

import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "data" / "recorded"
PHASES = ("01_opening", "02_changes", "03_evening")
NO_CHANGE = "nothing new"
JVM = "start of Spark"
DEMO = "make demo"
# {job: (seconds, statements) as parts of the earlier version's, at most}; the second job is not asked for
TARGETS = {
    PHASES[0]: (0.6, None), PHASES[1]: (None, None), PHASES[2]: (0.35, 0.45), NO_CHANGE: (0.2, None), DEMO: (0.4, None),
}  # fmt: skip
BARE = """
from pathlib import Path
import sys
from entrepot.java import prepare_environment
from entrepot.target import load_target
from pyspark.sql import SparkSession
prepare_environment()
builder = SparkSession.builder.enableHiveSupport()
for key, value in load_target(Path(sys.argv[1]), Path(sys.argv[1])).settings.items():
    builder = builder.config(key, value)
builder.getOrCreate().sql("select 1").collect()
"""
COMMAND = "import sys; from entrepot.cli import main; sys.argv[0] = 'entrepot'; main()"


@dataclass(frozen=True)
class Version:
    """One of the two: its checkout, and its own warehouse, logs and target."""

    name: str
    checkout: Path
    folder: Path

    def run(self, *command: str) -> float:
        """Run one Python command in a process of its own; return its seconds."""
        environment = os.environ | {
            "ENTREPOT_WAREHOUSE": str(self.folder / "warehouse"),
            "PYTHONPATH": str(self.checkout / "python"),
            "DBT_PROFILES_DIR": str(self.checkout),
        }
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *command], cwd=self.checkout, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise click.ClickException(f"{self.name}: {' '.join(command)}\n{(done.stdout + done.stderr)[-4000:]}")
        return time.monotonic() - began

    def build(self, *phases: str) -> tuple[float, int]:
        """Build what has arrived by the end of some phases; return seconds, and the statements sent to Spark."""
        shutil.rmtree(self.folder / "logs", ignore_errors=True)
        arrived = json.dumps({"landing_path": f"{RECORDED}/{{{','.join(phases)}}}/*.jsonl"})
        seconds = self.run(
            "-m", "dbt.cli.main", "build", "--vars", arrived, "--log-format-file", "json",
            "--target-path", str(self.folder / "target"), "--log-path", str(self.folder / "logs"),
        )  # fmt: skip
        lines = (self.folder / "logs" / "dbt.log").read_text().splitlines()
        return seconds, sum(json.loads(line)["info"]["name"] == "SQLQuery" for line in lines)

    def empty(self) -> None:
        """Begin with an empty warehouse."""
        shutil.rmtree(self.folder / "warehouse", ignore_errors=True)


def lay_out(version: str, folder: Path) -> tuple[Version, Version]:
    """Return this checkout and the earlier version, which is taken from git."""
    packed = subprocess.run(["git", "archive", version], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        raise click.ClickException(f"git has no {version}: a checkout with its history is needed.")
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder / "checkout", filter="data")
    return Version("this checkout", ROOT, folder / "ours"), Version(version, folder / "checkout", folder / "theirs")


@click.command()
@click.option("--pairs", default=3, show_default=True, help="How often each of the two runs, in turns.")
@click.option("--earlier", default="7c4d313", show_default=True, help="The commit to compare with.")
@click.option("--demo/--no-demo", default=True, show_default=True, help="Whether `make demo` is measured, too.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "small_job", show_default="target/small_job"
)
def main(pairs: int, earlier: str, demo: bool, folder: Path) -> None:
    """Compare the demo's three jobs and a job without changes, each a `dbt build` in a new process.

    The median of the pairs counts. The seconds of a job without changes are those beyond the start of Spark.
    """
    versions = lay_out(earlier, folder)
    seconds: dict[tuple[Version, str], list[float]] = defaultdict(list)
    statements: dict[tuple[Version, str], int] = {}
    for _ in range(pairs):
        for version in versions:
            version.empty()
            for number, phase in enumerate((*PHASES, NO_CHANGE)):
                took, statements[version, phase] = version.build(*PHASES[: number + 1])
                seconds[version, phase].append(took)
            if version is versions[0]:
                seconds[version, JVM].append(version.run("-c", BARE, str(version.checkout)))
            if demo:
                version.empty()
                seconds[version, DEMO].append(version.run("-c", COMMAND, "demo"))
    ours, _ = versions
    table = Table(
        "job", "seconds", earlier, "ratio", "at most", "statements", earlier, "ratio", "at most", show_edge=False
    )
    missed = []
    start = statistics.median(seconds[ours, JVM])
    for job, targets in TARGETS.items():
        if not seconds[ours, job]:
            continue
        both = [statistics.median(seconds[version, job]) - (job == NO_CHANGE) * start for version in versions]
        sent = [statements.get((version, job), 0) for version in versions]
        cells = [job]
        for pair, digits, most in ((both, 1, targets[0]), (sent, 0, targets[1])):
            if not pair[1]:
                continue
            cells += [
                *(f"{value:.{digits}f}" for value in pair),
                f"{pair[0] / pair[1]:.2f}",
                "" if most is None else f"{most}",
            ]
            if most is not None and pair[0] / pair[1] > most:
                missed.append(job)
        table.add_row(*cells)
    console = Console()
    console.print(table)
    console.print(f"start of Spark: {start:.1f} s; pairs: {pairs}; targets missed: {', '.join(missed) or 'none'}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
