"""The schemas by which messages in the wire format are read: complete in themselves, and without what does not say how bytes are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entrepot.registry.definitions import AVRO, Definition, Reference, UnreadableError
from entrepot.registry.kept import Kept, files_of, read_kept
from entrepot.registry.wire import bare, wire_schemas
from tests.landing.recorded_formats import pulled, put, subjects
from tests.registry.projects import field, record

THERE = {
    ("c", 1): Definition(
        "c", 1, 3, AVRO, record("n.C", field("x", {"type": "int", "logicalType": "date"}, doc="A day."))
    ),
    ("b", 1): Definition("b", 1, 2, AVRO, record("n.B", field("c", "C")), (Reference("n.C", "c", 1),)),
}


def definition(text: str, *references: Reference) -> Definition:
    return Definition("s-value", 1, 1, AVRO, text, references)


def test_what_is_referred_to_is_written_once_where_it_is_first_named() -> None:
    row = record("m.A", field("b", ["null", "n.B"], default=None), field("c", {"type": "map", "values": "n.C"}), field("d", "m.E"),
                 aliases=["m.Z"]).replace('"m.E"', '{"type": "enum", "name": "E", "symbols": ["p"], "connect.name": "E"}')  # fmt: skip
    inner = {"type": "record", "name": "C", "namespace": "n", "fields": [{"name": "x", "type": "int"}]}
    second = {"type": "record", "name": "B", "namespace": "n", "fields": [{"name": "c", "type": inner}]}
    assert bare(definition(row, Reference("n.B", "b", 1)), THERE) == {
        "type": "record", "name": "A", "namespace": "m", "fields": [
            {"name": "b", "type": ["null", second]},
            {"name": "c", "type": {"type": "map", "values": "n.C"}},
            {"name": "d", "type": {"type": "enum", "name": "E", "namespace": "m", "symbols": ["p"]}},
        ],
    }  # fmt: skip


def test_a_type_that_contains_itself_is_told() -> None:
    node = record("m.Node", field("next", {"type": "array", "items": ["null", "Node"]}))
    with pytest.raises(UnreadableError, match=r"its type m\.Node contains itself"):
        bare(definition(node), {})
    # the same type twice, side by side, is no circle
    side = {"type": "record", "name": "Side", "fields": [field("x", "int")]}
    assert (
        bare(definition(record("m.Pair", field("left", side), field("right", "Side"))), {})["fields"][1]["type"]
        == "m.Side"
    )


def test_a_schema_of_keys_and_values_is_read_for_both_and_no_record_for_none() -> None:
    text = record("m.Id", field("id", "long"))
    kept = [Kept(Definition(subject, 1, 5, AVRO, text)) for subject in ("a-key", "b-value")]
    found = wire_schemas([*kept, Kept(Definition("c-key", 1, 6, AVRO, '"string"'))])
    assert [(one.number, one.is_key, one.is_value, one.nothing) for one in found] == [
        (5, True, True, '{"id":null}'),
        (6, True, False, ""),
    ]
    assert found[1].avro is None and json.loads(found[0].embedded or "")["fields"] == [{"field": "id", "type": "int64"}]


def test_what_is_kept_is_read_back_as_it_was(tmp_path: Any) -> None:
    put(tmp_path, pulled())
    kept = read_kept(tmp_path)
    assert [
        (one.definition.subject, one.definition.version, json.loads(one.definition.text)) for one in kept
    ] == sorted(
        ((one["subject"], one["version"], json.loads(one["schema"])) for one in subjects()), key=lambda one: one[:2]
    )
    assert files_of(kept) == pulled()
    referring = Kept(definition(record("m.A", field("b", "n.B")), Reference("n.B", "b", 1)), "s", 4)
    put(tmp_path / "other", files_of([referring, *map(Kept, THERE.values())]))
    found = read_kept(tmp_path / "other")
    assert [(one.definition.references, one.schema, one.version) for one in found] == [
        ((Reference("n.C", "c", 1),), "", None), ((), "", None), ((Reference("n.B", "b", 1),), "s", 4),
    ]  # fmt: skip
