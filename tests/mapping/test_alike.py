"""Attributes that are mapped alike in a wide entity: by one expression over arrays, to what an expression for each of them gives."""

from __future__ import annotations

import json
import os
import random
from typing import Any

from entrepot.sql.revision import revision_of
from tests.landing.records import serialised
from tests.mapping.test_block_sql import events_view
from tests.mapping.test_source_values import PLACEHOLDER, VALUES
from tests.support.render import Renderer
from tests.support.spark import Spark

SEED = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randrange(10**6))
KINDS, OF_A_KIND, EVENTS = 8, 5, 40
BLOCK = {"schema": "shop.sales.wide", "versions": [1], "first_version": 1}


def wide_table(
    random_: random.Random,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, list[Any]]]:
    """Elements and attributes of a table with some columns of some types, in any order, and the values that tests of types have of each column's."""
    values: dict[tuple[str, str], list[Any]] = {}
    for value in VALUES:
        if value.mode in (None, ""):
            values.setdefault((value.data_type, value.spark_type), []).append(value.sent)
    elements = [{"attribute": "id", "data_type": "bigint", "entity_attribute": "id"}]
    attributes = [{"name": "id", "data_type": "integer", "is_key": True}]
    sent: dict[str, list[Any]] = {"id": list(range(EVENTS))}
    kinds = random_.sample(sorted(values), KINDS)
    for number, (data_type, spark_type) in enumerate(kinds * OF_A_KIND):
        column, attribute = f"Column {number}", f"it's {number}" if number % 7 else f"_{number}"
        elements.append({"attribute": column, "data_type": data_type, "entity_attribute": attribute})
        attributes.append({
            "name": attribute, "data_type": "integer" if spark_type == "bigint" else spark_type, "is_key": False,
        })  # fmt: skip
        sent[column] = [*values[data_type, spark_type], PLACEHOLDER]
    return elements, [attributes[0], *random_.sample(attributes[1:], len(attributes) - 1)], sent


def in_any_order(sql: str) -> str:
    """A query of mapped rows, whose names of attributes and sentences are sorted: those of attributes that are mapped alike follow the others."""
    sorted_ = "array_sort(present) as present, array_sort(split(mapping_error, '; ')) as mapping_error"
    return f"select * except (present, mapping_error), {sorted_} from ({sql})"


def test_alike_or_each_alone_is_the_same(spark: Spark) -> None:
    print(f"ENTREPOT_TEST_SEED={SEED}")
    random_ = random.Random(SEED)
    elements, attributes, sent = wide_table(random_)

    def image(number: int) -> str | None:
        row = {column: random_.choice(found) for column, found in sent.items() if random_.random() < 0.95}
        return serialised(row | {"id": number}) if random_.random() < 0.9 else random_.choice([None, '{"id": "x"}'])

    rows = [
        (f"event {number}", "shop", BLOCK["schema"], 1, random_.choice("cud"), image(number), image(number))
        for number in range(EVENTS)
    ]
    events = events_view(spark, "wide_event", rows)
    spark.session.sql(
        f"select * except (is_typed), hash(event_id) % 2 = 0 as is_typed from {events}"
    ).createOrReplaceTempView("wide")
    block = BLOCK | {"elements": elements}
    alike = Renderer(mapping_wide=lambda: KINDS * OF_A_KIND).call("mapping_entity_sql", [block], attributes, "wide")
    alone = Renderer(mapping_wide=lambda: len(attributes)).call("mapping_entity_sql", [block], attributes, "wide")
    assert alike.count("alike_value_after_") > KINDS * OF_A_KIND and "alike" not in alone
    assert not spark.equal(in_any_order(alike), in_any_order(alone))
    errors = [row["mapping_error"] for row in spark.sql(alike)]
    assert any(errors) and len(errors) == EVENTS


def test_few_of_a_type_keep_expressions_of_their_own(spark: Spark) -> None:
    """Those inside of a column too, keys, and what the source does not have."""
    columns, box = [f"c{number}" for number in range(110)], {"attribute": "box", "data_type": "record"}
    elements = [
        {"attribute": "id", "data_type": "bigint", "entity_attribute": "id"},
        *({"attribute": one, "data_type": "text", "entity_attribute": one} for one in columns),
        *({"attribute": f"d{number}", "data_type": "date", "entity_attribute": f"d{number}"} for number in range(4)),
        *(
            {"attribute": f"box.f{number}", "data_type": "text", "entity_attribute": f"f{number}", "parents": [box]}
            for number in range(6)
        ),
    ]  # fmt: skip
    attributes = [
        {"name": "id", "data_type": "integer", "is_key": True},
        *({"name": one, "data_type": "string", "is_key": False} for one in columns),
        *({"name": f"d{number}", "data_type": "date", "is_key": False} for number in range(4)),
        *({"name": f"f{number}", "data_type": "string", "is_key": False} for number in range(6)),
        *({"name": f"later{number}", "data_type": "string", "is_key": False} for number in range(6)),
    ]
    row = {"id": 1, **dict.fromkeys(columns, "x"), "d1": 0, "box": {"f1": "y", "f2": None}}
    events = events_view(spark, "few", [("one", "shop", BLOCK["schema"], 1, "c", None, json.dumps(row))])
    sql = Renderer().call("mapping_entity_sql", [BLOCK | {"elements": elements}], attributes, events)
    assert "alike_value_after_1[109]" in sql and "alike_value_after_2" not in sql
    assert "cast(from_json" in sql  # f1 to f6 are inside of a column
    (found,) = spark.sql(sql)
    assert (found["mapping_error"], found["after"]["c7"], found["after"]["f1"], found["after"]["later3"]) == (
        None,
        "x",
        "y",
        None,
    )
    assert found["present"] == ["id", "d0", "d1", "d2", "d3", "f1", "f2", *columns]


def test_what_has_its_names_is_not_renamed(spark: Spark) -> None:
    """A struct of 2,000 fields is as long in SQL as its names, and Spark reads and resolves each of them."""
    columns = ["id", *(f"it's {number}" for number in range(110))]
    elements = [{"attribute": one, "data_type": "text", "entity_attribute": one} for one in columns]
    attributes = [{"name": one, "data_type": "string", "is_key": one == "id"} for one in columns]
    events = events_view(spark, "own", [("one", "shop", BLOCK["schema"], 1, "c", None, json.dumps({"it's 7": "x"}))])
    sql = Renderer().call("mapping_entity_sql", [BLOCK | {"elements": elements}], attributes, events)
    assert "cast(from_json" not in sql
    (found,) = spark.sql(sql)
    assert (found["after"]["it's 7"], found["after"]["it's 8"], found["mapping_error"]) == ("x", None, None)
    renamed = [one | {"entity_attribute": "other"} if one["attribute"] == "it's 7" else one for one in elements]
    attributes = [*attributes[:8], {"name": "other", "data_type": "string", "is_key": False}]
    sql = Renderer().call("mapping_entity_sql", [BLOCK | {"elements": renamed}], attributes, events)
    assert "cast(from_json" in sql and spark.sql(sql)[0]["after"]["other"] == "x"


def test_what_a_block_changes_is_told_from_the_sql_of_a_wide_entity_too() -> None:
    columns = [f"c{number}" for number in range(110)]
    attributes = [{"name": one, "data_type": "string", "is_key": not place} for place, one in enumerate(columns)]

    def block(versions: list[int], seventh: str) -> dict[str, Any]:
        sources = [*columns[:7], seventh, *columns[8:]]
        elements = [
            {"attribute": source, "data_type": "text", "entity_attribute": one}
            for source, one in zip(sources, columns, strict=True)
        ]
        return BLOCK | {"versions": versions, "elements": elements}

    earlier, later = (
        Renderer().call("mapping_entity_sql", blocks, attributes, "landing.change_event")
        for blocks in ([block([1, 2], "c7")], [block([1], "c7"), block([2], "renamed")])
    )
    found = revision_of(earlier, later)
    assert found and [len(rows) for rows in (found.kept, found.come, found.gone)] == [1, 1, 1]
