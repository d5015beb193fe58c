"""Records within columns as landing shows them: paths of what is inside, in JSON and in Avro, and which versions they are."""

from __future__ import annotations

import base64
import json
import os
import random
from itertools import combinations
from pathlib import Path
from typing import Any

from entrepot.mapping.connect import ConnectType, inner_types
from entrepot.mapping.paths import ancestors, quoted, same_reach
from entrepot.sql import literal
from tests.landing.recorded_formats import pulled, put
from tests.landing.records import Log
from tests.landing.test_formats import landed
from tests.registry.projects import field, record
from tests.support.render import Renderer
from tests.support.spark import Spark

POINT = "io.debezium.data.geometry.Point"


def told(column: str, type_: str, *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A field of Kafka Connect's schema."""
    return {"field": column, "type": type_} | ({"fields": list(fields)} if fields else {}) | more


ADDRESS = told(
    "address", "struct", told("city", "string"), told("a.b", "int32"),
    told("geo", "struct", told("lat", "double"), told("at", "struct", told("x", "double"), name=POINT), told("lat", "string"), name="shop.Geo"),
    name="shop.Address",
)  # fmt: skip
LINES = {
    "field": "lines",
    "type": "array",
    "items": told(
        "", "struct", told("sku", "string"), told("parts", "array", items=told("", "struct", told("n", "int32")))
    ),
}
COLUMNS = (
    told("id", "int32"),
    told("at.home", "boolean"),
    ADDRESS,
    told("place", "struct", told("x", "double"), name=POINT),
    LINES,
)
ATTRIBUTES = [
    ("id", "integer", True), ("`at.home`", "boolean", False), ("address", "shop.Address", False), ("address.city", "text", False),
    ("address.`a.b`", "integer", False), ("address.geo", "shop.Geo", False), ("address.geo.lat", "double precision", False),
    ("address.geo.at", POINT, False), ("place", POINT, False), ("lines", "struct[]", False), ("lines[].sku", "text", False),
    ("lines[].parts", "struct[]", False),
]  # fmt: skip


def change(fields: tuple[dict[str, Any], ...] | None, after: dict[str, Any]) -> str:
    """A line with one change, with the schema of its image where there is one."""
    line = json.loads(Log("shop").change("x", "c", "place", {"id": after.get("id")}, None, after).text)
    if fields is not None:
        schema = {"type": "struct", "fields": [{"type": "struct", "fields": list(fields), "field": "after"}]}
        line["value"] = json.dumps({"schema": schema, "payload": json.loads(line["value"])})
    return json.dumps(line)


def attributes(row: dict[str, Any]) -> list[tuple[str, str | None, bool]]:
    assert [one["position"] for one in row["attributes"]] == list(range(1, len(row["attributes"]) + 1))
    return [(one["attribute"], one["data_type"], one["is_key"]) for one in row["attributes"]]


def test_a_record_shows_what_is_inside_of_its_columns(spark: Spark) -> None:
    deep: dict[str, Any] = told("leaf", "string")
    for number in range(12, 0, -1):
        deep = told(f"r{number}", "struct", deep)
    after = {"id": 1, "at.home": True, "address": {"city": "Linz"}, "place": None, "lines": []}
    rows = landed(
        spark, [change(COLUMNS, after), change(None, after), change((told("id", "int32"), deep), {"id": 1, "r1": None})]
    )
    assert attributes(rows[0]) == ATTRIBUTES
    assert attributes(rows[1]) == [
        (name, None, name == "id") for name in ("id", "`at.home`", "address", "place", "lines")
    ]
    assert rows[0]["attribute_names"] == sorted(name for name, _, _ in ATTRIBUTES)
    # ten levels deep; what is deeper is one value
    assert [name for name, _, _ in attributes(rows[2])][-1] == ".".join(f"r{number}" for number in range(1, 12))


def test_the_registrys_readers_show_the_same() -> None:
    def sent(one: dict[str, Any]) -> ConnectType:
        items = one.get("items")
        return ConnectType(
            one["type"], one.get("name"), items=sent(items) if items else None,
            fields=() if one.get("name") == POINT else tuple((inner["field"], sent(inner)) for inner in one.get("fields", [])),
        )  # fmt: skip

    found = [
        name
        for one in COLUMNS
        for name in (quoted(one["field"]), *(path for path, _ in inner_types(quoted(one["field"]), sent(one))))
    ]
    # a field that is there twice is none of a registry's: its readers refuse it
    assert list(dict.fromkeys(found)) == [name for name, _, _ in ATTRIBUTES]


def test_a_record_in_avro_is_the_same_as_in_json(spark: Spark, tmp_path: Path) -> None:
    """A flattened row with a record and an array of records, in the registry's wire format, byte by byte."""
    address = {"type": "record", "name": "Address", "fields": [field("city", ["null", "string"]), field("zip", "int")]}
    line = {"type": "record", "name": "Line", "fields": [field("sku", "string")]}
    added = [
        field("__op", "string"),
        field("__lsn", "long"),
        field("__source_ts_us", "long"),
        field("__deleted", "string"),
    ]
    schema = record(
        "shop.public.place.Value",
        field("id", "int"),
        field("address", ["null", address]),
        field("lines", {"type": "array", "items": line}),
        *added,
    )
    key = record("shop.public.place.Key", field("id", "int"))
    registry = put(tmp_path, pulled(
        {"subject": "shop.public.place-value", "version": 1, "id": 95, "schema": schema},
        {"subject": "shop.public.place-key", "version": 1, "id": 96, "schema": key},
    ))  # fmt: skip
    value = [
        *whole(1), *whole(1), *whole(1), *text("Linz"), *whole(4020), *whole(1), *text("x"), *whole(0), *text("c"), *whole(7),
        *whole(1_795_620_045_939_000), *text("false"),
    ]  # fmt: skip
    message = {
        "destination": "shop.public.place",
        "encoding": "base64",
        "key": wire(96, whole(1)),
        "value": wire(95, value),
    }
    (row,) = landed(spark, [json.dumps(message)], registry)
    assert (row["kind"], row["reason"]) == ("change", None)
    assert json.loads(row["after"]) == {"id": 1, "address": {"city": "Linz", "zip": 4020}, "lines": [{"sku": "x"}]}
    assert attributes(row) == [
        ("id", "integer", True), ("address", "struct", False), ("address.city", "text", False), ("address.zip", "integer", False),
        ("lines", "struct[]", False), ("lines[].sku", "text", False),
    ]  # fmt: skip


def wire(number: int, content: list[int]) -> str:
    return base64.b64encode(bytes([0]) + number.to_bytes(4, "big") + bytes(content)).decode()


def whole(number: int) -> list[int]:
    """A whole number in Avro: zigzag, seven bits a byte."""
    rest, found = number << 1, []
    while rest > 127:
        found.append(rest & 127 | 128)
        rest >>= 7
    return [*found, rest]


def text(content: str) -> list[int]:
    return [*whole(len(content)), *content.encode()]


def reach(one: set[str], other: set[str]) -> bool:
    """Whether two sets of paths can be one version, leaf by leaf: the oracle."""

    def is_inside(path: str, whole: str) -> bool:
        return path[len(whole) :].startswith((".", "[].", "{}", "[]{}")) and path.startswith(whole)

    def covers(these: set[str], those: set[str]) -> bool:
        ends = [a for a in these if not any(is_inside(b, a) for b in these)]
        return all(
            any(a == b or is_inside(a, b) or is_inside(b, a) for a in ends)
            for b in those
            if not any(is_inside(c, b) for c in those)
        )

    return covers(one, other) and covers(other, one)


def test_versions_are_as_deep_as_both_say(spark: Spark) -> None:
    seed = int(os.environ.get("ENTREPOT_TEST_SEED") or random.SystemRandom().randint(0, 10**6))
    print(f"ENTREPOT_TEST_SEED={seed}")
    random_ = random.Random(seed)
    paths = ["a", "a.b", "a.c", "a.b.d", "ab", "ab[].x", "ab[].y", "`a.b`", "`a.b`.c", "z", "z.`q.r`", "z.q"]
    paths += ["m", "m{}", "m{}.x", "m{}.y", "m{}[].x", "ab[]{}", "`m{}`", "`m{}`{}"]
    sets = [set(random_.sample(paths, random_.randint(1, 9))) for _ in range(60)]
    # what a person adds or takes out
    sets += [one | set(ancestors(path)) for one in sets for path in one][:60]
    pairs = [
        *combinations(random_.sample(sets, 40), 2),
        *((one, one - {random_.choice(sorted(one))} or one) for one in sets),
    ]
    expected = [reach(one, other) for one, other in pairs]
    assert [same_reach(frozenset(one), frozenset(other)) for one, other in pairs] == expected
    assert 10 < sum(expected) < len(pairs) - 10
    rows = ", ".join(
        f"({number}, struct({names(one)} as attribute_names), struct({names(other)} as attribute_names))"
        for number, (one, other) in enumerate(pairs)
    )
    sql = Renderer().call("landing_same_reach", "one", "other")
    found = dict(spark.rows(f"select number, {sql} from values {rows} as t (number, one, other)"))
    assert [found[number] for number in range(len(pairs))] == expected


def names(paths: set[str]) -> str:
    return f"array({', '.join(literal(path) for path in sorted(paths))})"
