"""`entrepot unpin`: keep a snapshot no longer."""

from __future__ import annotations

from typing import Any

import click

from entrepot.commands.console import console
from entrepot.pins import Pins
from entrepot.target import open_place


@click.command()
@click.argument("name")
@click.pass_obj
def unpin(place: dict[str, Any], name: str) -> None:
    """Keep the snapshot NAME no longer. What its tables still have stays where it is."""
    Pins(open_place(**place)).remove(name)
    console().print(f"{name} is kept no longer.", highlight=False)
