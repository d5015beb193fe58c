"""`entrepot mapping register`: discovered schema versions into the seed."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import click

from entrepot.commands.console import console, yes_option
from entrepot.commands.mapping.seeds import given, owner_option
from entrepot.commands.mapping.storing import append_rows
from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.registering import unregistered


@click.command()
@click.argument("schemas", nargs=-1, metavar="[SCHEMA]...")
@owner_option
@yes_option
@click.pass_obj
def register(place: dict[str, Any], schemas: tuple[str, ...], owner: str | None, yes: bool) -> None:
    """Write the schema versions that events have shown and nobody has registered into schema_attribute.csv.

    SCHEMA may have * and ?; without one, all schemas. Rows are appended to the file that has the schema's others, with the number that the
    events carry; the plan comes first.
    Types that no record has said stay empty, and so does renamed_from: fill them in by hand.
    """
    found, out = given(place, None, may_lack=True), console(highlight=False)
    new = unregistered(found.seeds, found.discovered)
    chosen = [one for one in new if not schemas or any(fnmatchcase(one.schema, pattern) for pattern in schemas)]
    if not chosen:
        there = ", ".join(sorted({one.schema for one in new}))
        raise EntrepotError(
            "No such version has to be registered.",
            f"Those of {there} are discovered." if there else "None is discovered.",
        )
    append_rows(out, found, chosen, [], owner=owner, yes=yes)
