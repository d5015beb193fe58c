"""Random schemas with records within columns, messages of them, and their mapping in plain Python: what is inside, and whether it is there."""

from __future__ import annotations

import base64
import datetime as dt
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.landing.records import Number, serialised
from tests.mapping.test_source_values import PLACEHOLDER, wire

NAMES = [
    "a",
    "b",
    "c",
    "A",
    "B",
    "a.b",
    "it's",
    "x`y",
    "`q",
    "select",
    "k[]",
    "m{}",
    "{}n",
    "_misfit",
    "two words",
    "ä",
    "c.d.e",
    "x",
]
KINDS = ("value", "record", "text", "either")
UTC = dt.timezone.utc
Path = tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """A type of leaves.

    Attributes:
        data_type: in the source
        entity_type: in the entity
        sent: a random value in Debezium's records
        in_json: a random value in a JSON text of the source
    """

    data_type: str
    entity_type: str
    sent: Callable[[random.Random], Any]
    in_json: Callable[[random.Random], Any]


@dataclass
class Schema:
    """A random schema version.

    Attributes:
        columns: {name: its kind, one of KINDS}
        lines: {path: data_type} of columns and records that have a line in the tree
        leaves: {path: the kind of the leaf}, mapped to entity attributes of these kinds
        wholes: columns and records that are mapped as a whole, too
    """

    columns: dict[str, str] = field(default_factory=dict)
    lines: dict[Path, str] = field(default_factory=dict)
    leaves: dict[Path, Kind] = field(default_factory=dict)
    wholes: list[Path] = field(default_factory=list)

    @property
    def attributes(self) -> list[Path]:
        return [*self.leaves, *self.wholes]


def _text(random_: random.Random) -> str:
    return random_.choice(["", "x", 'it\'s "so"', "1.10", "null", "ü {[", "__d"])


def _anything(random_: random.Random) -> Any:
    return random_.choice(
        [{"z": Number("1.10"), "y": None}, [1, Number("2.50"), "x"], Number("0.10"), 7, "text 1.10", {}, True]
    )


def _cents(random_: random.Random) -> str:
    return f"{random_.randint(-99999, 99999)}.{random_.randint(0, 99):02}"


def _day(random_: random.Random) -> int:
    return random_.randint(0, 20000)


LEAVES = [
    Kind("text", "string", _text, _text),
    Kind("integer", "integer", lambda r: r.randint(-(2**31), 2**31 - 1), lambda r: r.randint(-9, 9)),
    Kind("boolean", "boolean", lambda r: r.choice([True, False]), lambda r: r.choice([True, False])),
    Kind("double precision", "double", lambda r: r.choice([0.5, -3.25, 1e300]), lambda r: r.choice([0.5, 7, -1e-7])),
    Kind("numeric(12,2)", "decimal(12,2)", lambda r: wire(_cents(r), 2), lambda r: Number(_cents(r))),
    Kind("date", "date", _day, lambda r: (dt.date(1970, 1, 1) + dt.timedelta(_day(r))).isoformat()),
    Kind("timestamptz", "timestamp", lambda r: "2026-01-02T03:04:05.5Z", lambda r: "2026-01-02T04:04:05+01:00"),
    Kind("jsonb", "json", _anything, _anything),
]


def random_schema(random_: random.Random) -> Schema:
    """Draw a schema; its first column is the key."""
    found = Schema({"id": "value"}, {("id",): "integer"}, {("id",): LEAVES[1]})
    for name in random_.sample(NAMES, random_.randint(2, 5)):
        kind = random_.choice(KINDS)
        found.columns[name] = kind
        if kind == "value":
            found.leaves[name,] = random_.choice(LEAVES)
            continue
        if kind != "either" or random_.random() < 0.3:
            found.lines[name,] = {
                "record": "struct",
                "text": random_.choice(["jsonb", "json", "varchar(99)"]),
                "either": "hstore",
            }[kind]
            _perhaps_whole(found, (name,), random_)
        _fill(found, (name,), random_, 0)
    return found


def _fill(schema: Schema, above: Path, random_: random.Random, depth: int) -> None:
    for name in random_.sample(NAMES, random_.randint(1, 4 - depth)):
        path = (*above, name)
        if depth < 2 and random_.random() < 0.35:
            if random_.random() < 0.5:
                schema.lines[path] = "struct"
                _perhaps_whole(schema, path, random_)
            _fill(schema, path, random_, depth + 1)
        else:
            schema.leaves[path] = random_.choice(LEAVES)


def _perhaps_whole(schema: Schema, path: Path, random_: random.Random) -> None:
    if random_.random() < 0.4:
        schema.wholes.append(path)


def random_image(schema: Schema, number: int, random_: random.Random) -> dict[str, Any]:
    """Draw an image; its columns are all there, what is inside of them need not be."""
    image: dict[str, Any] = {}
    for name, kind in schema.columns.items():
        if name == "id":
            image[name] = number
        elif random_.random() < 0.12:
            image[name] = None
        elif kind == "value":
            image[name] = schema.leaves[name,].sent(random_)
        else:
            record = _record(schema, (name,), kind == "text", random_)
            is_text = kind == "text" or (kind == "either" and random_.random() < 0.5)
            image[name] = _as_text(record, random_) if is_text else record
    return image


def _as_text(record: Any, random_: random.Random) -> str:
    return random_.choice([PLACEHOLDER, "null"]) if random_.random() < 0.1 else serialised(record)


def _record(schema: Schema, above: Path, in_json: bool, random_: random.Random) -> dict[str, Any]:
    names = dict.fromkeys(
        path[len(above)] for path in schema.leaves if path[: len(above)] == above and len(path) > len(above)
    )
    found: dict[str, Any] = {"unknown": Number("1.50")} if random_.random() < 0.2 else {}
    for name in names:
        path, chance = (*above, name), random_.random()
        if chance < 0.15:
            continue
        if chance < 0.3:
            found[name] = None
        elif path in schema.leaves:
            kind = schema.leaves[path]
            found[name] = (kind.in_json if in_json else kind.sent)(random_)
        else:
            found[name] = _record(schema, path, in_json, random_)
    return found


def with_a_misfit(schema: Schema, image: dict[str, Any], random_: random.Random) -> bool:
    """Put a text in the place of a whole number, where there is one inside of a record; return whether there was."""
    for path, kind in random_.sample(sorted(schema.leaves.items(), key=repr), len(schema.leaves)):
        record: Any = image
        for name in path[:-1]:
            record = record.get(name) if isinstance(record, dict) else None
        if (
            kind.data_type == "integer"
            and len(path) > 1
            and isinstance(record, dict)
            and record.get(path[-1]) is not None
        ):
            record[path[-1]] = "seven"
            return True
    return False


def mapped(schema: Schema, image: dict[str, Any], texts: dict[str, Any]) -> Iterator[tuple[Path, bool, Any]]:
    """Yield what becomes of each attribute: its path, whether the image carries it, its value as the entity has it.

    Args:
        schema: the schema
        image: the image
        texts: {column: what is in its text} of those columns that hold JSON in a text
    """
    for path in schema.attributes:
        value: Any = image
        carried = True
        for place, name in enumerate(path):
            if value is None:
                break
            if not isinstance(value, dict) or name not in value:
                carried, value = False, None
                break
            value = value[name]
            if (
                place == 0
                and isinstance(value, str)
                and (len(path) > 1 or value == PLACEHOLDER)
                and schema.columns[name] != "value"
            ):
                carried, value = value != PLACEHOLDER, texts.get(name)
        kind = schema.leaves.get(path)
        yield path, carried, None if value is None else as_entity(kind.entity_type, value) if kind else as_text(value)


def as_text(value: Any) -> str:
    """The text of a value that is kept as it came; Spark writes letters as themselves."""
    if isinstance(value, str) and not isinstance(value, Number):
        return value
    return re.sub(r"\\u00[89a-f][0-9a-f]", lambda escape: json.loads(f'"{escape[0]}"'), serialised(value))


def as_entity(entity_type: str, value: Any) -> Any:
    """A value in the entity's type."""
    if entity_type == "json":
        return as_text(value)
    if entity_type == "decimal(12,2)":
        return Decimal(value[1:]) if isinstance(value, Number) else _unscaled(value)
    if entity_type == "double":
        return float(value[1:] if isinstance(value, Number) else value)
    if entity_type == "date":
        return dt.date(1970, 1, 1) + dt.timedelta(value) if isinstance(value, int) else dt.date.fromisoformat(value)
    if entity_type == "timestamp":
        return (
            dt.datetime.fromisoformat(value.replace("Z", "+00:00").replace(".5+", ".500+"))
            .astimezone(UTC)
            .replace(tzinfo=None)
        )
    return value


def _unscaled(text: str) -> Decimal:
    return Decimal(int.from_bytes(base64.b64decode(text), "big", signed=True)).scaleb(-2)


def written(path: Path) -> str:
    """A path as the seed has it."""
    return ".".join(
        f"`{name.replace('`', '``')}`"
        if "." in name or "{}" in name or name.startswith("`") or name.endswith("[]")
        else name
        for name in path
    )
