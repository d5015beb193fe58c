"""Random columns with arrays and maps within each other, messages of them, and their mapping in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.landing.records import serialised
from tests.mapping.nested_messages import LEAVES, NAMES, Kind, Path, as_entity, written
from tests.mapping.test_source_values import PLACEHOLDER

KEYS = [
    "",
    "a",
    "B",
    "a.b",
    "it's",
    'so "it" is',
    "ä",
    "🌟",
    "7",
    "1.50",
    "`q",
    "two words",
    "null",
    "key",
    "\\",
    "{}",
    "__d",
]
TYPES = {"[]": ["struct[]", "jsonb", ""], "{}": ["map", "hstore", "jsonb", "struct", ""]}


@dataclass
class Part:
    """A random value: a leaf, a record, or an array (`[]`) or map (`{}`) of another part.

    Attributes:
        kind: of a leaf
        repeats: of an array or a map
        value: what is in each of it
        fields: of a record, {path in the source: (name in the entity, what is there)}
    """

    kind: Kind | None = None
    repeats: str = ""
    value: Part | None = None
    fields: dict[Path, tuple[str, Part]] = field(default_factory=dict)

    def leaves(self, source: str, entity: str) -> Iterator[tuple[str, str, Kind]]:
        """Each leaf: its path in the source, the entity's attribute, its kind."""
        if self.kind:
            yield source, entity, self.kind
        elif self.value:
            yield from self.value.leaves(source + self.repeats, entity + self.repeats)
        for path, (name, part) in self.fields.items():
            yield from part.leaves(f"{source}.{written(path)}", f"{entity}.{name}")


@dataclass
class Column:
    """A random column of a source, an array or a map.

    Attributes:
        name: its name
        data_type: of its line in the tree; empty where it has none
        part: what it holds
    """

    name: str
    data_type: str
    part: Part

    def leaves(self) -> list[tuple[str, str, Kind]]:
        """Each leaf, in any order that the seed may have: its path, the attribute of the entity's column `all`, its kind."""
        return list(self.part.leaves(written((self.name,)), "all"))


def random_column(random_: random.Random) -> Column:
    """Draw one, with leaves that need their numbers in marks beside such that do not."""
    repeats = random_.choice(["[]", "{}"])
    return Column(
        random_.choice(["lines", "a", "a.b", "m{}"]), random_.choice(TYPES[repeats]), _repeated(repeats, random_, 0)
    )


def _repeated(repeats: str, random_: random.Random, depth: int) -> Part:
    chance = random_.random()
    # arrays of arrays, and of plain values, are mapped as a whole
    if depth < 2 and chance < 0.15:
        return Part(
            repeats=repeats,
            value=_repeated("{}" if repeats == "[]" else random_.choice(["[]", "{}"]), random_, depth + 1),
        )
    if repeats == "{}" and chance < 0.45:
        return Part(repeats=repeats, value=Part(random_.choice(LEAVES)))
    return Part(repeats=repeats, value=_record(random_, depth))


def _record(random_: random.Random, depth: int) -> Part:
    fields: dict[Path, tuple[str, Part]] = {}
    for name in random_.sample(NAMES, random_.randint(1, 4 - depth)):
        inside = random_.sample(NAMES, 2) if random_.random() < 0.3 else []
        for path in [(name, one) for one in inside] or [(name,)]:
            is_deeper = depth < 2 and random_.random() < 0.25
            part = (
                _repeated(random_.choice(["[]", "{}"]), random_, depth + 1)
                if is_deeper
                else Part(random_.choice(LEAVES))
            )
            fields[path] = (f"f{len(fields)}", part)
    return Part(fields=fields)


def random_value(column: Column, random_: random.Random) -> tuple[dict[str, Any], Any, bool]:
    """Draw the column of a message: what is sent, what the entity has of it, and whether it is carried."""
    if random_.random() < 0.1:
        return {column.name: None}, None, True
    if column.data_type == "jsonb" and random_.random() < 0.1:
        return {column.name: PLACEHOLDER}, None, False
    kind = column.part.value.kind if column.part.repeats == "{}" and column.part.value else None
    if kind and kind.entity_type in ("string", "json") and random_.random() < 0.05:
        # what Debezium sends of an unchanged hstore
        return {column.name: {PLACEHOLDER: PLACEHOLDER}}, None, False
    sent, wanted = _drawn(column.part, column.data_type == "jsonb", random_, never_null=True)
    is_text = column.data_type == "jsonb" or (column.data_type in ("", "hstore") and random_.random() < 0.5)
    return {column.name: serialised(sent) if is_text else sent}, wanted, True


def _drawn(part: Part, in_json: bool, random_: random.Random, *, never_null: bool = False) -> tuple[Any, Any]:
    """A value, and what the entity has of it; a map's keys with their values are sorted by key."""
    if not never_null and random_.random() < 0.15:
        return None, None
    if part.kind:
        value = (part.kind.in_json if in_json else part.kind.sent)(random_)
        return value, as_entity(part.kind.entity_type, value)
    if part.value and part.repeats == "[]":
        several = [_drawn(part.value, in_json, random_) for _ in range(random_.randint(0, 3))]
        return [sent for sent, _ in several], [wanted for _, wanted in several]
    if part.value:
        drawn = {key: _drawn(part.value, in_json, random_) for key in random_.sample(KEYS, random_.randint(0, 3))}
        return (
            {key: sent for key, (sent, _) in drawn.items()},
            [{"key": key, "value": wanted} for key, (_, wanted) in sorted(drawn.items())],
        )
    record: dict[str, Any] = {"unknown": 1} if random_.random() < 0.2 else {}
    found: dict[str, Any] = {}
    for path, (name, inner) in part.fields.items():
        found[name] = None
        if random_.random() < 0.15:
            continue
        above = record
        for step in path[:-1]:
            above = above.setdefault(step, {})
        above[path[-1]], found[name] = _drawn(inner, in_json, random_)
    return record, found
