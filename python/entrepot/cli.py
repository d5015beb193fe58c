"""The `entrepot` command."""

from __future__ import annotations

from pathlib import Path

import click

from entrepot.commands.demo import demo
from entrepot.commands.explain import explain
from entrepot.commands.maintain import maintain
from entrepot.commands.query import query
from entrepot.commands.status import status
from entrepot.commands.verify import verify


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--project-dir", type=click.Path(path_type=Path), help="The dbt project's folder [default: the current one]."
)
@click.option("--profiles-dir", type=click.Path(path_type=Path), help="The folder of profiles.yml.")
@click.option("--target", "-t", help="Target of the profile.")
@click.version_option(package_name="entrepot")
@click.pass_context
def main(context: click.Context, project_dir: Path | None, profiles_dir: Path | None, target: str | None) -> None:
    """Ask and inspect an entrepot warehouse. It is built and tested with dbt itself: `dbt build`."""
    context.obj = {"project_dir": project_dir, "profiles_dir": profiles_dir, "target": target}


for command in (query, status, explain, verify, maintain, demo):
    main.add_command(command)
