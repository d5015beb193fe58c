"""A warehouse that an earlier entrepot has written goes on: no full refresh, and every model equals its recompute.

The earlier version comes from git, so a checkout with its history is needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.small_job.versions import check_out
from entrepot.ledger import ModelRun
from entrepot.target import load_target
from tests.conftest import ROOT
from tests.record.recorded_events import CHANGES, EVENING, OPENING, landing_vars
from tests.support.dbt_case import WITHOUT_TESTS

EARLIER = "7c4d313"  # engine in Jinja, books without a layout version, adapter type spark

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        subprocess.run(["git", "cat-file", "-e", f"{EARLIER}^{{commit}}"], cwd=ROOT, capture_output=True).returncode != 0,
        reason=f"git has no {EARLIER}",
    ),
]  # fmt: skip


class Upgrade:
    """A warehouse built by the earlier version in two jobs, and the commands of both versions on it."""

    def __init__(self, folder: Path) -> None:
        """Lay the earlier version out."""
        self.folder, self.warehouse, self.earlier = folder, folder / "warehouse", folder / "earlier"
        check_out(EARLIER, self.earlier)

    def dbt(self, project: Path, *arguments: str) -> str:
        """Run one dbt command of a version, in a process of its own; return what it printed."""
        command = [
            sys.executable, "-m", "dbt.cli.main", *arguments, "--no-use-colors", "--project-dir", str(project), "--profiles-dir", str(project),
            "--target-path", str(self.folder / f"target_{project.name}"), "--log-path", str(self.folder / f"logs_{project.name}"),
        ]  # fmt: skip
        environment = os.environ | {
            "ENTREPOT_WAREHOUSE": str(self.warehouse), "PYTHONPATH": str(project / "python"), "DBT_PROFILES_DIR": str(project),
        }  # fmt: skip
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
        return done.stdout

    def build(self, project: Path, *phases: str) -> None:
        """Run one job on what has arrived by the end of some phases."""
        self.dbt(project, "build", *WITHOUT_TESTS, *landing_vars(*phases))

    def relations(self) -> set[str]:
        """The tables that there are."""
        return {
            f"{folder.parent.name.removesuffix('.db')}.{folder.name}" for folder in self.warehouse.glob("*.db/*") if folder.is_dir()
        }  # fmt: skip

    def runs(self, patch: pytest.MonkeyPatch) -> dict[str, ModelRun]:
        """What the newest job ran, by relation."""
        patch.setenv("ENTREPOT_WAREHOUSE", str(self.warehouse))
        return {run.relation: run for run in load_target(ROOT, ROOT).ledger().runs_of_last_job()}


def test_a_warehouse_of_an_earlier_version_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade = Upgrade(tmp_path)
    upgrade.build(upgrade.earlier, OPENING)
    upgrade.build(upgrade.earlier, OPENING, CHANGES)
    earlier = upgrade.relations()
    upgrade.build(ROOT, OPENING, CHANGES, EVENING)
    runs = upgrade.runs(monkeypatch)
    rebuilt = {name: f"{run.rule}: {run.reason}" for name, run in runs.items() if run.rule == "create"}
    assert len(earlier) > 20 and not earlier & set(rebuilt), rebuilt
    assert {"join", "scope", "land", "skip"} <= {run.rule for run in runs.values()}
    shown = upgrade.dbt(ROOT, "run-operation", "verify")
    assert shown.count("equal to its full recompute") >= 20, shown
    # nothing has come since: whatever the earlier version has noted is told in today's way
    upgrade.build(ROOT, OPENING, CHANGES, EVENING)
    assert {run.rule for run in upgrade.runs(monkeypatch).values()} == {"skip", "view"}
