"""A source schema that is to be mapped: its versions with all types, and where these come from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from entrepot.mapping.catalogue import CatalogueTable
from entrepot.mapping.paths import array_of
from entrepot.mapping.trees import Attribute, Version
from entrepot.mapping.values import MAP, Seen

RECORDS, SEED, CATALOGUE, VALUES, NOTHING = "records", "seed", "catalogue", "values", "nothing"


@dataclass(frozen=True, slots=True)
class Source:
    """A source schema.

    Attributes:
        schema: its name
        versions: from the lowest on, every attribute with a type
        types_from: {attribute: where its type comes from}, one of the words above
        events: how many events' values have been looked at
        comment: what the database says of the table; empty where nothing
        notes: what a person should know, as sentences
    """

    schema: str
    versions: tuple[Version, ...]
    types_from: dict[str, str]
    events: int = 0
    comment: str = ""
    notes: tuple[str, ...] = ()

    @property
    def newest(self) -> Version:
        """The newest version."""
        return self.versions[-1]

    @property
    def key(self) -> tuple[str, ...]:
        """The key of the newest version."""
        return tuple(attribute.name for attribute in self.newest.attributes if attribute.is_key)

    @property
    def origins(self) -> list[str]:
        """Where the types come from, in words."""
        words = {VALUES: f"values of {self.events} events"}
        return [words.get(origin, origin) for origin in dict.fromkeys(self.types_from.values())]


def source_of(
    schema: str, versions: Sequence[Version], table: CatalogueTable | None = None, seen: Seen | None = None
) -> Source:
    """Return a source schema with the types that its records, the seed, the catalogue or its values tell, in this order.

    Args:
        schema: its name
        versions: its versions; where there are none, the catalogue's columns are version 1
        table: the catalogue's description, where there is one
        seen: what its values are, where somebody has looked
    """
    if not versions:
        assert table is not None
        origins = dict.fromkeys((one.name for one in table.attributes), CATALOGUE)
        return Source(schema, (Version(schema, 1, table.attributes),), origins, comment=table.comment)
    told = Told(
        {one.name: one.data_type for version in versions for one in version.attributes if one.data_type},
        {one.name: one for one in table.attributes} if table else {},
        seen,
    )
    types_from: dict[str, str] = {}
    typed = []
    for version in sorted(versions, key=lambda one: one.number):
        has_key = any(one.is_key for one in version.attributes)
        attributes = []
        for one in version.attributes:
            data_type, types_from[one.name] = told.type_of(one, version.is_registered)
            described = told.catalogue.get(one.name)
            is_key = one.is_key or (not has_key and described is not None and described.is_key)
            comment = described.comment if described else ""
            attributes.append(replace(one, data_type=data_type, is_key=is_key, comment=comment))
            is_open = types_from[one.name] == VALUES or data_type == MAP
            for inner, inner_type, origin in (
                told.inside(one.name, data_type) if is_open and not version.is_registered else ()
            ):
                types_from[inner] = origin
                attributes.append(Attribute(inner, inner_type, one.position, False))
        placed = (replace(one, position=place) for place, one in enumerate(attributes, 1))
        is_longer = len(attributes) > len(version.attributes)
        typed.append(replace(version, attributes=tuple(placed if is_longer else attributes)))
    notes = tuple(_notes(typed, types_from, table))
    return Source(schema, tuple(typed), types_from, seen.events if seen else 0, table.comment if table else "", notes)


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of the types of a schema's attributes.

    Attributes:
        known: {attribute: type} of any of its versions
        catalogue: {attribute: its description in the database}
        seen: its values, where somebody has looked
    """

    known: dict[str, str]
    catalogue: dict[str, Attribute]
    seen: Seen | None

    def type_of(self, attribute: Attribute, is_registered: bool) -> tuple[str, str]:
        """Return the type of an attribute and where it comes from; a registered one without a type is text, as the mapping reads it."""
        if attribute.data_type:
            return attribute.data_type, SEED if is_registered else RECORDS
        if is_registered:
            return "text", SEED
        if attribute.name in self.known:
            return self.known[attribute.name], RECORDS
        if (described := self.catalogue.get(attribute.name)) and described.data_type:
            return described.data_type, CATALOGUE
        if self.seen and (shown := self.seen.data_type(attribute.name)):
            return shown, VALUES
        return "text", NOTHING

    def inside(self, attribute: str, data_type: str) -> list[tuple[str, str, str]]:
        """Return what the values of an attribute show inside of it: paths, types, and where these come from."""
        types = [(one, self.seen.data_type(one)) for one in self.seen.inside(attribute, data_type)] if self.seen else []
        return [(one, shown or "text", VALUES if shown else NOTHING) for one, shown in types]


def _notes(versions: Sequence[Version], types_from: dict[str, str], table: CatalogueTable | None) -> list[str]:
    found = []
    if nothing := [name for name, origin in types_from.items() if origin == NOTHING]:
        found.append(f"no value and no type of {', '.join(nothing)} has been seen: text")
    if inside := [name for name, origin in types_from.items() if origin in (VALUES, NOTHING) and array_of(name)]:
        arrays = ", ".join(dict.fromkeys(map(array_of, inside)))
        found.append(
            f"what is inside of {arrays} is what the values show: add what they do not, or map it as a whole, in the seeds"
        )
    for before, after in itertools.pairwise(versions):
        renamed = {one.name: one.renamed_from for one in after.attributes if one.renamed_from}
        gone, come = before.names - after.names - set(renamed.values()), after.names - before.names - set(renamed)
        if gone and come:
            found.append(
                f"version {after.number} has {', '.join(sorted(come))} and no {', '.join(sorted(gone))} any more: if that is a new "
                "name, say it in renamed_from and map both to one attribute"
            )
    if table and (differs := {one.name for one in table.attributes} ^ versions[-1].columns):
        found.append(f"the database and version {versions[-1].number} differ in {', '.join(sorted(differs))}")
    return found
