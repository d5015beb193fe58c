"""`entrepot export`: a snapshot in files that need no Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console
from entrepot.export import Export
from entrepot.warehouse import Warehouse


@click.command()
@click.argument("snapshot", metavar="[JOB|NAME]", required=False)
@click.option(
    "--to",
    required=True,
    type=click.Path(path_type=Path),
    help="A folder for Parquet files, or a file whose name ends in .duckdb.",
)
@click.option("--select", "tables", multiple=True, metavar="TABLE", help="Only this table or view; may be said again.")
@click.option("--replace", is_flag=True, help="Replace an earlier export.")
@click.pass_obj
def export(place: dict[str, Any], snapshot: str | None, to: Path, tables: tuple[str, ...], replace: bool) -> None:
    """Write a snapshot, the newest by default, into Parquet or DuckDB files, with where each of its tables comes from.

    A snapshot is named by the number of its job, or by the name that it is kept under (entrepot pin). Parquet files come with
    snapshot.json, a DuckDB file with the table _provenance: job, versions, checksums of the SQL, the state of the mapping, and up to when
    each table holds what its sources have committed. The export appears whole, or not at all.

    \b
    entrepot export month-end --to month-end.duckdb
    entrepot export --to /data/marts --select fct_payment --select dim_item --replace
    """
    warehouse = Warehouse(**place)
    named = None if snapshot in (None, "newest") else snapshot
    opened = warehouse.snapshot(named, tables=tables)
    written = Export(opened, warehouse.target.ledger(), to, tables, replace).write()
    number = opened.snapshot.number
    console().print(f"{len(written)} relations of the snapshot of job {number} are in {to}.", highlight=False)
