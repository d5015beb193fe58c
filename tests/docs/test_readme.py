"""README's mapping example is what the macros write today; ENTREPOT_UPDATE_GOLDEN=1 writes it anew. Needs no Spark."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

from tests.support.render import ROOT, Renderer

README = ROOT / "README.md"
BEGIN, END = "<!-- generated: mapping-example -->", "<!-- /generated -->"
SCHEMA, VERSION, ENTITY = "plant.mes.equipment", "1", "equipment"
ENTITY_ATTRIBUTES = ("equipment_id", "production_line", "commissioned_on")

Row = dict[str, str]


def seed(name: str) -> list[Row]:
    """The rows of one of the mapping's seeds."""
    with (ROOT / "seeds" / "mapping" / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def example_rows() -> list[Row]:
    """Three rows of the stored block of the example."""
    rows = [
        row
        for row in seed("unique_block")
        if (row["schema"], row["version"], row["entity"]) == (SCHEMA, VERSION, ENTITY)
        and row["entity_attribute"] in ENTITY_ATTRIBUTES
    ]
    assert [row["entity_attribute"] for row in rows] == list(ENTITY_ATTRIBUTES), "the example has left the seed"
    return rows


def compiled(rows: list[Row]) -> str:
    """The SQL of a block of these elements, with the types of the two trees."""
    source_types = {
        row["attribute"]: row["data_type"]
        for row in seed("schema_attribute")
        if (row["schema"], row["version"]) == (SCHEMA, VERSION)
    }
    attributes = [
        {"name": row["entity_attribute"], "data_type": row["data_type"], "is_key": row["is_key"] == "true"}
        for row in seed("entity_attribute")
        if row["entity"] == ENTITY and row["entity_attribute"] in ENTITY_ATTRIBUTES
    ]
    elements = [
        {
            "attribute": row["attribute"],
            "entity_attribute": row["entity_attribute"],
            "data_type": source_types[row["attribute"]],
        }
        for row in rows
    ]
    block = {"schema": SCHEMA, "versions": [int(VERSION)], "first_version": int(VERSION), "elements": elements}
    sql: str = Renderer().call("mapping_entity_sql", [block], attributes, "landing.change_event")
    return sql


def shortened(sql: str) -> str:
    """The SQL with `…` for checks, for what keeps digits and is present, and for the before image, which repeats the after image."""
    cuts = (
        (r"if\(image_after is null, array\(\).*?\) as present", "… as present"),
        (r"end as image_after,\n      case .*? as image_before", "end as image_after,\n      … as image_before"),
        (r"as image_before,\n      case .*? as typed_columns", "as image_before,\n      … as typed_columns"),
        (r"if\(has_fractions is not false and after rlike .*? as image_text_after", "… as image_text_after"),
        (r"if\(has_fractions is not false and before rlike .*? as image_text_before", "… as image_text_before"),
        (r"coalesce\(\(\n.*? as half_a_character", "… as half_a_character"),
        (r"if\(\n    if\(.*? as mapping_error", "… as mapping_error"),
        (r"if\(image_before is null.*?\)\) as before", "… as before"),
        (r"try_cast\(image_before.*? as (before_\w+)\n", r"… as \1\n"),
    )
    for pattern, short in cuts:
        sql, count = re.subn(pattern, short, sql, flags=re.DOTALL)
        assert count == 1, pattern
    return sql


def example() -> str:
    """The generated part of README."""
    rows = example_rows()
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    return "\n".join(
        [BEGIN, "```csv", *lines, "```", "", "compile to", "", "```sql", shortened(compiled(rows)), "```", END]
    )


def generated_part(text: str) -> str:
    """What stands between the markers, markers included."""
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    return text[begin:end]


def test_the_mapping_example_of_the_readme_is_what_the_macros_write() -> None:
    text = Path(README).read_text()
    stored, wanted = generated_part(text), example()
    if os.environ.get("ENTREPOT_UPDATE_GOLDEN") == "1":
        README.write_text(text.replace(stored, wanted))
        stored = wanted
    assert stored == wanted, "README's example differs; ENTREPOT_UPDATE_GOLDEN=1 writes it anew"
