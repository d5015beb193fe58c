"""`entrepot explain`: which rule maintains a model, why, and what its runs took."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from entrepot.commands.console import console
from entrepot.commands.dbt import run_dbt, sentence_of
from entrepot.errors import EntrepotError, did_you_mean
from entrepot.ledger import Ledger, ModelRun, ModelVerdict
from entrepot.target import open_ledger

RUNS_LISTED = 8
# dbt's word for what it left out because something before it had failed
SKIPPED = "skipped"


@click.command()
@click.argument("model")
@click.option("--job", "number", type=int, help="Show what that job did, with the SQL that it ran.")
@click.option(
    "--last", is_flag=True, help="Show what the last job that changed the model did, with the SQL that it ran."
)
@click.option(
    "--next", "is_next", is_flag=True, help="Show what the next job would do, with the SQL that it would run."
)
@click.pass_obj
def explain(place: dict[str, Any], model: str, number: int | None, last: bool, is_next: bool) -> None:
    """Say which rule maintains a model and why, and what its last runs read, wrote and took.

    MODEL is `schema.name`, or the name alone. Reads `ops.model_verdict` and `ops.model_run`; runs nothing. With --next dbt compiles the
    model, and Spark reads what the job would read; nothing is written. MODEL is its name in the project then: dim_customer.v2 of one in versions.

    \b
    entrepot explain fct_order_line --last
    entrepot explain fct_order_line --next
    """
    if [number is not None, last, is_next].count(True) > 1:
        raise EntrepotError("Of --job, --last and --next one is shown at a time.", "Say one of them.")
    if is_next:
        explain_next(place, model)
        return
    ledger, out = open_ledger(**place), console(soft_wrap=True, highlight=False)
    runs = model_runs(ledger, model)
    print_verdict(out, ledger.verdict(runs[0].relation), runs[0].relation)
    if number is None and not last:
        print_runs(out, runs[:RUNS_LISTED])
        return
    chosen = [run for run in runs if run.number == number or (last and run.rule != "skip" and run.status != SKIPPED)]
    if not chosen:
        jobs = ", ".join(str(run.number) for run in runs)
        wanted = f"job {number}" if number is not None else "a job that changed it"
        raise EntrepotError(f"{model} has no run in {wanted}.", f"It ran in the jobs {jobs}.")
    print_runs(out, chosen[:1])
    print_cost_of_full(out, runs, chosen[0])
    out.print(f"\n{chosen[0].sql or no_sql(chosen[0])}")


def explain_next(place: dict[str, Any], model: str) -> None:
    """Print what the next job would do with a model.

    Raises:
        EntrepotError: there is no such model, or it cannot be maintained as it stands
    """
    name = model.rpartition(".")[2]
    compiled = run_dbt(place, "compile", "--select", model, name)
    if not compiled.success:
        raise EntrepotError(sentence_of(compiled), "")
    models = [one.node for one in compiled.result.results if one.node.resource_type == "model"]
    found = [node for node in models if node.search_name == model or node.name == name]
    if not found:
        raise EntrepotError(f"The project has no model {model}.", "`dbt ls` lists what there is.")
    if len(found) > 1:
        raise EntrepotError(
            f"{model} has several versions.", f"Write one of {', '.join(sorted(node.search_name for node in found))}."
        )
    given = json.dumps({"model": found[0].unique_id, "sql": found[0].compiled_code})
    result = run_dbt(place, "run-operation", "explain", "--args", given)
    if not result.success:
        raise EntrepotError(sentence_of(result), "")


def no_sql(run: ModelRun) -> str:
    """Say why a run has no SQL: it was skipped, or a materialization ran it that records none."""
    if run.status == SKIPPED:
        return "It did not run: something before it had failed."
    if run.rule == "skip":
        return "Nothing ran: no upstream had changed."
    return "Its SQL is not recorded: only delta rules record it."


def model_runs(ledger: Ledger, model: str) -> list[ModelRun]:
    """Return the recorded runs of a model, newest first.

    Raises:
        EntrepotError: no job has run it, or several relations have that name
    """
    runs = ledger.runs(model)
    relations = sorted({run.relation for run in runs})
    if not runs:
        newest = {run.relation.rpartition(".")[2] for run in ledger.runs_of_last_job()}
        if not newest:
            raise EntrepotError("No job has run on this warehouse yet.", "Run `dbt build`.")
        hint = did_you_mean(model.rpartition(".")[2], newest)
        raise EntrepotError(f"No job has run {model}.{hint}", "`entrepot status --relations` lists what there is.")
    if len(relations) > 1:
        raise EntrepotError(f"{model} is ambiguous.", f"Write one of {', '.join(relations)}.")
    return runs


def print_verdict(out: Console, verdict: ModelVerdict | None, relation: str) -> None:
    """Print the rule that the analysis, or the configuration, has chosen for a relation."""
    out.print(relation, style="bold")
    if verdict:
        out.print(f"rule {verdict.rule}: {verdict.reason}")
    else:
        out.print("not maintained by delta rules: a view, another materialization of dbt's own, `land`, or a seed")


def print_runs(out: Console, runs: list[ModelRun]) -> None:
    """Print runs as a table, newest first."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("job", "rule", "reason", "apply path", "in", "+", "~", "-", "statements", "seconds"):
        table.add_column(name, justify="left" if name in ("rule", "reason", "apply path") else "right")
    for run in runs:
        counts = [run.rows_read, run.rows_inserted, run.rows_updated, run.rows_deleted]
        values = [
            run.number,
            SKIPPED if run.status == SKIPPED else run.rule,
            run.reason,
            run.apply_path,
            *counts,
            run.statements,
        ]
        table.add_row(*("" if value is None else str(value) for value in values), f"{run.seconds:.1f}")
    out.print(table)


def print_cost_of_full(out: Console, runs: list[ModelRun], chosen: ModelRun) -> None:
    """Print what computing all rows took when it was last done, before the chosen run if it can be."""
    whole = [run for run in runs if run.rule in ("create", "full") and run.status == "success"]
    earlier = [run for run in whole if run.number < chosen.number] or whole
    if chosen.rule not in ("create", "full") and earlier:
        run = earlier[0]
        out.print(f"Computing all rows took {run.seconds:.1f} s in job {run.number} ({run.rule}).")
