"""Landing and mapping of random records against the same in plain Python: nothing lost, nothing twice, values equal or a reason.

Records as Debezium sends them are changed (fields, texts, bytes) and delivered in files that are mixed, repeated, cut, copied and grown. A case is
one record; hundreds of them are landed in one job. The seed is printed: `ENTREPOT_TEST_SEED=17 pytest tests/landing/test_random_records.py`
repeats a run. `random_records/plain_landing.py` is landing in plain Python.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.landing.random_records.comparison import Comparison
from tests.landing.random_records.deliveries import deliver
from tests.landing.random_records.plain_landing import PlainLanding
from tests.landing.random_records.valid_records import COLUMNS, SETTINGS
from tests.support.dbt_case import DbtCase

CASES = int(os.environ.get("ENTREPOT_LANDING_CASES", "300"))
AT_ONCE = 1000
SHOWN = 12
MODEL = "{{ config(alias='thing', entity='thing') }}\n{{ map_to_entity('thing') }}\n"


def seeds() -> dict[str, str]:
    """The seeds of the mapping: one table of each source, and its entity."""
    schemas = [f"{system}.public.thing" for system in SETTINGS]
    attributes = [
        f'{schema},1,{column.name},"{column.data_type}",{position},{str(column.name == "id").lower()},'
        for schema in schemas
        for position, column in enumerate(COLUMNS, 1)
    ]
    entities = [f'thing,1,{column.name},"{column.canonical}",{str(column.name == "id").lower()},' for column in COLUMNS]
    blocks = [f"{schema},1,thing,1,{column.name},{column.name}" for schema in schemas for column in COLUMNS]
    return {
        "schema_attribute": "\n".join(
            ["schema,version,attribute,data_type,position,is_key,renamed_from", *attributes, ""]
        ),
        "entity_attribute": "\n".join(
            ["entity,entity_version,entity_attribute,data_type,is_key,description", *entities, ""]
        ),
        "unique_block": "\n".join(["schema,version,entity,entity_version,attribute,entity_attribute", *blocks, ""]),
    }


def project(make: Callable[..., DbtCase], folder: Path) -> DbtCase:
    """A project that lands a folder and maps one table."""
    connectors = {system: settings for system, settings in SETTINGS.items() if settings}
    case = make(
        parts=("models/landing", "models/mapping", "seeds/mapping"),
        project={"vars": {"landing_path": f"{folder}/*.jsonl", "entrepot_lock_minutes": 10, "connectors": connectors}},
    )
    for name, text in seeds().items():
        case.put(f"seeds/mapping/{name}.csv", text)
    case.put("models/mapped/mapped_thing.sql", MODEL)
    return case


def disagreements(make: Callable[..., DbtCase], folder: Path, seed: int, cases: int) -> list[str]:
    """Land so many records and compare; sentences on what differs."""
    folder.mkdir()
    delivery, plain = deliver(seed, cases), PlainLanding()
    comparison = Comparison(project(make, folder), plain, delivery)
    found = []
    for number, state in enumerate(delivery.states):
        for name, content in state.items():
            (folder / name).write_bytes(content)
        expected = plain.land(state)
        is_last = number == len(delivery.states) - 1
        comparison.case.build(
            *(
                []
                if is_last
                else ["--select", "schema_attribute", "path:models/landing", "--indirect-selection", "cautious"]
            )
        )
        found += comparison.counts(expected)
    return [*comparison.disagreements(), *comparison.mapped(), *found]


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.long
def test_random_records(dbt_case: Callable[..., DbtCase], tmp_path: Path) -> None:
    first = int(os.environ.get("ENTREPOT_TEST_SEED", random.randrange(10**6)))
    failed = []
    for number, start in enumerate(range(0, CASES, AT_ONCE)):
        seed, cases = first + number, min(AT_ONCE, CASES - start)
        found = disagreements(dbt_case, tmp_path / f"arriving{number}", seed, cases)
        told = f"ENTREPOT_TEST_SEED={seed} ENTREPOT_LANDING_CASES={cases}: {len(found)} disagreements"
        print(told)
        failed += [told, *found[:SHOWN]] if found else []
    assert not failed, "\n".join(failed)
