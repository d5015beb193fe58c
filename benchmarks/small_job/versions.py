"""A version of this repository, and its commands, each in a process of its own."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "data" / "recorded"
# the bare session that a dbt command starts
START_SPARK = """
import sys
from pathlib import Path
from entrepot.spark.embedded import start_session
from entrepot.target import load_target
project, log = map(Path, sys.argv[1:])
start_session(load_target(project, project).settings, log).sql("select 1").collect()
"""
ENTREPOT = "import sys; from entrepot.cli import main; sys.argv[0] = 'entrepot'; main()"


def check_out(commit: str, folder: Path) -> None:
    """Write the files of an earlier commit into a folder.

    Raises:
        subprocess.CalledProcessError: git has no such commit
    """
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


@dataclass(frozen=True)
class Version:
    """One of those that are compared: its checkout, and a folder for its own warehouse, logs and target."""

    name: str
    checkout: Path
    folder: Path

    def build(self, *phases: str) -> tuple[float, int]:
        """Build what has arrived by the end of some phases; return seconds, and the statements sent to Spark."""
        shutil.rmtree(self.folder / "logs", ignore_errors=True)
        arrived = json.dumps({"landing_path": f"{RECORDED}/{{{','.join(phases)}}}/*.jsonl"})
        seconds = self._run(
            "-m", "dbt.cli.main", "build", "--vars", arrived, "--log-format-file", "json",
            "--target-path", str(self.folder / "target"), "--log-path", str(self.folder / "logs"),
        )  # fmt: skip
        lines = (self.folder / "logs" / "dbt.log").read_text().splitlines()
        return seconds, sum(json.loads(line)["info"]["name"] == "SQLQuery" for line in lines)

    def demo(self) -> tuple[float, float]:
        """Run `entrepot demo` on an empty warehouse; return its seconds, and those of its last job."""
        self.empty()
        said: list[tuple[float, str]] = []
        seconds = self._run("-c", ENTREPOT, "demo", said=said)
        begun = [at for at, line in said if line.startswith("Job ")]
        (ended,) = (at for at, line in said if line.startswith(f"{len(begun)} jobs in "))
        return seconds, ended - begun[-1]

    def start_spark(self) -> float:
        """Start Spark as a dbt command does, and nothing else; return the seconds."""
        return self._run("-c", START_SPARK, str(self.checkout), str(self.folder / "spark.log"))

    def empty(self) -> None:
        """Begin with an empty warehouse."""
        shutil.rmtree(self.folder / "warehouse", ignore_errors=True)

    def _run(self, *command: str, said: list[tuple[float, str]] | None = None) -> float:
        """Run a command of this version in a process of its own; return its seconds.

        Args:
            command: Python's arguments
            said: gets each line that it prints, with the time of it
        """
        environment = os.environ | {
            "ENTREPOT_WAREHOUSE": str(self.folder / "warehouse"),
            "PYTHONPATH": str(self.checkout / "python"),
            "PYTHONUNBUFFERED": "1",
            "DBT_PROFILES_DIR": str(self.checkout),
        }
        began = time.monotonic()
        lines = [] if said is None else said
        with subprocess.Popen(
            [sys.executable, *command], cwd=self.checkout, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as running:  # fmt: skip
            lines += [(time.monotonic(), line) for line in running.stdout or ()]
        if running.returncode:
            printed = "".join(line for _, line in lines)
            raise RuntimeError(f"{self.name}: {' '.join(command)}\n{printed[-4000:]}")
        return time.monotonic() - began
