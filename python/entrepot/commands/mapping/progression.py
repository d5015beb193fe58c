"""`entrepot mapping progression`: what a schema becomes, version by version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.mapping.matrix.progression import Loss
from entrepot.mapping.matrix.progression import progression as progression_of
from entrepot.mapping.matrix.words import spans


@click.command()
@click.argument("schema")
@seeds_option
@click.pass_obj
def progression(place: dict[str, Any], schema: str, folder: Path | None) -> None:
    """Show what each version of SCHEMA becomes, side by side, and what was lost where.

    A line is an attribute of an entity, a column the versions that are mapped alike, and a cell the attribute that is mapped.
    """
    state, out = given(place, folder).state(), console(highlight=False)
    found = progression_of(state, schema)
    order = [one.number for one in state.domain.schemas[schema]]
    table = Table("entity attribute", show_edge=False, pad_edge=False)
    for column in found.columns:
        table.add_column(spans(column.versions, order), overflow="fold")
    for target in found.targets:
        entity, version, name = target
        table.add_row(f"{entity} {version} {name}", *(column.attributes.get(target, "") for column in found.columns))
    out.print(f"{schema}, versions {spans(order, order)}")
    out.print(table if found.targets else "No version of it is mapped.")
    for loss in found.losses:
        out.print(lost(loss))
    if found.unmapped:
        out.print(f"Not mapped in version {order[-1]}: {', '.join(found.unmapped)}")


def lost(loss: Loss) -> str:
    """Return a loss as a sentence."""
    one = loss.element
    why = "its block is stored without it" if loss.is_stored else f"{one.attribute} has vanished"
    return f"Version {loss.version} does not feed {one.entity} {one.entity_attribute} any more: {why}."
