"""`entrepot demo`: the main job on the recorded changes, in three steps, and one question."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.answers import print_answer
from entrepot.commands.console import console
from entrepot.commands.dbt import run_dbt, sentence_of
from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.running.job import JobReport, run_job
from entrepot.target import Target, load_target
from entrepot.warehouse import Warehouse

PHASES = (
    ("01_opening", "the first load"),
    ("02_changes", "a day of changes: columns added, renamed, retyped, two versions of one service"),
    ("03_evening", "the evening: plant and a few payments"),
)
QUESTION = """
select
  item.steel_grade, count(distinct line.order_id) as orders, sum(line.quantity) as pieces, sum(line.amount) as revenue
from fct_order_line as line
inner join dim_item as item on line.item_key = item.item_key
group by item.steel_grade
order by revenue desc
"""
MARKER = "BUILT_BY_MAKE_DEMO"
PATIENCE = 20.0  # seconds that the Spark of an interrupted demo may take to end


@click.command()
@click.pass_obj
def demo(place: dict[str, Any]) -> None:
    """Build the warehouse from the recorded changes in three jobs, then ask it a question.

    Each job is a plain `dbt build`; what arrives is the next phase of data/recorded. A warehouse that an earlier demo
    has built is removed first; any other is left alone.
    """
    out = console()
    signal.signal(signal.SIGINT, _interrupted)
    project = Path(place["project_dir"] or Path.cwd())
    target = load_target(**place)
    start_afresh(target)
    began = time.monotonic()
    starting = threading.Thread(target=_start_spark, args=(target, project / "logs" / "spark.log"), daemon=True)
    starting.start()
    for number in range(1, len(PHASES) + 1):
        arrived = ",".join(name for name, _ in PHASES[:number])
        out.print(f"\nJob {number}: {PHASES[number - 1][1]}", style="bold")
        landing = project / "data" / "recorded"
        variables = json.dumps({"landing_path": f"{landing}/{{{arrived}}}/*.jsonl"})
        manifest = parsed_project(place)
        starting.join()
        report = run_job(place | {"project_dir": project}, "--vars", variables, manifest=manifest)
        print_report(out, report)
        if not report.success:
            raise EntrepotError("The job failed, and published nothing.", "What dbt said stands above.")
    out.print(f"\n{len(PHASES)} jobs in {time.monotonic() - began:.0f} s. One question:")
    out.print(f"{QUESTION.strip()}\n", style="dim")
    answer = Warehouse(**place).query(QUESTION)
    print_answer(out, answer, answer.rows())
    out.print("\nNow it is yours: `. .venv/bin/activate`, then `dbt build`, `dbt test`, `entrepot status`.")


def parsed_project(place: Mapping[str, Any]) -> Any:
    """Let dbt read the project for a job: as a whole for the first one, and then only what has changed since.

    A job that is told another `landing_path` would read all of it again.

    Raises:
        EntrepotError: dbt cannot read it
    """
    found = run_dbt(place, "parse")
    if not found.success:
        raise EntrepotError(sentence_of(found), "")
    return found.result


def _start_spark(target: Target, log: Path) -> None:
    """Start Spark, where it runs in this process; what is in the way is told by the first job, which tries again."""
    from entrepot.spark.embedded import start_session

    with contextlib.suppress(EntrepotError):
        if target.method == "session":
            start_session(target.settings, log)


def _interrupted(_signal: int, _frame: FrameType | None) -> None:
    """End at once, as a kill would: Spark ends with this process, and nothing has to be put in order.

    Written to standard output as it is: standard error is Spark's log file while Spark starts.
    """
    os.write(1, b"\nInterrupted. Say make demo again: it begins anew.\n")
    os._exit(130)


def start_afresh(target: Target) -> None:
    """Remove the warehouse that an earlier demo has built, and mark the one to come.

    Raises:
        EntrepotError: there is a warehouse that no demo has built
        EnvironmentProblemError: another process has it open
    """
    if target.warehouse.exists() and any(target.warehouse.iterdir()):
        if not (target.warehouse / MARKER).exists():
            raise EntrepotError(
                f"{target.warehouse} holds a warehouse that make demo has not built; it is left alone.",
                "Say ENTREPOT_WAREHOUSE=/another/folder make demo, or remove it yourself.",
            )
        from entrepot.spark.embedded import metastore_problem

        if problem := metastore_problem(target.warehouse, PATIENCE):
            raise EnvironmentProblemError(problem, "")
        # the marker stays: whoever is interrupted here may begin again
        for path in target.warehouse.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != MARKER:
                path.unlink()
    target.warehouse.mkdir(parents=True, exist_ok=True)
    (target.warehouse / MARKER).write_text("make demo removes this folder and builds it again.\n")


def print_report(out: Console, report: JobReport) -> None:
    """Print what each model of a job took: rule, rows in and out, seconds."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("model", no_wrap=True, min_width=max((len(run.relation) for run in report.runs), default=0))
    table.add_column("rule")
    for name in ("rows in", "new", "changed", "gone", "statements", "seconds"):
        table.add_column(name, justify="right")
    for run in report.runs:
        cells = [run.rows_read, run.rows_inserted, run.rows_updated, run.rows_deleted, run.statements]
        table.add_row(
            run.relation, run.rule, *("" if cell is None else str(cell) for cell in cells), f"{run.seconds:.1f}"
        )
    out.print(table)
    for line in report.problems:
        out.print(line, style="red")
    out.print(f"{report.summary} in {report.seconds:.0f} s", highlight=False)
