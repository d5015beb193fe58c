"""A small batch costs little: it is one partition, and meets only what has landed of its own sources."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from entrepot.tables import feed, files, merge
from tests.landing.records import Line
from tests.landing.test_epochs import Server
from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome

# where the logs of two servers are: nothing says that one is behind the other
FAR, NEAR = 5 * 10**12, 3 * 10**8
TABLES = ("change_event", "source_log", "landed_file")


@dataclass
class Landed:
    """A project in which two servers have landed, and then more of the one whose log is behind.

    Attributes:
        second: the second job
        third: the next one, in which only Spark can write `change_event` and `source_log`
        large: the next one, in which `change_event` counts as large, and what is read is read by Delta
    """

    case: DbtCase
    second: Outcome
    third: Outcome
    large: Outcome

    def files_of(self, table: str) -> list[int]:
        """How many files each write of a table has added, the newest first."""
        commits = [self.written(table, version) for version in range(self.case.head("landing", table), -1, -1)]
        return [
            sum("add" in action for action in commit)
            for commit in commits
            if any(action.get("commitInfo", {}).get("operation") == "WRITE" for action in commit)
        ]

    def written(self, table: str, version: int | None = None) -> list[dict[str, Any]]:
        """The actions of a version of a table, the newest if none is named."""
        log = Path(os.environ["ENTREPOT_WAREHOUSE"], f"{self.case.schema}_landing.db", table, "_delta_log")
        newest = log / f"{self.case.head('landing', table) if version is None else version:020}.json"
        return [json.loads(line) for line in newest.read_text().splitlines()]


@pytest.fixture(scope="module")
def landed(module_case: Callable[..., DbtCase], tmp_path_factory: pytest.TempPathFactory) -> Landed:
    folder = tmp_path_factory.mktemp("arriving")
    case = module_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.yml", "seeds/mapping/schema_attribute.csv"),
        project={"vars": {"landing_path": f"{folder}/*.jsonl", "entrepot_lock_minutes": 10}},
    ).put(
        "models/landing/of_near.sql",
        "{{ config(materialized='incremental', incremental_strategy='delta', unique_key='event_id', file_format='delta') }}\n"
        "select event_id, after from {{ ref('change_event') }} where source_system = 'near'\n",
    )
    far, near = Server("far"), Server("near")

    def land(name: str, *lines: Line) -> Outcome:
        (folder / f"{name}.jsonl").write_text("".join(f"{line.text}\n" for line in lines))
        outcome = case.build("--select", "+landed_file", "+of_near", *WITHOUT_TESTS)
        assert outcome.success, outcome.text
        return outcome

    land(
        "1",
        *(far.at(f"far {n}", FAR + 10 * n, n) for n in range(4)),
        *(near.at(f"near {n}", NEAR + 10 * n, n) for n in range(4)),
    )
    second = land("2", near.at("near 2", NEAR + 20, 2), near.at("near 4", NEAR + 40, 4))
    # what deltalake does not know is Spark's to write
    case.spark.sql(f"alter table {case.table('landing', 'change_event')} set tblproperties (delta.appendOnly = true)")
    case.spark.sql(
        f"alter table {case.table('landing', 'source_log')} add constraint told check (source_system is not null)"
    )
    third = land("3", near.at("near 3", NEAR + 30, 3), near.at("near 5", NEAR + 50, 5))
    case.spark.sql(f"alter table {case.table('landing', 'change_event')} unset tblproperties (delta.appendOnly)")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merge, "MOST_BYTES", 100)
        for room in (files, feed):
            patched.setattr(room, "MOST_FILES", 0)
        large = land("4", near.at("near 4", NEAR + 40, 4), near.at("near 6", NEAR + 60, 6))
    return Landed(case, second, third, large)


def test_a_batch_meets_only_its_own_sources(landed: Landed) -> None:
    stored, by_delta = (
        statement
        for job in (landed.second, landed.large)
        for statement in job.statements_of("change_event")
        if "landed_offset" in statement and "delivery" not in statement
    )
    # small tables are read by their files, from views that have gone with the job
    asked, views = re.subn(
        rf"global_temp\.files_{landed.case.schema}_landing_(\w+)_(\d+)_[0-9a-f]{{8}}",
        lambda view: f"{landed.case.table('landing', view[1])} version as of {view[2]}",
        stored,
    )
    assert views == 3
    table = landed.case.table("landing", "change_event")
    assert (table in stored, table in by_delta) == (False, True)
    rows = landed.case.spark.sql(f"select source_system, count(event_id) as events from ({asked}) group by 1")
    # of `near` what is redelivered and what came behind it; of `far`, whose positions are all behind that, nothing
    assert [row.source_system for row in rows] == ["near"]


def test_what_comes_again_is_recognised(landed: Landed) -> None:
    events = landed.case.spark.sql(
        "select source_system, get_json_object(after, '$.name') as name from "
        f"{landed.case.table('landing', 'change_event')} order by name"
    )
    expected = [("far", f"far {n}") for n in range(4)] + [("near", f"near {n}") for n in range(7)]
    assert [(row.source_system, row.name) for row in events] == expected


@pytest.mark.parametrize("table", TABLES)
def test_a_small_batch_adds_one_file(landed: Landed, table: str) -> None:
    assert landed.files_of(table)[:2] == [1, 1]


@pytest.mark.parametrize("table", TABLES)
def test_a_small_table_is_written_without_spark(landed: Landed, table: str) -> None:
    def is_sparks(job: Outcome) -> bool:
        return any("insert into" in statement for statement in job.statements_of(table))

    assert not is_sparks(landed.second)
    assert is_sparks(landed.third) == (table != "landed_file")


def test_a_large_change_event_is_written_without_spark(landed: Landed) -> None:
    assert not any("insert into" in statement for statement in landed.large.statements_of("change_event"))
    (stats,) = (json.loads(action["add"]["stats"]) for action in landed.written("change_event") if "add" in action)
    assert stats["minValues"]["commit_position"]["log_position"] == NEAR + 60


def test_what_has_landed_is_handed_on_to_its_readers(landed: Landed) -> None:
    def is_read(job: Outcome) -> bool:
        return any(
            landed.case.table("landing", "change_event") in statement for statement in job.statements_of("of_near")
        )

    assert [is_read(job) for job in (landed.second, landed.large)] == [False, True]
    assert len(landed.case.rows("landing", "of_near")) == 7


def test_what_is_written_without_spark_is_counted(landed: Landed) -> None:
    runs = landed.case.spark.sql(
        f"select number, split_part(relation, '.', -1) as name, rows_inserted from {landed.case.table('ops', 'model_run')} where rule = 'land'"
    )
    counts = {
        name: [run.rows_inserted for run in sorted(runs, key=lambda run: run.number) if run.name == name]
        for name in TABLES
    }
    # one stretch of the log of one server, one file, and one event that had not landed
    assert counts == {name: [1, 1, 1] for name in TABLES}
