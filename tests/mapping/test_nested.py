"""Attributes inside of columns, compiled: random messages mapped by Spark and by plain Python; the SQL keeps one typed `from_json`.

ENTREPOT_NESTED_SCHEMAS says how many random schemas, ENTREPOT_TEST_SEED which.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

from tests.landing.records import Number, serialised
from tests.mapping.nested_messages import (
    Schema,
    mapped,
    random_array,
    random_elements,
    random_image,
    random_schema,
    with_a_misfit,
    written,
)
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
    for number in range(SCHEMAS):
        random_ = random.Random(f"{seed} {number}")
        schema = random_schema(random_)
        block, attributes = block_of(schema)
        rows, expected = [], {}
        for place in range(MESSAGES):
            image = random_image(schema, place, random_)
            is_broken = random_.random() < 0.06 and with_a_misfit(schema, image, random_)
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
    assert misfits or SCHEMAS < 5


def _read(text: str) -> Any:
    """What is in a text, numbers with their digits; None where it holds no JSON."""
    try:
        return json.loads(text, parse_float=Number)
    except ValueError:
        return None


def test_random_arrays_of_records_are_what_plain_python_makes_of_them(spark: Spark) -> None:
    seed = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randint(0, 10**6))
    print(f"ENTREPOT_TEST_SEED={seed} ENTREPOT_NESTED_SCHEMAS={SCHEMAS}")
    for number in range(max(SCHEMAS - 2, 1)):
        random_ = random.Random(f"{seed} arrays {number}")
        array = random_array(random_)
        elements = [{"attribute": "id", "data_type": "integer", "entity_attribute": "id"}]
        attributes = [
            {"name": "id", "data_type": "integer", "is_key": True},
            {"name": "all[].none", "data_type": "date", "is_key": False},
        ]
        for place, (path, kind) in enumerate(array.leaves.items()):
            parents = [{"attribute": written((array.column,)), "data_type": array.data_type}] if array.data_type else []
            element = {
                "attribute": array.written(path),
                "data_type": kind.data_type,
                "entity_attribute": f"all[].f{place}",
                "parents": parents,
            }
            elements.append(element)
            attributes.append({"name": f"all[].f{place}", "data_type": kind.entity_type, "is_key": False})
        rows, expected = [], {}
        for place in range(MESSAGES // 2):
            sent, wanted, is_carried = random_elements(array, random_)
            rows.append((str(place), "x", "s", 1, "u", None, serialised({"id": place, **sent})))
            expected[str(place)] = (wanted, is_carried)
        block = {"schema": "s", "versions": [1], "first_version": 1, "elements": elements}
        sql = Renderer().call(
            "mapping_entity_sql", [block], attributes, events_view(spark, f"array_event_{number}", rows)
        )
        for row in spark.sql(sql):
            wanted, is_carried = expected[row["event_id"]]
            told = (seed, number, row["event_id"], row["mapping_error"])
            found = row["after"]["all"]
            found = None if found is None else [one and one.asDict() for one in found]
            assert found == wanted, told
            assert row["mapping_error"] is None, told
            assert sorted(row["present"]) == sorted(["id", *["all"] * is_carried]), told


def test_an_element_that_does_not_fit_is_told(spark: Spark) -> None:
    parents = [{"attribute": "lines", "data_type": "struct[]"}]
    types = {
        "id": ("integer", "integer"),
        "lines[].price": ("double precision", "decimal(8,2)"),
        "lines[].n": ("bigint", "integer"),
    }
    block = {
        "schema": "s", "versions": [1], "first_version": 1,
        "elements": [{"attribute": name, "data_type": one, "entity_attribute": name, "parents": parents} for name, (one, _) in types.items()],
    }  # fmt: skip
    attributes = [{"name": name, "data_type": one, "is_key": name == "id"} for name, (_, one) in types.items()]
    images = [[{"price": 1.25, "n": 1}, None, {"price": 1.125}], [{"price": 0.5}, {}], [{"n": "x"}], "x", None]
    rows = [
        (str(place), "x", "s", 1, "c", None, json.dumps({"id": place, "lines": one}))
        for place, one in enumerate(images)
    ]
    rows.append(("d", "x", "s", 1, "d", json.dumps({"id": 7, "lines": [{"n": 1}]}), None))
    found = {
        row["event_id"]: row
        for row in spark.sql(
            Renderer().call("mapping_entity_sql", [block], attributes, events_view(spark, "line_event", rows))
        )
    }
    misfit = "an image does not fit the types of its schema version"
    assert [found[name]["mapping_error"] for name in "01234d"] == [
        "lines[].price does not fit decimal(8,2)",
        None,
        misfit,
        misfit,
        None,
        None,
    ]
    assert (found["d"]["id"], found["d"]["before"]["lines"]) == (7, None)
