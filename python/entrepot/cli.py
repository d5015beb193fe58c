"""The `entrepot` command."""

from __future__ import annotations

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="entrepot")
def main() -> None:
    """Run, ask and inspect an entrepot warehouse."""
