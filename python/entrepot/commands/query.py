"""`entrepot query`: ask one published snapshot."""

from __future__ import annotations

import csv
import sys
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.spans import humanized
from entrepot.spark.reader import as_json
from entrepot.warehouse import Answer, Warehouse


@click.command()
@click.argument("sql")
@click.option(
    "--format", "-f", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True,
    help="How to print the rows; csv and json print nothing else on standard output.",
)  # fmt: skip
@click.pass_obj
def query(place: dict[str, Any], sql: str, output: str) -> None:
    """Answer SQL from the newest published snapshot that has every table it names.

    All tables are read as one finished job left them. Names are `schema.name`, or the name alone where it is the only
    one. Works while a job is running.

    \b
    entrepot query "select count(*) from fct_order_line"
    """
    answer = Warehouse(**place).query(sql)
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
    """Return where an answer comes from: snapshot, age, how far changes had landed, tables and versions."""
    snapshot = answer.snapshot
    landed = f", changes through {snapshot.landed_through:%Y-%m-%d %H:%M:%S} UTC" if snapshot.landed_through else ""
    tables = ", ".join(
        name if version is None else f"{name}@{version}" for name, version in sorted(answer.versions.items())
    )
    return (
        f"snapshot of job {snapshot.number}, published {snapshot.published_at:%Y-%m-%d %H:%M:%S} UTC "
        f"({humanized(answer.age)} ago){landed}\n{tables}"
    )
