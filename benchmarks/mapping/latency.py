"""`python -m benchmarks.mapping.latency`: one event in an idle, warm process, from its file to its mapped row, in the demo's landscape."""

from __future__ import annotations

import json
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.measure import cpu_seconds
from benchmarks.processes import ROOT, build, measured_apart
from entrepot.commands.console import console

MODEL, SCHEMA = "mapped_customer", "shop.sales.customer"
RECORDED = ROOT / "data" / "recorded"
# METL, chapter 7: a whole mapping of one message, on average over 1,168 events of a day; standard deviation 51
PAPER_MILLISECONDS = 39
# jobs that are not measured: the JVM compiles what has run often
WARM = 3
STEPS = (
    "file to mapped row",
    "the whole job",
    "of it landing",
    "of it mapping",
    "CPU of the job",
    "the mapping's statement alone",
)


def changes() -> list[str]:
    """Return recorded changes of customers, each a line."""
    lines = (RECORDED / "02_changes" / "shop.jsonl").read_text().splitlines()
    return [line for line in lines if json.loads(line)["destination"] == SCHEMA]


def run(folder: Path, count: int) -> list[dict[str, float]]:
    """Load the opening of the demo, then land and map so many events, each in a file and a job of its own.

    Args:
        folder: where files arrive
        count: how many events are measured; one or two are no longer than the recorded changes

    Returns:
        the seconds of each, by step
    """
    arriving = folder / "arriving"
    shutil.copytree(RECORDED / "01_opening", arriving)
    arguments = (
        "--indirect-selection",
        "cautious",
        "--select",
        f"+{MODEL}",
        "--vars",
        json.dumps({"landing_path": f"{arriving}/*.jsonl"}),
    )
    build(ROOT, arguments=arguments)
    found = [
        job(arriving / f"{number:09}.jsonl", line, arguments) for number, line in enumerate(changes()[: WARM + count])
    ]
    return found[WARM:]


def job(file: Path, line: str, arguments: tuple[str, ...]) -> dict[str, float]:
    """Let one event arrive, and land and map it; the seconds of each step."""
    from pyspark.sql import SparkSession

    file.write_text(line + "\n")
    began, clock, cpu = time.time(), time.monotonic(), cpu_seconds()
    results = build(ROOT, arguments=arguments)
    seconds = {"the whole job": time.monotonic() - clock, "CPU of the job": cpu_seconds() - cpu}
    session = SparkSession.builder.getOrCreate()
    committed = session.sql("describe history mapped.customer limit 1").first().timestamp.timestamp()
    assert committed > began, "the event has been mapped"
    by_layer = {
        layer: [one.execution_time for one in results if getattr(one.node, "schema", "") == layer]
        for layer in ("landing", "mapped")
    }
    (compiled,) = (one.node.compiled_code for one in results if one.node.name == MODEL)
    return seconds | {
        "file to mapped row": committed - began,
        "of it landing": sum(by_layer["landing"]),
        "of it mapping": sum(by_layer["mapped"]),
        "the mapping's statement alone": alone(session, compiled),
    }


def alone(session: Any, compiled: str) -> float:
    """Return the seconds of mapping one event that has landed, without writing it."""
    event = session.sql(
        "select max_by(event_id, landed_at) as event_id from mapped.customer inner join landing.change_event using (event_id)"
    ).first()
    began = time.monotonic()
    rows = session.sql(f"select * from (\n{compiled}\n) where event_id = '{event.event_id}'").collect()
    assert len(rows) == 1
    return time.monotonic() - began


@click.command()
@click.option("--events", default=10, show_default=True, help="How many events, each in a job of its own.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "latency", show_default="target/latency"
)
@click.option("--one", is_flag=True, hidden=True)
def main(events: int, folder: Path, one: bool) -> None:
    """Time one event from file to mapped row, again and again in one process, beside the paper's 39 ms."""
    if one:
        click.echo(json.dumps(run(folder, events)))
        return
    shutil.rmtree(folder, ignore_errors=True)
    arguments = ("--one", "--folder", str(folder), "--events", str(events))
    print_table(measured_apart("benchmarks.mapping.latency", folder / "warehouse", *arguments))


def print_table(found: list[dict[str, float]]) -> None:
    """Print least, median and most of each step."""
    table = Table(f"milliseconds, {len(found)} events", "least", "median", "most", show_edge=False)
    for step in STEPS:
        values = [1000 * one[step] for one in found]
        table.add_row(step, *(f"{value:,.0f}" for value in (min(values), statistics.median(values), max(values))))
    table.add_row("METL, a mapping on average", "", str(PAPER_MILLISECONDS), "")
    console().print(table)


if __name__ == "__main__":
    main()
