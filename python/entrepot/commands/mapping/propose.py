"""`entrepot mapping propose`: likely renames, and new attributes of equal names, for blocks that nobody has stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.mapping.storing import store
from entrepot.mapping.matrix.proposing import proposals
from entrepot.mapping.matrix.renames import LIKELY
from entrepot.mapping.matrix.words import known


@click.command()
@click.argument("schema", required=False)
@click.option(
    "--at-least",
    type=click.FloatRange(0, 1),
    default=LIKELY,
    show_default=True,
    help="The score from which on a rename is proposed.",
)
@yes_option
@seeds_option
@click.pass_obj
def propose(place: dict[str, Any], schema: str | None, at_least: float, yes: bool, folder: Path | None) -> None:
    """Propose how blocks go on where attributes got lost or are new, in all schemas or in one.

    A lost attribute may go on under another name: the score, 0 to 1, is from names, types and places. A new attribute is proposed where
    its name is that of an entity attribute that is not fed. The completed blocks are appended to unique_block.csv as those of `new` are:
    read the pairs, and correct what is wrong in the git diff. Where the tree shall know a rename, write it into renamed_from instead.
    """
    found, out = given(place, folder), console(highlight=False)
    state = found.state()
    if schema is not None:
        known("schema", schema, state.domain.schemas)
    proposed, blocks = proposals(state, schema, at_least)
    if not proposed:
        out.print("Nothing is proposed.")
        return
    table = Table("schema", "version", "lost", "new", "score", "becomes", show_edge=False, pad_edge=False)
    for one in proposed:
        becomes = f"{one.place.entity} {one.element.entity_attribute}"
        table.add_row(
            one.place.schema, str(one.place.version), one.before, one.element.attribute, f"{one.score:.2f}", becomes
        )
    out.print(table)
    out.print()
    store(out, found, state.rows(blocks), yes=yes)
