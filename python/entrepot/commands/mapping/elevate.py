"""`entrepot mapping elevate`: the blocks of an entity to its newest version (METL 6.3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.mapping.storing import restate
from entrepot.mapping.matrix.update import elevated


@click.command()
@click.argument("entity")
@yes_option
@seeds_option
@click.pass_obj
def elevate(place: dict[str, Any], entity: str, yes: bool, folder: Path | None) -> None:
    """Copy the blocks of ENTITY to its newest version, which entity_attribute.csv has already.

    Elements whose entity attribute has the same name go with them; the others are named. The old version stays beside it until
    `entrepot mapping retire` takes it out.
    """
    found = given(place, folder)
    restate(console(highlight=False), found, elevated(found.state(), entity), yes=yes)
