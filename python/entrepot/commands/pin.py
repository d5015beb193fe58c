"""`entrepot pin`: keep a snapshot under a name."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.pins import Pins, snapshot_named
from entrepot.snapshots import newest_whole
from entrepot.target import open_place


@click.command()
@click.argument("name", required=False)
@click.option("--job", type=click.IntRange(min=1), help="The snapshot of this job [default: the newest].")
@click.pass_obj
def pin(place: dict[str, Any], name: str | None, job: int | None) -> None:
    """Keep a published snapshot under NAME, whatever later jobs write and whatever is vacuumed; without a NAME list what is kept.

    Its files are linked, so that they take no space while the tables have them, too. Needs no Spark.

    \b
    entrepot pin month-end
    entrepot query --snapshot month-end "select sum(revenue) from mart_sales_daily"
    entrepot diff month-end
    """
    here, out = open_place(**place), console()
    pins, ledger = Pins(here), here.ledger()
    if name is None:
        table = Table("name", "job", "kept since (UTC)", "by", "relations", show_edge=False, pad_edge=False)
        for found in map(pins.get, pins.names()):
            snapshot = found.snapshot
            cells = f"{found.pinned_at:%Y-%m-%d %H:%M:%S}", found.pinned_by, str(len(snapshot.relations))
            table.add_row(found.name, str(snapshot.number), *cells)
        out.print(table if pins.names() else "Nothing is kept: entrepot pin NAME keeps the newest snapshot.")
        return
    wanted = (
        newest_whole(ledger, "say --job {} to keep what it has")
        if job is None
        else snapshot_named(here, ledger, str(job))
    )
    kept = pins.add(name, wanted).snapshot
    out.print(
        f"The snapshot of job {kept.number}, {len(kept.relations)} relations, is kept as {name}.", highlight=False
    )
