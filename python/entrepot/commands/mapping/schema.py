"""`entrepot mapping schema`: JSON Schema of an entity's messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.mapping.json_schema import message_schema
from entrepot.mapping.matrix.search import entity_version_of


@click.command()
@click.argument("entity")
@click.option("--entity-version", type=int, help="Which version of the entity [default: the newest].")
@seeds_option
@click.pass_obj
def schema(place: dict[str, Any], entity: str, entity_version: int | None, folder: Path | None) -> None:
    """Print the JSON Schema of the outgoing messages of ENTITY.

    The `value` of every line that `entrepot publish-events` writes of the entity's version validates against it.
    """
    state = given(place, folder).state()
    number = entity_version_of(state, entity, entity_version)
    attributes = state.range.entities[entity][number]
    click.echo(json.dumps(message_schema(entity, number, attributes), indent=2, ensure_ascii=False))
