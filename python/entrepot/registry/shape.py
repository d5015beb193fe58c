"""The shape of a message's rows: the fields that a schema of a registry gives them, whatever language it is written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from entrepot.mapping.connect import ConnectType, inner_types, source_type
from entrepot.mapping.paths import quoted
from entrepot.mapping.trees import Attribute

# Debezium's own messages, which hold no row of a table: transactions, heartbeats, changes of schemas
OF_DEBEZIUM = re.compile(r"io\.debezium\.connector\.")
ENVELOPE = frozenset({"after", "op", "source"})
# what begins the names of the fields that Debezium adds to a row that it flattens; landing takes them for none of the table's either
ADDED = "__"


class NoRowError(Exception):
    """A schema of messages that hold no row of a table; says what they are, without a full stop."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record.

    Attributes:
        name: its name
        sent: its type as it travels; a union with null is the type beside it
        says: what its schema says of it; empty where nothing
        former: names that it had
    """

    name: str
    sent: ConnectType
    says: str = ""
    former: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a record.

    Attributes:
        fields: in the order in which they are sent
        says: what the schema says of the record; empty where nothing
        is_image: whether it is the image of a row in an envelope
    """

    fields: tuple[Field, ...]
    says: str = ""
    is_image: bool = False

    @classmethod
    def of(cls, fields: Iterable[Field], says: str, is_image: bool) -> Shape:
        """Return the shape of a row; of one in no envelope without what Debezium adds where it flattens."""
        return cls(tuple(one for one in fields if is_image or not one.name.startswith(ADDED)), says, is_image)

    def attributes(self, keys: frozenset[str], before: Sequence[Attribute] = ()) -> tuple[Attribute, ...]:
        """Return them as attributes of a schema version, behind each record what is inside of it.

        Args:
            keys: the names of the key's fields
            before: the attributes of the version before, for what has been renamed since
        """
        old, names = {one.name for one in before}, {quoted(one.name) for one in self.fields}
        found: list[Attribute] = []
        # what went on under another name already
        gone: set[str] = set()
        for one in self.fields:
            name, is_key = quoted(one.name), one.name in keys
            free = old - names - gone if name not in old else set()
            former = next((told for told in map(quoted, one.former) if told in free), "")
            gone.add(former)
            found.append(Attribute(name, source_type(one.sent), len(found) + 1, is_key, one.says, former))
            for inner, data_type in inner_types(name, one.sent):
                renamed = f"{former}{inner.removeprefix(name)}" if former else ""
                found.append(Attribute(inner, data_type, len(found) + 1, False, "", renamed if renamed in old else ""))
        return tuple(found)
