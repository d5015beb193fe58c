"""Records within columns from landing to histories: recognised as deep as the seed says, noticed where they change, mapped field by field."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from tests.landing.records import Log
from tests.landing.test_nested import told
from tests.project.test_generate import PARTS, STEELWORKS_SEEDS
from tests.support.dbt_case import DbtCase

pytestmark = [pytest.mark.slow, pytest.mark.long]

GEO = told("geo", "struct", told("lat", "double"))
LINES = {"field": "lines", "type": "array", "items": told("", "struct", told("sku", "string"), told("n", "int32"))}
DOCUMENT = {"field": "doc", "type": "string", "name": "io.debezium.data.Json"}
PRICES = {
    "field": "prices",
    "type": "map",
    "keys": {"type": "string"},
    "values": told("", "struct", told("net", "double")),
}
MARKS = {"field": "marks", "type": "map", "keys": {"type": "string"}, "values": told("", "string")}
BEFORE = (told("id", "int32"), told("address", "struct", told("city", "string"), GEO), DOCUMENT, LINES, PRICES, MARKS)
AFTER = (
    told("id", "int32"),
    told("address", "struct", told("city", "string"), GEO, told("country", "string")),
    DOCUMENT,
    LINES,
    PRICES,
    MARKS,
    told("open", "boolean"),
)
SCHEMA = "shop.public.place"


class Shop:
    """A project, and the file in which the changes of its one table arrive."""

    def __init__(self, case: DbtCase) -> None:
        self.case, self.log, self.lines = case, Log("shop"), list[str]()

    def put(self, op: str, after: dict[str, Any], fields: tuple[dict[str, Any], ...] | None = None) -> None:
        line = json.loads(self.log.change("x", op, "place", {"id": after["id"]}, None, after).text)
        if fields is not None:
            schema = {"type": "struct", "fields": [{"type": "struct", "fields": list(fields), "field": "after"}]}
            line["value"] = json.dumps({"schema": schema, "payload": json.loads(line["value"])})
        self.lines.append(json.dumps(line))

    def build(self) -> None:
        self.case.put("arriving/shop.jsonl", "".join(f"{line}\n" for line in self.lines))
        self.case.build()

    def entrepot(self, *arguments: str) -> str:
        place = ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]
        result = CliRunner(env={"COLUMNS": "200"}).invoke(main, [*place, *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    def seed(self, name: str, *rows: str) -> None:
        path = self.case.path / f"seeds/mapping/{name}.csv"
        path.write_text(path.read_text() + "".join(f"{row}\n" for row in rows))

    def tree(self) -> list[tuple[Any, ...]]:
        return self.case.spark.rows(
            f"select version, attribute, data_type, origin from {self.case.table('mapping', 'schema_tree')}"
        )

    def mapped(self) -> dict[int, tuple[Any, ...]]:
        rows = self.case.spark.sql(
            f"select commit_position, schema_version, after, present, mapping_error from {self.case.table('mapped', 'place')}"
        )
        return {
            place: (
                row["schema_version"],
                row["after"].asDict(recursive=True),
                sorted(row["present"]),
                row["mapping_error"],
            )
            for place, row in enumerate(sorted(rows, key=lambda row: row["commit_position"]["log_position"]))
        }


@pytest.fixture(scope="module")
def shop(module_case: Callable[..., DbtCase]) -> Shop:
    """Land a table with a record and a document, and generate its entity; then map fields of the document by hand, and let the record change."""
    case = module_case(parts=PARTS)
    for name in STEELWORKS_SEEDS:
        seed = case.path / f"seeds/mapping/{name}.csv"
        seed.write_text(seed.read_text().splitlines()[0] + "\n")
    settings = (case.path / "dbt_project.yml").read_text()
    listed = settings.partition("  entities:\n")[2].partition("  entrepot_")[0]
    settings = settings.replace(listed, "").replace(
        "landing_path: data/recorded/*/*.jsonl", f"landing_path: {case.path}/arriving/*.jsonl"
    )
    (case.path / "dbt_project.yml").write_text(settings)
    found = Shop(case)
    found.put(
        "c",
        {
            "id": 1,
            "address": {"city": "Linz", "geo": {"lat": 48.3}},
            "doc": '{"tag":"a","size":1.50}',
            "lines": [{"sku": "x", "n": 2}, {"sku": "y"}],
            "prices": {"usd": {"net": 1.5}, "eur": None, "": {}},
            "marks": {"b": "y", "a": "x"},
        },
        BEFORE,
    )
    found.put("c", {"id": 2, "address": {"city": None}, "doc": None, "lines": [], "prices": {}, "marks": {}})
    found.build()
    found.entrepot("generate", "--yes")
    found.seed(
        "schema_attribute", f"{SCHEMA},1,doc.tag,text,14,false,", f'{SCHEMA},1,doc.size,"numeric(8,2)",15,false,'
    )
    found.seed(
        "entity_attribute",
        "place,1,tag,string,false,What it is tagged with",
        'place,1,size,"decimal(8,2)",false,How large it is',
        "place,1,items,array<string>,false,All that is said of the lines",
    )
    elements = {"doc.tag": "tag", "doc.size": "size", "lines": "items"}
    found.seed("unique_block", *(f"{SCHEMA},1,place,1,{attribute},{name}" for attribute, name in elements.items()))
    docs = case.path / "docs/dbt/entities/place.md"
    docs.write_text(
        docs.read_text() + "".join(f"{{% docs place__{name} %}}x{{% enddocs %}}\n" for name in ("tag", "size", "items"))
    )
    found.put(
        "u", {"id": 1, "address": None, "doc": '{"tag":null}', "lines": None, "prices": None, "marks": None}, BEFORE
    )
    found.put(
        "u",
        {
            "id": 2,
            "address": {"city": "Wien", "country": "AT", "geo": None},
            "doc": '{"tag":"b"}',
            "lines": [{"n": 1}],
            "prices": {"eur": {"net": 2}},
            "marks": {"c": None},
            "open": True,
        },
        AFTER,
    )
    found.put(
        "u",
        {
            "id": 2,
            "address": {},
            "doc": "__debezium_unavailable_value",
            "lines": [],
            "prices": {},
            "marks": {},
            "open": False,
        },
        AFTER,
    )
    found.build()
    return found


INSIDE = [("address.city", "text"), ("address.geo", "struct"), ("address.geo.lat", "double precision")]


def test_generate_proposes_what_is_inside_of_a_record(shop: Shop) -> None:
    lines = (shop.case.path / "seeds/mapping/unique_block.csv").read_text().splitlines()
    assert [line.removeprefix(f"{SCHEMA},1,place,1,") for line in lines[1:]] == [
        "id,id", "address.city,address_city", "address.geo.lat,address_geo_lat", "doc,doc", "lines[].sku,lines[].sku", "lines[].n,lines[].n",
        "prices{}.net,prices{}.net", "marks{},marks{}", "doc.tag,tag", "doc.size,size", "lines,items",
    ]  # fmt: skip


def test_a_change_within_a_record_is_a_new_version_and_what_is_within_a_document_stays(shop: Shop) -> None:
    first = [
        ("address", "struct"),
        *INSIDE,
        ("doc", "jsonb"),
        ("doc.size", "numeric(8,2)"),
        ("doc.tag", "text"),
        ("id", "integer"),
        ("lines", "struct[]"),
        ("lines[].n", "integer"),
        ("lines[].sku", "text"),
        ("marks", "map"),
        ("marks{}", "text"),
        ("prices", "map"),
        ("prices{}.net", "double precision"),
    ]
    second = [*first, ("address.country", "text"), ("open", "boolean")]
    assert shop.tree() == sorted(
        [(1, *one, "seed") for one in first] + [(2, *one, "discovered") for one in second], key=repr
    )
    assert shop.entrepot("mapping", "review").strip() == "No block waits for a review."


def test_fields_are_mapped_and_absent_is_not_null(shop: Shop) -> None:
    def values(**told: Any) -> dict[str, Any]:
        return (
            dict.fromkeys(
                ("id", "address_city", "address_geo_lat", "doc", "items", "lines", "marks", "prices", "size", "tag")
            )
            | told
        )

    def lines(*pairs: tuple[str | None, int | None]) -> list[dict[str, Any]]:
        return [{"sku": sku, "n": n} for sku, n in pairs]

    def prices(**told: float | None) -> list[dict[str, Any]]:
        return [{"key": key, "value": net and {"net": net}} for key, net in sorted(told.items())]

    always = ["address_city", "address_geo_lat", "doc", "id", "items", "lines", "marks", "prices", "size", "tag"]
    first = values(
        id=1, address_city="Linz", address_geo_lat=48.3, doc='{"tag":"a","size":1.50}', tag="a", size=Decimal("1.50")
    )
    items = ['{"sku":"x","n":2}', '{"sku":"y"}']
    first |= {
        "items": items,
        "lines": lines(("x", 2), ("y", None)),
        "prices": [{"key": "", "value": {"net": None}}, *prices(eur=None, usd=1.5)],
        "marks": [{"key": "a", "value": "x"}, {"key": "b", "value": "y"}],
    }
    wien = values(
        id=2,
        address_city="Wien",
        doc='{"tag":"b"}',
        tag="b",
        items=['{"n":1}'],
        lines=lines((None, 1)),
        prices=prices(eur=2),
        marks=[{"key": "c", "value": None}],
    )
    none = values(id=2, items=[], lines=[], marks=[], prices=[])
    without_size = [name for name in always if name != "size"]
    assert shop.mapped() == {
        0: (1, first, always, None),
        1: (1, none, [name for name in always if name != "address_geo_lat"], None),
        2: (1, values(id=1, doc='{"tag":null}'), without_size, None),
        3: (2, wien, without_size, None),
        4: (2, none, ["id", "items", "lines", "marks", "prices"], None),
    }


def test_histories_keep_what_a_large_document_was(shop: Shop) -> None:
    """A large value that did not change is not there, nor what is inside of it: the history goes on with what was."""
    history = shop.case.table("history", "place_history")
    assert shop.case.spark.rows(f"select id, tag, address_city from {history} where dbt_valid_to is null") == [
        (1, None, None), (2, "b", "Wien"),
    ]  # fmt: skip
    query = f"select size(lines), lines[0].sku, lines[0].n, prices[2].value.net from {history} where id = 1 and is_first_version"
    assert shop.case.spark.rows(query) == [(2, "x", 2, 1.5)]
