"""`python -m benchmarks.shop`: a first build and four small jobs of the shop, by delta rules and by plain dbt-spark."""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.processes import ROOT, build, measured_apart
from benchmarks.shop.changes import Shop

HERE = Path(__file__).parent
KINDS = ("entrepot", "spark")
MODELS = (
    "customers", "locations", "metricflow_time_spine", "order_items", "orders", "products", "supplies",
    "stg_customers", "stg_locations", "stg_order_items", "stg_orders", "stg_products", "stg_supplies",
)  # fmt: skip


def lay_out(folder: Path, kind: str, threads: int) -> Path:
    """Write the project for one of the two adapters, with the settings of this repository's own profile."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "project", folder)
    profile = yaml.safe_load((ROOT / "profiles.yml").read_text())["entrepot"]
    profile["outputs"]["local"] |= {"type": kind, "threads": threads if kind == "entrepot" else 1}
    (folder / "profiles.yml").write_text(yaml.safe_dump({"shop": profile}))
    settings = yaml.safe_load((folder / "dbt_project.yml").read_text())
    own = {"+materialized": "incremental", "+incremental_strategy": "delta"}
    settings["models"] = {
        "shop": own if kind == "entrepot" else {"+materialized": "table", "+file_format": "delta"},
        **({"dbt_entrepot": {"ops": {"+enabled": False}}} if kind == "entrepot" else {}),
    }
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(settings))
    return folder


def run(project: Path, jobs: int) -> dict[str, Any]:
    """Build the shop in this process, then so many jobs; seconds and statements of each, and the tables' rows at the end."""
    from entrepot.spark.embedded import start_session
    from entrepot.target import load_target

    session, shop = start_session(load_target(project, project).settings, project / "spark.log"), Shop()
    for statement in shop.opening():
        session.sql(statement)
    told: list[str] = []

    def listen(event: Any) -> None:
        if event.info.name == "SQLQuery":
            told.append(event.data.sql)

    measured = []
    for number in range(jobs + 1):
        for statement in shop.day() if number else ():
            session.sql(statement)
        told.clear()
        began = time.monotonic()
        build(project, listen)
        measured.append({"seconds": time.monotonic() - began, "statements": len(told)})
    rows = {
        model: session.sql(f"select count(*) as n, sum(xxhash64(*)) as hash from default.{model}").collect()[0]
        for model in MODELS
    }
    return {"jobs": measured, "rows": {model: [str(row.n), str(row.hash)] for model, row in rows.items()}}


@click.command()
@click.option("--jobs", default=4, show_default=True, help="How many jobs after the first build.")
@click.option("--threads", default=4, show_default=True, help="How many models entrepot runs side by side.")
@click.option("--pairs", default=1, show_default=True, help="How often each of the two is run, in turns.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "shop", show_default="target/shop")
@click.option("--one", type=click.Choice(KINDS), hidden=True)
def main(jobs: int, threads: int, pairs: int, folder: Path, one: str | None) -> None:
    """Compare jobs of a shop of 13 small models: by delta rules, and by plain dbt-spark, which rebuilds its tables.

    Each run is a process of its own with a warehouse of its own; the jobs in it find a warm JVM.
    """
    if one:
        click.echo(json.dumps(run(folder / one, jobs)))
        return
    console = Console()
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for _ in range(pairs):
        for kind in KINDS:
            lay_out(folder / kind, kind, threads)
            shutil.rmtree(folder / f"{kind}-warehouse", ignore_errors=True)
            arguments = ("--one", kind, "--jobs", str(jobs), "--folder", str(folder))
            found[kind].append(measured_apart("benchmarks.shop", folder / f"{kind}-warehouse", *arguments))
    table = Table("job", "entrepot s", "dbt-spark s", "ratio", "statements", "statements of dbt-spark", show_edge=False)
    total = dict.fromkeys(KINDS, 0.0)
    for number in range(jobs + 1):
        seconds = {kind: statistics.median(one["jobs"][number]["seconds"] for one in found[kind]) for kind in KINDS}
        sent = [str(found[kind][0]["jobs"][number]["statements"]) for kind in KINDS]
        ours, theirs = (seconds[kind] for kind in KINDS)
        table.add_row(str(number) if number else "first", f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}", *sent)
        for kind in KINDS if number else ():
            total[kind] += seconds[kind]
    console.print(table)
    console.print(
        f"{jobs} jobs: {total['entrepot']:.1f} s against {total['spark']:.1f} s, {total['entrepot'] / total['spark']:.2f}"
    )
    differ = [model for model in MODELS if found["entrepot"][0]["rows"][model] != found["spark"][0]["rows"][model]]
    console.print(f"tables that differ: {', '.join(differ) or 'none'}")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
