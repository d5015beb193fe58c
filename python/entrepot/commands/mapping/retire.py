"""`entrepot mapping retire`: a version of an entity out of the seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.mapping.storing import restate
from entrepot.mapping.matrix.update import entity_version_deleted
from entrepot.mapping.matrix.words import known


@click.command()
@click.argument("entity")
@click.argument("version", type=int)
@yes_option
@seeds_option
@click.pass_obj
def retire(place: dict[str, Any], entity: str, version: int, yes: bool, folder: Path | None) -> None:
    """Take VERSION of ENTITY and its elements out of the seeds.

    A block that had no others becomes a null block, so that its versions do not inherit what they had not.
    """
    found = given(place, folder)
    state = found.state()
    known("entity", entity, state.range.entities)
    restate(console(highlight=False), found, entity_version_deleted(state, entity, version), yes=yes)
