"""`entrepot mapping page`: the mapping as one HTML file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from entrepot.commands.mapping.seeds import given, seeds_option
from entrepot.commands.page_file import write_page
from entrepot.mapping.page.content import content
from entrepot.mapping.page.document import document
from entrepot.mapping.page.links import links_of

NAME, DOCS = "mapping.html", "index.html"


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"File to write [default: {NAME} in dbt's target folder, beside the {DOCS} of dbt docs; with --seeds, {NAME} here].",
)
@seeds_option
@click.pass_obj
def page(place: dict[str, Any], out: Path | None, folder: Path | None) -> None:
    """Write the mapping as one HTML file that needs no server and no network.

    It shows schemas and the entities that they feed, the versions of a schema side by side and what was lost where, what feeds an entity, and
    what waits for a review; with a search, and links to the pages that `dbt docs generate` writes.

    \b
    dbt docs generate && entrepot mapping page
    entrepot mapping page --seeds seeds/mapping --out mapping.html
    """
    found = given(place, folder)
    state, project = found.state_as_it_is(), found.project
    if project is None:
        file = out or Path(NAME)
        text = document(content(state, found.seeds.unique_block.path.parent.as_posix()))
    else:
        target = project.path / project.target
        file = out or target / NAME
        source = Path(os.path.relpath(project.seeds.unique_block.path.parent, project.path)).as_posix()
        shown = content(state, source, project.name, links_of(project))
        text = document(shown, Path(os.path.relpath(target / DOCS, file.parent)).as_posix())
    write_page(file, text)
