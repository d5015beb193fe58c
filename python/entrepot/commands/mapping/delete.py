"""`entrepot mapping delete`: a schema version out of the seeds; later versions keep what they had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.mapping.storing import restate
from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.update import schema_version_deleted


@click.command()
@click.argument("schema")
@click.argument("version", type=int)
@yes_option
@seeds_option
@click.pass_obj
def delete(place: dict[str, Any], schema: str, version: int, yes: bool, folder: Path | None) -> None:
    """Take VERSION of SCHEMA and its blocks out of the seeds; later versions keep what they had.

    A later block that rests on the version is stored first. Events of the version are unmapped then. A version that was discovered
    before it was registered stays in the tree of the warehouse, and cannot be deleted.
    """
    found = given(place, folder, may_lack=True)
    if any((one.schema, one.number) == (schema, version) for one in found.discovered):
        raise EntrepotError(
            f"{schema} version {version} has been discovered: its events have landed.",
            f"Map it to nothing instead, with null blocks in unique_block.csv at version {version} and the old blocks after it.",
        )
    restate(console(highlight=False), found, schema_version_deleted(found.state(), schema, version), yes=yes)
