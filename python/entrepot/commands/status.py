"""`entrepot status`: jobs, ages, waiting and unmapped rows."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.ledger import JobEvent, SourceCut
from entrepot.ledger.concerns import Figures
from entrepot.promises import kept_promises, newest_rows
from entrepot.snapshots import RECENT_JOBS, PublishedRelation, Snapshot, published_snapshots
from entrepot.spans import age, humanized
from entrepot.target import open_ledger


@click.command()
@click.option("--jobs", default=5, show_default=True, type=click.IntRange(min=1), help="How many jobs to list.")
@click.option("--relations", is_flag=True, help="List the published relations and their versions too.")
@click.option("--check", is_flag=True, help="End with 1 where something is older than is promised of it.")
@click.pass_obj
def status(place: dict[str, Any], jobs: int, relations: bool, check: bool) -> None:
    """Say how the warehouse stands: its last jobs, the age of what is published, and what waits for somebody.

    What waits are the rows of views with `meta: {entrepot: {concern: …}}`, as the jobs that published them have counted. Models and
    exposures with `meta: {entrepot: {max_age: 10m}}` promise how old they are at most. Reads the bookkeeping; starts no Spark.
    """
    out, ledger = console(), open_ledger(**place)
    snapshots = published_snapshots(ledger, max(jobs, RECENT_JOBS))
    print_jobs(out, ledger.jobs(jobs), snapshots)
    if not snapshots:
        out.print("Nothing has been published yet: run `dbt build`.")
        return
    newest = snapshots[0]
    landed = f"; changes through {newest.landed_through:%Y-%m-%d %H:%M:%S} UTC" if newest.landed_through else ""
    out.print(
        f"Published: job {newest.number}, {humanized(age(newest.published_at))} ago, "
        f"{len(newest.relations)} relations{landed}",
        highlight=False,
    )
    print_sources(out, ledger.cuts())
    print_concerns(out, snapshots)
    is_kept = print_promises(out, snapshots)
    if relations:
        table = Table("relation", "version", show_edge=False, pad_edge=False)
        for relation in newest.relations.values():
            table.add_row(relation.name, "view" if relation.version is None else str(relation.version))
        out.print(table)
    if check and not is_kept:
        raise SystemExit(1)


def print_jobs(out: Console, jobs: list[list[JobEvent]], snapshots: list[Snapshot]) -> None:
    """List the newest jobs with their state; a job without an end is running, or was killed."""
    if not jobs:
        out.print("No job has run on this warehouse yet.")
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
    out.print(table)


def print_sources(out: Console, cuts: dict[str, SourceCut]) -> None:
    """Print how far each source has been heard; nothing where nothing lands."""
    told = [
        f"{name} {f'{humanized(age(cut.heard_at))} ago' if cut.heard_at else 'never'}" for name, cut in cuts.items()
    ]
    if told:
        out.print(f"Sources last heard: {', '.join(told)}", highlight=False, markup=False)


def print_concerns(out: Console, snapshots: list[Snapshot]) -> None:
    """Print what waits for somebody, with the commonest reasons; of a view that a job could not publish what the last one before counted.

    Args:
        out: where to
        snapshots: newest first
    """
    newest = snapshots[0]
    if any(view.definition is not None and view.concern is None for view in newest.relations.values()):
        out.print("What waits for somebody is counted by the next `dbt build`.")
        return
    for view, number in sorted(newest_views(snapshots).values(), key=lambda one: one[0].name):
        if view.concern:
            counted_by = "" if number == newest.number else f" (job {number})"
            out.print(f"{line_of(Figures.told(view.concern))}{counted_by}", highlight=False, markup=False)


def print_promises(out: Console, snapshots: list[Snapshot]) -> bool:
    """Print how old what is published may be, broken promises each on a line; whether all are kept.

    Args:
        out: where to
        snapshots: newest first
    """
    now = datetime.now(timezone.utc)
    found = kept_promises(newest_rows(snapshots), now)
    broken = [one for one in found if not one.is_kept]
    for one in broken:
        out.print(f"Broken: {one.sentence(now)}", highlight=False, markup=False)
    if found and not broken:
        names = "1 promise is" if len(found) == 1 else f"{len(found)} promises are"
        out.print(f"As fresh as promised: {names} kept.", highlight=False)
    return not broken


def newest_views(snapshots: list[Snapshot]) -> dict[str, tuple[PublishedRelation, int]]:
    """Return every view with the newest job that published it, {name: (view, job)}."""
    found: dict[str, tuple[PublishedRelation, int]] = {}
    for snapshot in snapshots:
        for relation in snapshot.relations.values():
            if relation.definition is not None:
                found.setdefault(relation.name, (relation, snapshot.number))
    return found


def line_of(figures: Figures) -> str:
    """Return figures as a line.

    >>> line_of(Figures("late orders", 5, (("strike", 4), (None, 1)), 2))
    '     5 late orders: 4 strike; 1 without a reason …'
    >>> line_of(Figures("late orders", problem="no such column"))
    '     ? late orders: could not be counted: no such column'
    >>> line_of(Figures("late orders", 2, ((None, 2),)))
    '     2 late orders'
    """
    if figures.total is None:
        return f"     ? {figures.says}: could not be counted: {figures.problem}"
    line, reasons = f"{figures.total:6d} {figures.says}", [reason for reason, _ in figures.reasons]
    if not any(reasons):
        return line
    why = "; ".join(f"{amount} {reason or 'without a reason'}" for reason, amount in figures.reasons)
    return f"{line}: {why}{' …' if figures.more_reasons else ''}"
