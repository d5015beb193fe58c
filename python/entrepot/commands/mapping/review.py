"""`entrepot mapping review`: blocks that shrank or became null by themselves, and mapped attributes of another type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.mapping.matrix.review import Review, retyped, reviews
from entrepot.mapping.matrix.words import known


@click.command()
@click.argument("schema", required=False)
@click.option(
    "--types", is_flag=True, help="List inherited attributes that have another type than in the version before."
)
@seeds_option
@click.pass_obj
def review(place: dict[str, Any], schema: str | None, types: bool, folder: Path | None) -> None:
    """List what inheritance has changed and nobody has stored yet, of all schemas or of one.

    Blocks that shrank or became null wait until somebody stores them (`entrepot mapping confirm`). Attributes that are mapped and have
    another type than before are inherited all the same: what does not fit the entity's type is a mapping_error of its event.
    """
    state, out = given(place, folder).state(), console(highlight=False)
    if schema is not None:
        known("schema", schema, state.domain.schemas)
    waiting = [one for one in reviews(state) if schema in (None, one.schema)]
    if not waiting:
        out.print("No block waits for a review.")
    else:
        table = Table("schema", "version", "entity", "elements", "", "vanished", show_edge=False, pad_edge=False)
        for one in waiting:
            change = f"{one.elements_before} to {one.elements_after}"
            table.add_row(one.schema, str(one.version), one.entity, change, verdict(one), ", ".join(one.vanished))
        out.print(table)
    changed = [one for one in retyped(state) if schema in (None, one.schema)]
    if changed and not types:
        out.print(
            f"Inherited attributes with another type than in the version before: {len(changed)}; --types lists them."
        )
    elif changed:
        table = Table("schema", "version", "attribute", "type", "entity", show_edge=False, pad_edge=False)
        for other in changed:
            table.add_row(other.schema, str(other.version), other.attribute, f"{other.type_before} to {other.type_after}",
                          f"{other.entity}.{other.entity_attribute}")  # fmt: skip
        out.print(table)


def verdict(one: Review) -> str:
    """Return what has become of a block, in a word."""
    return "shrank" if one.elements_after else "null"
