"""`entrepot status`: jobs, ages, waiting and unmapped rows."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.errors import NotInSnapshotError
from entrepot.ledger import JobEvent, Ledger
from entrepot.snapshots import RECENT_JOBS, Snapshot, published_snapshots, snapshot_for
from entrepot.warehouse import Warehouse, age, humanized

# what an operator looks at: view, how many each of its rows counts, what says why, sentence
CONCERNS = (
    ("ops_unmapped_event", "1", "concat(schema_name, ': ', reason)", "unmapped events"),
    ("ops_rejected_event", "lines", "reason", "rejected lines"),
    ("mapping_review", "1", "concat(schema, ' version ', version)", "mapping blocks to review"),
)
WAITING = "ops_waiting_"


@click.command()
@click.option("--jobs", default=5, show_default=True, help="How many jobs to list.")
@click.option("--relations", is_flag=True, help="List the published relations and their versions too.")
@click.pass_obj
def status(place: dict[str, Any], jobs: int, relations: bool) -> None:
    """Say how the warehouse stands: its last jobs, the age of what is published, and what waits for somebody."""
    warehouse = Warehouse(**place)
    console, ledger = Console(), warehouse.target.ledger()
    snapshots = published_snapshots(ledger, max(jobs, RECENT_JOBS))
    print_jobs(console, ledger.jobs(jobs), snapshots)
    if not snapshots:
        console.print("Nothing has been published yet: run `dbt build`.")
        return
    newest = snapshots[0]
    landed = f"; changes through {newest.landed_through:%Y-%m-%d %H:%M:%S} UTC" if newest.landed_through else ""
    console.print(
        f"Published: job {newest.number}, {humanized(age(newest.published_at))} ago, "
        f"{len(newest.relations)} relations{landed}",
        highlight=False,
    )
    print_concerns(console, warehouse, ledger, snapshots[0])
    if relations:
        table = Table("relation", "version", show_edge=False, pad_edge=False)
        for relation in newest.relations.values():
            table.add_row(relation.name, "view" if relation.version is None else str(relation.version))
        console.print(table)


def print_jobs(console: Console, jobs: list[list[JobEvent]], snapshots: list[Snapshot]) -> None:
    """List the newest jobs with their state; a job without an end is running, or was killed."""
    if not jobs:
        console.print("No job has run on this warehouse yet.")
        return
    published = {snapshot.number for snapshot in snapshots}
    table = Table("job", "command", "started (UTC)", "took", "state", show_edge=False, pad_edge=False)
    for place, events in enumerate(jobs):
        first, last = events[0], events[-1]
        if last.event in ("finished", "failed"):
            state, took = last.event, humanized(last.at - first.at)
        else:
            state, took = ("running" if place == 0 else "killed"), ""
        if first.number in published:
            state += ", published"
        elif state == "failed":
            state += f": {last.detail}"
        table.add_row(str(first.number), first.command, f"{first.at:%Y-%m-%d %H:%M:%S}", took, state)
    console.print(table)


def concerns(newest: Snapshot) -> list[tuple[str, str, str, str]]:
    """Return what to count: CONCERNS, and every published view named ops_waiting_<facts> with a column waits_for."""
    waiting = [relation.identifier for relation in newest.relations.values() if relation.identifier.startswith(WAITING)]
    return [
        *CONCERNS,
        *((name, "1", "waits_for", f"waiting: {name.removeprefix(WAITING)}") for name in sorted(waiting)),
    ]


def print_concerns(console: Console, warehouse: Warehouse, ledger: Ledger, newest: Snapshot) -> None:
    """Count what waits for somebody, with the commonest reasons; what a project does not have is left out."""
    for view, amount, reason, sentence in concerns(newest):
        try:
            snapshot = snapshot_for(ledger, [view])
        except NotInSnapshotError:
            continue
        frame = warehouse.reader.run(
            f"select {reason} as reason, sum({amount}) as n from {view} group by 1 order by 2 desc, 1", snapshot
        )
        rows = frame.collect()
        total = sum(row.n for row in rows)
        why = ": " + "; ".join(f"{row.n} {row.reason}" for row in rows[:3]) if rows else ""
        console.print(f"{total:6d} {sentence}{why}{' …' if len(rows) > 3 else ''}", highlight=False)
