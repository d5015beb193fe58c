"""One run: a project with a landscape of its own is built, and its compiled SQL measured beside the others, in the same Spark session."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from benchmarks.mapping.messages import projections
from benchmarks.mapping.messages.sources import ENTITY, events_sql, versions, write_seeds
from benchmarks.measure import cpu_seconds
from benchmarks.processes import ROOT, build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVENTS = "landing.change_event"
# of how many messages algorithm 1 maps one
SPARSE = 10
DISCOVERED = """{{ config(materialized='table') }}
select cast(null as string) as schema, cast(null as int) as version, cast(null as string) as attribute, cast(null as string) as data_type,
  cast(null as int) as position, cast(null as boolean) as is_key, cast(null as string) as first_event_id where false
"""


@dataclass(frozen=True)
class Way:
    """One way to map: CPU seconds of each round, of planning in the last one, and wall seconds."""

    cpu: list[float]
    planning: float
    seconds: float


def lay_out(folder: Path, schemas: int, count: int, events: int) -> None:
    """Write the project: this repository's macros and mapping models, a landscape's seeds, and change events that Spark makes."""
    shutil.rmtree(folder, ignore_errors=True)
    # without their YAML: its tests are no part of this
    for part in ("models/mapping", "macros", "seeds/mapping"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.yml"))
    found = versions(schemas, count)
    write_seeds(found, folder / "seeds/mapping")
    settings = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    settings["vars"] |= {"connectors": {"bench": {"decimal.handling.mode": "string"}}, "entities": [ENTITY]}
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(settings))
    shutil.copy(ROOT / "profiles.yml", folder)
    models = {
        "landing/change_event": f"{{{{ config(materialized='table') }}}}\n{events_sql(found, events)}\n",
        "landing/discovered_schema_attribute": DISCOVERED,
        f"mapped/mapped_{ENTITY}": f"{{{{ config(alias='{ENTITY}', entity='{ENTITY}') }}}}\n{{{{ map_to_entity('{ENTITY}') }}}}\n",
    }
    for name, text in models.items():
        path = folder / "models" / f"{name}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def run(folder: Path, schemas: int, count: int, rounds: int, target: str) -> dict[str, object]:
    """Build the project, then map all events in every way, round by round; equal results are part of it.

    Returns:
        branches of the compiled SQL, its text's length, and of each way the figures of `Way`
    """
    from pyspark.sql import SparkSession

    began = cpu_seconds()
    results = {result.node.name: result for result in build(folder, target=target)}
    job = cpu_seconds() - began
    compiled = results[f"mapped_{ENTITY}"].node.compiled_code
    session = SparkSession.builder.getOrCreate()
    found = versions(schemas, count)
    session.sql(projections.matrix(found)).write.format("delta").saveAsTable("landing.matrix")
    some = f"(select * from {EVENTS} where landed_offset % {SPARSE} = 0)"
    ways = {
        "compiled": compiled,
        "union": projections.union(found, EVENTS),
        "one scan": projections.one_scan(found, EVENTS),
        "complete": projections.complete(found, EVENTS),
        "algorithm 1": projections.sparse("landing.matrix", some),
    }
    differing = compare(session, ways)
    assert not differing, differing
    figures = measure(session, ways, rounds)
    return {
        "branches": compiled.count("union all") + 1,
        "characters": len(compiled),
        "job_cpu": job,
        "mapped_seconds": results[f"mapped_{ENTITY}"].execution_time,
        "ways": {name: asdict(way) for name, way in figures.items()},
    }


def compare(session: SparkSession, ways: Mapping[str, str]) -> list[str]:
    """Return the names of ways whose events, keys and after images are not the compiled SQL's."""
    def mark(sql: str, columns: str, condition: str = "true") -> object:
        return session.sql(f"select count(*), sum(cast(xxhash64({columns}) as decimal(38))) from (\n{sql}\n) where {condition}").first()

    wanted = mark(ways["compiled"], "event_id, thing_id, after", "op <> 'd'")
    every = mark(ways["compiled"], "event_id, thing_id, before, after, present, mapping_error")
    some = mark(ways["compiled"], "event_id, after", f"op <> 'd' and substring(event_id, 2) % {SPARSE} = 0")
    found = {
        "union": mark(ways["union"], "event_id, thing_id, after", "op <> 'd'") == wanted,
        "one scan": mark(ways["one scan"], "event_id, thing_id, after", "op <> 'd'") == wanted,
        "complete": mark(ways["complete"], "event_id, thing_id, before, after, present, mapping_error") == every,
        "algorithm 1": mark(ways["algorithm 1"], "event_id, after") == some,
    }
    return [name for name, equal in found.items() if not equal]


def measure(session: SparkSession, ways: Mapping[str, str], rounds: int) -> dict[str, Way]:
    """Map in all ways, one after the other, round by round; the result goes nowhere. One round that is not measured comes first."""
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    planning, seconds = {}, {}
    for number in range(rounds + 1):
        for name, sql in ways.items():
            began, cpu_began = time.monotonic(), cpu_seconds()
            frame = session.sql(sql)
            frame._jdf.queryExecution().executedPlan()
            planning[name] = cpu_seconds() - cpu_began
            frame.write.format("noop").mode("overwrite").save()
            if number:
                cpu[name].append(cpu_seconds() - cpu_began)
            seconds[name] = time.monotonic() - began
    return {name: Way(cpu[name], planning[name], seconds[name]) for name in ways}


def ratio(way: Way, other: Way) -> float:
    """Return the median of the CPU seconds of one way as a part of another's, round by round."""
    return statistics.median(one / two for one, two in zip(way.cpu, other.cpu, strict=True))
