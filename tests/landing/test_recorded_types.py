"""Every value of every PostgreSQL type, as a real Debezium sent it under its settings, is what PostgreSQL says it is, or null.

`recorded_types/README.md` says what Debezium itself loses: `debezium_loses` has those cases, and nothing else may differ.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.landing.recorded_types.values import RUNS
from tests.support.render import Renderer
from tests.support.spark import Spark

FOLDER = Path(__file__).parent / "recorded_types"
EXPECTED: dict[str, dict[str, str | None]] = json.loads((FOLDER / "expected.json").read_text())
COLUMNS: dict[str, str] = json.loads((FOLDER / "columns.json").read_text())
# the domains, and the types that only their owners know
BASE_TYPES = {"price": "numeric(10,2)", "quantity": "integer", "label": "text", "measure": "numeric(60,20)"}
SETTINGS = ("decimal.handling.mode", "time.precision.mode", "binary.handling.mode")
PLACEHOLDER = "__debezium_unavailable_value"


@dataclass(frozen=True)
class Sent:
    """One value as it was sent: by which run, of which row and column, and its JSON as it stands in the record."""

    run: str
    typed: bool
    op: str
    row: str
    column: str
    data_type: str
    value: Any

    @property
    def expected(self) -> str | None:
        return EXPECTED[self.row][self.column]


class Group(NamedTuple):
    """What values have in common that are read by one piece of SQL."""

    data_type: str
    settings: tuple[tuple[str, str], ...]
    typed: bool


def records(run: str, form: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The (envelope, embedded schema) of the changes of one recording that have an image after them."""
    with gzip.open(FOLDER / f"{run}_{form}.jsonl.gz", "rt") as file:
        for line in file:
            value = json.loads(line)["value"]
            value = value and json.loads(value, parse_float=Exact, parse_int=Exact)
            envelope = value["payload"] if value and "payload" in value else value
            if envelope and envelope.get("after"):
                yield envelope, value.get("schema", {})


class Exact(str):
    """A number as it is written."""


def dumped(value: Any) -> str:
    """JSON with numbers as they were written."""
    if isinstance(value, Exact):
        return str.__str__(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{dumped(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dumped(inner) for inner in value) + "]"
    return json.dumps(value)


@pytest.fixture(scope="module")
def sent(spark: Spark) -> list[Sent]:
    """All values of all recordings, with the type that the record or the database gives them."""
    found, fields = [], {}
    for run in RUNS:
        for form in ("plain", "schema"):
            for envelope, schema in records(run, form):
                after = envelope["after"]
                if schema:
                    image = next(field for field in schema["fields"] if field["field"] == "after")
                    types = {field["field"]: json.dumps(_told(field)) for field in image["fields"]}
                    fields |= dict.fromkeys(types.values())
                else:
                    types = {
                        column: BASE_TYPES.get(COLUMNS[column], COLUMNS[column])
                        for column in after
                        if column in COLUMNS
                    }
                row = after["id"]
                found += [
                    Sent(run, bool(schema), envelope["op"], row, column, types[column], value)
                    for column, value in after.items()
                    if column in EXPECTED[row] and column != "changed"
                ]
    spark.session.createDataFrame([(field,) for field in fields], "field string").createOrReplaceTempView("told_field")
    one = "type: string, name: string, parameters: map<string,string>"
    parsed = f"struct<{one}, items: struct<{one}>>"
    macro = Renderer().call("landing_source_type", "told")
    told = dict(
        spark.rows(f"select field, {macro} from (select field, from_json(field, '{parsed}') as told from told_field)")
    )
    return [Sent(**(vars(one) | {"data_type": told[one.data_type]})) if one.typed else one for one in found]


def _told(field: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in field.items() if key in ("type", "name", "parameters", "items")}


def read(spark: Spark, sent: list[Sent]) -> list[tuple[Sent, str | None]]:
    """What the macros make of the values, as text; each piece of SQL reads the values that it is for."""
    render = Renderer()
    groups: dict[Group, dict[str, list[Sent]]] = {}
    for one in sent:
        settings = () if one.typed else tuple((name, RUNS[one.run][name]) for name in SETTINGS)
        groups.setdefault(Group(one.data_type, settings, one.typed), {}).setdefault(
            dumped({"f": one.value}), []
        ).append(one)
    pieces: dict[tuple[str, str, bool], dict[str, list[Sent]]] = {}
    for group, documents in groups.items():
        source = render.call("mapping_source_value", group.data_type, "image.f", dict(group.settings))
        as_text = render.call("mapping_cast", source, "string") if source["kind"] == "array" else source["value"]
        value = render.call("mapping_unless_placeholder", source, as_text)
        show = "if(typeof({0}) = 'binary', lower(hex({0})), cast({0} as string))"
        piece = (show.format(value), f"{source['json']} {source['marked']}", group.typed)
        for document, ones in documents.items():
            pieces.setdefault(piece, {}).setdefault(document, []).extend(ones)
    rows = [(number, document) for number, documents in enumerate(pieces.values()) for document in documents]
    spark.session.createDataFrame(rows, "piece int, document string").createOrReplaceTempView("recorded_value")
    selects = []
    for number, (show, parse, typed) in enumerate(pieces):
        json_type, marked = parse.rsplit(" ", 1)
        document = render.call("landing_numbers_as_text", "document", marked == "True")
        selects.append(
            f"select piece, document, {show} from (select *, from_json({document}, 'f {json_type}') as image, "
            f"{'true' if typed else 'false'} as is_typed from recorded_value where piece = {number})"
        )
    found: dict[int, str | None] = {}
    documents = list(pieces.values())
    for piece, document, text in spark.rows_of(selects):
        found |= dict.fromkeys(map(id, documents[piece][document]), text)
    return [(one, found[id(one)]) for one in sent]


def test_values_are_what_postgresql_says(spark: Spark, sent: list[Sent]) -> None:
    wrong = [
        (one, one.expected, text)
        for one, text in read(spark, sent)
        if not debezium_loses(one) and not is_right(one, text)
    ]
    assert wrong == []
    assert len(sent) == 37_228


def is_right(one: Sent, text: str | None) -> bool:
    """Whether a value is what PostgreSQL says, or null where it was sent as null or cannot be told in its Spark type."""
    expected = one.expected
    if one.value is None or expected is None:
        return text is None
    if is_placeholder(one.value):
        return text is None
    if one.data_type.endswith("[]"):
        return is_right_array(one, text)
    return is_right_text(one, COLUMNS[one.column], expected, text)


def is_placeholder(value: Any) -> bool:
    """Whether Debezium has sent its word for a large value that did not change."""
    codes = [str(ord(letter)) for letter in PLACEHOLDER]
    encoded = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="
    texts = (PLACEHOLDER, encoded, json.dumps({PLACEHOLDER: PLACEHOLDER}, separators=(",", ":")))
    return value in (*texts, {PLACEHOLDER: PLACEHOLDER}) or (
        isinstance(value, list) and value in ([PLACEHOLDER], [encoded], codes, ["b68a35a7-17ad-35b3-af2a-ae46edb4545a"])
    )


def is_right_array(one: Sent, text: str | None) -> bool:
    """The same for an array, element by element; PostgreSQL's to_json says what they are."""
    assert one.expected is not None
    wanted = json.loads(one.expected, parse_float=str, parse_int=str, parse_constant=str)
    found = None if text is None else json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    if found is None or len(found) != len(wanted):
        return False
    element = COLUMNS[one.column].removesuffix("[]")
    for want, have in zip(wanted, found, strict=True):
        if want is None:
            right = have is None or (element == "jsonb" and have == "null")  # to_json tells no difference
        else:
            want = want if isinstance(want, str) else json.dumps(want)
            right = is_right_text(
                one, element, _plain(element, want), None if have is None else _plain(element, str(have))
            )
        if not right:
            return False
    return True


def _plain(element: str, text: str) -> str:
    """An element as PostgreSQL and Spark write it outside of JSON."""
    if element.startswith("timestamp"):
        return re.sub(r"Z$|[+]00:00(?= BC|$)", "", text.replace("T", " "))
    return text


def is_right_text(one: Sent, data_type: str, expected: str, text: str | None) -> bool:
    """The same for a single value of a PostgreSQL type, by what the type is."""
    data_type = BASE_TYPES.get(data_type, data_type)
    base = re.sub(" *[(].*[)]", "", data_type)
    mode = RUNS[one.run]
    if base in ("real", "double precision"):
        return text is not None and _float(base, text) == _float(base, expected)
    if base in ("numeric", "money"):
        number = expected.replace("$", "").replace(",", "")
        if one.data_type.removesuffix("[]") in ("text", "double precision") and number in (
            "NaN",
            "Infinity",
            "-Infinity",
        ):
            return text in (one.value, number)  # the record itself says that it is text, or a double
        if number in ("NaN", "Infinity", "-Infinity"):
            return text is None
        if mode["decimal.handling.mode"] == "double":  # it sends a double; what that says is right
            return float(text) == float(number) if text is not None else abs(float(number)) >= 1e100
        # more than 38 digits cannot be told from Base64
        too_long = (
            len(number.lstrip("-").replace(".", "").lstrip("0")) > 38 and mode["decimal.handling.mode"] == "precise"
        )
        return text is None if too_long else text is not None and Decimal(text) == Decimal(number)
    if base == "boolean" or data_type == "bit(1)":
        return text == {"t": "true", "f": "false", "1": "true", "0": "false"}.get(expected, expected)
    if base in ("date", "timestamp without time zone", "timestamp with time zone"):
        if "infinity" in expected or "BC" in expected or len(expected.split("-")[0]) > 4:
            return text is None
        if base == "timestamp without time zone" and mode["time.precision.mode"] == "connect":
            expected = re.sub(r"([.][0-9]{3})[0-9]*$", r"\1", expected)
        return text == re.sub(r"[+]00$", "", re.sub(r"([.][0-9]*?)0+(?=$|[+])", r"\1", expected))
    if base == "time without time zone":
        digits = 3 if mode["time.precision.mode"] == "connect" or one.data_type.endswith("[]") else 6
        whole, _, fraction = expected.partition(".")
        return text == f"{whole}.{fraction[:digits].ljust(6, '0')}"
    if base == "bytea":
        # a text, says the record, and so it is one
        return text == (
            one.value if one.data_type == "text" else expected.removeprefix("\\x")
        ) or one.data_type.endswith("[]")
    if base in ("bit", "bit varying"):
        # of a record's own type nobody can tell its length: it stays as it came
        return text == (one.value if one.data_type == "io.debezium.data.Bits" or base == "bit varying" else expected)
    if base in ("hstore", "point") and not one.data_type.endswith("[]"):
        sent = one.value if isinstance(one.value, str) else dumped(one.value)
        return text is not None and json.loads(text) == json.loads(expected if base == "hstore" else sent)
    if base in ("interval", "time with time zone", "tstzrange") or not isinstance(one.value, str):
        return text == one.value or one.data_type.endswith("[]")
    return text is not None and text.rstrip(" ") == expected.rstrip(" ")


def _float(base: str, text: str) -> str:
    number = float(text)
    return repr(struct.unpack("f", struct.pack("f", number))[0] if base == "real" and math.isfinite(number) else number)


# with include.unknown.datatypes they come as Base64 of their text
UNKNOWN = {
    "pg_lsn",
    "circle",
    "line",
    "box",
    "polygon",
    "pair",
    "tsquery",
    "jsonpath",
    "int4multirange",
    "regclass",
    "price[]",
}


def debezium_loses(one: Sent) -> bool:
    """Whether a value has become another one before it was sent, in the ways that recorded_types/README.md tells."""
    data_type, expected = COLUMNS[one.column], one.expected or ""
    is_array = data_type.endswith("[]")
    before_1583 = "BC" in expected or re.search("(^|[^0-9])(0[0-9]{3}|1[0-4][0-9]{2}|15[0-7][0-9]|158[0-2])-", expected)
    return (
        (data_type in UNKNOWN and RUNS[one.run]["include.unknown.datatypes"] == "true")
        or (data_type == "numeric(5,-2)" and expected != "0")
        or (data_type.startswith("time ") and is_array and "24:00" in expected)
        or (
            data_type.startswith("time") and "24:00" in expected and RUNS[one.run]["time.precision.mode"] == "isostring"
        )
        or (data_type == "date" and one.op == "r" and bool(before_1583))
        or (data_type.startswith(("date", "timestamp")) and is_array and (bool(before_1583) or "infinity" in expected))
        or (is_array and expected.startswith("[["))
    )
