"""`entrepot run`: keep the job chain going in one warm process, which answers queries meanwhile."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import click
import yaml

from entrepot.commands.dbt import selection
from entrepot.commands.span import SPAN
from entrepot.spans import humanized

HOST = "127.0.0.1"


class Address(click.ParamType):
    """An address to listen at: `9500`, or `0.0.0.0:9500`."""

    name = "[host:]port"

    def convert(
        self, value: str | tuple[str, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Read the text that was given."""
        if not isinstance(value, str):
            return value
        host, _, port = value.rpartition(":")
        if not re.fullmatch(r"\d{1,5}", port) or int(port) > 65535:
            self.fail(f"{value!r} is no address: write a port, such as 9500, or host and port.", param, ctx)
        return host or HOST, int(port)


@click.command()
@click.option("--every", type=SPAN, help="A job begins so long after the last one began, such as 5m.")
@click.option("--on-arrival", is_flag=True, help="A job begins when files have arrived or grown (var landing_path).")
@click.option(
    "--on-query", is_flag=True, help="A job begins when a query needs a fresher snapshot; of itself none does."
)
@click.option(
    "--select", "-s", multiple=True, help="What jobs build, as dbt's --select has it; all where it is not said."
)
@click.option("--exclude", multiple=True, help="What they do not, as dbt's --exclude has it.")
@click.option("--vars", "variables", default="{}", help="dbt's variables, as YAML.")
@click.option("--jobs", type=click.IntRange(min=1), help="End after so many jobs.")
@click.option(
    "--http", type=Address(), help=f"Serve /metrics, /health and a page at this address; {HOST} where no host is said."
)
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--grace", type=SPAN, default="5m", show_default=True,
    help="How long a running job may take to finish after SIGTERM or ctrl-C, before it is abandoned.",
)  # fmt: skip
@click.pass_obj
@click.pass_context
def run(
    context: click.Context,
    place: dict[str, Any],
    every: timedelta | None,
    on_arrival: bool,
    on_query: bool,
    select: tuple[str, ...],
    exclude: tuple[str, ...],
    variables: str,
    jobs: int | None,
    http: tuple[str, int] | None,
    log_format: Literal["text", "json"],
    grace: timedelta,
) -> None:
    """Keep the warehouse fresh: `dbt build`, again and again, in one process whose Spark stays warm.

    Say when jobs begin, in one or several ways. Meanwhile `entrepot query` of the same user is answered by this process, within a
    second; a query that asks for a fresher snapshot than there is has a job, whatever is said here. After a job that
    failed it waits longer each time (10 s to 10 min), until one passes or files change.

    The first SIGTERM or ctrl-C lets the running job finish, a second one ends it at once; neither does harm. Exit code 0 when
    the last job passed, 1 when it failed or was abandoned, 3 when something around it is missing.

    \b
    entrepot run --every 5m
    entrepot run --on-arrival --http 9500 --log-format json
    """
    if every is None and not on_arrival and not on_query:
        raise click.UsageError("Say when jobs begin: --every 5m, --on-arrival or --on-query.")
    if every is not None and every <= timedelta():
        raise click.BadParameter("an interval is longer than nothing, such as 5m.", param_hint="--every")
    # dbt's log file may lie on a disk that is full: for each line of it a stack would be printed, beside what the job's line says
    logging.raiseExceptions = False
    from entrepot.running.chain import Plan
    from entrepot.running.log import Log
    from entrepot.running.service import Service, Wanted

    why_every = f"every {humanized(every)}" if every else ""
    wanted = Wanted(
        place=place,
        plan=Plan(every, why_every, on_arrival, jobs),
        says=", ".join(
            [
                *([why_every] if every else []),
                *(["on arrival"] if on_arrival else []),
                "when a query needs one",
            ]
        ),
        arguments=["--vars", variables],
        selection=[*selection("--select", select), *selection("--exclude", exclude)],
        variables=_variables(variables),
        http=http,
        grace=grace,
    )
    context.exit(Service(wanted, Log(log_format)).run())


def _variables(text: str) -> Mapping[str, Any]:
    """Read dbt's variables.

    Raises:
        BadParameter: it is no YAML, or no mapping
    """
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        raise click.BadParameter("write YAML or JSON, such as '{landing_path: in/*.jsonl}'.", param_hint="--vars")
    return found
