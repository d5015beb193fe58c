"""`entrepot maintain`: bookkeeping that nobody needs any more."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.errors import EntrepotError
from entrepot.ledger import Ledger
from entrepot.ledger.lock import Holder
from entrepot.target import open_ledger

LOCK_MINUTES = 10.0


@click.command()
@click.option(
    "--keep-days", default=30, show_default=True, type=click.IntRange(min=0), help="Rows of younger jobs stay."
)
@click.option("--apply", "is_applied", is_flag=True, help="Remove the rows; without it they are only counted.")
@click.pass_obj
def maintain(place: dict[str, Any], keep_days: int, is_applied: bool) -> None:
    """Remove rows of the bookkeeping (schema ops) that nobody needs any more, and write the rest into few files.

    Rows of jobs older than --keep-days go, but for those of the newest 200 jobs, of snapshots that queries on some relation are still
    answered from, and of the SQL that these were made by. Needs no Spark. Without --apply nothing is written.

    \b
    entrepot maintain
    entrepot maintain --keep-days 90 --apply
    """
    out, ledger = console(), open_ledger(**place)
    before = datetime.now(timezone.utc) - timedelta(days=keep_days)
    if not ledger.jobs(1):
        raise EntrepotError("No job has run on this warehouse yet.", "Run `dbt build`.")
    if is_applied:
        lock = ledger.begin(Holder(str(uuid.uuid4()), "maintain", LOCK_MINUTES, is_alone=False))
        ended = "failed"
        try:
            print_outdated(out, ledger, before)
            ledger.trim(ledger.outdated(before))
            ended = "finished"
        finally:
            lock.release(ended, None)
        out.print("Removed.")
        return
    if print_outdated(out, ledger, before):
        out.print("Nothing was removed: say --apply.")


def print_outdated(out: Console, ledger: Ledger, before: datetime) -> bool:
    """List how many rows nobody needs any more; whether there are any."""
    trims = ledger.outdated(before)
    if not trims:
        out.print(f"Nothing to remove: every row of jobs before {before:%Y-%m-%d} is needed, or there is none.")
        return False
    table = Table("table", "rows that nobody needs", show_edge=False, pad_edge=False)
    for trim in trims:
        table.add_row(f"ops.{trim.record.table}", str(trim.rows))
    out.print(table)
    return True
