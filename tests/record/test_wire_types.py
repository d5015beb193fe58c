"""Every value of every type that the captures without Debezium send is what a real Debezium has sent of it.

What is another is in ``DIFFERENT``, with the reason: Debezium loses it, or sends it in a way that loses something.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

from recorder.checks import connect
from tests.landing.recorded_types.record import BEFORE, SCHEMA, SESSION, create, insert
from tests.landing.recorded_types.values import TABLES, TYPES
from tests.record.sources import database, needs_postgres, run, server

__all__ = ["database", "server"]
pytestmark = needs_postgres
# column: how many values (or their types) differ, and why
DIFFERENT = {
    "real": (2, "other digits of the same number"),
    "numeric": (5, "Debezium loses zeros at the end"),
    "numeric_array": (5, "the same, and all of an array with a NaN"),
    "numeric_10_2_array": (1, "Debezium loses all of an array with a NaN"),
    "numeric_5_minus_2": (5, "Debezium takes -2 for a scale of 2046"),
    "timetz": (10, "Debezium loses the time zone and 24:00"),
    "timetz_3": (4, "the same"),
    "timetz_array": (1, "the same"),
    "interval": (23, "Debezium makes one number of months, days and seconds"),
    "timestamp": (1, "Debezium's number overflows"),
    "timestamp_array": (3, "the same; old dates are Julian there"),
    "timestamptz_array": (3, "Debezium loses BC and -infinity"),
    "date": (2, "other numbers for the infinities, as far from the years 1 to 9999"),
    "date_array": (3, "the same; old dates are Julian there"),
    "time_array": (3, "Debezium loses microseconds and 24:00"),
    "name": (6, "Debezium leaves it out"),
    "mood": (23, "an enum is a text"),
    "mood_array": (1, "Debezium loses all of an array of enums with a null"),
    "ltree": (25, "a text, whose type is not named"),
    "tsvector": (25, "the same"),
    "hstore": (25, "the same, and blanks within the JSON"),
    "hstore_array": (1, "the same"),
    "point": (13, "PostgreSQL's text"),
    "json": (1, "JSON's null is null"),
    "jsonb": (1, "the same"),
    "jsonb_array": (1, "the same"),
    "bit_5_array": (5, "Debezium sends null"),
    "integer_array": (1, "an array of arrays, which Debezium loses"),
    "text_array": (1, "the same"),
}
RECORDED = Path(__file__).parents[1] / "landing/recorded_types/a_schema.jsonl.gz"


def images(lines: list[str]) -> dict[str, dict[str, tuple[Any, Any]]]:
    """Of every row that was inserted the JSON and the type of every value."""
    found = {}
    for line in lines:
        value = json.loads(json.loads(line)["value"] or "null")
        if value and value["payload"].get("after") and value["payload"]["op"] in "rc":
            fields = next(field for field in value["schema"]["fields"] if field["field"] == "after")["fields"]
            kinds = {field["field"]: (field["type"], field.get("name"), field.get("parameters")) for field in fields}
            after = value["payload"]["after"]
            found[after["id"].rpartition(".")[0]] = {name: (after[name], kinds[name]) for name in after}
    return found


def test_values_are_what_debezium_sends(database: str, tmp_path: Path) -> None:
    with connect(database, autocommit=True) as connection:
        for statement in (*SESSION, *TYPES, f"create schema {SCHEMA}"):
            connection.execute(statement)
        for table in TABLES:
            create(connection, table)
            insert(connection, table, BEFORE)
            connection.execute(f"alter table {SCHEMA}.{table.name} add column updated_at timestamptz default now()")
    names = ",".join(f"{SCHEMA}.{table.name}" for table in TABLES)
    out = tmp_path / "types.jsonl"
    run("timestamp", "--dsn", database, "--prefix", "types", "--tables", names, "--polls", 1, "--out", out)
    ours = images(out.read_text().splitlines())
    with gzip.open(RECORDED, "rt") as file:
        theirs = images([line for line in file if r"\"op\":\"c\"" in line])
    assert ours.keys() == theirs.keys()
    differ = Counter(
        column for row, values in theirs.items() for column, sent in values.items() if ours[row][column] != sent
    )
    assert {column: count for column, count in differ.items() if column != "id"} == {
        column: count for column, (count, _) in DIFFERENT.items()
    }
    assert sum(len(values) for values in theirs.values()) > 900
