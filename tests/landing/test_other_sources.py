"""Captures without Debezium, end to end: a real PostgreSQL and files, the recorder's lines, two jobs, and the history of what they say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.record.sources import Event, database, events, needs_postgres, run, server, sql
from tests.support.dbt_case import DbtCase

__all__ = ["database", "server"]
pytestmark = [pytest.mark.slow, *needs_postgres]

ENTITY = """entity,entity_version,entity_attribute,data_type,is_key,description
part,1,code,string,true,Code
part,1,name,string,false,Name
part,1,price,"decimal(14,3)",false,Price
"""
KINDS = {"polled": "polled.app.part", "audited": "audited.audited.part", "extracted": "extracted.legacy.part"}
BLOCKS = "schema,version,entity,entity_version,attribute,entity_attribute\n" + "".join(
    f"{schema},1,part,1,{name},{name}\n" for schema in KINDS.values() for name in ("code", "name", "price")
)
HISTORY = "version: 2\nsnapshots:\n  - name: part_history\n    relation: ref('mapped_part')\n" + (
    "    config: {strategy: commit_order, unique_key: code}\n"
)


class Sources:
    """One table that is polled, one that is audited, and extracts; all lines go to one landing folder."""

    def __init__(self, dsn: str, folder: Path) -> None:
        self.dsn, self.folder, self.extracts = dsn, folder, 0
        folder.mkdir()
        columns = (
            "(code text primary key, name text, price numeric(12,2), updated_at timestamptz default clock_timestamp())"
        )
        sql(dsn, "create schema app", f"create table app.part {columns}")
        sql(dsn, "create schema audited", f"create table audited.part {columns}")

    def capture(self, extract: str) -> None:
        """One poll of each table, and one extract."""
        common = ("--dsn", self.dsn, "--polls", 1)
        run("timestamp", *common, "--prefix", "polled", "--tables", "app.part", "--out", self.folder / "polled.jsonl")
        run(
            "trigger",
            *common,
            "--prefix",
            "audited",
            "--tables",
            "audited.part",
            "--out",
            self.folder / "audited.jsonl",
        )
        self.extracts += 1
        file = self.folder.with_name(f"{self.extracts}.csv")
        file.write_text(extract)
        options = ("--key", "code", "--type", "price=numeric(12,2)", "--at", f"2026-03-0{self.extracts}")
        run(
            "extract",
            file,
            "--prefix",
            "extracted",
            "--table",
            "legacy.part",
            "--out",
            self.folder / "extracted.jsonl",
            *options,
        )

    @property
    def events(self) -> list[Event]:
        return [event for kind in KINDS for event in events(self.folder / f"{kind}.jsonl")]


def life(schema: str, code: str) -> tuple[str, ...]:
    """Two updates of one row, the second in a transaction that also inserts and deletes another."""
    update = f"update {schema}.part set price = price + 0.01, updated_at = clock_timestamp() where code = '{code}'"
    return (
        update,
        f"begin; {update}; insert into {schema}.part values ('{code} short', 'x', 1); "
        f"delete from {schema}.part where code = '{code} short'; commit",
        f"delete from {schema}.part where code = '{code} gone'",
    )


@pytest.mark.long
def test_lines_of_every_kind_land_and_make_histories(
    dbt_case: Callable[..., DbtCase], database: str, tmp_path: Path
) -> None:
    sources = Sources(database, tmp_path / "landing")
    case = dbt_case(
        parts=("models/landing", "models/mapping", "seeds/mapping"),
        project={"vars": {"landing_path": f"{sources.folder}/*.jsonl", "entrepot_lock_minutes": 10}},
    )
    case.put("seeds/mapping/entity_attribute.csv", ENTITY)
    case.put("seeds/mapping/unique_block.csv", BLOCKS)
    case.put("seeds/mapping/schema_attribute.csv", "schema,version,attribute,data_type,position,is_key,renamed_from\n")
    case.put(
        "models/mapped/mapped_part.sql", "{{ config(alias='part', entity='part') }}\n{{ map_to_entity('part') }}\n"
    )
    case.put("snapshots/part_history.yml", HISTORY)

    for schema, code in (("app", "p"), ("audited", "a")):
        sql(database, f"insert into {schema}.part values ('{code}', 'bolt', 1.10), ('{code} gone', null, 2)")
    sources.capture("code,name,price\ne,bolt,1.10\ne gone,,2\n")
    case.build()
    for schema, code in (("app", "p"), ("audited", "a")):
        sql(database, *life(schema, code))
    sources.capture("code,name,price\ne,bolt,1.12\n")
    case.build()

    written = sources.events
    landed = case.spark.sql(f"select * from {case.table('landing', 'change_event')}")
    assert case.rows("landing", "rejected_event") == []
    assert Counter(event.op for event in landed) == Counter(event.op for event in written)
    assert sorted(place(event) for event in landed) == sorted(
        (event.source["name"], event.source["db"], event.source["lsn"], event.op, epoch(event.source["ts_us"]))
        for event in written
    )
    assert {(event.is_typed, event.schema_version) for event in landed} == {(True, 1)}
    deleted = {json.loads(event.event_key)["code"]: json.loads(event.before) for event in landed if event.op == "d"}
    assert deleted.keys() == {"p gone", "a gone", "a short", "e gone"}
    assert all(image["name"] is None for code, image in deleted.items() if code != "a short")

    history = {
        code: [(str(price), start, end) for (of, _, price, start, end) in versions(case) if of == code]
        for code in ("p", "a", "e", "p gone", "a gone", "a short", "e gone", "p short")
    }
    at = {kind: [epoch(event.source["ts_us"]) for event in events(sources.folder / f"{kind}.jsonl")] for kind in KINDS}
    polled, audited, extracted = at["polled"], at["audited"], at["extracted"]
    # a poll tells the last state, at the time that the row says; the audit every one; an extract the last, at its own time
    assert history["p"] == [("1.100", polled[0], polled[2]), ("1.120", polled[2], None)]
    assert [price for price, _, _ in history["a"]] == ["1.100", "1.110", "1.120"]
    assert history["a"][1] == ("1.110", audited[2], history["a"][2][1])
    assert history["e"] == [("1.100", extracted[0], extracted[2]), ("1.120", extracted[2], None)]
    assert extracted[2] - extracted[0] == timedelta(days=1)
    assert history["p gone"] == [("2.000", polled[1], polled[3])]
    assert history["a gone"] == [("2.000", audited[1], audited[-1])]
    assert (len(history["a short"]), history["p short"]) == (1, [])
    assert {Decimal(price) for versions_ in history.values() for price, _, _ in versions_} == {
        Decimal(price) for price in ("1.1", "1.11", "1.12", "1", "2")
    }


def place(event: Any) -> tuple[Any, ...]:
    """What tells events apart, of a landed one."""
    position = event.commit_position
    return (event.source_system, event.source_database, position.log_position, event.op, event.committed_at)


def epoch(microseconds: int) -> datetime:
    """A time in UTC, as Spark returns it."""
    return datetime(1970, 1, 1) + timedelta(microseconds=microseconds)


def versions(case: DbtCase) -> list[Any]:
    """The history in order."""
    return case.spark.sql(
        f"select code, name, price, dbt_valid_from, dbt_valid_to from {case.table('history', 'part_history')} "
        "order by code, valid_from_position"
    )
