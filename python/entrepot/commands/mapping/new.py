"""`entrepot mapping new`: a block that nobody has stored yet, from names that are equal or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, owner_option, seeds_option
from entrepot.commands.mapping.storing import store
from entrepot.mapping.matrix.elements import Place
from entrepot.mapping.matrix.storing import keys_left_out, new_block, pairs_of_file
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

    Names are equal as they stand, or as canonical names (createdAt and created_at). What the version has inherited stays in the block;
    --from says all of it. Appends rows to unique_block.csv, where the schema or the entity has an owner to the owner's; the plan comes
    first, and the review is the git diff.

    \b
    entrepot mapping new shop.sales.customer customer
    entrepot mapping new shop.sales.customer customer --version 4 --from block.csv
    """
    found = given(place, folder)
    state = found.state()
    lowest = state.domain.schemas[known("schema", schema, state.domain.schemas)][0].number
    number, out = lowest if version is None else version, console(highlight=False)
    pairs = pairs_of_file(file) if file else None
    ones = new_block(state, Place(schema, number, entity), pairs)
    for name, entity_version, keys in keys_left_out(state, ones):
        out.print(
            f"The block leaves out the key of {name} version {entity_version}: {', '.join(keys)}. Its events belong to no {name}, and dbt's "
            "test mapping_keys_mapped fails.\n",
        )
    store(out, found, ones, owner=owner, yes=yes, written=pairs)
