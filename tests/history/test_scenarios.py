"""Snapshots with `strategy: commit_order` over a hand-written mapped log: scenarios and random streams, in the same three jobs."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from entrepot.errors import ModelError
from entrepot.jobs.survivorship import survivorship_of
from tests.history.oracle import ATTRIBUTES, SYSTEMS, TRACKED, UNTRACKED, Event, Version, versions
from tests.history.scenarios import SCENARIOS, Scenario, table
from tests.support.dbt_case import DbtCase, Outcome
from tests.support.render import Renderer

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
RANDOM_KEYS = int(os.environ.get("ENTREPOT_HISTORY_KEYS", "400"))
JOBS = (1, 2, 3)
START = datetime(2026, 3, 1)

POSITION = "struct<committed_at:timestamp,source_system:string,log_commit:bigint,log_position:bigint,log_serial:bigint,event_id:string>"
LOG = (
    f"event_id string, delivery int, source_system string, schema_name string, op string, commit_position {POSITION}, area string, thing_id string, "
    "after struct<area:string,thing_id:string,name:string,price:decimal(10,2),note:string>, present array<string>, mapping_error string"
)
MODEL = """{{ config(
    materialized='incremental', incremental_strategy='delta', delta_rule='join', unique_key=['event_id', 'delivery']
) }}
select * from {{ source('feed', 'log') }}
"""
SOURCE = "sources: [{name: feed, schema: '{{ target.schema }}_feed', tables: [{name: log}]}]\n"
SNAPSHOT = """snapshots:
  - name: thing_history
    relation: ref('mapped_thing')
    config: {strategy: commit_order, unique_key: [area, thing_id], attributes: [name, price], untracked: [note]}
    data_tests: [unique_key, valid_history, {history_complete: {config: {severity: warn}}}]
  - name: thing_of_systems_history
    relation: ref('mapped_thing')
    config:
      strategy: commit_order
      unique_key: [area, thing_id]
      attributes: [name, price]
      untracked: [note]
      survivorship: {systems: [plant, shop], attributes: {price: [shop]}}
    data_tests: [unique_key]
"""
SURVIVORSHIP = {"systems": list(SYSTEMS), "attributes": {"price": ["shop"]}}
NAMES = {False: "thing_history", True: "thing_of_systems_history"}


def scenario_events(scenario: Scenario) -> list[Event]:
    """The events of a scenario; its number is part of the key and of its schemas."""
    area = f"scenario {scenario.number}"
    events = []
    for row in table(scenario.when):
        values = {name: typed(name, row[name]) for name in ATTRIBUTES if row.get(name)}
        schema = f"{area}.{row.get('schema', 'shop')}"
        key = None if row["key"] == "-" else row["key"]
        where = None if row["op"] == "t" else area
        events.append(
            Event(int(row["job"]), place(row["at"]), row["op"], schema, where, key, values, row.get("error") or None)
        )
    return events


def scenario_versions(scenario: Scenario, job: int) -> list[Version]:
    """The versions that a scenario says there are after a job."""
    return [
        Version(
            f"scenario {scenario.number}", row["key"], typed("name", row["name"]), typed("price", row["price"]),
            typed("note", row.get("note", "null")), int(row["from"]), int(row["to"]) if row["to"] else None, row["first"] == "yes",
        )
        for row in table(scenario.then) if int(row["after"]) == job
    ]  # fmt: skip


def place(text: str) -> int | None:
    """The place in the log that a cell names."""
    return None if text == "-" else int(text)


def typed(name: str, text: str) -> Any:
    """The value of a cell."""
    if text == "null":
        return None
    return Decimal(text).quantize(Decimal("0.01")) if name == "price" else text


def random_events(random_: random.Random) -> list[Event]:
    """Streams of events for many keys, in random arrival: inserts, partial updates, deletes, truncates, errors, duplicates."""
    events: list[Event] = []
    schemas = [f"random.{('plant', 'shop', 'other')[number % 3]}{number}" for number in range(12)]
    for number in range(RANDOM_KEYS):
        fed_by = random_.sample(schemas, random_.choice([1, 1, 1, 2]))
        jobs = random_.choice([JOBS, JOBS, (1, 2), (2,), (1, 3)])
        places = random_.sample(range(1, 400), random_.randint(1, 12))
        for at in places:
            op = random_.choices("curd", [2, 4, 1, 2])[0]
            values: dict[str, Any] = {}
            if op != "d" and random_.random() < 0.9:
                values["name"] = random_.choice([None, "x", "y"])
            if op != "d" and random_.random() < 0.7:
                values["price"] = random_.choice([None, Decimal("1.00"), Decimal("2.50")])
            if op != "d" and random_.random() < 0.5:
                values["note"] = random_.choice([None, "p", "q"])
            key = None if random_.random() < 0.02 else f"key {number}"
            error = "does not fit" if random_.random() < 0.05 else None
            event = Event(random_.choice(jobs), at, op, random_.choice(fed_by), "random", key, values, error)
            events.append(event)
            if random_.random() < 0.08:
                events.append(Event(**{**event.__dict__, "job": random_.choice(JOBS)}))
    # none in job 2: a truncate concerns every key, and the other way to refresh is wanted too
    events += [
        Event(random_.choice([1, 3]), at, "t", random_.choice(schemas), None, None)
        for at in random_.sample(range(400, 900), 4)
    ]
    events += [Event(random_.choice([1, 3]), at, "t", schemas[at % 12], None, None) for at in (50, 133, 210)]
    return events


@dataclass
class History:
    """The project, and after each job: what dbt said, the versions stored, and which version of the table has them."""

    case: DbtCase
    events: list[Event]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    stored: dict[tuple[int, bool], list[Version]] = field(default_factory=dict)
    heads: dict[tuple[int, bool], int] = field(default_factory=dict)

    def expected(self, job: int, by_system: bool) -> list[Version]:
        return versions((event for event in self.events if event.job <= job), by_system)


def log_rows(events: list[Event]) -> list[tuple[Any, ...]]:
    """The events as rows of the log; `delivery` tells those apart that are delivered more than once."""
    rows = []
    deliveries: Counter[str] = Counter()
    for event in events:
        placed = event.at is not None
        # any part of a position may be missing
        committed_at = START + timedelta(minutes=event.at or 0) if placed or event.op == "d" else None
        position = (committed_at, "x", event.at, event.at, 0, event.event_id) if event.op != "t" or placed else None
        after = None
        if event.op in ("c", "r", "u"):
            after = (
                event.area,
                event.key,
                event.values.get("name"),
                event.values.get("price"),
                event.values.get("note"),
            )
        # what an image carries of the key is in `present` as well
        present = ["area", "thing_id", *event.values] if after else []
        deliveries[event.event_id] += 1
        rows.append((
            event.job, event.event_id, deliveries[event.event_id], event.system, event.schema, event.op, position, event.area, event.key,
            after, present, event.error,
        ))  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def history(module_case: Callable[..., DbtCase]) -> History:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    case = module_case()
    case.write(models__mapped_thing_sql=MODEL, models__sources_yml=SOURCE, snapshots__thing_history_yml=SNAPSHOT)
    random_ = random.Random(SEED)
    events = [event for scenario in SCENARIOS for event in scenario_events(scenario)] + random_events(random_)
    history = History(case, events)
    rows = log_rows(events)
    random_.shuffle(rows)
    log = f"{case.schema}_feed.log"
    case.spark.sql(f"create schema if not exists {case.schema}_feed")
    case.spark.sql(f"create table {log} ({LOG}) using delta")
    for job in JOBS:
        arrived = [row[1:] for row in rows if row[0] == job]
        case.spark.session.createDataFrame(arrived, LOG).write.format("delta").mode("append").saveAsTable(log)
        history.outcomes[job] = case.build()
        for by_system, name in NAMES.items():
            history.heads[job, by_system] = case.head("history", name)
            history.stored[job, by_system] = [
                Version(*row)
                for row in case.spark.answer(
                    "select area, thing_id, name, price, note, valid_from_position.log_position, valid_to_position.log_position, "
                    f"is_first_version from {case.table('history', name)}"
                )
            ]
    return history


def recompute(log: str, by_system: bool) -> str:
    """SQL of the whole history of a log."""
    survivorship = survivorship_of("thing", SURVIVORSHIP if by_system else None, ATTRIBUTES)
    arguments = (["area", "thing_id"], list(TRACKED), list(UNTRACKED), survivorship)
    return Renderer().call("history_versions", f"select * from {log}", *arguments)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[f"{scenario.number} {scenario.title}" for scenario in SCENARIOS])
def test_scenario(history: History, scenario: Scenario) -> None:
    for job in sorted({int(row["after"]) for row in table(scenario.then)}):
        stored = history.stored[job, scenario.by_system]
        found = [version for version in stored if version.area == f"scenario {scenario.number}"]
        assert sorted(found, key=repr) == sorted(scenario_versions(scenario, job), key=repr), f"after job {job}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[str(scenario.number) for scenario in SCENARIOS])
def test_the_oracle_knows_the_scenarios(scenario: Scenario) -> None:
    events = scenario_events(scenario)
    for job in sorted({int(row["after"]) for row in table(scenario.then)}):
        found = versions((event for event in events if event.job <= job), scenario.by_system)
        assert sorted(found, key=repr) == sorted(scenario_versions(scenario, job), key=repr), f"after job {job}"


@pytest.mark.campaign
@pytest.mark.parametrize("by_system", NAMES, ids=NAMES.values())
@pytest.mark.parametrize("job", JOBS)
def test_random_streams_come_to_the_oracles_versions(history: History, job: int, by_system: bool) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    found = [version for version in history.stored[job, by_system] if version.area == "random"]
    expected = [version for version in history.expected(job, by_system) if version.area == "random"]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert len({version.key for version in expected}) > RANDOM_KEYS / 2


@pytest.mark.parametrize("by_system", NAMES, ids=NAMES.values())
@pytest.mark.parametrize("job", [*(pytest.param(job, marks=pytest.mark.long) for job in JOBS[:-1]), JOBS[-1]])
def test_a_kept_history_equals_a_full_recompute(history: History, job: int, by_system: bool) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    stored = f"{history.case.table('history', NAMES[by_system])} version as of {history.heads[job, by_system]}"
    full = recompute(f"{history.case.schema}_feed.log version as of {job}", by_system)
    assert history.case.spark.equal(f"select * from {stored}", f"select * from ({full})") == []


def test_ways_to_refresh(history: History) -> None:
    """Only a truncate makes every key be computed again; other events their keys only."""
    rules = [history.outcomes[job].messages["thing_history"].split(":")[0] for job in JOBS]
    assert rules == ["create", "scope", "full"]


def test_times_are_those_of_the_positions(history: History) -> None:
    stored = history.case.table("history", "thing_history")
    wrong = history.case.spark.answer(
        f"select * from {stored} where not dbt_valid_from <=> valid_from_position.committed_at "
        "or not dbt_valid_to <=> valid_to_position.committed_at or not dbt_updated_at <=> dbt_valid_from "
        "or valid_to_position <= valid_from_position"
    )
    assert wrong == []


def test_what_no_history_holds_is_told(history: History) -> None:
    """All that is left aside is counted by test `history_complete`, which warns; the history is valid after each job."""
    for job in JOBS:
        events = [event for event in history.events if event.job <= job]
        aside = [
            event for event in events
            if event.error or event.at is None or (event.op != "t" and event.key is None)
        ]  # fmt: skip
        nodes = history.outcomes[job].nodes
        assert nodes["history_complete_thing_history_"].failures == len(aside)
        assert nodes["history_complete_thing_history_"].status == "warn"
        assert nodes["valid_history_thing_history_"].status == "pass"


# what is done to a version in the history of a scenario, and what the test says of it
MOVED = "named_struct('committed_at', {0}, 'source_system', 'x', 'log_commit', 1L, 'log_position', 1L, 'log_serial', 0L, 'event_id', 'x')"
DAMAGE = {
    1: ("valid_from_position", "thing_id = 'a'", "null", "has no beginning"),
    2: ("valid_to_position", "price = 5", "valid_from_position", "ends before it begins"),
    3: ("valid_to_position", "price = 6", "null", "is valid now, and so is a later one"),
    4: ("valid_to_position", "thing_id = 'a'", MOVED.format("dbt_valid_to"), "ends where the log deletes nothing"),
    6: ("valid_to_position", "price = 5", MOVED.format("timestamp '2026-03-02'"), "overlaps the next"),
    7: ("dbt_valid_to", "price = 5", "timestamp '2026-03-02'", "has other times than its positions"),
    8: ("is_first_version", "thing_id = 'b'", "false", "is marked as the first and is not, or the other way round"),
}


def test_what_is_wrong_with_a_history_is_found(history: History) -> None:
    columns: dict[str, str] = {}
    for number, (column, where, value, _) in DAMAGE.items():
        columns[column] = f"if(area = 'scenario {number}' and {where}, {value}, {columns.get(column, column)})"
    changes = ", ".join(f"{column} = {value}" for column, value in columns.items())
    history.case.spark.change(f"update {history.case.table('history', 'thing_history')} set {changes}")
    check = history.outcomes[3].nodes["valid_history_thing_history_"].node.compiled_code
    found = history.case.spark.answer(f"select area, problem from ({check})")
    assert dict(found) == {f"scenario {number}": problem for number, (*_, problem) in DAMAGE.items()}


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (["plant"], r"has survivorship \['plant'\]: its fields are systems and attributes"),
        ({"systems": "plant"}, "has survivorship by 'plant': systems are a list of names"),
        ({"systems": []}, r"has survivorship by \[\]"),
        ({"systems": ["a", "a"]}, ".*each once"),
        ({"systems": ["a"], "attributes": {"colour": ["a"]}}, "has survivorship of colour: its attributes are name, price, note"),
        ({"systems": ["a"], "attributes": {"price": ["b"]}}, r"has survivorship by b: its systems are a; add b to systems.*history\.md"),
        ({"systems": ["a"], "attributes": ["price"]}, ".*it says the systems of each attribute"),
    ],
)  # fmt: skip
def test_a_survivorship_that_cannot_be_is_refused(config: object, sentence: str) -> None:
    with pytest.raises(ModelError, match=f"Model thing {sentence}"):
        survivorship_of("thing", config, ATTRIBUTES)
