"""The domain tree and the range tree (METL 4.1), and which attribute of a version is which of the next (5.4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from entrepot.mapping.trees import EntityAttribute, Version


@dataclass(frozen=True, slots=True)
class Step:
    """One version of a schema as a walk over its versions meets it.

    Attributes:
        number: the version
        successors: {attribute of the version before: its name in this one}, see `successors`
    """

    number: int
    successors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DomainTree:
    """Schemas, their versions and attributes.

    Attributes:
        schemas: {schema: its versions, lowest first}
    """

    schemas: Mapping[str, tuple[Version, ...]]

    @classmethod
    def of(cls, versions: Iterable[Version]) -> DomainTree:
        """Return the tree of versions that come in any order."""
        found: dict[str, list[Version]] = {}
        for version in versions:
            found.setdefault(version.schema, []).append(version)
        return cls({schema: tuple(sorted(some, key=lambda one: one.number)) for schema, some in sorted(found.items())})

    def version(self, schema: str, number: int) -> Version | None:
        """Return a version; None where there is none."""
        return next((one for one in self.schemas.get(schema, ()) if one.number == number), None)

    def before(self, schema: str, number: int) -> Version | None:
        """Return the version before a number, whatever the gap between them; None of the lowest."""
        lower = [one for one in self.schemas.get(schema, ()) if one.number < number]
        return lower[-1] if lower else None

    def after(self, schema: str, number: int) -> Version | None:
        """Return the version after a number; None of the newest."""
        return next((one for one in self.schemas.get(schema, ()) if one.number > number), None)

    def steps(self, schema: str) -> list[Step]:
        """Return a schema's versions for a walk from the lowest on."""
        versions = self.schemas.get(schema, ())
        return [
            Step(version.number, successors(before, version))
            for before, version in zip((None, *versions), versions, strict=False)
        ]

    def with_version(self, version: Version) -> DomainTree:
        """Return the tree with a version in the place of its number."""
        kept = [one for one in self.schemas.get(version.schema, ()) if one.number != version.number]
        return self._with(version.schema, [*kept, version])

    def without_version(self, schema: str, number: int) -> DomainTree:
        """Return the tree without a version."""
        return self._with(schema, [one for one in self.schemas.get(schema, ()) if one.number != number])

    def _with(self, schema: str, versions: Iterable[Version]) -> DomainTree:
        others = {name: some for name, some in self.schemas.items() if name != schema}
        return DomainTree(dict(sorted((others | dict(DomainTree.of(versions).schemas)).items())))


@dataclass(frozen=True, slots=True)
class RangeTree:
    """Entities, their versions and attributes.

    Attributes:
        entities: {entity: {version: attributes}}
    """

    entities: Mapping[str, Mapping[int, tuple[EntityAttribute, ...]]]

    def names(self, entity: str, version: int) -> frozenset[str]:
        """Return the attributes of an entity version; none where there is no such version."""
        return frozenset(one.name for one in self.entities.get(entity, {}).get(version, ()))

    def newest(self, entity: str) -> int | None:
        """Return the newest version of an entity; None where there is no such entity."""
        return max(self.entities.get(entity, {}), default=None)

    def before(self, entity: str, version: int) -> int | None:
        """Return the version of an entity before a number; None where there is none."""
        return max((one for one in self.entities.get(entity, {}) if one < version), default=None)

    def with_version(self, entity: str, version: int, attributes: tuple[EntityAttribute, ...]) -> RangeTree:
        """Return the tree with an entity version in the place of its number."""
        return RangeTree({**self.entities, entity: {**self.entities.get(entity, {}), version: attributes}})

    def without_version(self, entity: str, version: int) -> RangeTree:
        """Return the tree without an entity version."""
        left = {number: some for number, some in self.entities.get(entity, {}).items() if number != version}
        others = {name: some for name, some in self.entities.items() if name != entity}
        return RangeTree(others | ({entity: left} if left else {}))


def successors(before: Version | None, after: Version) -> dict[str, str]:
    """Return the attribute equivalences between a version and the next, {attribute: its name in the next} (METL 5.4.1).

    An attribute goes on under its own name while that is there, whatever its type; else under the name of a new attribute that is
    renamed from it, of several under the first in order of their names. Any other ends.
    """
    if before is None:
        return {}
    old, names = before.names, after.names
    found = {name: name for name in old if name in names}
    renamed = ((one.name, one.renamed_from) for one in after.attributes if one.renamed_from and one.name not in old)
    for name, renamed_from in sorted(renamed):
        if renamed_from in old:
            found.setdefault(renamed_from, name)
    return found
