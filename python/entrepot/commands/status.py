"""`entrepot status`: jobs, ages, waiting and unmapped rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from entrepot.commands.console import console
from entrepot.ledger import PastJob, Progress, SourceCut, past_jobs
from entrepot.ledger.concerns import Figures
from entrepot.promises import Kept, kept_promises, newest_rows
from entrepot.snapshots import RECENT_JOBS, Snapshot, counted_views, published_snapshots
from entrepot.spans import age, as_json_moment, humanized
from entrepot.target import open_ledger


@click.command()
@click.option("--jobs", default=5, show_default=True, type=click.IntRange(min=1), help="How many jobs to list.")
@click.option("--relations", is_flag=True, help="List the published relations and their versions too.")
@click.option("--check", is_flag=True, help="End with 1 where something is older than is promised of it.")
@click.option("--json", "is_json", is_flag=True, help="Print all of it as JSON.")
@click.pass_obj
def status(place: dict[str, Any], jobs: int, relations: bool, check: bool, is_json: bool) -> None:
    """Say how the warehouse stands: its last jobs, the age of what is published, and what waits for somebody.

    What waits are the rows of views with `meta: {entrepot: {concern: …}}`, as the jobs that published them have counted. Models and
    exposures with `meta: {entrepot: {max_age: 10m}}` promise how old they are at most. Reads the bookkeeping; starts no Spark.
    """
    out, ledger = console(), open_ledger(**place)
    snapshots = published_snapshots(ledger, max(jobs, RECENT_JOBS))
    past, cuts, progress = list(past_jobs(ledger.jobs(jobs))), ledger.cuts(), ledger.progress()
    if is_json:
        click.echo(json.dumps(as_values(past, snapshots, cuts, progress), indent=1))
        if check and any(not one.is_kept for one in _promises(snapshots)):
            raise SystemExit(1)
        return
    print_jobs(out, past, snapshots)
    if progress:
        out.print(progress.sentence, highlight=False)
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
    print_sources(out, cuts)
    print_concerns(out, snapshots)
    is_kept = print_promises(out, snapshots)
    if relations:
        table = Table("relation", "version", show_edge=False, pad_edge=False)
        for relation in newest.relations.values():
            table.add_row(relation.name, "view" if relation.version is None else str(relation.version))
        out.print(table)
    if check and not is_kept:
        raise SystemExit(1)


def print_jobs(out: Console, jobs: Sequence[PastJob], snapshots: list[Snapshot]) -> None:
    """List the newest jobs with their state; a job without an end is running, or was killed."""
    if not jobs:
        out.print("No job has run on this warehouse yet.")
        return
    published = {snapshot.number for snapshot in snapshots}
    table = Table("job", "command", "started (UTC)", "took", "state", show_edge=False, pad_edge=False)
    for job in jobs:
        state = job.state
        if job.number in published:
            state += ", published"
        elif state == "failed" and job.detail:
            state += f": {job.detail}"
        took = humanized(job.ended_at - job.started_at) if job.ended_at else ""
        # what has failed may have said something in square brackets
        table.add_row(str(job.number), job.command, f"{job.started_at:%Y-%m-%d %H:%M:%S}", took, Text(state))
    out.print(table)


def print_sources(out: Console, cuts: dict[str, SourceCut]) -> None:
    """Print how far each source has been heard; nothing where nothing lands."""
    told = [
        f"{name} {f'{humanized(age(cut.heard_at))} ago' if cut.heard_at else 'never'}" for name, cut in cuts.items()
    ]
    if told:
        out.print(f"Sources last heard: {', '.join(told)}", highlight=False)


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
    for _view, number, figures in counted_views(snapshots):
        counted_by = "" if number == newest.number else f" (job {number})"
        out.print(f"{line_of(figures)}{counted_by}", highlight=False)


def print_promises(out: Console, snapshots: list[Snapshot]) -> bool:
    """Print how old what is published may be, broken promises each on a line; whether all are kept.

    Args:
        out: where to
        snapshots: newest first
    """
    now, found = datetime.now(timezone.utc), _promises(snapshots)
    broken = [one for one in found if not one.is_kept]
    for one in broken:
        out.print(f"Broken: {one.sentence(now)}", highlight=False)
    if found and not broken:
        names = "1 promise is" if len(found) == 1 else f"{len(found)} promises are"
        out.print(f"As fresh as promised: {names} kept.", highlight=False)
    return not broken


def _promises(snapshots: list[Snapshot]) -> list[Kept]:
    return kept_promises(newest_rows(snapshots), datetime.now(timezone.utc))


def as_values(
    jobs: Sequence[PastJob], snapshots: list[Snapshot], cuts: dict[str, SourceCut], progress: Progress | None = None
) -> dict[str, Any]:
    """Return what `status` says as values that JSON has; moments in UTC, null where nobody knows.

    Args:
        jobs: newest first
        snapshots: newest first
        cuts: how far each source has been heard
        progress: where the running job is; none where none runs, or nobody knows
    """
    numbers = {snapshot.number for snapshot in snapshots}
    newest = snapshots[0] if snapshots else None
    return {
        "jobs": [
            {
                "number": job.number,
                "command": job.command,
                "state": job.state,
                "is_published": job.number in numbers,
                "started_at": as_json_moment(job.started_at),
                "ended_at": as_json_moment(job.ended_at),
                "failed": job.detail,
                "progress": progress.values() if progress and progress.number == job.number else None,
            }
            for job in jobs
        ],
        "published": newest
        and {
            "job": newest.number,
            "published_at": as_json_moment(newest.published_at),
            "landed_through": as_json_moment(newest.landed_through),
            "relations": {
                one.name: {"version": one.version, "holds_through": as_json_moment(one.holds_through)}
                for one in newest.relations.values()
            },
        },
        "sources": {name: as_json_moment(cut.heard_at) for name, cut in cuts.items()},
        "waiting": [
            {
                "view": view.name,
                "says": figures.says,
                "total": figures.total,
                "reasons": [{"reason": reason, "amount": amount} for reason, amount in figures.reasons],
                "problem": figures.problem,
                "counted_by": number,
            }
            for view, number, figures in counted_views(snapshots)
        ],
        "promises": [
            {
                "of": one.name,
                "max_age_seconds": one.max_age.total_seconds(),
                "oldest": one.relation,
                "holds_through": as_json_moment(one.through),
                "is_kept": one.is_kept,
            }
            for one in _promises(snapshots)
        ],
    }


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
