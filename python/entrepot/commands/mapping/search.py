"""`entrepot mapping search`: which schema versions feed an entity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.mapping.matrix.search import entity_version_of, row_super_set
from entrepot.mapping.matrix.words import spans


@click.command()
@click.argument("entity")
@click.option("--entity-version", type=int, help="Which version of the entity [default: the newest].")
@click.option("--elements", is_flag=True, help="List what becomes what.")
@seeds_option
@click.pass_obj
def search(place: dict[str, Any], entity: str, entity_version: int | None, elements: bool, folder: Path | None) -> None:
    """Say which versions of which schemas feed ENTITY, and what each leaves out (the paper's reverse search).

    Versions that feed it through the same elements are one line. `stored` are those whose block is in unique_block.csv; the others
    inherit it.
    """
    state, out = given(place, folder).state(), console(highlight=False)
    number = entity_version_of(state, entity, entity_version)
    size = len(state.range.names(entity, number))
    out.print(f"{entity} version {number}, {size} attributes")
    feeds = row_super_set(state, entity, number)
    table = Table("schema", "versions", "stored", "attributes", "not fed", show_edge=False, pad_edge=False)
    for feed in feeds:
        order = [one.number for one in state.domain.schemas[feed.schema]]
        table.add_row(
            feed.schema,
            spans(feed.versions, order),
            spans(feed.stored, order),
            f"{len(feed.elements)} of {size}",
            ", ".join(feed.missing),
        )
        for entity_attribute, attribute in feed.elements if elements else ():
            table.add_row(f"  {attribute}", "", "", f"→ {entity_attribute}", "")
    out.print(table if feeds else "Nothing feeds it.")
