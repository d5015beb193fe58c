"""Arrays and maps in entities: attributes such as `lines[].item_code` and `prices{}.net` are parts of one column (decisions 39, 51).

A map is an array of its keys and values, sorted by key: Spark compares no maps, and rules, histories and `distinct` compare rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from entrepot.mapping.paths import ELEMENTS, VALUES, each_of, in_backticks
from entrepot.mapping.trees import EntityAttribute
from entrepot.mapping.types import spark_type

# a name, what repeats behind it, and the rest behind a dot
REPEATED = re.compile(r"(.*?)((?:\[\]|\{\})+)(?:\.(.+))?\Z", re.DOTALL)


@dataclass(slots=True)
class Inside:
    """What a column of an entity holds, or a part of it: a value, a record of fields, or several of one of these.

    Attributes:
        name: the attribute of the entity as far as it goes down to here
        repeats: `[]` of an array, `{}` of a map; empty of any other
        value: what each element of an array, or value of a map, is
        fields: of a record, {field: what it holds}
        attribute: of a value, the entity's attribute
    """

    name: str
    repeats: str = ""
    value: Inside | None = None
    fields: dict[str, Inside] = field(default_factory=dict)
    attribute: EntityAttribute | None = None

    @property
    def spark(self) -> str:
        """The type in Spark's words."""
        if self.attribute is not None:
            return spark_type(self.attribute.data_type)
        if self.value is not None:
            inner = self.value.spark
            return f"array<{inner}>" if self.repeats == ELEMENTS else f"array<struct<key: string, value: {inner}>>"
        return f"struct<{', '.join(f'{spark_name(name)}: {one.spark}' for name, one in self.fields.items())}>"

    @property
    def attributes(self) -> list[EntityAttribute]:
        """The entity's attributes in it, in the order of the type."""
        if self.attribute is not None:
            return [self.attribute]
        return [one for part in ([self.value] if self.value else self.fields.values()) for one in part.attributes]


@dataclass(frozen=True, slots=True)
class EntityColumn:
    """A column of the images of an entity.

    Attributes:
        attribute: its name, type and key; of an array of records, `array<struct<…>>`, of a map `array<struct<key: string, value: …>>`
        inside: of an array or a map, what it holds; none of any other
    """

    attribute: EntityAttribute
    inside: Inside | None = None


def parts_of(entity_attribute: str) -> tuple[str, str]:
    """Return the column of an entity's attribute and what of it the attribute is; nothing where it is the column.

    >>> parts_of("lines[].item_code"), parts_of("prices{}"), parts_of("name")
    (('lines', '[].item_code'), ('prices', '{}'), ('name', ''))
    """
    column = next(levels_of(entity_attribute))[0]
    return column, entity_attribute.removeprefix(column)


def levels_of(entity_attribute: str) -> Iterator[tuple[str, str]]:
    """Yield the names on the way to an attribute of an entity, each with what repeats behind it.

    >>> list(levels_of("lines[].tags{}.n")), list(levels_of("prices{}")), list(levels_of("name"))
    ([('lines', '[]'), ('tags', '{}'), ('n', '')], [('prices', '{}')], [('name', '')])
    """
    rest: str | None = entity_attribute
    while rest is not None:
        found = REPEATED.match(rest)
        if found is None:
            yield rest, ""
            return
        yield found[1], found[2]
        rest = found[3]


def repeats_in(entity_attribute: str) -> tuple[str, ...]:
    """Return the arrays and maps that an attribute of an entity is a part of, from outside to inside, as `repeats_of` has them of a source's.

    >>> repeats_in("lines[].tags{}[].n"), repeats_in("prices{}"), repeats_in("name")
    (('lines[]', 'lines[].tags{}', 'lines[].tags{}[]'), ('prices{}',), ())
    """
    whole, found = "", []
    for name, repeats in levels_of(entity_attribute):
        whole += f".{name}" if whole else name
        for each in each_of(repeats):
            whole += each
            found.append(whole)
    return tuple(found)


def columns_of(attributes: Iterable[EntityAttribute]) -> list[EntityColumn]:
    """Return the columns that attributes are, each where its first attribute stands.

    >>> some = [EntityAttribute(name, "integer", False, name) for name in ("lines[].n", "id", "lines[].m", "prices{}")]
    >>> [(one.attribute.name, one.attribute.data_type, one.attribute.description) for one in columns_of(some)][:2]
    [('lines', 'array<struct<n: bigint, m: bigint>>', 'n: lines[].n; m: lines[].m'), ('id', 'integer', 'id')]
    >>> columns_of(some)[2].attribute.data_type
    'array<struct<key: string, value: bigint>>'
    """
    found: dict[str, Inside] = {}
    for one in attributes:
        (name, repeats), *levels = levels_of(one.name)
        node = _opened(found.setdefault(name, Inside(name)), repeats)
        for name, repeats in levels:
            node = _opened(node.fields.setdefault(name, Inside(f"{node.name}.{name}")), repeats)
        node.attribute = one
    return [_column(name, inside) for name, inside in found.items()]


def _opened(node: Inside, repeats: str) -> Inside:
    """What is within the arrays and maps that a node is."""
    for each in each_of(repeats):
        node.repeats = each
        node.value = node.value or Inside(node.name + node.repeats)
        node = node.value
    return node


def _column(name: str, inside: Inside) -> EntityColumn:
    if inside.attribute is not None:
        return EntityColumn(inside.attribute)
    says = "; ".join(
        f"{part}: {one.description}"
        if (part := parts_of(one.name)[1].lstrip(ELEMENTS + VALUES + "."))
        else one.description
        for one in inside.attributes
    )
    return EntityColumn(EntityAttribute(name, inside.spark, False, says), inside)


def spark_name(name: str) -> str:
    """Return a name as it is within a type of Spark's."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else in_backticks(name)
