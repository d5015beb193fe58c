"""What benchmarks of whole jobs share: a build in this process, and a measurement in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).parents[1]


def build(
    project: Path, listen: Callable[[Any], None] | None = None, target: str = "local", arguments: Sequence[str] = ()
) -> Any:
    """Run `dbt build` in this process, for a target of its profile, and return its results; `listen` hears dbt's events.

    Raises:
        click.ClickException: it failed, with what dbt says
    """
    from dbt.cli.main import dbtRunner

    done = dbtRunner(callbacks=[listen] if listen else []).invoke(
        [
            "build",
            *arguments,
            "--project-dir",
            str(project),
            "--profiles-dir",
            str(project),
            "--target",
            target,
            "--quiet",
        ]
    )
    if not done.success:
        raise click.ClickException(str(done.exception or [node.message for node in done.result]))
    return done.result


def measured_apart(module: str, warehouse: Path, *arguments: str) -> Any:
    """Run a benchmark's module in a process of its own, on a warehouse, and return what it prints as JSON in its last line.

    Raises:
        click.ClickException: it failed, with the end of what it printed
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=os.environ | {"ENTREPOT_WAREHOUSE": str(warehouse)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(done.stdout[-2000:] + done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])
