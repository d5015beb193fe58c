"""Schemas as a registry holds them: versions of subjects, and what they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

AVRO, JSON = "AVRO", "JSON"


class UnreadableError(Exception):
    """A schema that cannot be read; says why, without a full stop."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A schema that another refers to.

    Attributes:
        name: what the other calls it: the full name of an Avro type, the `$ref` of a JSON Schema
        subject: where it is
        version: of the subject
    """

    name: str
    subject: str
    version: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A version of a subject.

    Attributes:
        subject: such as `shop.sales.customer-value`
        version: its number in the registry
        schema_id: the registry's number of the schema, which messages carry
        schema_type: AVRO, JSON, or another that is not read
        text: the schema
        references: what it refers to
    """

    subject: str
    version: int
    schema_id: int
    schema_type: str
    text: str
    references: tuple[Reference, ...] = ()

    @property
    def place(self) -> tuple[str, int]:
        """Its subject and version."""
        return self.subject, self.version

    def __str__(self) -> str:
        """Return how it is told."""
        return f"{self.subject} version {self.version}"


Definitions = Mapping[tuple[str, int], Definition]


def referred(definition: Definition, there: Definitions) -> Iterator[tuple[str, Definition]]:
    """Yield the name and the definition of all that a schema refers to, what others need first, each once.

    Raises:
        UnreadableError: one is not there
    """
    seen: set[tuple[str, int]] = set()

    def walk(one: Definition) -> Iterator[tuple[str, Definition]]:
        for reference in one.references:
            place = (reference.subject, reference.version)
            if place not in seen:
                seen.add(place)
                if place not in there:
                    raise UnreadableError(
                        f"it refers to {place[0]} version {place[1]}, which the registry does not have"
                    )
                yield from walk(there[place])
                yield reference.name, there[place]

    return walk(definition)
