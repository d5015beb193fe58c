"""One run: a project with a landscape of its own is built, and its compiled SQL measured beside the others, in the same Spark session."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from benchmarks.mapping.messages import projections
from benchmarks.mapping.messages.sources import ENTITY, events_sql, versions, write_seeds
from benchmarks.measure import cpu_seconds
from benchmarks.processes import ROOT, build

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVENTS = "landing.change_event"
COMPILED, SPARSE = "compiled", "algorithm 1"
WAYS = (COMPILED, "union", "one scan", "complete", SPARSE)
# of how many messages algorithm 1 maps one
SPARSE_SHARE = 10
DISCOVERED = """{{ config(materialized='table') }}
select cast(null as string) as schema, cast(null as int) as version, cast(null as string) as attribute, cast(null as string) as data_type,
  cast(null as int) as position, cast(null as boolean) as is_key, cast(null as string) as first_event_id where false
"""


@dataclass(frozen=True)
class Way:
    """One way to map.

    Attributes:
        cpu: CPU seconds of this process and its JVM, of each round
        planning: those of the last round before anything is read
        messages: how many messages it maps
    """

    cpu: list[float]
    planning: float
    messages: int


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


def run(folder: Path, schemas: int, count: int, rounds: int, wanted: Sequence[str], target: str) -> dict[str, object]:
    """Build the project, then map all events in every way, round by round. That all give the same is checked first, which warms them, too.

    Args:
        folder: the project
        schemas: source schemas of the landscape
        count: versions of each
        rounds: how many rounds are measured
        wanted: the ways that are measured
        target: of profiles.yml

    Returns:
        branches and characters of the compiled SQL, and the figures of each way

    Raises:
        AssertionError: some way does not give what the compiled SQL gives
    """
    from pyspark.sql import SparkSession

    build(folder, target=target, arguments=("--exclude", f"mapped_{ENTITY}"))
    (compiled,) = (result.node.compiled_code for result in compiled_models(folder, target))
    session = SparkSession.builder.getOrCreate()
    session.sql(projections.matrix(versions(schemas, count))).write.format("delta").saveAsTable("landing.matrix")
    every = ways(compiled, schemas, count)
    chosen = {name: sql for name, sql in every.items() if name in wanted}
    differing = compare(session, chosen)
    assert not differing, f"not what the compiled SQL gives: {differing}"
    messages = session.table(EVENTS).count()
    cpu, planning = measure(session, chosen, rounds)
    figures = {
        name: Way(cpu[name], planning[name], messages // SPARSE_SHARE if name == SPARSE else messages)
        for name in chosen
    }
    return {
        "branches": compiled.count("union all") + 1,
        "characters": len(compiled),
        "ways": {name: asdict(way) for name, way in figures.items()},
    }


def compiled_models(folder: Path, target: str) -> Any:
    """Return the results of `dbt compile` of the mapped model: the SQL that a job would run."""
    from dbt.cli.main import dbtRunner

    arguments = [
        "--project-dir",
        str(folder),
        "--profiles-dir",
        str(folder),
        "--target",
        target,
        "--quiet",
        "--log-level",
        "none",
    ]
    done = dbtRunner().invoke(["compile", "--select", f"mapped_{ENTITY}", *arguments])
    assert done.success, done.exception
    return [one for one in done.result if one.node.name == f"mapped_{ENTITY}"]


def ways(compiled: str, schemas: int, count: int) -> dict[str, str]:
    """Return the SQL of each way."""
    found = versions(schemas, count)
    some = f"(select * from {EVENTS} where landed_offset % {SPARSE_SHARE} = 0)"
    texts = (
        compiled,
        projections.union(found, EVENTS),
        projections.one_scan(found, EVENTS),
        projections.complete(found, EVENTS),
        projections.sparse("landing.matrix", some),
    )
    return dict(zip(WAYS, texts, strict=True))


def compare(session: SparkSession, ways: Mapping[str, str]) -> list[str]:
    """Return the names of ways whose rows are not the compiled SQL's, in the columns that both have."""
    columns = {
        "union": "event_id, thing_id, after",
        "one scan": "event_id, thing_id, after",
        "complete": "event_id, thing_id, before, after, present, mapping_error",
        SPARSE: "event_id, after",
    }
    differing = []
    for name in ways.keys() - {COMPILED}:
        # whose images are only the after ones has no key of a delete
        kept = "true" if name == "complete" else "op <> 'd'"
        wanted = f"{kept} and substring(event_id, 2) % {SPARSE_SHARE} = 0" if name == SPARSE else kept
        hashed = f"count(*), sum(cast(xxhash64({columns[name]}) as decimal(38)))"
        found = session.sql(
            f"select {hashed} from (\n{ways[name]}\n) where {'true' if name == SPARSE else kept}"
        ).first()
        if found != session.sql(f"select {hashed} from (\n{ways[COMPILED]}\n) where {wanted}").first():
            differing.append(name)
    return differing


def measure(
    session: SparkSession, ways: Mapping[str, str], rounds: int
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Map in all ways, one after the other, round by round; the rows go nowhere. Return CPU seconds of each round, and of planning."""
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    planning = {}
    for _ in range(rounds):
        for name, sql in ways.items():
            began = cpu_seconds()
            frame = session.sql(sql)
            frame._jdf.queryExecution().executedPlan()
            planning[name] = cpu_seconds() - began
            frame.write.format("noop").mode("overwrite").save()
            cpu[name].append(cpu_seconds() - began)
    return cpu, planning


def ratio(way: Way, other: Way) -> float:
    """Return the median of the CPU of a message in one way as a part of another's, round by round.

    >>> ratio(Way([2.0, 3.0, 5.0], 0.0, 10), Way([2.0, 2.0, 2.0], 0.0, 10))
    1.5
    """
    pairs = zip(way.cpu, other.cpu, strict=True)
    return statistics.median((one / way.messages) / (two / other.messages) for one, two in pairs)
