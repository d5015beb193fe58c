"""`entrepot diff`: what has changed between two snapshots."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from entrepot.commands.console import console
from entrepot.differences import Difference, differences
from entrepot.pins import snapshot_named
from entrepot.snapshots import snapshot_for
from entrepot.warehouse import Warehouse


@click.command()
@click.argument("before", metavar="JOB|NAME")
@click.argument("after", metavar="[JOB|NAME]", required=False)
@click.option("--table", "tables", multiple=True, help="Only this table; may be said again.")
@click.pass_obj
def diff(place: dict[str, Any], before: str, after: str | None, tables: tuple[str, ...]) -> None:
    """Count what has changed from one snapshot to another, the newest by default: rows added, changed and removed in each table.

    A snapshot is named by the number of its job, or by the name that it is kept under (entrepot pin). Rows are told apart by the
    table's key; where none is known, a changed row counts as one removed and one added.

    \b
    entrepot diff month-end
    entrepot diff 12 14 --table fct_payment
    """
    warehouse, out = Warehouse(**place), console()
    ledger = warehouse.target.ledger()
    newest = snapshot_for(ledger, ())
    old = snapshot_named(warehouse.target, ledger, before)
    new = snapshot_named(warehouse.target, ledger, after) if after else newest
    table = Table("table", show_edge=False, pad_edge=False)
    for name in ("added", "changed", "removed"):
        table.add_column(name, justify="right")
    table.add_column("")
    same = 0
    for one in differences(old, new, warehouse.reader.ask, tables):
        if one.is_none:
            same += 1
        else:
            table.add_row(one.relation, *_cells(one, before, after or "the newest"))
    if table.row_count:
        out.print(table)
    out.print(f"{same} tables are the same in both." if same != 1 else "1 table is the same in both.", highlight=False)


def _cells(one: Difference, before: str, after: str) -> list[str]:
    if one.only_in:
        return ["", "", "", f"not in the snapshot {after if one.only_in == 'before' else before}"]
    changed = "" if one.changed is None else str(one.changed)
    return [str(one.added), changed, str(one.removed), ", ".join(one.columns)]
