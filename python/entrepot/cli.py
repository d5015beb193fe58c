"""The `entrepot` command."""

from __future__ import annotations

from pathlib import Path

import click

from entrepot.commands.group import LazyGroup

COMMANDS = (
    "init",
    "run",
    "query",
    "pin",
    "unpin",
    "diff",
    "export",
    "publish-events",
    "status",
    "lineage",
    "timeline",
    "explain",
    "generate",
    "mapping",
    "registry",
    "verify",
    "maintain",
    "erase",
    "prepare",
    "demo",
)


@click.group(
    cls=LazyGroup,
    package="entrepot.commands",
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--project-dir",
    type=click.Path(path_type=Path),
    envvar="DBT_PROJECT_DIR",
    help="The dbt project's folder [default: the current one].",
)
@click.option(
    "--profiles-dir",
    type=click.Path(path_type=Path),
    envvar="DBT_PROFILES_DIR",
    help="The folder of profiles.yml.",
)
@click.option("--target", "-t", envvar="DBT_TARGET", help="Target of the profile.")
@click.version_option(package_name="entrepot")
@click.pass_context
def main(context: click.Context, project_dir: Path | None, profiles_dir: Path | None, target: str | None) -> None:
    """Ask and inspect an entrepot warehouse. It is built and tested with dbt itself: `dbt build`."""
    context.obj = {"project_dir": project_dir, "profiles_dir": profiles_dir, "target": target}
