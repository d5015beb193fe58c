"""`entrepot lineage`: what a published table comes from, with versions."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from entrepot.commands.console import console
from entrepot.dbt_project import project_settings, target_path
from entrepot.lineage import MANIFEST, Ancestor, Lineage, Step, read_graph
from entrepot.pins import snapshot_named
from entrepot.snapshots import choose_snapshot, snapshot_for
from entrepot.spans import age, as_json_moment, humanized
from entrepot.target import open_place, project_folder

EPHEMERAL = "ephemeral"


@click.command()
@click.argument("table")
@click.option(
    "--snapshot",
    metavar="JOB|NAME",
    help="In the snapshot of a job, or in one that is kept (entrepot pin) [default: the newest that has the table].",
)
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON.")
@click.pass_obj
def lineage(place: dict[str, Any], table: str, snapshot: str | None, is_json: bool) -> None:
    """Say what a published table comes from, up to the sources: versions, the jobs that wrote them, rules and ages.

    TABLE is `schema.name`, or the name alone where only one has it. What reads what is dbt's manifest of this project, written by its last
    command; versions are those of one published snapshot. Starts no Spark.

    \b
    entrepot lineage mart_sales_daily
    entrepot lineage marts.fct_payment --snapshot month-end --json
    """
    here = open_place(**place)
    ledger = here.ledger()
    chosen = snapshot_for(ledger, [table]) if snapshot is None else snapshot_named(here, ledger, snapshot)
    relation = choose_snapshot([chosen], [table]).resolve(table)
    assert relation is not None, "choose_snapshot has found it"
    project = project_folder(place["project_dir"])
    graph = read_graph(project / target_path(project_settings(project)) / MANIFEST)
    found = Lineage(chosen, relation, graph, ledger)
    if is_json:
        click.echo(json.dumps(as_values(found), indent=1))
    else:
        print_tree(console(), found)


def print_tree(out: Console, lineage: Lineage) -> None:
    """Print a lineage as a tree, a relation on a line."""
    table = Table("", "made by", show_edge=False, pad_edge=False)
    table.columns[0].header = f"snapshot of job {lineage.snapshot.number}"
    for name in ("version", "job"):
        table.add_column(name, justify="right")
    for name in ("rule", "written", "age"):
        table.add_column(name)
    for step in lineage.steps():
        table.add_row(*_cells(step))
    out.print(table)


def _cells(step: Step) -> list[Text | str]:
    one = step.ancestor
    name = Text("".join(_branches(step)), style="dim").append(one.node.relation, style="not dim")
    if step.is_again:
        return [name.append("  (above)", style="dim"), "", "", "", "", "", ""]
    made = one.node.kind if one.published or one.node.kind in ("source", EPHEMERAL) else f"{one.node.kind}, not in it"
    published, run = one.published, one.run
    written = published.committed_at if published else None
    return [
        name,
        made,
        "" if published is None or published.version is None else str(published.version),
        str(run.number) if run else "",
        run.rule if run else "",
        f"{humanized(age(written))} ago" if written else "",
        humanized(age(one.holds_through)) if one.holds_through else "",
    ]


def _branches(step: Step) -> list[str]:
    if not step.lasts:
        return []
    *above, last = step.lasts
    return [*("   " if one else "│  " for one in above), "└─ " if last else "├─ "]


def as_values(lineage: Lineage) -> dict[str, Any]:
    """Return a lineage as values that JSON has: relations in the order of the tree, each once, with the names of what it reads."""
    snapshot = lineage.snapshot
    return {
        "job": snapshot.number,
        "published_at": as_json_moment(snapshot.published_at),
        "relations": [_values(one) for one in lineage.ancestors.values()],
    }


def _values(one: Ancestor) -> dict[str, Any]:
    published, run = one.published, one.run
    return {
        "relation": one.node.relation,
        "node": one.node.unique_id,
        "made_by": one.node.kind,
        "is_published": published is not None,
        "version": published.version if published else None,
        "committed_at": as_json_moment(published.committed_at) if published else None,
        "job": run.number if run else None,
        "rule": run.rule if run else None,
        "holds_through": as_json_moment(one.holds_through),
        "reads": list(one.reads),
    }
