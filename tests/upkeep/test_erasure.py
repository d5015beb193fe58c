"""A key as it is told, lines that have it, and the statements that take it out; no Spark."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from entrepot.tables.columns import Column
from entrepot.upkeep.erasure import (
    IDS_AT_ONCE,
    EraseError,
    Found,
    Landing,
    found_in,
    key_columns,
    key_literals,
    line_pattern,
    statements_of,
    told_key,
)

LANDING = Landing("change", "control", "rejected")


@pytest.mark.parametrize(
    ("value", "parts", "names", "told"),
    [
        ("17", [], ["id"], {"id": "17"}),
        ("a=b", [], ["id"], {"id": "a=b"}),
        ("[1]", [], ["id"], {"id": "[1]"}),
        (None, ["b=x=y", "a="], ["a", "b"], {"a": "", "b": "x=y"}),
        ('{"a": "x", "b": 1.50}', [], ["a", "b"], {"a": "x", "b": "1.5"}),
        ('{"a": 12345678901234567890.123, "b": 1e2}', [], ["a", "b"], {"a": "12345678901234567890.123", "b": "100"}),
    ],
)
def test_a_key(value: str | None, parts: list[str], names: list[str], told: dict[str, str]) -> None:
    assert told_key(value, parts, "thing", names) == told


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("17", []),
        (None, []),
        (None, ["a=1"]),
        (None, ["a=1", "b=2", "c=3"]),
        ('{"a": 1}', []),
        ('{"a": 1, "b": null}', []),
        ("17", ["a=1", "b=2"]),
        (None, ["a=1", "b=2", "b=3"]),
        (None, ["a=1", "b"]),
    ],
)
def test_what_is_no_key(value: str | None, parts: list[str]) -> None:
    with pytest.raises(
        EraseError, match=r"no key of thing.*Its key is a, b: entrepot erase thing --key a=… --key b=…\."
    ):
        told_key(value, parts, "thing", ["a", "b"])


def test_the_key_of_a_mapped_table_is_what_stands_beside_its_own_columns() -> None:
    columns = [
        Column("event_id", "string"),
        Column("order", "int"),
        Column("before", "struct<a:int>"),
        Column("line", "int"),
    ]
    assert [column.name for column in key_columns(columns)] == ["order", "line"]
    asked: list[str] = []

    def ask(sql: str) -> list[dict[str, Any]]:
        asked.append(sql)
        return [{"order": False, "line": True}]

    with pytest.raises(EraseError, match="line is int, and 'x' is none"):
        key_literals(ask, {"order": "1", "line": "x"}, key_columns(columns))
    assert asked == ["select try_cast('1' as int) is null as `order`, try_cast('x' as int) is null as `line`"]


@pytest.mark.parametrize(
    ("key", "line", "holds"),
    [
        ({"id": 17}, '{"key": "{\\"id\\":17}", "value": null}', True),
        ({"id": 17}, json.dumps({"value": json.dumps({"after": {"name": "x", "id": 17}})}), True),
        ({"id": 17}, '{"id": 170}', False),
        ({"id": 17}, '{"id": 1, "x": 17}', False),
        ({"id": 17}, '{"grid": 17}', False),
        ({"id": "a.b"}, '{"id" : "a.b"}', True),
        ({"id": "a.b"}, '{"id":"axb"}', False),
        ({"a": 1, "b": "x y"}, '{"b": "x y", "c": 0, "a": 1}', True),
        ({"a": 1, "b": "x y"}, '{"b": "x y"}', False),
        ({"flag": True}, '[{"flag":true}]', True),
        ({"id": {"scale": 0, "value": "EQ=="}}, '{"key": "{\\"id\\":{\\"scale\\":0,\\"value\\":\\"EQ==\\"}}"}', True),
        ({"id": {"scale": 0, "value": "EQ=="}}, '{"key": "{\\"id\\":{\\"scale\\":0,\\"value\\":\\"Eg==\\"}}"}', False),
        ({"id": {"scale": 0, "value": "EQ=="}}, '{"id": {"scale": 1, "value": "EQ=="}}', False),
        ({"id": [1, "a"]}, '{"id": [1, "a"]}', True),
        ({"a\\": 1}, '{"a\\\\": 1}', True),
    ],
)
def test_lines_with_a_key(key: dict[str, Any], line: str, holds: bool) -> None:
    assert bool(re.search(line_pattern(key), line)) is holds


@pytest.mark.parametrize(
    "value", ["zoë@x.org", "日本", "🙂", 'a "b"', "a\\b", "a/b", "a\tb\u0001", "<a&b>", "\u2028", "(a)"]
)
def test_a_key_is_found_however_a_line_spells_it(value: str) -> None:
    for key in ({"id": value}, {value: 1}):
        other = (
            {name.replace("a", "A") + "x": one for name, one in key.items()} if value in key else {"id": value + "x"}
        )
        for is_inner, is_outer in ((False, False), (False, True), (True, False), (True, True)):
            # Debezium's text as it is, in a line that is ASCII, is what the recorder writes
            texts = [json.dumps(one, ensure_ascii=is_inner, separators=(",", ":")) for one in (key, other)]
            lines = [json.dumps({"key": text, "value": None}, ensure_ascii=is_outer) for text in texts]
            assert [bool(re.search(line_pattern(key), line)) for line in lines] == [True, False]
    assert re.search(line_pattern({"id": "é"}), r'{"id": "\u00E9"}')


def test_events_are_taken_out_last_and_a_part_at_a_time() -> None:
    many = tuple(str(number) for number in range(IDS_AT_ONCE + 1))
    found = Found({"s.customer": many}, {"s.customer": ("b",)}, ("c",), ("r",))
    said = list(statements_of(LANDING, found))
    assert [table for table, _ in said] == ["control", "rejected", "change", "change", "change"]
    assert said[0][1] == "update control set line = null where event_id in ('c')"
    assert said[2][1] == "update change set before = null where event_id in ('b')"
    assert said[4][1] == (
        "update change set op = 'x', schema_name = null, schema_version = null, event_key = null, before = null, after = null "
        f"where event_id in ('{IDS_AT_ONCE}')"
    )
    assert list(statements_of(LANDING, Found({}, {}))) == [] and Found({}, {}, doubtful=3).is_nothing


def test_lines_are_looked_for_by_the_keys_that_sources_gave() -> None:
    asked: list[str] = []

    def ask(sql: str) -> list[dict[str, Any]]:
        asked.append(sql)
        if " from control " in sql:
            return [{"event_id": "c", "landed_from": "f2", "is_certain": True}]
        if " from rejected " in sql:
            return [{"event_id": name, "landed_from": name, "is_certain": name == "r"} for name in ("r", "maybe")]
        key = {"schema_name": "s.customer", "event_key": '{"id":17}', "landed_from": "f1"}
        return [
            key | {"event_id": "a", "is_whole": True},
            key | {"event_id": "b", "event_key": '{"id":9}', "is_whole": False},
        ]

    found = found_in(ask, LANDING, ["mapped"], {"customer_id": "17"})
    assert found == Found({"s.customer": ("a",)}, {"s.customer": ("b",)}, ("c",), ("r",), 1, ("f1", "f2", "r"))
    assert all("17" in sql and "9" not in sql for sql in asked[1:]), "the other row's key is nobody's to look for"
    assert "line rlike 'customer' as is_certain" in asked[2] and "true as is_certain" in asked[1]
