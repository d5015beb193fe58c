"""The two trees of the mapping as values: versions of source schemas, and entities (METL 5.3)."""

from __future__ import annotations

from dataclasses import dataclass, field


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
