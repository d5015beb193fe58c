"""The parts of the recorder that need neither PostgreSQL nor Java."""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
from pathlib import Path

import pytest

from recorder.capture import transaction_status
from recorder.captures.postgres import repeat
from recorder.errors import RecordError
from recorder.output import Header, Record, RecordFile
from recorder.settings import CaptureSettings, Source, debezium_properties, default_name, parse_property
from recorder.steelworks.clock import PHASES, evening, second_phase
from recorder.steelworks.phases import already_there, databases, story, streamed
from recorder.steelworks.schema import (
    DATABASES,
    PLANT,
    SHOP_NEXT,
    create_statements,
    first_layout,
    schema_changes,
)
from recorder.steelworks.steps import Layout, SchemaChange, Statement, delete, insert, update
from tests.landing.recorded_formats import lines

TOMBSTONE = Record("shop.sales.item", None, (Header("__debezium.newkey", '{"item_code":"ä"}'),), '{"a":1}', None)


def settings(**changes: object) -> CaptureSettings:
    return CaptureSettings(**{"dsn": "", "prefix": "it", "out": Path("o"), "offsets": Path("f"), **changes})  # type: ignore[arg-type]


def test_a_record_is_one_ascii_line() -> None:
    line = TOMBSTONE.to_line()
    assert line.isascii()
    assert line.endswith(b"\n")
    assert json.loads(line) == {
        "destination": "shop.sales.item",
        "partition": None,
        "headers": [{"key": "__debezium.newkey", "value": '{"item_code":"ä"}'}],
        "key": '{"a":1}',
        "value": None,
    }


def test_bytes_are_a_line_that_says_so() -> None:
    line = json.loads(Record("t", None, (), None, "AAAAAAE=", "base64").to_line())
    assert (line["value"], line["encoding"]) == ("AAAAAAE=", "base64")


def test_an_interrupt_stops_polls_whenever_it_comes() -> None:
    """Also while the pause between two polls begins or ends, which without a pause is most of the time."""

    def hangs(*_: object) -> None:
        raise AssertionError("it does not stop")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(30)
    try:
        for number in range(200):
            said: list[str] = []
            timer = threading.Timer(number / 40_000, os.kill, (os.getpid(), signal.SIGINT))

            def poll(timer: threading.Timer = timer) -> int:
                if timer.ident is None:
                    timer.start()
                return 0

            repeat(poll, 0, None, said.append)
            assert said == ["stopped"]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_transactions_are_told_in_avro_as_in_json() -> None:
    told = {
        form: [json.loads(line) for line in lines(form) if '"forms.transaction"' in line]
        for form in ("avro", "enveloped")
    }
    found = {
        form: [
            transaction_status(Record(one["destination"], None, (), one["key"], one["value"], one.get("encoding")))
            for one in records
        ]
        for form, records in told.items()
    }
    assert found["avro"] == found["enveloped"] and len(found["avro"]) == 14
    # a text of more than 63 bytes has a length of two
    long = "x" * 200
    body = bytes([0, 0, 0, 0, 1, 0x90, 0x03]) + long.encode() + bytes([10]) + b"7:123"
    assert transaction_status(Record("t", None, (), None, base64.b64encode(body).decode(), "base64")) == (long, 7)


def test_partitions_are_left_out_beside_what_the_user_leaves_out() -> None:
    source = Source("h", 1, "d", "u", "p", "prefer", None, "s", "p", "all_tables", ("app.part 1", "app.part2"))
    mine = {"table.exclude.list": "app.log"}
    assert debezium_properties(settings(), source)["table.exclude.list"] == r"(?-i:app\.part\ 1),(?-i:app\.part2)"
    assert (
        debezium_properties(settings(properties=mine), source)["table.exclude.list"]
        == r"app.log,(?-i:app\.part\ 1),(?-i:app\.part2)"
    )
    whole = Source("h", 1, "d", "u", "p", "prefer", None, "s", "p", "all_tables")
    assert "table.exclude.list" not in debezium_properties(settings(), whole)


def test_avro_asks_for_a_registry_and_not_for_schemas_in_the_messages() -> None:
    source = Source("h", 1, "d", "u", "p", "prefer", None, "s", "p", "disabled")
    found = debezium_properties(settings(registry="http://registry:8081"), source)
    assert (
        found["value.converter.schema.registry.url"]
        == found["key.converter.schema.registry.url"]
        == "http://registry:8081"
    )
    assert "value.converter.schemas.enable" not in found


@pytest.mark.parametrize("torn", [b"", b"{", b"x" * 200_000])
@pytest.mark.parametrize("whole", [b"", b"{}\n", b"{}\n" * 50_000])
def test_a_torn_last_line_is_cut_off(tmp_path: Path, whole: bytes, torn: bytes) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(whole + torn)
    with RecordFile(path) as file:
        file.append([TOMBSTONE])
    assert path.read_bytes() == whole + TOMBSTONE.to_line()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"prefix": "a b"}, "topic name"),
        ({"slot": "A"}, "slot name"),
        ({"tables": ("orders",)}, "public.orders"),
        ({"tables": ("a.b",), "schemas": ("a",)}, "Both"),
        ({"properties": {"slot.name": "mine"}}, "use --slot"),
        ({"properties": {"topic.prefix": "mine"}}, "use --prefix"),
        ({"properties": {"database.hostname": "elsewhere"}}, "use --dsn"),
        ({"properties": {"offset.storage.file.filename": "mine"}}, "use --offsets"),
        ({"properties": {"value.converter.schemas.enable": "true"}}, "use --embedded-schema"),
        ({"registry": "http://registry", "embedded_schema": True}, "--avro or --embedded-schema"),
        ({"properties": {"provide.transaction.metadata": "false"}}, "leave it out"),
    ],
)
def test_settings_are_checked(changes: dict[str, object], word: str) -> None:
    with pytest.raises(RecordError, match=word):
        settings(**changes)


def test_properties_are_read_as_they_are_written() -> None:
    assert parse_property("decimal.handling.mode=string") == ("decimal.handling.mode", "string")
    assert parse_property(" a.b = c=d ") == ("a.b", "c=d")
    assert parse_property("a.b=") == ("a.b", "")
    for text in ("", "decimal.handling.mode", "=string"):
        with pytest.raises(RecordError, match="is not name=value"):
            parse_property(text)


def test_properties_come_last() -> None:
    source = Source("h", 1, "d", "u", "secret", "prefer", None, "s", "p", "filtered")
    plain = debezium_properties(settings(), source)
    changes = {"time.precision.mode": "isostring", "skipped.operations": "t"}
    assert debezium_properties(settings(properties=changes), source) == {**plain, **changes}


def test_every_property_that_is_set_can_be_given_or_is_refused_by_name() -> None:
    """What the recorder sets and does not rely on is a default; everything else is refused with a sentence."""
    source = Source("h", 1, "d", "u", "secret", "prefer", None, "s", "p", "filtered")
    given = []
    for name in debezium_properties(settings(), source):
        try:
            settings(properties={name: "x"})
            given.append(name)
        except RecordError as error:
            assert repr(name) in str(error)
    assert given == [
        "tombstones.on.delete",
        "skipped.operations",
        "poll.interval.ms",
        "errors.max.retries",
        "retriable.restart.connector.wait.ms",
    ]


def test_names_are_taken_literally() -> None:
    source = Source("h", 1, "d", "u", "secret", "prefer", None, "s", "p", "filtered")
    properties = debezium_properties(settings(tables=("sales.order_line", "a b.c$d")), source)
    assert properties["table.include.list"] == r"(?-i:sales\.order_line),(?-i:a\ b\.c\$d)"
    assert "schema.include.list" not in properties
    assert "secret" not in repr(source)
    assert default_name("Shop-1", "Ä" * 80) == "entrepot_shop_1_" + "_" * 47


def test_layout_follows_the_schema_changes() -> None:
    layout = Layout({"s.t": ("id", "a", "b")})
    row = insert("s.t", id=1, a=2, b=3, c=4)
    assert layout.statement(row) == Statement("insert into s.t (id, a, b) values (%s, %s, %s)", (1, 2, 3))
    at = evening(0)
    assert layout.alter(SchemaChange(at, "d", "s.t", "rename", "a", "x")).sql == "alter table s.t rename column a to x"
    assert layout.alter(SchemaChange(at, "d", "s.t", "drop", "b")).sql == "alter table s.t drop column b"
    assert layout.alter(SchemaChange(at, "d", "s.t", "add", "c", "text")).sql == "alter table s.t add column c text"
    assert layout.alter(SchemaChange(at, "d", "s.t", "retype", "a", "bigint")).sql == (
        "alter table s.t alter column x type bigint"
    )
    assert layout.statement(row) == Statement("insert into s.t (id, x, c) values (%s, %s, %s)", (1, 2, 4))
    assert layout.statement(update("s.t", {"a": 2}, a=3, b=4)) == Statement(
        "update s.t set x = %s where x = %s", (3, 2)
    )
    assert layout.statement(update("s.t", {"a": 2}, b=4)) is None
    assert layout.statement(delete("s.t", a=2)) == Statement("delete from s.t where x = %s", (2,))


def test_the_story_depends_on_its_seed_alone() -> None:
    assert story(1) == story(1)
    assert story(1) != story(2)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_step_is_played_once(seed: int) -> None:
    steps = story(seed)
    played = []
    for phase in PHASES:
        for database in databases(phase, DATABASES):
            played += already_there(steps, phase, database)
        played += streamed(steps, phase)
    assert sorted(map(id, played)) == sorted(map(id, steps))
    assert databases(PHASES[0], DATABASES) == [name for name in DATABASES if name != SHOP_NEXT]


def test_schema_changes_are_where_they_belong() -> None:
    assert all(PHASES[0].ends <= change.at < PHASES[2].ends for change in schema_changes())
    assert second_phase(0) == PHASES[1].begins
    layout = first_layout(PLANT)
    assert [layout.alter(change).sql.split()[2] for change in schema_changes() if change.database == PLANT] == [
        "mes.equipment",
        "mes.quality",
        "mes.production",
    ]
    assert create_statements(PLANT)[0] == "create schema mes"
    assert any("replica identity full" in statement for statement in create_statements(PLANT))
