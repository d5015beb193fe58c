"""`python -m benchmarks.landing`: what it costs to land and map events, by how many arrive at once, and by how many columns they have."""

from __future__ import annotations

import base64
import json
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import accumulate, cycle
from pathlib import Path

import click
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.processes import ROOT, build, measured_apart

TABLES = 30
EVENTS_IN_A_FILE, LATER, OF_A_WIDE_TABLE = 50_000, 1_000, 100
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


@dataclass(frozen=True, slots=True)
class Landscape:
    """What a database has: so many tables of so many columns; the seven of `COLUMNS`, again and again."""

    tables: int = TABLES
    width: int = len(COLUMNS)

    @property
    def columns(self) -> Iterator[tuple[str, str, str]]:
        """Each column's name, and its type in the database and in the entity."""
        for number in range(self.width):
            name, (data_type, canonical) = list(COLUMNS.items())[number % len(COLUMNS)]
            yield (name if number < len(COLUMNS) else f"{name}_{number}"), data_type, canonical


def lay_out(folder: Path, landscape: Landscape) -> None:
    """Write a project of some tables, each mapped to an entity of its own: this repository's landing and mapping, and its profile."""
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
    for number in range(landscape.tables):
        schema, entity = f"bench.public.{_table(number)}", _table(number)
        for position, (column, data_type, canonical) in enumerate(landscape.columns, 1):
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


def lines(first: int, count: int, landscape: Landscape) -> Iterator[str]:
    """The records of so many changes of one database, about 800 bytes each for seven columns, from the `first` position of its log on."""
    random_ = random.Random(first)
    for number in range(first, first + count):
        at = int((START + timedelta(milliseconds=10 * number)).timestamp() * 1_000_000)
        table = _table(random_.randrange(landscape.tables))
        amount = random_.randrange(1, 10**9).to_bytes(5, "big")
        seven = [
            number, f"name {number}", "x" * random_.randrange(150), base64.b64encode(amount).decode(), random_.randrange(1000), at,
            bool(number % 2),
        ]  # fmt: skip
        after = {name: value for (name, _, _), value in zip(landscape.columns, cycle(seven), strict=False)}
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


def arrive(folder: Path, first: int, count: int, landscape: Landscape) -> None:
    """Put records into the landing folder."""
    for start in range(first, first + count, EVENTS_IN_A_FILE):
        with (folder / "arriving" / f"{start:09d}.jsonl").open("w") as file:
            file.writelines(
                f"{line}\n" for line in lines(start, min(EVENTS_IN_A_FILE, first + count - start), landscape)
            )


def run(folder: Path, counts: Sequence[int], target: str, landscape: Landscape) -> list[dict[str, float]]:
    """Land and map so many events in each job of this process, one behind the other; the seconds of each job, and of its layers."""
    measured = []
    for first, count in zip(accumulate(counts, initial=0), counts, strict=False):
        arrive(folder, first, count, landscape)
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
    "--columns",
    multiple=True,
    type=int,
    help=f"How many columns a single table has, of which {OF_A_WIDE_TABLE} events arrive twice; instead of --events.",
)
@click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "target" / "landing", show_default="target/landing"
)
@click.option(
    "--target", default="local", show_default=True, help="Target of profiles.yml; `large` for a million events."
)
@click.option("--one", is_flag=True, hidden=True)
def main(events: tuple[int, ...], columns: tuple[int, ...], folder: Path, target: str, one: bool) -> None:
    """Measure jobs that land and map the events of 30 tables of one database, and of a thousand more behind them.

    Each size is a process of its own, with a warehouse of its own.
    """
    if one:
        counts = (OF_A_WIDE_TABLE, OF_A_WIDE_TABLE) if columns else (events[0], LATER)
        click.echo(json.dumps(run(folder, counts, target, Landscape(1, columns[0]) if columns else Landscape())))
        return
    option, sizes = ("columns", columns) if columns else ("events", events)
    titles = [f"{name} s" for name in ("job", *LAYERS)]
    table = Table(option, *titles, "events/s", "then: job s", "mapped s", show_edge=False)
    for size in sizes:
        lay_out(folder, Landscape(1, size) if columns else Landscape())
        warehouse = folder.with_name("landing-warehouse")
        shutil.rmtree(warehouse, ignore_errors=True)
        arguments = ("--one", f"--{option}", str(size), "--folder", str(folder), "--target", target)
        first, later = measured_apart("benchmarks.landing", warehouse, *arguments)
        cells = [f"{first[name]:.1f}" for name in ("job", *LAYERS)]
        pace = f"{(OF_A_WIDE_TABLE if columns else size) / first['job']:,.0f}"
        table.add_row(f"{size:,}", *cells, pace, f"{later['job']:.1f}", f"{later['mapped']:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
