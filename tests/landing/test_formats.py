"""One story of a table as a real Debezium sent it in several forms (`recorded_formats`): each lands as the same changes."""

from __future__ import annotations

import base64
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.landing.recorded_formats import lines, pulled, put
from tests.mapping.test_block_sql import events_view
from tests.support.render import Renderer, TextAdapter
from tests.support.spark import Spark

RECURSIVE = {
    "subject": "forms.tree-value", "version": 1, "id": 90,
    "schema": '{"type":"record","name":"Node","fields":[{"name":"next","type":["null","Node"]}]}',
}  # fmt: skip
TEXT = {"subject": "forms.text-key", "version": 1, "id": 91, "schema": '"string"'}
# what a change is; a snapshot's position is the moment at which its capture began
CHANGE = (
    "event_id", "kind", "source_system", "source_database", "schema_name", "op", "event_key", "before", "after", "attribute_names", "committed_at",
    "log_commit", "log_position", "log_serial", "transaction_id",
)  # fmt: skip
TYPED = ("attributes", "attribute_types")
CAPTURES_OWN = ("event_id", "committed_at", "log_commit", "log_position", "transaction_id")

Row = dict[str, Any]


def landed(spark: Spark, texts: list[str], registry: Path | None = None) -> list[Row]:
    """What landing makes of the lines of a file: rows of `landing_record`, in the order of the lines; with the schemas that have been pulled."""
    return landed_files(spark, {"file": texts}, registry)["file"]


def landed_files(spark: Spark, files: dict[str, list[str]], registry: Path | None = None) -> dict[str, list[Row]]:
    """The same of several files, by file."""
    schema = "landed_from string, landed_offset int, line string, is_too_long boolean, line_bytes long, file_size long"
    sizes = {name: sum(len(text.encode()) + 1 for text in texts) for name, texts in files.items()}
    rows = [
        (name, place, text, False, len(text.encode()) + 1, sizes[name])
        for name, texts in files.items()
        for place, text in enumerate(texts, 1)
    ]
    spark.session.createDataFrame(rows, schema).createOrReplaceTempView("raw_line")
    adapter = TextAdapter(registry)
    renderer = Renderer(adapter=adapter)
    text = renderer.call("landing_read_messages", "raw_line", adapter.landing_wire_schemas())
    spark.sql(f"create or replace temporary view read_line as {text}")
    found: dict[str, list[Row]] = {name: [] for name in files}
    for row in sorted(spark.sql(renderer.file("models/landing/landing_record.sql")), key=lambda row: row.landed_offset):
        found[row.landed_from].append(row.asDict(recursive=True))
    return found


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `entrepot registry pull` keeps of the recorded registry."""
    return put(tmp_path_factory.mktemp("registry"), pulled(RECURSIVE, TEXT))


@pytest.fixture(scope="module")
def forms(spark: Spark, registry: Path) -> dict[str, list[Row]]:
    """The recordings as they have landed."""
    recorded = {form: lines(form) for form in ("enveloped", "flattened", "flattened_schema", "avro")}
    return landed_files(spark, recorded, registry)


def changes(rows: list[Row], columns: tuple[str, ...]) -> list[Row]:
    """The changes of a recording; of a snapshot's rows what does not depend on the capture."""
    return [
        {name: row[name] for name in columns if row["op"] != "r" or name not in CAPTURES_OWN}
        for row in rows
        if row["kind"] == "change"
    ]


def test_no_view_has_the_schemas_in_its_text(registry: Path) -> None:
    """The embedded metastore keeps no text of a view that is longer than 32,700 characters."""
    renderer = Renderer(adapter=TextAdapter(registry))
    schemas = TextAdapter(registry).landing_wire_schemas()
    assert len(renderer.call("landing_read_messages", "raw_line", schemas)) > 10_000, "a job's text has them"
    assert len(renderer.file("models/landing/read_line.sql")) < 5_000
    assert renderer.file("models/landing/landing_record.sql") == Renderer().file("models/landing/landing_record.sql")


def test_avro_is_the_changes_of_the_envelopes(forms: dict[str, list[Row]]) -> None:
    assert changes(forms["avro"], CHANGE + TYPED) == changes(forms["enveloped"], CHANGE + TYPED)
    reasons = [[row["reason"] for row in forms[form] if row["kind"] != "change"] for form in ("avro", "enveloped")]
    assert reasons[0] == reasons[1] and len(reasons[0]) == 17


def test_what_is_inside_of_a_jsonb_column_is_mapped_alike_in_all_forms(
    spark: Spark, forms: dict[str, list[Row]]
) -> None:
    """As PostgreSQL and a real Debezium sent it: `{"a": 1.10, "__op": "x"}`, and null."""
    elements: list[dict[str, Any]] = [
        {"attribute": "id", "data_type": "integer", "entity_attribute": "id"},
        {"attribute": "document.a", "data_type": "numeric(8,2)", "entity_attribute": "amount"},
        {"attribute": "document.__op", "data_type": "text", "entity_attribute": "op"},
        {"attribute": "document.b", "data_type": "text", "entity_attribute": "nothing"},
    ]
    block = {"schema": "forms.sales.item", "versions": [1], "first_version": 1, "elements": elements}
    for element in elements[1:]:
        element["parents"] = [{"attribute": "document", "data_type": "jsonb"}]
    types = {"id": "integer", "amount": "decimal(8,2)", "op": "string", "nothing": "string"}
    attributes = [{"name": name, "data_type": one, "is_key": name == "id"} for name, one in types.items()]
    rows = [
        (f"{form} {place:02}", "forms", row["schema_name"], 1, row["op"], row["before"], row["after"])
        for form, landed_rows in forms.items()
        for place, row in enumerate(one for one in landed_rows if one["kind"] == "change")
    ]
    sql = Renderer().call("mapping_entity_sql", [block], attributes, events_view(spark, "recorded_event", rows))
    found: dict[str, list[Any]] = {}
    for row in sorted(spark.sql(sql), key=lambda row: str(row["event_id"])):
        assert row["mapping_error"] is None, row["event_id"]
        after = row["after"] and tuple(row["after"])
        found.setdefault(row["event_id"].split()[0], []).append((row["id"], after, sorted(row["present"])))
    full = (1, (1, Decimal("1.10"), "x", None), ["amount", "id", "op"])
    empty = (2, (2, None, None, None), ["amount", "id", "nothing", "op"])
    assert found["enveloped"][:2] == [full, empty]
    assert all(rows == found["enveloped"] for rows in found.values()) and len(found) == 4


def test_a_message_that_cannot_be_read_says_why(spark: Spark, registry: Path) -> None:
    record = next(json.loads(line) for line in lines("avro") if '"forms.sales.item"' in line)
    value, key = (base64.b64decode(record[part]) for part in ("value", "key"))
    cases: list[tuple[str | None, str | None, bytes | str | None, bytes | str | None]] = [
        (None, "change", value, key),
        (None, "control", None, key),
        (None, "change", value, None),
        ("unknown_schema: 4000000000", "waiting", bytes([0, 0xEE, 0x6B, 0x28, 0]) + value[5:], key),
        ("unknown_schema: 77", "waiting", value, bytes([0, 0, 0, 0, 77]) + key[5:]),
        ("unknown_schema: 1", "waiting", key, key),
        ("broken_wire_format", "rejected", b"\1" + value[1:], key),
        ("broken_wire_format", "rejected", value[:4], key),
        ("broken_wire_format", "rejected", value[:60], key),
        ("broken_wire_format", "rejected", value[:5], key),
        ("broken_wire_format", "rejected", value, key[:5]),
        ("broken_wire_format", "rejected", b"", key),
        ("broken_wire_format", "rejected", "not base64!", key),
        ("unreadable_schema: 90", "rejected", bytes([0, 0, 0, 0, 90, 0]), key),
        ("unreadable_schema: 91", "rejected", value, bytes([0, 0, 0, 0, 91, 2]) + b"a"),
    ]
    texts = [json.dumps(record | {"value": encoded(one), "key": encoded(other)}) for _, _, one, other in cases] + [
        json.dumps(record | {"encoding": "gzip"})
    ]
    found = landed(spark, texts, registry)
    told = [(None if row["kind"] == "control" else row["reason"], row["kind"]) for row in found]
    assert told == [case[:2] for case in cases] + [("unknown_encoding: gzip", "rejected")]
    # nothing has been pulled
    assert {row["reason"] for row in landed(spark, lines("avro"))} == {
        f"unknown_schema: {number}" for number in (2, 6, 7, 8)
    } | {"tombstone"}


def encoded(part: bytes | str | None) -> str | None:
    return base64.b64encode(part).decode() if isinstance(part, bytes) else part


@pytest.mark.parametrize("form", ["flattened", "flattened_schema"])
def test_flattened_rows_are_the_changes_of_the_envelopes(forms: dict[str, list[Row]], form: str) -> None:
    columns = CHANGE + (TYPED if form == "flattened_schema" else ())
    expected, found = changes(forms["enveloped"], columns), changes(forms[form], columns)
    assert len(found) == len(expected) == 14
    for one, other in zip(expected, found, strict=True):
        if one["schema_name"] == "forms.sales.plain" and one["op"] == "u":
            # of an update the transform leaves out the image before it
            one = one | {"before": None, "event_id": other["event_id"]}
        assert other == one
    assert {row["reason"] for row in forms[form] if row["kind"] == "control"} == {
        "transaction_begin",
        "transaction_end",
    }
    assert [row["reason"] for row in forms[form] if row["kind"] == "rejected"] == []


def test_what_a_flattened_row_lacks_is_said_as_the_connectors_setting(spark: Spark) -> None:
    record = next(json.loads(line) for line in lines("flattened") if "__op" in line)
    row = json.loads(record["value"])
    source = {name: value for name, value in row.items() if name.startswith("__source_")}
    cases: list[tuple[str | None, dict[str, Any], str]] = [
        (None, row, record["destination"]),
        ("add.fields=lsn", without(row, "__lsn"), ""),
        (None, without(row, "__lsn") | {"__source_lsn": row["__lsn"]}, record["destination"]),
        ("add.fields=lsn", row | {"__lsn": "much"}, record["destination"]),
        ("add.fields=source.ts_us", without(row, "__source_ts_us") | {"__ts_us": 1, "__ts_ms": 1}, record["destination"]),
        (None, without(row, "__source_ts_us") | {"__source_ts_ms": 1795620045939}, record["destination"]),
        ("add.fields=op", without(row, "__op"), record["destination"]),
        ("delete.tombstone.handling.mode=rewrite", without(row, "__deleted"), record["destination"]),
        ("add.fields=op, add.fields=lsn, add.fields=source.ts_us", {"id": 1, "__deleted": "true"}, record["destination"]),
        (None, without(row, "__table", *source) | {"__source_ts_us": row["__source_ts_us"]}, "forms.sales.item"),
        ("no_source", without(row, "__table", *source) | {"__source_ts_us": row["__source_ts_us"]}, "a.topic"),
        ("no_table", without(row, "__table"), "a.topic"),
        ("unknown_op", row | {"__op": "x"}, record["destination"]),
        ("unknown_connector: mysql", row | {"__source_connector": "mysql"}, record["destination"]),
        ("no_position", row | {"__source_ts_us": 10**18}, record["destination"]),
        ("add.fields, delete.tombstone.handling.mode=rewrite", {"id": 1, "name": "plain"}, record["destination"]),
        ("unknown_op", {"id": 1, "before": None}, record["destination"]),
        ("unknown_op", {}, record["destination"]),
    ]  # fmt: skip
    found = landed(
        spark, [json.dumps(record | {"value": json.dumps(value), "destination": topic}) for _, value, topic in cases]
    )
    said = [None if one["reason"] is None else one["reason"].removeprefix("flattened_without: ") for one in found]
    assert said == [reason for reason, _, _ in cases]
    assert {one["schema_name"] for one in found if one["reason"] is None} == {"forms.sales.item"}


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_a_flattened_row_keeps_every_digit_and_what_only_looks_like_an_added_field(spark: Spark) -> None:
    row = '{"id":1,"__mine":{"__op":"x"},"text":",\\"__op\\":\\"d\\"}","n":1.10,"big":12345678901234567890.50,"e":1e400'
    added = ',"__deleted":"false", "__op" : "c","__lsn":7,"__source_ts_us":1795621251262460,"__note":"a, b}\\"","__nothing":null}'
    image = '{"id":1,"document":{"__op":"d","__deleted":"true"}}'
    ordinary = (
        f'{{"before":null,"after":{image},"source":{{"name":"s","schema":"a","table":"b","lsn":7,"ts_us":5}},"op":"c"}}'
    )
    told = '"__transaction":{"id":"a}{[","total_order":1,"data_collection_order":1}'
    more = [row + added[:-1] + f",{one}}}" for one in (told, '"__transaction":null', told + ',"__last":1')]
    values = [ordinary, row + added, *more]
    found = landed(spark, [json.dumps({"destination": "s.a.b", "key": '{"id":1}', "value": value}) for value in values])
    assert [(one["reason"], one["after"]) for one in found] == [(None, image)] + [(None, row + "}")] * 4
    assert {tuple(one["attribute_names"]) for one in found[1:]} == {("__mine", "big", "e", "id", "n", "text")}


def test_a_row_with_a_status_is_no_end_of_a_transaction(spark: Spark) -> None:
    values = [
        {"status": "END", "id": "5:7", "ts_ms": 1795621251262, "event_count": 1, "data_collections": []},
        {"status": "BEGIN", "id": "5:7", "ts_ms": 1795621251262, "event_count": None, "data_collections": None},
        {"status": "END", "id": 7, "name": "a row that nothing was added to"},
    ]
    found = landed(
        spark, [json.dumps({"destination": "s.a.b", "key": None, "value": json.dumps(one)}) for one in values]
    )
    assert [(one["kind"], one["reason"].partition(":")[0]) for one in found] == [
        ("control", "transaction_end"), ("control", "transaction_begin"), ("rejected", "flattened_without"),
    ]  # fmt: skip


def test_what_follows_a_flattened_row_is_not_cut_off_with_the_added_fields(spark: Spark) -> None:
    record = next(json.loads(line) for line in lines("flattened") if "__op" in line)
    rests = ["{}", "}", ",", ',"__x":1}', '{"a":1,"__x":1}', '{,"__x":1}', "x", "]", ',{"__x":1}', "\f"]
    found = landed(spark, [json.dumps(record | {"value": record["value"] + rest}) for rest in rests])
    assert [one["reason"] for one in found] == ["broken_value"] * len(rests)


def test_a_flattened_row_with_a_raw_tab_in_a_text_is_broken_and_does_not_lack_its_fields(spark: Spark) -> None:
    record = next(json.loads(line) for line in lines("flattened") if "__op" in line)
    value = record["value"]
    broken = [
        value[:-1] + ',"__note":"a\tb"}',
        '{"first":"a\tb",' + value[1:],
        value.replace('"__op"', '"x":"a\tb","__op"'),
    ]
    found = landed(spark, [json.dumps(record | {"value": text}) for text in broken])
    assert [one["reason"] for one in found] == ["broken_value"] * len(broken)


def test_a_column_that_the_embedded_schema_does_not_name_is_one_without_a_type(spark: Spark) -> None:
    """A value that the image carries is an attribute, whatever has become of the schema beside it."""
    source = {"name": "s", "schema": "a", "table": "b", "lsn": 7, "ts_us": 5}
    payload = {"before": None, "after": {"id": 1, "at.ms": 2, "note": "x"}, "source": source, "op": "c"}
    names = [("int32", "field", "id"), ("int64", "f-eld", "at.ms"), ("string", "field", "note")]
    fields = [{"type": type_, key: name} for type_, key, name in names]
    schemas: list[Any] = [
        {"type": "struct", "fields": [{"type": "struct", "fields": fields, "field": "after"}]},
        {"type": "struct", "fields": [{"type": "struct", "fields": 5, "field": "after"}]},
        {"type": "struct"},
    ]
    values = [json.dumps({"schema": schema, "payload": payload}) for schema in schemas]
    found = landed(spark, [json.dumps({"destination": "s.a.b", "key": '{"id":1}', "value": value}) for value in values])
    told = [
        [(one["attribute"], one["data_type"], one["is_key"]) for one in row["attributes"]]
        if row["attributes"]
        else None
        for row in found
    ]
    untold = [("id", None, True), ("`at.ms`", None, False), ("note", None, False)]
    assert told[0] == [("id", "integer", True), ("note", "text", False), ("`at.ms`", None, False)]
    assert told[1:] == [untold, untold]


def test_a_column_that_the_image_lacks_is_no_attribute_whatever_its_schema_says(spark: Spark) -> None:
    """Absent is not null. Of a delete the image has the key alone, and is of the version with all columns."""
    source = {"name": "s", "schema": "a", "table": "b", "lsn": 7, "ts_us": 5}
    fields = [{"type": "int32", "field": "id"}, {"type": "string", "field": "note"}, {"type": "double", "field": "x"}]
    schema = {"type": "struct", "fields": [{"type": "struct", "fields": fields, "field": "after"}]}
    payloads = [
        {"before": None, "after": {"id": 1, "x": None}, "source": source, "op": "c"},
        {"before": {"id": 1}, "after": None, "source": source, "op": "d"},
    ]
    values = [json.dumps({"schema": schema, "payload": payload}) for payload in payloads]
    found = landed(spark, [json.dumps({"destination": "s.a.b", "key": '{"id":1}', "value": value}) for value in values])
    assert [[one["attribute"] for one in row["attributes"]] for row in found] == [["id", "x"], ["id", "note", "x"]]


def test_columns_called_schema_and_payload_are_no_embedded_schema(spark: Spark) -> None:
    row = '{"id":1,"schema":{"fields":[]},"payload":{"x":1.10}'
    added = ',"__deleted":"false","__op":"c","__lsn":7,"__source_ts_us":1795621251262460}'
    envelope = (
        '{"before":null,"after":{"id":1},"source":{"name":"s","schema":"a","table":"b","lsn":7,"ts_us":5},"op":"c"}'
    )
    values = [row + added, f'{{"schema":5,"payload":{envelope}}}', f'{{"schema":null,"payload":{envelope}}}']
    found = landed(spark, [json.dumps({"destination": "s.a.b", "key": '{"id":1}', "value": value}) for value in values])
    assert [(one["reason"], one["is_typed"]) for one in found] == [(None, False)] * 3
    assert found[0]["after"] == row + "}"
