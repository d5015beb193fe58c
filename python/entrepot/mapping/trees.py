"""The two trees of the mapping as values: versions of source schemas, and entities (METL 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from entrepot.mapping.connect import recorded_type, travels_as
from entrepot.mapping.parsing import holding
from entrepot.mapping.paths import VALUES, ancestors, column_of


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a schema version.

    Attributes:
        name: as the source names it
        data_type: PostgreSQL's type in words of docs/mapping.md; None where nobody has said it
        position: place among the attributes, from 1 on
        is_key: whether it is part of the record's key
        comment: what the database says of the column; empty where nothing
        renamed_from: its name in the version before; empty where it was not renamed, or nobody has said it
    """

    name: str
    data_type: str | None
    position: int
    is_key: bool
    comment: str = ""
    renamed_from: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a source schema.

    Attributes:
        schema: such as `shop.sales.customer`
        number: 1, 2, 3 …
        attributes: in the order of their positions
        is_registered: whether the seed schema_attribute has it
    """

    schema: str
    number: int
    attributes: tuple[Attribute, ...]
    is_registered: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The names of its attributes."""
        return frozenset(attribute.name for attribute in self.attributes)

    @property
    def values(self) -> tuple[Attribute, ...]:
        """The attributes that have values of their own: of records, of arrays and maps of them what is inside, and not the whole of it."""
        inside = {above for name in self.names for above in ancestors(name)}
        return tuple(
            one for one in self.attributes if one.name not in inside or holding(one.data_type or "") != "record"
        )

    @property
    def columns(self) -> frozenset[str]:
        """The names of its columns."""
        return frozenset(column_of(attribute.name) for attribute in self.attributes)


@dataclass(frozen=True, slots=True)
class EntityAttribute:
    """An attribute of an entity.

    Attributes:
        name: the canonical name
        data_type: the canonical type
        is_key: whether it is part of the business key
        description: what it means, in a few words
    """

    name: str
    data_type: str
    is_key: bool
    description: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A business entity, its attributes in the order of the seed.

    Attributes:
        name: the entity
        version: its version, the newest one
        attributes: of that version
        schemas: which source schemas feed it
        says: what its source says of it; empty where nothing
    """

    name: str
    version: int
    attributes: tuple[EntityAttribute, ...]
    schemas: tuple[str, ...] = ()
    says: str = field(default="", compare=False)

    @property
    def keys(self) -> list[EntityAttribute]:
        """The business key."""
        return [attribute for attribute in self.attributes if attribute.is_key]


def with_inner(attributes: Sequence[Attribute], before: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """Return the attributes of a new version with what the version before has inside of columns that show nothing of it, such as JSON in a text.

    The model `discovered_schema_attribute` does the same with versions that events show.

    Args:
        attributes: of the new version, as its schema shows them
        before: of the version before
    """
    shown = {above for one in attributes for above in ancestors(one.name)}
    open_ = {one.name for one in attributes if one.name not in shown and _may_hold(one)}
    kept = [one for one in before if any(above in open_ for above in ancestors(one.name))]
    return (
        *attributes,
        *(replace(one, position=place, renamed_from="") for place, one in enumerate(kept, len(attributes) + 1)),
    )


def as_named(attributes: Sequence[Attribute], before: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """Return the attributes of a version without the values of maps (`tags{}`) of which the version before names keys, as of records (`tags.colour`).

    A map goes by key or by value: where somebody has named keys, `with_inner` keeps them.

    Args:
        attributes: as the version's schema shows them
        before: of the version before
    """
    keyed = {above for one in before for above in ancestors(one.name) if not one.name.startswith(above + VALUES)}
    left = {one.name for one in attributes if one.name.endswith(VALUES) and one.name.removesuffix(VALUES) in keyed}
    kept = (one for one in attributes if one.name not in left and left.isdisjoint(ancestors(one.name)))
    return tuple(replace(one, position=place) for place, one in enumerate(kept, 1))


def _may_hold(one: Attribute) -> bool:
    return one.data_type is None or travels_as(recorded_type(one.data_type)) in ("text", "text[]")
