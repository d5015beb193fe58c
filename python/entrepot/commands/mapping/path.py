"""`entrepot mapping path`: one attribute through the versions of its schema to what it becomes, or back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.mapping.matrix.path import paths_from, paths_to
from entrepot.mapping.matrix.words import spans


@click.command()
@click.argument("name", metavar="SCHEMA")
@click.argument("attribute")
@click.option(
    "--back", is_flag=True, help="SCHEMA is an entity, ATTRIBUTE one of its attributes: say where it comes from."
)
@seeds_option
@click.pass_obj
def path(place: dict[str, Any], name: str, attribute: str, back: bool, folder: Path | None) -> None:
    """Follow ATTRIBUTE of SCHEMA through its versions, renames and types to the attributes of entities that it becomes.

    \b
    entrepot mapping path shop.sales.customer email
    entrepot mapping path --back customer email
    """
    state, out = given(place, folder).state(), console(highlight=False)
    table = Table("schema", "versions", "attribute", "type", "becomes", show_edge=False, pad_edge=False)
    for one in paths_to(state, name, attribute) if back else paths_from(state, name, attribute):
        order = [version.number for version in state.domain.schemas[one.schema]]
        for stop in one.stops:
            becomes = ", ".join(f"{entity} {version} {target}" for entity, version, target in stop.targets)
            table.add_row(
                one.schema, spans(stop.versions, order), stop.attribute, stop.data_type or "", becomes or "nothing"
            )
        if one.ends_before is not None:
            table.add_row(one.schema, str(one.ends_before), "", "", f"{one.stops[-1].attribute} is gone")
    out.print(table)
