"""Attributes inside of columns, compiled: random messages mapped by Spark and by plain Python; the SQL keeps one typed `from_json`.

ENTREPOT_NESTED_SCHEMAS says how many random schemas, ENTREPOT_TEST_SEED which.
"""

from __future__ import annotations

import json
import os
import random
from decimal import Decimal
from itertools import count
from typing import Any

import jsonschema

from entrepot.mapping.json_schema import message_schema
from entrepot.mapping.trees import EntityAttribute
from tests.landing.records import Number, serialised
from tests.mapping.nested_messages import (
    Schema,
    mapped,
    random_image,
    random_schema,
    with_a_misfit,
    written,
)
from tests.mapping.repeated_messages import random_column, random_value
from tests.mapping.test_block_sql import events_view
from tests.support.render import Renderer
from tests.support.spark import Spark

SCHEMAS = int(os.environ.get("ENTREPOT_NESTED_SCHEMAS") or 5)
MESSAGES = 80


def block_of(schema: Schema) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block that maps everything of a schema, and the attributes of its entity: e0, e1 … in the order of the schema's attributes."""
    elements, attributes = [], []
    for number, path in enumerate(schema.attributes):
        kind = schema.leaves.get(path)
        data_type = kind.data_type if kind else schema.lines[path]
        element = {"attribute": written(path), "data_type": data_type, "entity_attribute": f"e{number}"}
        above = [path[:end] for end in range(1, len(path)) if path[:end] in schema.lines]
        if above:
            element["parents"] = [{"attribute": written(one), "data_type": schema.lines[one]} for one in above]
        elements.append(element)
        attributes.append(
            {"name": f"e{number}", "data_type": kind.entity_type if kind else "json", "is_key": number == 0}
        )
    return {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}, attributes


def test_random_messages_are_what_plain_python_makes_of_them(spark: Spark) -> None:
    seed = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randint(0, 10**6))
    print(f"ENTREPOT_TEST_SEED={seed} ENTREPOT_NESTED_SCHEMAS={SCHEMAS}")
    misfits = 0
    for number in count():
        # one schema in three has no whole number inside of a record, in whose place a text could be
        if number >= SCHEMAS and misfits:
            break
        random_ = random.Random(f"{seed} {number}")
        schema = random_schema(random_)
        block, attributes = block_of(schema)
        rows, expected = [], {}
        for place in range(MESSAGES):
            image = random_image(schema, place, random_)
            is_broken = (not misfits or random_.random() < 0.06) and with_a_misfit(schema, image, random_)
            text = serialised(image)
            inside = {name: _read(value) for name, value in image.items() if isinstance(value, str)}
            rows.append((str(place), "x", "s", 1, "u", None, text))
            expected[str(place)] = None if is_broken else list(mapped(schema, image, inside))
            misfits += is_broken
        sql = Renderer().call(
            "mapping_entity_sql", [block], attributes, events_view(spark, f"nested_event_{number}", rows)
        )
        found = {row["event_id"]: row for row in spark.sql(sql)}
        for name, values in expected.items():
            row, told = found[name], (seed, number, name)
            if values is None:
                assert row["mapping_error"], told
                continue
            assert row["mapping_error"] is None, (*told, row["mapping_error"])
            after = {written(path): row["after"][f"e{place}"] for place, path in enumerate(schema.attributes)}
            assert after == {written(path): value for path, _, value in values}, told
            carried = {written(path) for place, path in enumerate(schema.attributes) if f"e{place}" in row["present"]}
            assert carried == {written(path) for path, is_there, _ in values if is_there}, told


def _read(text: str) -> Any:
    """What is in a text, numbers with their digits; None where it holds no JSON."""
    try:
        return json.loads(text, parse_float=Number)
    except ValueError:
        return None


def test_random_arrays_and_maps_are_what_plain_python_makes_of_them(spark: Spark) -> None:
    """Arrays of records, maps of values and of records, within each other; keys of maps stay as they are."""
    seed = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randint(0, 10**6))
    print(f"ENTREPOT_TEST_SEED={seed} ENTREPOT_NESTED_SCHEMAS={SCHEMAS}")
    for number in range(SCHEMAS):
        random_ = random.Random(f"{seed} arrays {number}")
        column = random_column(random_)
        parents = [{"attribute": written((column.name,)), "data_type": column.data_type}] if column.data_type else []
        elements: list[dict[str, Any]] = [{"attribute": "id", "data_type": "integer", "entity_attribute": "id"}]
        attributes = [{"name": "id", "data_type": "integer", "is_key": True}]
        for path, name, kind in column.leaves():
            elements.append(
                {"attribute": path, "data_type": kind.data_type, "entity_attribute": name, "parents": parents}
            )
            attributes.append({"name": name, "data_type": kind.entity_type, "is_key": False})
        random_.shuffle(elements)
        rows, expected = [], {}
        for place in range(MESSAGES // 2):
            sent, wanted, is_carried = random_value(column, random_)
            rows.append((str(place), "x", "s", 1, "u", None, serialised({"id": place, **sent})))
            expected[str(place)] = (wanted, is_carried)
        block = {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}
        sql = Renderer().call(
            "mapping_entity_sql", [block], attributes, events_view(spark, f"array_event_{number}", rows)
        )
        for row in spark.sql(sql):
            wanted, is_carried = expected[row["event_id"]]
            told = (seed, number, row["event_id"], row["mapping_error"])
            assert row["after"].asDict(recursive=True)["all"] == wanted, told
            assert row["mapping_error"] is None, told
            assert sorted(row["present"]) == sorted(["id", *["all"] * is_carried]), told


def test_an_element_that_does_not_fit_is_told(spark: Spark) -> None:
    """Of arrays and of maps; nothing is lost in silence."""
    types = {
        "id": ("integer", "integer"),
        "lines[].price": ("double precision", "decimal(8,2)"),
        "lines[].n": ("bigint", "integer"),
        "prices{}": ("double precision", "decimal(8,2)"),
        "taxes{}.n": ("bigint", "integer"),
        "taxes{}.of{}": ("text", "integer"),
    }
    parents = [{"attribute": "lines", "data_type": "struct[]"}, {"attribute": "prices", "data_type": "map"}]
    block = {
        "schema": "s", "versions": [1], "first_version": 1,
        "elements": [{"attribute": name, "data_type": one, "entity_attribute": name, "parents": parents} for name, (one, _) in types.items()],
    }  # fmt: skip
    attributes = [{"name": name, "data_type": one, "is_key": name == "id"} for name, (_, one) in types.items()]
    misfit = "an image does not fit the types of its schema version"
    in_taxes = "taxes does not fit the types of what is in it"
    cases: list[tuple[str, str | None]] = [
        ('"lines": [{"price": 1.25, "n": 1}, null, {"price": 1.125}]', "lines[].price does not fit decimal(8,2)"),
        ('"lines": [{"price": 0.5}, {}]', None),
        ('"lines": [{"n": "x"}]', misfit),
        ('"lines": "x"', f"{misfit}: lines"),
        ('"lines": null', None),
        ('"prices": {"b": 1.25, "a": null, "": 0.5}', None),
        ('"prices": {}', None),
        ('"prices": null', None),
        ('"prices": {"b": 1.25, "a": 1.125}', "prices{} does not fit decimal(8,2)"),
        ('"prices": {"b": 1, "a": "x"}', "prices{} does not fit decimal(8,2)"),
        ('"prices": {"b": 1, "c": 2, "b": 1}', "prices{} has a key twice"),
        # how Kafka Connect writes a map whose keys are no texts
        ('"prices": [["b", 1.25]]', misfit),
        ('"taxes": [[1, {"n": 1}]]', in_taxes),
        ('"taxes": {"a": {"n": 1}, "b": 7}', in_taxes),
        ('"taxes": {"a": {"n": "x"}}', in_taxes),
        ('"taxes": {"a": {"of": {"x": "7", "x": "8"}}}', "taxes{}.of{} has a key twice"),
        ('"taxes": {"a": null, "b": {"of": {"y": "x", "z": "7"}}}', "taxes{}.of{} does not fit bigint"),
        ('"taxes": {"b": null, "a": {"of": {"z": "7", "y": null}, "n": 7}, "c": {}}', None),
    ]
    rows = [(str(place), "x", "s", 1, "c", None, f'{{"id": {place}, {text}}}') for place, (text, _) in enumerate(cases)]
    rows.append(("d", "x", "s", 1, "d", '{"id": 7, "lines": [{"n": 1}], "prices": {"a": 1}}', None))
    sql = Renderer().call("mapping_entity_sql", [block], attributes, events_view(spark, "line_event", rows))
    found = {row["event_id"]: row for row in spark.sql(f"select *, to_json(after) as sent from ({sql})")}
    assert [(text, found[str(place)]["mapping_error"]) for place, (text, _) in enumerate(cases)] == cases
    assert (found["d"]["id"], found["d"]["before"]["lines"], found["d"]["before"]["prices"]) == (7, None, None)
    after = {text: found[str(place)]["after"].asDict(recursive=True) for place, (text, _) in enumerate(cases)}
    assert [after[cases[place][0]]["prices"] for place in (5, 6, 7, 10)] == [
        [{"key": "", "value": Decimal("0.50")}, {"key": "a", "value": None}, {"key": "b", "value": Decimal("1.25")}], [], None, None,
    ]  # fmt: skip
    schema = message_schema("e", 1, [EntityAttribute(**one, description="") for one in attributes])["$defs"]["image"]
    for row in found.values():
        jsonschema.validate(json.loads(row["sent"] or "{}"), schema)
    assert after[cases[-1][0]]["taxes"] == [
        {"key": "a", "value": {"n": 7, "of": [{"key": "y", "value": None}, {"key": "z", "value": 7}]}},
        {"key": "b", "value": None},
        {"key": "c", "value": {"n": None, "of": None}},
    ]
