"""What a seed's table depends on, as checksums that its commits carry: equal ones say that nothing is to be done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from entrepot.jobs.verdicts import checksum_of

LAYOUT = 1
# what of a seed's config shapes its table, besides the table's properties
SHAPING = (
    "column_types",
    "delimiter",
    "quote_columns",
    "file_format",
    "partition_by",
    "clustered_by",
    "buckets",
    "location_root",
    "options",
)


@dataclass(frozen=True, slots=True)
class Checksums:
    """What a seed's table was, or is to be, made from; none each where nobody knows it.

    Attributes:
        contents: of the file
        layout: of the configuration that shapes the table
        docs: of the descriptions, where they are to be stored
    """

    contents: str | None = None
    layout: str | None = None
    docs: str | None = None

    @property
    def text(self) -> str:
        """All of them, as a commit carries them."""
        return f"{self.contents}.{self.layout}.{self.docs}"

    @classmethod
    def of_text(cls, text: str) -> Checksums:
        """Return what a commit carries.

        >>> Checksums.of_text("a.b")
        Checksums(contents='a', layout='b', docs=None)
        """
        return cls(*text.split(".")[:3])

    def has_rows_of(self, other: Checksums) -> bool:
        """Whether the tables of both have the same rows in the same columns."""
        return (self.contents, self.layout) == (other.contents, other.layout)


def wanted_checksums(model: Mapping[str, Any], properties: Mapping[str, str]) -> Checksums:
    """Return the checksums of what a seed's table is to be made from, without its file.

    Args:
        model: the seed, as dbt's graph has it
        properties: the table properties that it gets
    """
    config, columns = model["config"], model["columns"].values()
    described = [(column["name"], column["description"]) for column in columns]
    docs = docs_checksum(config.get("persist_docs"), model["description"], described)
    return Checksums(layout=layout_checksum(config, properties), docs=docs)


def layout_checksum(config: Mapping[str, Any], properties: Mapping[str, str]) -> str:
    """Return the checksum of what shapes a table.

    Args:
        config: the seed's
        properties: the table properties that it gets
    """
    return checksum_of(json.dumps([LAYOUT, dict(properties), *(config.get(key) for key in SHAPING)], sort_keys=True))


def docs_checksum(persist_docs: Mapping[str, Any] | None, description: str, columns: Iterable[Sequence[str]]) -> str:
    """Return the checksum of what `persist_docs` wants to be stored.

    >>> docs_checksum({"relation": False}, "never stored", [])
    'none'

    Args:
        persist_docs: the seed's config of that name
        description: the seed's description
        columns: (name, description) of its columns
    """
    wanted = persist_docs or {}
    if not (wanted.get("relation") or wanted.get("columns")):
        return "none"
    return checksum_of(json.dumps([persist_docs, description, *map(list, columns)]))
