"""Messages on both sides of the mapping, one image of a change each (METL 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# attribute -> data object; a null object is None, or not there
Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """An incoming message: attributes of a schema version with their data objects.

    Attributes:
        schema, version: o and v
        payload: {attribute: data object}
    """

    schema: str
    version: int
    payload: Payload


@dataclass(frozen=True, slots=True)
class EntityMessage:
    """An outgoing message: attributes of an entity version with the data objects of one incoming message.

    Attributes:
        entity, entity_version: r and w
        payload: {entity attribute: data object}
    """

    entity: str
    entity_version: int
    payload: Payload

    def dense(self) -> EntityMessage:
        """Return it without its null objects, as 5.5 allows."""
        present = {name: data for name, data in self.payload.items() if data is not None}
        return EntityMessage(self.entity, self.entity_version, present)
