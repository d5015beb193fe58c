"""`entrepot registry`: what a schema registry has, in the repository."""

from __future__ import annotations

import click

from entrepot.commands.group import LazyGroup

COMMANDS = ("pull",)


@click.group(cls=LazyGroup, package="entrepot.commands.registry", modules=COMMANDS)
def registry() -> None:
    """Import what a schema registry has: versions of source schemas as rows of the mapping's seeds. Starts no Spark."""
