"""`entrepot mapping confirm`: store what inheritance computed for blocks that wait for a review, or null blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.mapping.storing import store
from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.review import reviews
from entrepot.mapping.matrix.storing import confirmed


@click.command()
@click.argument("schema", required=False)
@click.option("--version", type=int, help="Only this version of the schema.")
@click.option("--entity", help="Only blocks to this entity.")
@click.option(
    "--null",
    "as_null",
    is_flag=True,
    help="Store null blocks: from these versions on the schema does not feed the entity.",
)
@yes_option
@seeds_option
@click.pass_obj
def confirm(place: dict[str, Any], schema: str | None, version: int | None, entity: str | None, as_null: bool, yes: bool,
            folder: Path | None) -> None:  # fmt: skip
    """Store blocks that shrank or became null by themselves, as they are now: all that wait for a review, or some.

    Appends rows to unique_block.csv; the plan comes first, and the review is the git diff. A block that shall have more than it has
    inherited is stored the same way and completed by hand.

    \b
    entrepot mapping confirm shop.sales.customer --version 4
    entrepot mapping confirm shop.sales.customer --version 4 --null
    """
    found, out = given(place, folder), console(highlight=False)
    state = found.state()
    chosen = [
        one
        for one in reviews(state)
        if schema in (None, one.schema) and version in (None, one.version) and entity in (None, one.entity)
    ]
    if not chosen:
        raise EntrepotError("No such block waits for a review.", "`entrepot mapping review` lists those that do.")
    store(out, found, confirmed(state, chosen, as_null=as_null), yes=yes)
