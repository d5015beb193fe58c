"""One maintenance job in this process: `dbt build`, and what it took."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from entrepot.landing.cut import LEFT
from entrepot.ledger import ModelRun
from entrepot.target import open_place, options_of

# a node that could not be run because of others says nothing of its own
BAD = ("error", "fail")


@dataclass
class JobReport:
    """What one job did.

    Attributes:
        success: whether everything passed, and a snapshot was published
        number: the job's place in the chain; none where it had not begun
        runs: the stored relations, in the order in which they ran
        problems: what failed, as sentences
        relations: how many models, seeds and snapshots there were
        tests: how many tests there were
        seconds: wall time of the whole command
        has_left: whether files wait for the next job, because this one had no room for them (var `landing_batch_bytes`)
    """

    success: bool = False
    number: int | None = None
    runs: list[ModelRun] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    relations: int = 0
    tests: int = 0
    seconds: float = 0.0
    has_left: bool = False

    @property
    def summary(self) -> str:
        """How many relations and tests there were, in words."""
        return f"{self.relations} relations, {self.tests} tests"

    @property
    def rows_read(self) -> int:
        """How many changed rows the relations have read."""
        return sum(run.rows_read or 0 for run in self.runs)

    @property
    def rows_written(self) -> int:
        """How many rows the relations have inserted, updated and deleted."""
        return sum((run.rows_inserted or 0) + (run.rows_updated or 0) + (run.rows_deleted or 0) for run in self.runs)


def run_job(place: Mapping[str, Any], *arguments: str, manifest: Any = None) -> JobReport:
    """Run `dbt build` on a project.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        arguments: what is said to dbt besides, such as `--vars`
        manifest: the project, where `dbt parse` has read it; it belongs to this job, which writes into it
    """
    from dbt.cli.main import dbtRunner

    command = ["build", "--quiet", *arguments, *options_of(place)]
    ledger = open_place(**place).ledger()
    before = _newest(ledger.jobs(1))
    began = time.monotonic()
    left: list[str] = []
    ids: set[str] = set()

    def listen(event: Any) -> None:
        ids.add(event.info.invocation_id)
        if LEFT in event.info.msg:
            left.append(event.info.msg)

    result = dbtRunner(manifest, callbacks=[listen]).invoke(command)
    report = JobReport(success=result.success, seconds=time.monotonic() - began, has_left=bool(left))
    nodes = getattr(result.result, "results", None) or []
    report.problems += [f"{node.node.search_name}: {_sentence(node.message)}" for node in nodes if node.status in BAD]
    if not report.success and not report.problems:
        report.problems.append(_sentence(result.exception) if result.exception else "dbt build did not pass.")
    kinds = [str(node.node.resource_type) for node in nodes]
    report.relations = sum(kind in ("model", "seed", "snapshot") for kind in kinds)
    report.tests = kinds.count("test")
    # others may have begun since: a maintenance, an erasure, or a job while this one was refused
    since = ledger.jobs(_newest(ledger.jobs(1)) - before)
    report.number = next((events[0].number for events in since if ids & {event.job for event in events}), None)
    if report.number is not None:
        runs = ledger.runs_since(report.number)
        report.runs.extend(run for run in runs if run.rule != "view" and run.number == report.number)
    return report


def _sentence(message: object) -> str:
    """Return what dbt says on one line, without the macros that it came through."""
    lines = [line.strip() for line in str(message).splitlines()]
    return " ".join(line for line in lines if line and not line.startswith("> "))


def _newest(jobs: Sequence[Sequence[Any]]) -> int:
    """Return the number of the newest job; 0 before the first."""
    return int(jobs[0][0].number) if jobs else 0
