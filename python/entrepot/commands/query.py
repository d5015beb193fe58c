"""`entrepot query`: ask one published snapshot."""

from __future__ import annotations

import csv
import sys
from datetime import datetime, timedelta
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.span import SPAN
from entrepot.spans import age, humanized
from entrepot.spark.reader import as_json
from entrepot.warehouse import Answer, Warehouse


@click.command()
@click.argument("sql")
@click.option(
    "--format", "-f", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
    help="How to print the rows; csv and json print nothing else on standard output.",
)  # fmt: skip
@click.option(
    "--max-age", type=SPAN, help="How old the answer may be, such as 10m; tables that are older are refreshed first."
)
@click.option(
    "--as-of",
    type=click.DateTime(),
    help="From the first snapshot that holds all that was committed by a moment, in UTC.",
)
@click.option(
    "--snapshot", metavar="JOB|NAME", help="From the snapshot of a job, or from one that is kept (entrepot pin)."
)
@click.option("--stale-ok", is_flag=True, help="Take an older answer where none is as fresh.")
@click.option("--wait", type=SPAN, default="5m", show_default=True, help="How long to wait for the jobs of others.")
@click.pass_obj
def query(
    place: dict[str, Any],
    sql: str,
    output: str,
    max_age: timedelta | None,
    as_of: datetime | None,
    stale_ok: bool,
    wait: timedelta,
    snapshot: str | None,
) -> None:
    """Answer SQL from one published snapshot that has every table it names: the newest, or one as fresh as is asked for.

    All tables are read as one finished job left them. Names are `schema.name`, or the name alone where it is the only
    one. Works while a job is running. `CURRENCY BOUND 10 MIN` at the end of the SQL is the same as `--max-age 10m`.

    \b
    entrepot query "select count(*) from fct_order_line"
    entrepot query --max-age 10m "select count(*) from fct_order_line"
    """
    answer = Warehouse(**place).query(
        sql, max_age=max_age, as_of=as_of, stale_ok=stale_ok, wait=wait, snapshot=snapshot
    )
    rows = answer.rows()
    if output == "json":
        click.echo("[" + ",\n ".join(as_json(row) for row in rows) + "]")
    elif output == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows([["" if value is None else value for value in row.values()] for row in rows])
    else:
        print_answer(console(), answer, rows)
    if output != "table":
        click.echo(provenance(answer), err=True)


def print_answer(out: Console, answer: Answer, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table, and below it where they come from."""
    table = Table(show_edge=False, pad_edge=False)
    for name in answer.columns:
        numeric = bool(rows) and all(isinstance(row[name], (int, float)) or row[name] is None for row in rows)
        table.add_column(name, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    out.print(table)
    out.print(f"[dim]{provenance(answer)}[/dim]", highlight=False)


def provenance(answer: Answer) -> str:
    """Return where an answer comes from: snapshot, what it holds and how old that is, tables and versions."""
    snapshot = answer.snapshot
    through = answer.holds_through
    holds = (
        f"holds what was committed by {through:%Y-%m-%d %H:%M:%S} UTC ({humanized(answer.age)} ago)" if through else ""
    )
    tables = ", ".join(
        name if version is None else f"{name}@{version}" for name, version in sorted(answer.versions.items())
    )
    return (
        f"snapshot of job {snapshot.number}, published {snapshot.published_at:%Y-%m-%d %H:%M:%S} UTC "
        f"({humanized(age(snapshot.published_at))} ago){f'; {holds}' if holds else ''}\n{tables}"
    )
