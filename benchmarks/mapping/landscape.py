"""A landscape of the size that METL plans for (3.6): schemas, versions and entities drawn from a seed, as the three CSV files."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from entrepot.mapping.seeds import COLUMNS

TYPES = ("bigint", "integer", "text", "varchar(80)", "numeric(12,2)", "boolean", "date", "timestamptz")
WORDS = (
    "account", "address", "amount", "balance", "branch", "city", "code", "contract", "country", "created", "currency", "customer", "discount",
    "due", "email", "grade", "group", "invoice", "item", "language", "limit", "name", "note", "number", "order", "owner", "phone", "price",
    "quantity", "rate", "reason", "region", "score", "state", "status", "street", "tax", "title", "total", "unit", "updated", "value", "weight",
)  # fmt: skip


@dataclass(frozen=True)
class Landscape:
    """How large a landscape is. With the defaults M has 100,000 columns and 10,000 rows, 10^9 elements.

    Attributes:
        schemas: source schemas, of `width` attributes each
        versions: versions of each schema; each changes one attribute, or none
        entities: entities, of `width` attributes each
        entity_versions: versions of each entity, of which the newest is fed
        width: attributes of a schema version and of an entity version
        seed: what all is drawn from
    """

    schemas: int = 1000
    versions: int = 10
    entities: int = 100
    entity_versions: int = 10
    width: int = 10
    seed: int = 1

    def write(self, folder: Path) -> None:
        """Write the seeds into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        random_ = random.Random(self.seed)
        entities = [self._entity(number, random_) for number in range(self.entities)]
        names = [_named(random_, number) for number in range(self.schemas)]
        first = [self._attributes(random_) for _ in names]
        domain = (
            row
            for name, attributes in zip(names, first, strict=True)
            for row in self._schema(name, attributes, random_)
        )
        _write(folder, "schema_attribute", domain)
        _write(folder, "entity_attribute", (row for entity, fields in entities for row in self._range(entity, fields)))
        blocks = (
            row
            for number, (name, attributes) in enumerate(zip(names, first, strict=True))
            for row in self._block(name, list(attributes), entities[number % self.entities])
        )
        _write(folder, "unique_block", blocks)

    def _entity(self, number: int, random_: random.Random) -> tuple[str, list[str]]:
        return f"{random_.choice(WORDS)}_{number}", [f"{word}_{at}" for at, word in enumerate(self._words(random_))]

    def _words(self, random_: random.Random) -> list[str]:
        return [random_.choice(WORDS) for _ in range(self.width)]

    def _attributes(self, random_: random.Random) -> dict[str, str]:
        return {f"{word}_{at}": random_.choice(TYPES) for at, word in enumerate(self._words(random_))}

    def _schema(self, name: str, attributes: dict[str, str], random_: random.Random) -> Iterator[list[object]]:
        """The versions of a schema: one attribute of the version before is renamed, retyped, replaced by a new one, or none is."""
        now, renamed = dict(attributes), ("", "")
        for version in range(1, self.versions + 1):
            for position, (attribute, data_type) in enumerate(now.items(), 1):
                old = renamed[0] if attribute == renamed[1] else ""
                yield [name, version, attribute, data_type, position, "true" if position == 1 else "", old]
            now, renamed = _changed(now, version, random_)

    def _range(self, entity: str, fields: list[str]) -> Iterator[list[object]]:
        for version in range(1, self.entity_versions + 1):
            for at, name in enumerate(fields):
                yield [entity, version, name, TYPES[at % 3], "true" if at == 0 else "", f"The {name} of the {entity}"]

    def _block(self, name: str, attributes: list[str], entity: tuple[str, list[str]]) -> Iterator[list[object]]:
        for attribute, field in zip(attributes, entity[1], strict=True):
            yield [name, 1, entity[0], self.entity_versions, attribute, field]


def _changed(
    attributes: dict[str, str], version: int, random_: random.Random
) -> tuple[dict[str, str], tuple[str, str]]:
    """The attributes of the next version, as many as before, and (old, new name) of the one that was renamed."""
    kind = random_.choice(("none", "none", "retype", "rename", "replace"))
    at = random_.randrange(1, max(2, len(attributes)))
    names = list(attributes)
    if kind == "none" or at >= len(names):
        return attributes, ("", "")
    old, new = names[at], f"{random_.choice(WORDS)}_v{version + 1}_{at}"
    if kind == "retype":
        return attributes | {old: random_.choice(TYPES)}, ("", "")
    changed = {(new if name == old else name): data_type for name, data_type in attributes.items()}
    return changed, (old, new) if kind == "rename" else ("", "")


def _named(random_: random.Random, number: int) -> str:
    return f"{random_.choice(('shop', 'plant', 'crm', 'bank'))}.{random_.choice(('public', 'sales', 'core'))}.{random_.choice(WORDS)}_{number}"


def _write(folder: Path, seed: str, rows: Iterator[list[object]]) -> None:
    with (folder / f"{seed}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS[seed])
        writer.writerows(rows)
