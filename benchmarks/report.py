"""What a run has found: as a table on the terminal, as JSON, and as the table of docs/benchmarks.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Job, Measured
from benchmarks.scenarios import Scenario

# (share, kind): what the incremental job may take of the full one at scale factor 1, and any of them from scale factor 10 on
TARGETS = {(0.01, "insert"): 0.3, (0.001, "update"): 0.4, (0.01, "update"): 0.6}
LARGE, LARGE_TARGET = 10, 0.25
BOTH = "both models"


@dataclass(frozen=True)
class Comparison:
    """One scenario: the incremental job and the full one on the same sources."""

    scenario: Scenario
    incremental: Job
    full: Job
    equal: bool

    def pairs(self) -> dict[str, tuple[Measured, Measured]]:
        """{model: (incremental, full)}; at last both models together."""
        pairs = {name: (self.incremental.models[name], self.full.models[name]) for name in self.full.models}
        return pairs | {BOTH: (added(self.incremental), added(self.full))}


def added(job: Job) -> Measured:
    """Return the sum of a job's models."""
    total = Measured()
    for model in job.models.values():
        for name, value in numbers(model).items():
            setattr(total, name, getattr(total, name) + value)
    return total


def numbers(measured: Measured) -> dict[str, Any]:
    """Return the measured figures by name."""
    return {name: value for name, value in vars(measured).items() if not name.startswith("_") and name != "message"}


def ratio(part: float, whole: float) -> float | None:
    """Return how large a part is of a whole; None where there is no whole."""
    return round(part / whole, 3) if whole else None


def print_table(console: Console, comparisons: list[Comparison]) -> None:
    """Print one line per scenario and model."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("change", "model", "dbt says", "seconds", "full", "ratio", "CPU", "full", "ratio", "rows read", "full",
                 "files read", "full", "rows written", "files", "commits", "statements", "equal"):  # fmt: skip
        table.add_column(name, justify="left" if name in ("change", "model", "dbt says", "equal") else "right")
    for comparison in comparisons:
        for model, (incremental, full) in comparison.pairs().items():
            if model == BOTH:
                continue
            table.add_row(
                comparison.scenario.name, model, incremental.message,
                f"{incremental.seconds:.2f}", f"{full.seconds:.2f}", f"{ratio(incremental.seconds, full.seconds):.2f}",
                f"{incremental.cpu_seconds:.1f}", f"{full.cpu_seconds:.1f}", f"{ratio(incremental.cpu_seconds, full.cpu_seconds) or 0:.2f}",
                f"{incremental.rows_read:,}", f"{full.rows_read:,}", str(incremental.files_read), str(full.files_read),
                f"{incremental.rows_written:,}", f"+{incremental.files_written} -{incremental.files_removed}",
                str(incremental.commits), str(incremental.statements), "yes" if comparison.equal else "NO",
            )  # fmt: skip
    console.print(table)


def as_record(
    comparisons: list[Comparison], scale: float, cores: int, memory: str, rules: dict[str, str]
) -> dict[str, Any]:
    """Return the run as data: machine, versions, and every figure."""
    return {
        "scale": scale,
        "rules": rules,
        "machine": machine() | {"spark_cores": cores, "spark_memory": memory},
        "versions": versions(),
        "scenarios": [
            {
                "name": comparison.scenario.name,
                "share": comparison.scenario.share,
                "kind": comparison.scenario.kind,
                "place": comparison.scenario.place,
                "equal": comparison.equal,
                "job_seconds": {
                    "incremental": round(comparison.incremental.seconds, 2),
                    "full": round(comparison.full.seconds, 2),
                },
                "models": {
                    model: {
                        "message": incremental.message,
                        "incremental": rounded(incremental),
                        "full": rounded(full),
                        "ratio": ratio(incremental.seconds, full.seconds),
                        "cpu_ratio": ratio(incremental.cpu_seconds, full.cpu_seconds),
                    }
                    for model, (incremental, full) in comparison.pairs().items()
                },
            }
            for comparison in comparisons
        ],
    }


def rounded(measured: Measured) -> dict[str, Any]:
    """Return the figures with two digits after the point."""
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in numbers(measured).items()}


def machine() -> dict[str, Any]:
    """Return what this machine is, and how busy it was."""
    cpu = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu[0] if cpu else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "load": round(os.getloadavg()[1], 1),
    }


def versions() -> dict[str, str]:
    """Return what the figures are of."""
    return {name: version(name) for name in ("dbt-core", "dbt-spark", "pyspark", "delta-spark")} | {
        "entrepot": commit()
    }


def commit() -> str:
    """Return which commit of entrepot this is."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def targets(record: dict[str, Any]) -> list[str]:
    """Return a sentence for each target of the run's scale factor, with what was found."""
    sentences = []
    for scenario in record["scenarios"]:
        both = scenario["models"][BOTH]
        if not scenario["share"]:
            sentences.append(f"{scenario['name']}: {both['incremental']['statements']} statements (target 0)")
        limit = TARGETS.get((scenario["share"], scenario["kind"]))
        if limit is not None:
            limit = LARGE_TARGET if record["scale"] >= LARGE else limit
            parts = [f"{name} {figures['ratio']:.2f}" for name, figures in scenario["models"].items()]
            missed = "met" if both["ratio"] <= limit else "missed"
            sentences.append(f"{scenario['name']}: {', '.join(parts)} (target {limit}: {missed})")
    return sentences


def markdown(record: dict[str, Any]) -> str:
    """Return the table of docs/benchmarks.md: one line per scenario and model."""
    lines = [
        "| change | model | dbt says | seconds: incremental, full, ratio | CPU seconds | rows read | files read "
        "| rows written | commits | statements |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for scenario in record["scenarios"]:
        for name, model in scenario["models"].items():
            incremental, full = model["incremental"], model["full"]
            pair = "{:.1f}, {:.1f}, **{:.2f}**".format
            cells = [
                scenario["name"],
                name,
                model["message"],
                pair(incremental["seconds"], full["seconds"], model["ratio"] or 0),
                pair(incremental["cpu_seconds"], full["cpu_seconds"], model["cpu_ratio"] or 0),
                *(f"{incremental[key]:,} of {full[key]:,}" for key in ("rows_read", "files_read", "rows_written")),
                *(str(incremental[key]) for key in ("commits", "statements")),
            ]
            if name != BOTH:
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write(record: dict[str, Any], path: Path) -> None:
    """Write the run as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
