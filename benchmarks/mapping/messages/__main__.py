"""`python -m benchmarks.mapping.messages`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click
from rich.table import Table

from benchmarks.mapping.messages.measuring import SPARSE, Way, lay_out, ratio, run
from benchmarks.processes import ROOT, measured_apart
from entrepot.commands.console import console


@click.command()
@click.option("--landscape", multiple=True, default=("5x2", "50x10"), show_default=True)
@click.option("--events", default=1_000_000, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--target", default="large", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "messages", show_default="target/messages")
@click.option("--one", hidden=True)
def main(landscape: tuple[str, ...], events: int, rounds: int, target: str, folder: Path, one: str | None) -> None:
    """Measure."""
    if one:
        click.echo(json.dumps(run(folder, *map(int, one.split("x")), rounds, target)))
        return
    for size in landscape:
        schemas, versions = map(int, size.split("x"))
        lay_out(folder, schemas, versions, events)
        warehouse = folder.with_name("messages-warehouse")
        shutil.rmtree(warehouse, ignore_errors=True)
        found = measured_apart(
            "benchmarks.mapping.messages", warehouse, "--one", size, "--folder", str(folder), "--rounds", str(rounds), "--target", target
        )
        print(json.dumps(found))


if __name__ == "__main__":
    main()
