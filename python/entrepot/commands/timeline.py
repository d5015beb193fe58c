"""`entrepot timeline`: the chain of jobs as one HTML file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from entrepot.commands.page_file import write_page
from entrepot.dbt_project import project_settings, target_path
from entrepot.target import open_ledger, project_folder
from entrepot.timeline.content import content
from entrepot.timeline.document import document

NAME, DOCS = "timeline.html", "index.html"


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help=f"File to write [default: {NAME} in dbt's target folder, beside the {DOCS} of dbt docs].",
)
@click.option(
    "--jobs", default=500, show_default=True, type=click.IntRange(min=1), help="Of how many jobs, the newest ones."
)
@click.pass_obj
def timeline(place: dict[str, Any], out: Path | None, jobs: int) -> None:
    """Write the chain of jobs as one HTML file that needs no server and no network.

    It shows when jobs ran and what they came to, which models ran in each, how long, by which rule and why, how old the data of each source was, and
    what waits for somebody. Reads the bookkeeping; starts no Spark. `entrepot run --http` serves the same page, which then keeps itself up to date.

    \b
    dbt docs generate && entrepot timeline
    entrepot timeline --jobs 50 --out jobs.html
    """
    project = project_folder(place["project_dir"])
    settings = project_settings(project)
    target = project / target_path(settings)
    file = out or target / NAME
    docs = Path(os.path.relpath(target / DOCS, file.parent)).as_posix()
    shown = content(open_ledger(**place), str(settings.get("name") or ""), jobs)
    write_page(file, document(shown, docs))
