"""`entrepot maintain`: files, versions and rows of the books that nobody needs any more."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.holder import held
from entrepot.commands.span import SPAN
from entrepot.errors import EntrepotError
from entrepot.ledger import Ledger, Lock, Progress, Step, TableHealth
from entrepot.ledger.retention import Trim
from entrepot.patterns import matching
from entrepot.spans import humanized
from entrepot.tables.log import moment
from entrepot.target import Place, load_target, open_place

if TYPE_CHECKING:
    from entrepot.upkeep import TablePlan

LEAST = timedelta(hours=1)
MOST_DAYS = 100_000
DOES = {"compact": "rewrites", "purge": "rewrites", "vacuum": "removes", "log": "removes"}


class SelectionError(EntrepotError):
    """What is asked for is not there."""


@click.command()
@click.option(
    "--keep-days",
    default=30,
    show_default=True,
    type=click.IntRange(0, MOST_DAYS),
    help="Rows of the books of younger jobs stay.",
)
@click.option(
    "--retain", type=SPAN,
    help="How long files stay that no version has any more [default: the table's delta.deletedFileRetentionDuration]; 1h at least.",
)  # fmt: skip
@click.option(
    "--select",
    "wanted",
    multiple=True,
    help="Only these tables: a name, schema.name, or a pattern such as marts.*; and no books.",
)
@click.option("--cluster", is_flag=True, help="Lay rows out by their table's key where files are written together.")
@click.option("--apply", "is_applied", is_flag=True, help="Do it; without it everything is only counted.")
@click.pass_obj
def maintain(
    place: dict[str, Any],
    keep_days: int,
    retain: timedelta | None,
    wanted: tuple[str, ...],
    cluster: bool,
    is_applied: bool,
) -> None:
    """Say what is to be done for tables and books, and do it with --apply: see docs/retention.md.

    Small files are written together, rows that are only marked as deleted are purged, files and log entries that no needed version
    has are removed, and rows of the books (schema ops) of old jobs. What published snapshots, models that have not read everything and
    outboxes need stays; what is kept (entrepot pin) has files of its own. Rows of the newest 200 jobs, and all that queries are
    answered from, stay in the books. Without --apply nothing is written, and no Spark started. A job and a maintenance never run at
    the same time; both may be killed and said again.

    \b
    entrepot maintain
    entrepot maintain --retain 7d --select 'marts.*' --apply
    """
    if retain is not None and retain < LEAST:
        raise click.BadParameter("queries that are running need 1h at least", param_hint="--retain")
    out, here = console(), open_place(**place)
    ledger = here.ledger()
    if not ledger.jobs(1):
        raise EntrepotError("No job has run on this warehouse yet.", "Run `dbt build`.")
    before = datetime.now(timezone.utc) - timedelta(days=keep_days)

    def trims() -> list[Trim]:
        return [] if wanted else ledger.outdated(before)

    def plans() -> list[TablePlan]:
        return planned(here, ledger, retain, wanted, cluster)

    if not is_applied:
        if print_plan(out, trims(), plans(), before):
            out.print("Nothing was done: say --apply.")
        return
    with held(ledger, place, "maintain") as lock:
        found = trims(), plans()
        is_needed = print_plan(out, *found, before)
        carry_out(out, place, ledger, lock, found[1])
        note_health(ledger, lock, plans() if any(plan.actions for plan in found[1]) else found[1])
        if not wanted:
            ledger.trim(found[0])
    if is_needed:
        out.print("Done.")


def planned(
    place: Place, ledger: Ledger, retain: timedelta | None, wanted: Sequence[str], clusters: bool
) -> list[TablePlan]:
    """Return what is to be done with each table.

    Raises:
        SelectionError: a selection names no table
    """
    from entrepot.outbox import known_outboxes
    from entrepot.upkeep import needs_of, plan_of, stored_tables

    tables, now = stored_tables(place, ledger.published_tables()), round(time.time() * 1000)
    for pattern in wanted:
        if not matching((table.relation for table in tables), pattern):
            known = ", ".join(table.relation for table in tables) or "nothing"
            raise SelectionError(f"No table is called {pattern!r}.", f"Of this target there are: {known}.")
    cutoffs = {
        table.relation: now - round(1000 * (retain.total_seconds() if retain else table.properties.kept_seconds))
        for table in tables
    }
    needs = needs_of(tables, known_outboxes(place), cutoffs, now)
    return [
        plan_of(table, needs[table.relation], cutoffs[table.relation], now, clusters)
        for table in tables
        if not wanted or any(matching([table.relation], pattern) for pattern in wanted)
    ]


def print_plan(out: Console, trims: Sequence[Trim], plans: Sequence[TablePlan], before: datetime) -> bool:
    """List what is to be done, and what is kept for whom; whether there is anything to be done."""
    from entrepot.upkeep.plan import in_words

    table = Table("table", "what", "why", "files", "bytes", show_edge=False, pad_edge=False)
    for plan in plans:
        for action in plan.actions:
            table.add_row(
                plan.stored.relation, action.kind, action.why,
                f"{DOES[action.kind]} {action.amount.files}", in_words(action.amount.bytes),
            )  # fmt: skip
    for trim in trims:
        table.add_row(
            f"ops.{trim.record.table}",
            "trim",
            f"rows of jobs before {before:%Y-%m-%d}",
            f"removes {trim.rows} rows",
            "",
        )
    if table.row_count:
        out.print(table)
    else:
        out.print(
            f"Nothing to remove: every file, and every row of jobs before {before:%Y-%m-%d}, is needed, or there is none."
        )
    for plan in plans:
        if plan.kept:
            out.print(f"Kept of {plan.stored.relation}: {plan.kept}.", highlight=False)
        if plan.health is None:
            out.print(f"{plan.stored.relation} is left alone: only Spark can read how it lies.", highlight=False)
    return bool(table.row_count)


def carry_out(out: Console, place: dict[str, Any], ledger: Ledger, lock: Lock, plans: Sequence[TablePlan]) -> None:
    """Do what is planned, table by table, and say so, to others meanwhile; each statement is a commit of its own.

    Raises:
        KeeperError: Spark refuses a statement
        LockError: another job has taken over
    """
    actions = [(plan, action) for plan in plans for action in plan.actions]
    if not actions:
        return
    from entrepot.spark.keeper import Keeper

    keeper = Keeper(load_target(**place), Path(place.get("project_dir") or Path.cwd()) / "logs" / "spark.log")
    for number, (plan, action) in enumerate(actions, 1):
        lock.heartbeat()
        began, step = time.monotonic(), f"{action.kind} {plan.stored.relation}"
        running = (Step(step, datetime.now(timezone.utc)),)
        ledger.tell(Progress(lock.job, lock.number, number, len(actions), running))
        statement = action.statement(round(time.time() * 1000))
        if statement is None:
            keeper.checkpoint(plan.stored.folder)
        else:
            keeper.ask(statement)
        took = humanized(timedelta(seconds=time.monotonic() - began))
        out.print(f"{number} of {len(actions)}: {step}, {took}", highlight=False)


def note_health(ledger: Ledger, lock: Lock, plans: Sequence[TablePlan]) -> None:
    """Write down how the tables lie; nothing where the books have no table for it yet, which the next job makes."""
    if not ledger.has(TableHealth):
        return
    now = datetime.now(timezone.utc)
    ledger.write([_row(plan, lock.job, lock.number, now) for plan in plans if plan.health is not None])


def _row(plan: TablePlan, job: str, number: int, now: datetime) -> TableHealth:
    health, unneeded = plan.health, plan.unneeded
    assert health is not None
    return TableHealth(
        job, number, plan.stored.relation, now,
        health.version, moment(health.committed_at), health.oldest_version, moment(health.oldest_at),
        health.files, health.small.files, health.bytes, health.row_count, health.deletion_vectors, health.deleted_rows,
        unneeded.files, unneeded.bytes, moment(health.compacted_at),
    )  # fmt: skip
