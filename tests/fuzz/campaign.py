"""A campaign: case after case, until so many job steps are done; failures are shrunk and written as dbt projects."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from tests.fuzz.case import Case, Failure
from tests.fuzz.case_generator import random_case
from tests.fuzz.reproduction import write_reproduction
from tests.fuzz.runner import Runner, Tally
from tests.fuzz.shrink import shrink


@dataclass(frozen=True)
class Plan:
    """How large a campaign is.

    Attributes:
        seed: of the first case; each further one has the next number
        steps: one model maintained by one job is a step; the campaign ends after the case that reaches so many
        models: in each project
        jobs: after the first build of each project
        force_join: whether models that rule `join` takes are configured with it
        recompute_every: in every how many jobs Spark's recompute is compared too
        attempts: how many smaller cases the shrinker may run for one failure; 0 does not shrink
        most_failures: the campaign ends after so many failed cases
        folder: where reproductions are written
        minutes: the campaign ends after the case that takes it so far
    """

    seed: int
    steps: int
    models: int = 12
    jobs: int = 8
    force_join: bool = False
    recompute_every: int = 4
    attempts: int = 40
    most_failures: int = 5
    folder: Path = Path("target/fuzz")
    minutes: float = inf

    def goes_on(self, report: Report) -> bool:
        """Whether another case is to be run."""
        return (
            report.tally.steps < self.steps
            and report.seconds < self.minutes * 60
            and len(report.found) < self.most_failures
        )


@dataclass
class Found:
    """A failed case as small as it became, and the folder that repeats it."""

    case: Case
    failure: Failure
    folder: Path


@dataclass
class Report:
    """What a campaign did."""

    plan: Plan
    tally: Tally
    cases: int = 0
    seconds: float = 0
    found: list[Found] = field(default_factory=list)

    def __str__(self) -> str:
        """In a few lines."""
        lines = [
            f"seed {self.plan.seed}: {self.tally.steps} job steps in {self.cases} projects, {self.seconds:.0f} s, {len(self.found)} failures",
            "seconds by phase: " + ", ".join(f"{phase} {seconds:.0f}" for phase, seconds in self.tally.seconds.items()),
            "steps by rule: " + ", ".join(f"{rule} {count}" for rule, count in self.tally.rules.most_common()),
        ]
        operators = sorted({operator for _, operator in self.tally.operators})
        for operator in operators:
            counts = ", ".join(
                f"{rule} {self.tally.operators[rule, operator]}"
                for rule in self.tally.rules
                if self.tally.operators[rule, operator]
            )
            lines.append(f"  {operator}: {counts}")
        lines += [
            f"FAILED seed {found.case.seed}: {found.failure}\n  repeat it: {found.folder}" for found in self.found
        ]
        return "\n".join(lines)


def run_campaign(plan: Plan, runner: Runner, say: Callable[[str], None] = print) -> Report:
    """Run a campaign and return what it did."""
    report, started = Report(plan, runner.tally), time.monotonic()
    while plan.goes_on(report):
        case = random_case(plan.seed + report.cases, plan.models, plan.jobs, plan.force_join)
        report.cases += 1
        failures = runner.run(case, plan.recompute_every)
        report.seconds = time.monotonic() - started
        say(f"seed {case.seed}: {runner.tally.steps} steps, {report.seconds:.0f} s, {dict(runner.tally.rules)}")
        if failures:
            say("\n".join(str(failure) for failure in failures))
            counted = runner.tally
            runner.tally = Tally()  # the shrinker's steps are not the campaign's
            small, failure = shrink(case, failures[0], lambda smaller: runner.run(smaller, 1), plan.attempts, say)
            runner.tally = counted
            folder = write_reproduction(small, failure, runner.root, plan.folder)
            say(f"{failure}\nrepeat it: {folder}")
            report.found.append(Found(small, failure, folder))
    return report
