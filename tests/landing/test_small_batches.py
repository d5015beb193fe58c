"""A small batch costs little: it is one partition, and meets only what has landed of its own sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.landing.records import Line
from tests.landing.test_epochs import Server
from tests.support.dbt_case import DbtCase

# where the logs of two servers are: nothing says that one is behind the other
FAR, NEAR = 5 * 10**12, 3 * 10**8


@pytest.fixture(scope="module")
def landed(module_case: Callable[..., DbtCase], tmp_path_factory: pytest.TempPathFactory) -> tuple[DbtCase, list[str]]:
    """Two servers that have landed, a second job of the one behind, and the statements that read what is stored."""
    folder = tmp_path_factory.mktemp("arriving")
    case = module_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml", "seeds/mapping/schema_attribute.csv"),
        project={"vars": {"landing_path": f"{folder}/*.jsonl", "entrepot_lock_minutes": 10}},
    )
    far, near = Server("far"), Server("near")

    def land(name: str, *lines: Line) -> list[str]:
        (folder / f"{name}.jsonl").write_text("".join(f"{line.text}\n" for line in lines))
        outcome = case.build("--select", "+landed_file", "+change_event")
        assert outcome.success, outcome.text
        return outcome.statements_of("change_event")

    land(
        "1",
        *(far.at(f"far {n}", FAR + 10 * n, n) for n in range(4)),
        *(near.at(f"near {n}", NEAR + 10 * n, n) for n in range(4)),
    )
    return case, land("2", near.at("near 2", NEAR + 20, 2), near.at("near 4", NEAR + 40, 4))


def test_a_batch_meets_only_its_own_sources(landed: tuple[DbtCase, list[str]]) -> None:
    case, statements = landed
    (stored,) = (
        statement for statement in statements if "landed_offset" in statement and "insert into" not in statement
    )
    rows = case.spark.sql(f"select source_system, count(event_id) as events from ({stored}) group by source_system")
    # of `near` the redelivered one and what came behind it; of `far`, whose positions are all behind that, nothing
    assert {row.source_system: row.events for row in rows} == {"near": 3}


def test_what_comes_again_is_recognised(landed: tuple[DbtCase, list[str]]) -> None:
    case, _ = landed
    events = case.spark.sql(
        f"select source_system, get_json_object(after, '$.name') as name from {case.table('landing', 'change_event')} order by name"
    )
    expected = [("far", f"far {n}") for n in range(4)] + [("near", f"near {n}") for n in range(5)]
    assert [(row.source_system, row.name) for row in events] == expected


def test_a_small_batch_adds_one_file(landed: tuple[DbtCase, list[str]]) -> None:
    case, _ = landed
    history = case.spark.sql(f"describe history {case.table('landing', 'change_event')}")
    written = [row.operationMetrics["numFiles"] for row in history if row.operation == "WRITE"]
    assert written and set(written) == {"1"}
