"""`python -m benchmarks.mapping`: the algorithms of the matrix on a landscape of 10^9 elements and on real histories, without Spark."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
from rich.table import Table

from benchmarks.mapping.landscape import Landscape
from benchmarks.mapping.steps import Figures, measure
from benchmarks.processes import ROOT
from entrepot.commands.console import console

HISTORIES = {"MediaWiki": ROOT / "tests" / "mapping" / "mediawiki", "the steelworks": ROOT / "seeds" / "mapping"}
# METL 5.3.1, 5.3.2 and 8
PAPER = "compaction in the paper: estimated 99 % when null blocks are left out, 99.5 % of D_U; in its conclusion more than 99.9 %"


@click.command()
@click.option("--schemas", default=Landscape.schemas, show_default=True, help="Schemas of ten attributes each.")
@click.option("--versions", default=Landscape.versions, show_default=True, help="Versions of each schema.")
@click.option("--entities", default=Landscape.entities, show_default=True, help="Entities of ten attributes each.")
@click.option(
    "--entity-versions", default=Landscape.entity_versions, show_default=True, help="Versions of each entity."
)
@click.option("--seed", default=Landscape.seed, show_default=True, help="What the landscape is drawn from.")
@click.option("--messages", default=100_000, show_default=True, help="Messages that algorithm 6 maps.")
@click.option(
    "--seeds", multiple=True, type=click.Path(path_type=Path), help="Folder of three more seeds; may be said again."
)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "mapping", show_default="target/mapping"
)
def main(
    schemas: int,
    versions: int,
    entities: int,
    entity_versions: int,
    seed: int,
    messages: int,
    seeds: tuple[Path, ...],
    folder: Path,
) -> None:
    """Time compaction, decompaction, round trip, updates, page and mapping of messages; compaction beside the paper's."""
    shutil.rmtree(folder, ignore_errors=True)
    Landscape(schemas, versions, entities, entity_versions, seed=seed).write(folder / "landscape")
    folders = {"landscape": folder / "landscape"} | HISTORIES | {one.name: one for one in seeds}
    print_tables([measure(name, place, messages) for name, place in folders.items()])


def print_tables(found: list[Figures]) -> None:
    """Print sizes, and seconds by step."""
    out = console()
    sizes = Table("", *(one.name for one in found), show_edge=False)
    for words, value in SIZES.items():
        sizes.add_row(words, *(value(one) for one in found))
    out.print(sizes)
    out.print(PAPER)
    steps = Table("seconds", *(one.name for one in found), show_edge=False)
    for step in found[0].seconds:
        steps.add_row(step, *(f"{one.seconds[step]:.3f}" for one in found))
    for algorithm in ("6", "1"):
        steps.add_row(
            f"microseconds a message (algorithm {algorithm})", *(f"{one.microseconds[algorithm]:.1f}" for one in found)
        )
    out.print(steps)


SIZES = {
    "schemas, versions": lambda one: f"{one.size.schemas:,}, {one.size.versions:,}",
    "entities": lambda one: f"{one.size.entities:,}",
    "columns, rows of M": lambda one: f"{one.size.columns:,}, {one.size.rows:,}",
    "elements of M": lambda one: f"{one.size.cells:,}",
    "elements of D_P": lambda one: f"{one.size.balanced_set:,}",
    "elements of D_U": lambda one: f"{one.size.unique_set:,}",
    "compaction to D_P": lambda one: f"{100 * one.size.compaction(one.size.balanced_set):.4f} %",
    "compaction to D_U": lambda one: f"{100 * one.size.compaction(one.size.unique_set):.4f} %",
    "bytes of the page": lambda one: f"{one.page_bytes:,}",
}


if __name__ == "__main__":
    main()
