"""Discovered schema versions as rows of the seed schema_attribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from entrepot.mapping.seeds import Row, Seeds
from entrepot.mapping.trees import Version


def unregistered(seeds: Seeds, discovered: Iterable[Version]) -> list[Version]:
    """Return the discovered versions that the seed does not have, by schema and number.

    Raises:
        EntrepotError: a version or a position of the seed is no number
    """
    there = {(version.schema, version.number) for version in seeds.versions()}
    new = (version for version in discovered if (version.schema, version.number) not in there)
    return sorted(new, key=lambda one: (one.schema, one.number))


def registration(versions: Sequence[Version]) -> list[Row]:
    """Return the rows that register versions, with their numbers and attributes; a type that nobody has said is left empty."""
    return [
        {
            "schema": version.schema,
            "version": str(version.number),
            "attribute": one.name,
            "data_type": one.data_type or "",
            "position": str(one.position),
            "is_key": str(one.is_key).lower(),
            "renamed_from": one.renamed_from,
        }
        for version in versions
        for one in version.attributes
    ]
