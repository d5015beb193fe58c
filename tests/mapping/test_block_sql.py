"""A compiled block on single events: what does not fit is said, never nulled; what is absent is not null."""

from __future__ import annotations

import base64
import json
from decimal import Decimal
from typing import Any

import pytest

from tests.mapping.test_source_values import PLACEHOLDER, wire
from tests.support.render import Renderer
from tests.support.spark import Spark

BLOCK = {
    "schema": "shop.sales.order",
    "versions": [1, 2],
    "first_version": 1,
    "elements": [
        {"attribute": "Order Id", "data_type": "text", "entity_attribute": "order_id"},
        {"attribute": "total", "data_type": "numeric(12,4)", "entity_attribute": "amount"},
        {"attribute": "pieces", "data_type": "integer", "entity_attribute": "pieces"},
        {"attribute": "note", "data_type": "text", "entity_attribute": "note"},
    ],
}
ATTRIBUTES = [
    {"name": "order_id", "data_type": "integer", "is_key": True},
    {"name": "amount", "data_type": "decimal(8,2)", "is_key": False},
    {"name": "note", "data_type": "string", "is_key": False},
    {"name": "pieces", "data_type": "integer", "is_key": False},
    {"name": "placed_at", "data_type": "timestamp", "is_key": False},
]
IMAGE = {"Order Id": "7", "total": wire("10.5000", 4), "pieces": 3, "note": "a 'note'", "unmapped": {"x": [1]}}
MISFIT = "an image does not fit the types of its schema version"
ALL = ["amount", "note", "order_id", "pieces"]

# name: (schema, version, op, before, after), then (order_id, after, present, mapping_error)
EVENTS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...] | None]] = {
    "whole": (("shop.sales.order", 1, "c", None, IMAGE), (7, (7, "10.50", "a 'note'", 3), ALL, None)),
    "version 2": (("shop.sales.order", 2, "u", None, IMAGE), (7, (7, "10.50", "a 'note'", 3), ALL, None)),
    "another version": (("shop.sales.order", 3, "c", None, IMAGE), None),
    "another schema": (("shop.sales.order2", 1, "c", None, IMAGE), None),
    "no version": (("shop.sales.order", None, "c", None, IMAGE), None),
    "truncate": (("shop.sales.order", None, "t", None, None), (None, None, [], None)),
    "null is a value": (
        ("shop.sales.order", 1, "u", None, IMAGE | {"note": None, "total": None}), (7, (7, None, None, 3), ALL, None),
    ),
    "large value that did not change": (
        ("shop.sales.order", 1, "u", None, IMAGE | {"note": PLACEHOLDER}),
        (7, (7, "10.50", None, 3), ["amount", "order_id", "pieces"], None),
    ),
    "large bytes that did not change": (
        ("shop.sales.order", 1, "u", None, IMAGE | {"total": base64.b64encode(PLACEHOLDER.encode()).decode()}),
        (7, (7, None, "a 'note'", 3), ["note", "order_id", "pieces"], None),
    ),
    "delete": (
        ("shop.sales.order", 1, "d", {"Order Id": "7", "total": "", "pieces": 0, "note": ""}, None), (7, None, [], None),
    ),
    "text for a number": (("shop.sales.order", 1, "c", None, IMAGE | {"pieces": "three"}), f"{MISFIT}: pieces"),
    "too large for its own type": (("shop.sales.order", 1, "c", None, IMAGE | {"pieces": 5_000_000_000}), f"{MISFIT}: pieces"),
    "text for a number before": (
        ("shop.sales.order", 1, "u", IMAGE | {"pieces": [1]}, IMAGE | {"pieces": None}), f"{MISFIT}: pieces",
    ),
    "number in place of Base64": (
        ("shop.sales.order", 1, "c", None, IMAGE | {"total": 1234}), "amount does not fit decimal(8,2)",
    ),

    "digits that would be lost": (
        ("shop.sales.order", 1, "c", None, IMAGE | {"total": wire("10.5050", 4)}), "amount does not fit decimal(8,2)",
    ),
    "too large for the entity": (
        ("shop.sales.order", 1, "c", None, IMAGE | {"total": wire("12345678.0000", 4)}), "amount does not fit decimal(8,2)",
    ),
    "key that does not fit": (
        ("shop.sales.order", 1, "c", None, IMAGE | {"Order Id": "seven"}), "order_id does not fit bigint",
    ),
    "deleted key that does not fit": (
        ("shop.sales.order", 1, "d", {"Order Id": "seven", "total": "", "pieces": 0, "note": ""}, None),
        "order_id does not fit bigint",
    ),
    "two that do not fit": (
        ("shop.sales.order", 1, "u", IMAGE | {"Order Id": "six"}, IMAGE | {"Order Id": "seven", "total": wire("0.0001", 4)}),
        "order_id does not fit bigint; amount does not fit decimal(8,2)",
    ),
}  # fmt: skip


def events_view(spark: Spark, name: str, rows: list[tuple[Any, ...]]) -> str:
    """Make a view like `landing.change_event` of rows (event_id, source_system, schema, version, op, before, after)."""
    columns = "event_id string, source_system string, schema_name string, schema_version int, op string, before string, after string"
    spark.session.createDataFrame(rows, columns).selectExpr(
        "*",
        "true as is_typed",
        "cast(null as boolean) as has_fractions",
        "1 as commit_position",
        "timestamp '2026-01-01' as committed_at",
        "'5' as transaction_id",
    ).createOrReplaceTempView(name)
    return name


@pytest.fixture(scope="module")
def mapped(spark: Spark) -> dict[str, Any]:
    """The mapped rows by the name of the event."""
    rows = [
        (name, "shop", schema, version, op, None if before is None else json.dumps(before), None if after is None else json.dumps(after))
        for name, ((schema, version, op, before, after), _) in EVENTS.items()
    ]  # fmt: skip
    sql = Renderer().call("mapping_entity_sql", [BLOCK], ATTRIBUTES, events_view(spark, "change_event", rows))
    return {row["event_id"]: row for row in spark.sql(sql)}


@pytest.mark.parametrize("name", [name for name, (_, expected) in EVENTS.items() if not isinstance(expected, str)])
def test_events_that_fit(mapped: dict[str, Any], name: str) -> None:
    expected = EVENTS[name][1]
    if expected is None:
        assert name not in mapped
        return
    row, (key, after, present, error) = mapped[name], expected
    assert (row["order_id"], sorted(row["present"]), row["mapping_error"]) == (key, present, error)
    if after is not None:
        amount = None if after[1] is None else Decimal(after[1])
        assert tuple(row["after"]) == (after[0], amount, after[2], after[3], None)
    else:
        assert row["after"] is None


@pytest.mark.parametrize("name", [name for name, (_, expected) in EVENTS.items() if isinstance(expected, str)])
def test_events_that_do_not_fit(mapped: dict[str, Any], name: str) -> None:
    assert mapped[name]["mapping_error"] == EVENTS[name][1]


def test_of_a_delete_only_the_key_is_real(mapped: dict[str, Any]) -> None:
    assert tuple(mapped["delete"]["before"]) == (7, None, None, None, None)


def test_truncates_belong_to_the_first_block(spark: Spark, mapped: dict[str, Any]) -> None:
    later = Renderer().call("mapping_entity_sql", [BLOCK | {"versions": [2]}], ATTRIBUTES, "change_event")
    assert [row["event_id"] for row in spark.sql(later)] == ["version 2"]


@pytest.mark.parametrize("schema", ["s.p.a\nb", "s.p.a\rb", 's.p.it\'s "b"', "s.p.-- b", "s.p.{{ b }}"])
def test_a_schema_of_any_name(spark: Spark, schema: str) -> None:
    elements = [{"attribute": "v", "data_type": "integer", "entity_attribute": "v"}]
    block = {"schema": schema, "versions": [1], "first_version": 1, "elements": elements}
    events = events_view(spark, "odd_event", [("of it", "x", schema, 1, "c", None, '{"v": 1}')])
    attributes = [{"name": "v", "data_type": "integer", "is_key": True}]
    (row,) = spark.sql(Renderer().call("mapping_entity_sql", [block], attributes, events))
    assert row["v"] == 1


# what a fraction becomes in a type that keeps fewer digits: (source type, value in JSON, entity type, mapped value, fits)
FRACTIONS: dict[str, tuple[str, Any, str, str | None, bool]] = {
    "whole double": ("double precision", 3.0, "integer", "3", True),
    "large whole double": ("double precision", 2.5e10, "integer", "25000000000", True),
    "fraction of a double": ("double precision", 3.25, "integer", "3", False),
    "double in few digits": ("real", 0.1, "decimal(8,2)", "0.10", True),
    "double in too many": ("double precision", 0.125, "decimal(8,2)", "0.13", False),
    "double with an exponent": ("double precision", 1.5e7, "decimal(10,2)", "15000000.00", True),
    "whole numeric": ("numeric(12,4)", wire("7.0000", 4), "integer", "7", True),
    "fraction of a numeric": ("numeric(12,4)", wire("7.2500", 4), "integer", "7", False),
    "fraction as text": ("text", "7.25", "integer", "None", False),
    "another name of decimal": ("numeric(12,4)", wire("7.2560", 4), "numeric(8,2)", "7.26", False),
    "another name of bigint": ("double precision", 3.25, "long", "3", False),
    "whole number in a decimal": ("bigint", 7, "decimal(8,2)", "7.00", True),
}


@pytest.mark.parametrize("name", list(FRACTIONS))
def test_a_fraction_is_never_cut_without_a_word(spark: Spark, name: str) -> None:
    data_type, value, entity_type, expected, fits = FRACTIONS[name]
    elements = [{"attribute": "v", "data_type": data_type, "entity_attribute": "v"}]
    block = {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}
    events = events_view(spark, "fraction_event", [(name, "x", "s", 1, "c", None, json.dumps({"v": value}))])
    attributes = [{"name": "v", "data_type": entity_type, "is_key": False}]
    (row,) = spark.sql(Renderer().call("mapping_entity_sql", [block], attributes, events))
    canonical = {"integer": "bigint", "long": "bigint", "numeric(8,2)": "decimal(8,2)"}.get(entity_type, entity_type)
    assert str(row["after"]["v"]) == expected
    assert row["mapping_error"] == (None if fits else f"v does not fit {canonical}")


# names that Spark reads as one, or that the block's own SQL uses, and what a record may hold besides values
ODD_NAMES = ["ID", "id", "_misfit", "_MISFIT", "op", "unit-price", "it's", "a`b", "select", "after"]


def test_attributes_of_any_name(spark: Spark) -> None:
    elements = [
        {"attribute": name, "data_type": "integer", "entity_attribute": f"{name}"}
        for name in ODD_NAMES
        if name not in ("id", "_MISFIT")
    ]
    elements += [
        {"attribute": name, "data_type": "integer", "entity_attribute": f"{name} too"} for name in ("id", "_MISFIT")
    ]
    block = {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}
    attributes = [
        {"name": element["entity_attribute"], "data_type": "integer", "is_key": element["attribute"] == "unit-price"}
        for element in elements
    ]
    image = json.dumps({name: number for number, name in enumerate(ODD_NAMES)})
    events = events_view(
        spark, "odd_event", [("all", "x", "s", 1, "c", None, image), ("none", "x", "s", 1, "c", None, '{"ID": "x"}')]
    )
    rows = {
        row["event_id"]: row for row in spark.sql(Renderer().call("mapping_entity_sql", [block], attributes, events))
    }
    found = rows["all"]["after"].asDict()
    assert {name: found.get(f"{name} too", found.get(name)) for name in ODD_NAMES} == {
        name: number for number, name in enumerate(ODD_NAMES)
    }
    assert (rows["all"]["unit-price"], rows["all"]["mapping_error"]) == (ODD_NAMES.index("unit-price"), None)
    assert rows["none"]["mapping_error"] == f"{MISFIT}: ID"


BOTH = "v may be a number or Base64: say "
# what a record says and nobody can read in one way only, or at all
DOUBTS: dict[str, tuple[str, str, str, str | None]] = {
    "a number, perhaps": ("numeric(12,2)", '"1234"', "decimal(12,2)", BOTH + "decimal.handling.mode of its connector in the variable connectors"),
    "surely a number": ("numeric(12,2)", '"12.34"', "decimal(12,2)", None),
    "of no known type": ("", '"1234"', "decimal(12,2)", BOTH + "its type in the seed schema_attribute"),
    "a number of no known type": ("", "12.5", "decimal(12,2)", None),
    "text": ("text", '"1234"', "decimal(12,2)", None),
    "a number in JSON": ("jsonb", '"1234"', "decimal(12,2)", None),
    "a number without quotes": ("", "1234", "decimal(12,2)", None),
    "too small for a decimal": ("text", '"1e-400"', "decimal(20,0)", "v does not fit decimal(20,0)"),
    "too small for a double": ("text", '"-1e-400"', "double", "v does not fit double"),
    "an element beyond doubles": ("double precision[]", "[1.5, 1e400]", "array<double>", "v does not fit array<double>"),
    "an element with too many digits": ("numeric(10,3)[]", '["1.250", "1.125"]', "array<decimal(8,2)>", "v does not fit array<decimal(8,2)>"),
    "an element with a fraction": ("double precision[]", "[1.0, 1.5]", "array<bigint>", "v does not fit array<bigint>"),
    "an element too small for a double": ("double precision[]", "[null, 1e-400]", "array<double>", "v does not fit array<double>"),
    "elements that are doubles": ("double precision[]", '[0.0, 1.5, null, "Infinity", -1e300]', "array<double>", None),
    "a literal of Java": ("text", '"1d"', "double", "v does not fit double"),
    "a hexadecimal literal of Java": ("text", '"0x1p3"', "double", "v does not fit double"),
    "a number between blanks": ("text", '" -1.5e3 "', "double", None),
    "a month": ("text", '"2026-01"', "timestamp", "v does not fit timestamp"),
    "a decimal with too many digits for both": ("numeric(38,10)", '"1.1234567891"', "number", "v does not fit decimal(38, 9)"),
    "a decimal with as many digits": ("numeric(38,10)", '"1.1234567890"', "number", None),
    "a short decimal with too many digits": ("numeric(12,10)", '"1.1234567891"', "number", "v does not fit decimal(38, 9)"),
    "a decimal that rounds to nothing": ("numeric(38,10)", '"-0.0000000001"', "number", "v does not fit decimal(38, 9)"),
    "a decimal in a wide one": ("numeric(10,3)", '"1.125"', "decimal(38,2)", "v does not fit decimal(38,2)"),
    "a decimal in a whole number": ("numeric(12,2)", '"7.50"', "integer", "v does not fit bigint"),
    "a double beyond floats": ("double precision", "1e300", "float", "v does not fit float"),
    "seconds beyond the years": ("bigint", "1790000000000", "timestamp", "v does not fit timestamp"),
    "seconds": ("bigint", "1790000000", "timestamp", None),
    "a number as a boolean": ("bigint", "5", "boolean", "v does not fit boolean"),
    "a number that is a boolean": ("bigint", "1", "boolean", None),
    "a fraction as a boolean": ("double precision", "0.1", "boolean", "v does not fit boolean"),
    "no number as a boolean": ("double precision", '"NaN"', "boolean", "v does not fit boolean"),
    "a moment as a day": ("timestamptz", '"2026-01-02T03:04:05Z"', "date", "v does not fit date"),
    "midnight as a day": ("timestamptz", '"2026-01-02T00:00:00Z"', "date", None),
    "a moment with a fraction as seconds": ("timestamptz", '"2026-01-02T03:04:05.5Z"', "integer", "v does not fit bigint"),
    "nothing, in many digits": ("text", '"0.000e-400"', "double", None),
    "a text with more digits than a double has": ("text", '"9007199254740993"', "double", "v does not fit double"),
    "a text with as many digits": ("text", '"9007199254740992"', "double", None),
    "an element that is out of range, as a text": ("date[]", "[16816, 99999999]", "string", "v does not fit string"),
    "elements in range, as a text": ("date[]", "[16816, null]", "string", None),
    "bytes that are text": ("bytea", '"aGk="', "string", None),
    "bytes that are no text": ("bytea", '"LLyA"', "string", "v does not fit string"),
    "half a character": ("text", '"\\ud83c"', "string", "an image holds half a character (a lone surrogate)"),
    "a whole character": ("text", '"\\ud83c\\udf1f"', "string", None),
    "a time of day": ("text", '"10:11:12"', "timestamp", "v does not fit timestamp"),
    "text as bytes": ("text", '"aGk="', "binary", "v does not fit binary"),
    "an exponent": ("text", '"1e-9"', "decimal(8,2)", "v does not fit decimal(8,2)"),
    "beyond doubles": ("text", '"1e400"', "double", "v does not fit double"),
    "more than a double counts": ("bigint", "9007199254740993", "double", "v does not fit double"),
    "an element that does not fit": ("text[]", '["1", "x"]', "array<bigint>", "v does not fit array<bigint>"),
    "elements that fit": ("text[]", '["1", null]', "array<bigint>", None),
    "an unchanged array": ("text[]", f'["{PLACEHOLDER}"]', "array<string>", None),
}  # fmt: skip


def test_a_value_is_right_or_has_a_reason(spark: Spark) -> None:
    render, queries = Renderer(), []
    for number, (name, (data_type, value, entity_type, _)) in enumerate(DOUBTS.items()):
        elements = [{"attribute": "v", "data_type": data_type, "entity_attribute": "v"}]
        block = {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}
        events = events_view(spark, f"doubt_{number}", [(name, "x", "s", 1, "c", None, f'{{"v":{value}}}')])
        sql = render.call(
            "mapping_entity_sql",
            [block],
            [{"name": "v", "data_type": entity_type, "is_key": False}],
            f"untyped_{number}",
        )
        spark.session.sql(f"select * except (is_typed), false as is_typed from {events}").createOrReplaceTempView(
            f"untyped_{number}"
        )
        queries.append(f"select event_id, mapping_error, after.v is null as is_null, present from (\n{sql}\n)")
    rows = list(spark.rows_of(queries))
    assert sorted(name for name, *_ in rows) == sorted(DOUBTS), "one row of each"
    found = {name: (error, is_null, list(present)) for name, error, is_null, present in rows}
    wrong = {name: found[name] for name, (*_, error) in DOUBTS.items() if found[name][0] != error}
    assert wrong == {}
    assert [name for name, (error, is_null, present) in found.items() if error is None and is_null and present] == []
    assert found["an unchanged array"] == (None, True, [])


@pytest.mark.parametrize("is_typed", [True, False])
def test_a_digit_beyond_those_of_a_double_is_not_cut_without_a_word(spark: Spark, is_typed: bool) -> None:
    """The value is read in two ways, as Base64 and as a text, so that it is a text."""
    number = "1234567890123456789012345678.1234567891"
    sent = wire(number, 10) if is_typed else number
    block = {
        "schema": "s", "versions": [1], "first_version": 1,
        "elements": [{"attribute": "v", "data_type": "numeric(38,10)", "entity_attribute": "v"}],
    }  # fmt: skip
    events = events_view(spark, "long_event", [("long", "x", "s", 1, "c", None, json.dumps({"v": sent}))])
    spark.session.sql(f"select * except (is_typed), {is_typed} as is_typed from {events}").createOrReplaceTempView(
        "long_typed"
    )
    for target, fits in (("decimal(38,9)", False), ("decimal(38,10)", True), ("string", True)):
        attributes = [{"name": "v", "data_type": target, "is_key": False}]
        render = Renderer(mapping_settings=lambda _schema: {"decimal.handling.mode": "string"})
        (row,) = spark.sql(render.call("mapping_entity_sql", [block], attributes, "long_typed"))
        assert row["mapping_error"] == (None if fits else f"v does not fit {target}")
        assert not fits or str(row["after"]["v"]) == number


def test_blocks_share_a_branch_where_images_are_parsed_into_the_same_fields(spark: Spark) -> None:
    """What a union of each block alone gives; in one branch for two schemas and a renamed column, another one where a type is another."""
    attributes = [{"name": name, "data_type": type_, "is_key": name == "id"} for name, type_ in (("id", "integer"), ("text", "string"))]  # fmt: skip
    sources = {
        ("shop.a", 1): ("id", "text", "text"), ("shop.a", 2): ("id", "words", "text"), ("shop.b", 1): ("number", "text", "varchar(20)"),
        ("shop.b", 2): ("number", "text", "numeric(12,2)"), ("shop.c", 5): ("id", "text", "text"),
    }  # fmt: skip
    firsts = {"shop.a": 1, "shop.b": 1, "shop.c": 4}
    blocks = [
        {
            "schema": schema, "versions": [version], "first_version": firsts[schema],
            "elements": [
                {"attribute": key, "data_type": "integer", "entity_attribute": "id"},
                {"attribute": text, "data_type": data_type, "entity_attribute": "text"},
            ],
        }
        for (schema, version), (key, text, data_type) in sources.items()
    ]  # fmt: skip
    # each event in the names of every version: those of others are nothing to the block
    images = [json.dumps({"id": 1, "number": 2, "text": "1.10", "words": "two"}), '{"id": "x", "number": "y"}', None]
    schemas = [*sources, ("shop.c", 4), ("shop.d", 1), ("shop.a", None), ("shop.c", None)]
    rows = [
        (f"{schema} {version} {op} {place}", "shop", schema, version, op, images[place - 1], images[place])
        for schema, version in schemas
        # truncates have no version
        for op in ("u" if version else "t",)
        for place in range(3)
    ]
    events, render = events_view(spark, "shared_event", rows), Renderer()
    together = render.call("mapping_entity_sql", blocks, attributes, events)
    assert together.count("union all") == 1, "numeric(12,2) has a branch of its own"
    alone = "\nunion all\n".join(render.call("mapping_entity_sql", [block], attributes, events) for block in blocks)
    assert not spark.equal(together, alone)
    truncates = spark.rows(f"select distinct schema_name from ({together}) where op = 't' and schema_version is null")
    assert truncates == [("shop.a",)], "with the first block; of shop.c that is another one"
