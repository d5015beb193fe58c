"""One maintenance job in this process: `dbt build`, and what it took."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from entrepot.ledger import ModelRun
from entrepot.target import load_target


@dataclass
class JobReport:
    """What one job did.

    Attributes:
        success: whether everything passed, and a snapshot was published
        runs: the stored relations, in the order in which they ran
        problems: what failed, as sentences
        summary: how many relations and tests there were
        seconds: wall time of the whole command
    """

    success: bool = False
    runs: list[ModelRun] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    summary: str = ""
    seconds: float = 0.0


def run_job(project: Path, place: dict[str, Any], variables: dict[str, Any]) -> JobReport:
    """Run `dbt build` on a project.

    Args:
        project: the dbt project's folder
        place: profiles_dir and target, as the command line has them
        variables: dbt variables
    """
    from dbt.cli.main import dbtRunner

    arguments = ["build", "--quiet", "--project-dir", str(project), "--vars", json.dumps(variables)]
    for option in ("profiles_dir", "target"):
        if place.get(option):
            arguments += [f"--{option.replace('_', '-')}", str(place[option])]
    began = time.monotonic()
    result = dbtRunner().invoke(arguments)
    report = JobReport(success=result.success, seconds=time.monotonic() - began)
    if result.exception is not None:
        report.problems.append(str(result.exception))
    nodes = getattr(result.result, "results", None) or []
    report.problems += [f"{node.node.name}: {node.message}" for node in nodes if node.status in ("error", "fail")]
    kinds = [str(node.node.resource_type) for node in nodes]
    report.summary = (
        f"{sum(kind in ('model', 'seed', 'snapshot') for kind in kinds)} relations, {kinds.count('test')} tests"
    )
    if nodes:
        report.runs.extend(run for run in load_target(**place).ledger().runs_of_last_job() if run.rule != "view")
    return report
