"""`entrepot mapping report`: D_P, D_U, M and what waits for a review, as CSV files."""

from __future__ import annotations

from pathlib import Path

import click

from entrepot.commands.console import console
from entrepot.mapping.matrix import report as reports
from entrepot.mapping.matrix.seeded import seeds_of, state_of


@click.command()
@click.option(
    "--seeds",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with schema_attribute.csv, entity_attribute.csv and unique_block.csv.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder to write into.")
def report(seeds: Path, out: Path) -> None:
    """Write what the mapping models of a warehouse would hold, from the seeds of a folder.

    balanced_set.csv, unique_set.csv, matrix.csv and mapping_review.csv, with the columns of these models, sorted.

    \b
    entrepot mapping report --seeds seeds/mapping --out target/mapping
    """
    files = reports.report(state_of(seeds_of(seeds)))
    reports.write_report(files, out)
    for name, sheet in files.items():
        console().print(f"{len(sheet.rows):7d} rows in {out / name}", highlight=False)
