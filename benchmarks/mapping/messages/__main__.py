"""`python -m benchmarks.mapping.messages`: what mapping a million messages in Spark takes, by how many blocks map them."""

from __future__ import annotations

import json
import shutil
import statistics
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.mapping.messages.measuring import COMPILED, WAYS, Way, lay_out, ratio, run
from benchmarks.processes import ROOT, measured_apart
from entrepot.commands.console import console

# up to how many blocks, and the most CPU that the compiled SQL may take of the projection's
TARGETS = ((10, 1.1), (500, 2.0))


@click.command()
@click.option(
    "--landscape", multiple=True, default=("5x2", "50x10"), show_default=True,
    help="Source schemas x versions of each: so many blocks; may be said again.",
)  # fmt: skip
@click.option("--events", default=1_000_000, show_default=True, help="How many change events are mapped.")
@click.option("--rounds", default=3, show_default=True, help="Rounds that are measured; the figures are medians.")
@click.option(
    "--way", "ways", multiple=True, type=click.Choice(WAYS), default=WAYS, help="What is measured; may be said again."
)
@click.option("--target", default="large", show_default=True, help="Target of profiles.yml.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "messages", show_default="target/messages"
)
@click.option("--one", hidden=True)
def main(
    landscape: tuple[str, ...],
    events: int,
    rounds: int,
    ways: tuple[str, ...],
    target: str,
    folder: Path,
    one: str | None,
) -> None:
    """Measure the CPU of the compiled SQL of a mapped model beside projections written by hand, and beside algorithm 1.

    Each landscape is a process of its own, with a warehouse of its own. The projections give what the compiled SQL gives, row by row, or it stops.
    """
    if one:
        click.echo(json.dumps(run(folder, *sizes(one), rounds, ways, target)))
        return
    for size in landscape:
        lay_out(folder, *sizes(size), events)
        warehouse = folder.with_name("messages-warehouse")
        shutil.rmtree(warehouse, ignore_errors=True)
        options = ("--rounds", str(rounds), "--target", target)
        asked = (word for way in ways for word in ("--way", way))
        arguments = ("--one", size, "--folder", str(folder), *options, *asked)
        print_figures(size, events, measured_apart("benchmarks.mapping.messages", warehouse, *arguments))


def sizes(landscape: str) -> tuple[int, int]:
    """Return schemas and versions.

    >>> sizes("50x10")
    (50, 10)
    """
    schemas, _, versions = landscape.partition("x")
    if not (schemas.isdecimal() and versions.isdecimal() and int(schemas) and int(versions)):
        raise click.BadParameter(f"{landscape} is no landscape: write schemas x versions, such as 50x10.")
    return int(schemas), int(versions)


def print_figures(landscape: str, events: int, found: dict[str, Any]) -> None:
    """Print CPU by way, and what the compiled SQL takes of each."""
    ways = {name: Way(**figures) for name, figures in found["ways"].items()}
    table = Table(
        f"{landscape}, {events:,} events",
        "CPU s",
        "of it planning",
        "µs a message",
        "compiled: part of it",
        show_edge=False,
    )
    for name, way in ways.items():
        cpu = statistics.median(way.cpu)
        part = f"{ratio(ways[COMPILED], way):.2f}" if COMPILED in ways else ""
        table.add_row(name, f"{cpu:.1f}", f"{way.planning:.1f}", f"{1e6 * cpu / way.messages:.1f}", part)
    out = console()
    out.print(table)
    schemas, versions = sizes(landscape)
    out.print(f"{found['branches']} branches, {found['characters']:,} characters; {target_of(schemas * versions)}")


def target_of(blocks: int) -> str:
    """Return what is wanted of so many blocks, in words.

    >>> target_of(10), target_of(500)
    ('target 1.10', 'target 2.00')
    """
    return next((f"target {most:.2f}" for upto, most in TARGETS if blocks <= upto), "no target")


if __name__ == "__main__":
    main()
