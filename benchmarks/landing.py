"""`python -m benchmarks.landing`: what it costs to land and map events, by how many arrive at once."""

from __future__ import annotations

import base64
import json
import random
import shutil
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import click
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.processes import ROOT, build, measured_apart

TABLES = 30
EVENTS_IN_A_FILE, LATER = 50_000, 1_000
START = datetime(2026, 3, 1, tzinfo=timezone.utc)
COLUMNS = {
    "id": ("bigint", "integer"),
    "name": ("text", "string"),
    "note": ("text", "string"),
    "amount": ("numeric(12,2)", "decimal(12,2)"),
    "pieces": ("integer", "integer"),
    "changed_at": ("timestamp", "timestamp"),
    "is_open": ("boolean", "boolean"),
}
LAYERS = ("landing", "mapping", "mapped")


def lay_out(folder: Path) -> None:
    """Write a project of 30 tables, each mapped to an entity of its own: this repository's landing and mapping, and its profile."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("models/landing", "models/mapping", "macros", "seeds/mapping", "docs/dbt"):
        shutil.copytree(ROOT / part, folder / part)
    settings = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    settings["vars"] |= {
        "landing_path": f"{folder}/arriving/*.jsonl",
        "connectors": {"bench": {"decimal.handling.mode": "precise"}},
    }
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(settings))
    shutil.copy(ROOT / "profiles.yml", folder)
    (folder / "arriving").mkdir()
    (folder / "models/mapped").mkdir()
    tree, range_, blocks = [], [], []
    for number in range(TABLES):
        schema, entity = f"bench.public.{_table(number)}", _table(number)
        for position, (column, (data_type, canonical)) in enumerate(COLUMNS.items(), 1):
            is_key = str(column == "id").lower()
            tree.append(f'{schema},1,{column},"{data_type}",{position},{is_key},')
            range_.append(f'{entity},1,{column},"{canonical}",{is_key},')
            blocks.append(f"{schema},1,{entity},1,{column},{column}")
        model = f"{{{{ config(alias='{entity}', entity='{entity}') }}}}\n{{{{ map_to_entity('{entity}') }}}}\n"
        (folder / f"models/mapped/mapped_{entity}.sql").write_text(model)
    for name, rows in {"schema_attribute": tree, "entity_attribute": range_, "unique_block": blocks}.items():
        path = folder / f"seeds/mapping/{name}.csv"
        header = path.read_text().splitlines()[0]
        path.write_text("\n".join([header, *rows]) + "\n")


def _table(number: int) -> str:
    return f"table_{number:02d}"


def lines(first: int, count: int) -> Iterator[str]:
    """The records of so many changes of one database, about 800 bytes each, from the `first` position of its log on."""
    random_ = random.Random(first)
    for number in range(first, first + count):
        at = int((START + timedelta(milliseconds=10 * number)).timestamp() * 1_000_000)
        table = _table(random_.randrange(TABLES))
        amount = random_.randrange(1, 10**9).to_bytes(5, "big")
        after = {
            "id": number, "name": f"name {number}", "note": "x" * random_.randrange(150), "amount": base64.b64encode(amount).decode(),
            "pieces": random_.randrange(1000), "changed_at": at, "is_open": bool(number % 2),
        }  # fmt: skip
        source = {
            "version": "3.6.3.Final", "connector": "postgresql", "name": "bench", "ts_ms": at // 1000, "snapshot": "false", "db": "bench",
            "sequence": json.dumps([str(number * 100), str(number * 100 + 50)]), "ts_us": at, "schema": "public", "table": table,
            "txId": number, "lsn": number * 100 + 50, "xmin": None,
        }  # fmt: skip
        value = {
            "before": None,
            "after": after,
            "source": source,
            "transaction": None,
            "op": "c",
            "ts_ms": at // 1000 + 200,
        }
        yield json.dumps({
            "destination": f"bench.public.{table}", "partition": None, "headers": [], "key": json.dumps({"id": number}), "value": json.dumps(value),
        })  # fmt: skip


def arrive(folder: Path, first: int, count: int) -> None:
    """Put records into the landing folder."""
    for start in range(first, first + count, EVENTS_IN_A_FILE):
        with (folder / "arriving" / f"{start:09d}.jsonl").open("w") as file:
            file.writelines(f"{line}\n" for line in lines(start, min(EVENTS_IN_A_FILE, first + count - start)))


def run(folder: Path, events: int, target: str) -> list[dict[str, float]]:
    """Land and map so many events in one job of this process, then a thousand more; the seconds of each job, and of its layers."""
    measured = []
    for first, count in ((0, events), (events, LATER)):
        arrive(folder, first, count)
        began = time.monotonic()
        results = build(folder, target=target)
        seconds = {"job": time.monotonic() - began} | dict.fromkeys(LAYERS, 0.0)
        for result in results:
            if result.node.resource_type == "model" and result.node.schema in seconds:
                seconds[result.node.schema] += result.execution_time
        measured.append(seconds)
    return measured


@click.command()
@click.option(
    "--events",
    multiple=True,
    type=int,
    default=(10_000, 100_000),
    show_default=True,
    help="How many arrive at once; can be repeated.",
)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "landing", show_default="target/landing"
)
@click.option(
    "--target", default="local", show_default=True, help="Target of profiles.yml; `large` for a million events."
)
@click.option("--one", type=int, hidden=True)
def main(events: tuple[int, ...], folder: Path, target: str, one: int | None) -> None:
    """Measure jobs that land and map the events of 30 tables of one database, and of a thousand more behind them.

    Each size is a process of its own, with a warehouse of its own.
    """
    if one:
        click.echo(json.dumps(run(folder, one, target)))
        return
    table = Table(
        "events", "job s", "landing s", "mapping s", "mapped s", "events/s", f"then {LATER}: job s", show_edge=False
    )
    for count in events:
        lay_out(folder)
        warehouse = folder.with_name("landing-warehouse")
        shutil.rmtree(warehouse, ignore_errors=True)
        arguments = ("--one", str(count), "--folder", str(folder), "--target", target)
        first, later = measured_apart("benchmarks.landing", warehouse, *arguments)
        cells = [f"{first[name]:.1f}" for name in ("job", *LAYERS)]
        table.add_row(f"{count:,}", *cells, f"{count / first['job']:,.0f}", f"{later['job']:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
