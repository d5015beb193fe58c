"""Arrays and maps in what is written of an entity: columns, in messages' JSON Schema and in generated files."""

from __future__ import annotations

import jsonschema
import pytest
import yaml

from entrepot.mapping.files import docs_blocks, history_yaml, mapped_yaml
from entrepot.mapping.json_schema import message_schema
from entrepot.mapping.trees import Entity, EntityAttribute

ATTRIBUTES = (
    EntityAttribute("id", "integer", True, "Number"),
    EntityAttribute("lines[].item_code", "string", False, "Which item"),
    EntityAttribute("name", "string", False, "Name"),
    EntityAttribute("lines[].price", "decimal(12,2)", False, "What one costs"),
    EntityAttribute("lines[].tags{}", "string", False, "What is said of it"),
    EntityAttribute("taxes{}.rate", "decimal(5,2)", False, "Which part of the price"),
)
ENTITY = Entity("order", 1, ATTRIBUTES, ("shop.order",))


@pytest.mark.parametrize(
    ("lines", "is_valid"),
    [
        ([{"item_code": "x", "price": 1.5}, {"item_code": "y"}, {}, None], True),
        ([], True),
        (["x"], False),
        ([{"sku": "x"}], False),
        ({"item_code": "x"}, False),
        ([{"tags": [{"key": "", "value": "new"}, {"key": "b"}]}], True),
        ([{"tags": [{"value": "new"}]}], False),
        ([{"tags": [{"key": "a", "value": 1}]}], False),
        ([{"tags": {"a": "new"}}], False),
    ],
)
def test_messages_have_what_is_in_an_element(lines: object, is_valid: bool) -> None:
    schema = message_schema("order", 1, ATTRIBUTES)
    source = {"system": "shop", "schema": "shop.order", "event_id": "x", "committed_at": "2026-01-01T00:00:00.000000Z"}
    source |= {"log_commit": 1, "log_position": 1, "log_serial": 1}
    message = {"entity": "order", "entity_version": 1, "op": "c", "after": {"id": 1, "lines": lines}, "source": source}
    assert jsonschema.Draft202012Validator(schema).is_valid(message) == is_valid
    assert schema["properties"]["nulls"]["items"]["enum"] == ["id", "lines", "name", "taxes"]


def test_files_have_one_column() -> None:
    image = yaml.safe_load(mapped_yaml(ENTITY))["models"][0]["columns"][-3]
    array = "array<struct<item_code:string,price:decimal(12,2),tags:array<struct<key:string,value:string>>>>"
    assert image["name"] == "after" and f"lines:{array}" in image["data_type"].replace(" ", "")
    columns = {one["name"]: one["data_type"] for one in yaml.safe_load(history_yaml(ENTITY))["snapshots"][0]["columns"]}
    assert columns["taxes"] == "array<struct<key:string,value:struct<rate:decimal(5,2)>>>"
    assert columns["lines"] == array and "lines[].price" not in columns
    assert (
        "{% docs order__lines %}\nitem_code: Which item; price: What one costs; tags{}: What is said of it.\n{% enddocs %}"
        in docs_blocks(ENTITY)
    )
