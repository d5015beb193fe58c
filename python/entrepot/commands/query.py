"""`entrepot query`: ask one published snapshot."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Any

import click

from entrepot.answers import Form, Screen
from entrepot.commands.console import console
from entrepot.commands.span import SPAN
from entrepot.running.client import ask_running
from entrepot.running.question import Question, answered
from entrepot.target import open_place

# the beginning of the line, and nothing on it
WIPED = "\r\x1b[K"


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
    output: Form,
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
    question = Question(sql, output, max_age, as_of, stale_ok, wait, snapshot)
    screen = Screen.of(console())
    is_watched = sys.stderr.isatty()
    said = ask_running(open_place(**place), question, screen, _told if is_watched else None)
    if is_watched:
        click.echo(WIPED, nl=False, err=True)
    said = said or answered(place, question, screen)
    click.echo(said.out, nl=False)
    click.echo(said.err, nl=False, err=True)


def _told(progress: str) -> None:
    """Say on the screen where the job is that the query waits for."""
    click.echo(f"{WIPED}waiting for a job: {progress}", nl=False, err=True)
