"""The long run: `python -m tests.fuzz --steps 10000 --seed 1`. The exit code is 1 where something was found."""

from __future__ import annotations

import argparse
import os
import sys
from math import inf
from pathlib import Path

from tests.conftest import ROOT, import_dbt  # before anything that starts a JVM: it sets the warehouse of the tests

import_dbt()

from tests.fuzz.campaign import Plan, run_campaign  # noqa: E402
from tests.fuzz.runner import Runner  # noqa: E402
from tests.support.spark import started_spark  # noqa: E402


def main() -> int:
    """Read the arguments and run one campaign."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="job steps: one model maintained by one job each")
    parser.add_argument("--seed", type=int, default=1, help="of the first project; the next ones count on")
    parser.add_argument("--models", type=int, default=12, help="in each project")
    parser.add_argument("--jobs", type=int, default=8, help="after the first build of each project")
    parser.add_argument("--join", action="store_true", help="configure rule join where it takes the model")
    parser.add_argument(
        "--recompute-every", type=int, default=4, help="jobs between comparisons with Spark's own recompute"
    )
    parser.add_argument("--attempts", type=int, default=60, help="cases that the shrinker may run for one failure")
    parser.add_argument("--most-failures", type=int, default=5, help="failed projects that end the run")
    parser.add_argument("--folder", type=Path, default=ROOT / "target/fuzz", help="where reproductions are written")
    parser.add_argument("--minutes", type=float, default=inf, help="end after the project that takes it so far")
    given = parser.parse_args()
    plan = Plan(
        given.seed, given.steps, given.models, given.jobs, given.join, given.recompute_every, given.attempts,
        given.most_failures, given.folder, given.minutes,
    )  # fmt: skip
    with started_spark(ROOT / "profiles.yml", Path(os.environ["ENTREPOT_WAREHOUSE"])) as spark:
        report = run_campaign(plan, Runner(ROOT, spark), lambda text: print(text, flush=True))
    print(report)
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
