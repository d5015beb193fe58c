"""`entrepot mapping new`: a block that nobody has stored yet, from names that are equal or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, owner_option, seeds_option
from entrepot.commands.mapping.storing import store
from entrepot.mapping.matrix.elements import Place
from entrepot.mapping.matrix.storing import new_block, pairs_of_file
from entrepot.mapping.matrix.words import known


@click.command()
@click.argument("schema")
@click.argument("entity")
@click.option("--version", type=int, help="From which version of the schema on [default: the lowest].")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV with the columns attribute and entity_attribute.",
)
@owner_option
@yes_option
@seeds_option
@click.pass_obj
def new(
    place: dict[str, Any],
    schema: str,
    entity: str,
    version: int | None,
    file: Path | None,
    owner: str | None,
    yes: bool,
    folder: Path | None,
) -> None:
    """Store a new block: SCHEMA feeds ENTITY through the attributes whose names are equal, or through those of --from.

    Names are equal as they stand, or as canonical names (createdAt and created_at). Appends rows to unique_block.csv, where the schema or
    the entity has an owner to the owner's; the plan comes first, and the review is the git diff.

    \b
    entrepot mapping new shop.sales.customer customer
    entrepot mapping new shop.sales.customer customer --version 4 --from block.csv
    """
    found = given(place, folder)
    state = found.state()
    number = version or state.domain.schemas[known("schema", schema, state.domain.schemas)][0].number
    ones = new_block(state, Place(schema, number, entity), pairs_of_file(file) if file else None)
    store(console(highlight=False), found, ones, owner=owner, yes=yes)
