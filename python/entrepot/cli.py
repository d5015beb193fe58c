"""The `entrepot` command."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

COMMANDS = ("init", "query", "status", "explain", "generate", "verify", "maintain", "prepare", "demo")


class Commands(click.Group):
    """The commands, each a module of `entrepot.commands` that is imported when it is asked for: some need no Spark and no dbt."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Return a command; None where there is none of that name."""
        if name not in COMMANDS:
            return None
        found = getattr(import_module(f"entrepot.commands.{name}"), name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
