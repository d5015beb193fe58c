"""`entrepot mapping diff`: what a change of the seeds would do, before it is merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console
from entrepot.commands.mapping.differences import as_markdown, print_difference
from entrepot.commands.mapping.seeds import Given, given, seeds_option
from entrepot.errors import EntrepotError
from entrepot.mapping.at_commit import seeds_at
from entrepot.mapping.matrix.difference import difference
from entrepot.mapping.matrix.seeded import seeds_of


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[BEFORE AFTER]")
@click.option("--against", metavar="COMMIT", default="HEAD", show_default=True, help="The commit to compare with.")
@click.option("--format", "format_", type=click.Choice(["text", "markdown"]), default="text", show_default=True)
@click.option("--exit-code", is_flag=True, help="End with 1 where something changes.")
@seeds_option
@click.pass_context
def diff(
    context: click.Context, folders: tuple[Path, ...], against: str, format_: str, exit_code: bool, folder: Path | None
) -> None:
    """Say what a change of the seeds would do: blocks, schema versions whose events are mapped otherwise, entities, reviews.

    Compares the seeds as they are with those of a commit, which is not checked out, or two folders. Discovered versions are in both
    where the warehouse lies here.
    Exit codes: 0; 1 with --exit-code where something changes; 2 where seeds cannot be read or contradict each other.

    \b
    entrepot mapping diff
    entrepot mapping diff --against origin/main --format markdown
    entrepot mapping diff seeds/before seeds/after
    """
    if len(folders) not in (0, 2):
        raise EntrepotError(
            "One folder cannot be compared.", "Say two, BEFORE and AFTER, or --seeds DIR --against COMMIT."
        )
    place: dict[str, Any] = context.obj
    if folders:
        before, after = (Given(seeds_of(one)) for one in folders)
    else:
        after = given(place, folder)
        before = Given(seeds_at(after.seeds, against), after.discovered)
    found = difference(before.state_as_it_is(), after.state())
    if format_ == "markdown":
        click.echo(as_markdown(found), nl=False)
    else:
        print_difference(console(highlight=False), found)
    context.exit(1 if exit_code and not found.is_empty else 0)
