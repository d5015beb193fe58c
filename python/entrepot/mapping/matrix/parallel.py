"""The mapping on dense sets (METL 5.5, algorithm 6), and the columns of D_P in O(1) that it looks up (6.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.messages import EntityMessage, Message
from entrepot.mapping.matrix.state import State


class DenseBlock(NamedTuple):
    """The 1s of a block for one entity version: (attribute, entity attribute), 1:1."""

    entity: str
    entity_version: int
    elements: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ColumnSets:
    """The column super-sets of D_P, as the paper keeps them in memory while the state is stable.

    Attributes:
        blocks: {(schema, version): dense blocks}; every version of the domain tree is there, also one that feeds nothing
    """

    blocks: Mapping[tuple[str, int], tuple[DenseBlock, ...]]

    @classmethod
    def of(cls, state: State) -> ColumnSets:
        """Return the column super-sets of a state."""
        found: dict[tuple[str, int], list[DenseBlock]] = {
            (schema, version.number): [] for schema, versions in state.domain.schemas.items() for version in versions
        }
        for place, block in sorted(state.balanced_set.items()):
            elements: dict[int, list[tuple[str, str]]] = {}
            for one in sorted(block):
                elements.setdefault(one.entity_version, []).append((one.attribute, one.entity_attribute))
            found[place.schema, place.version] += (
                DenseBlock(place.entity, number, tuple(some)) for number, some in elements.items()
            )
        return cls({key: tuple(blocks) for key, blocks in found.items()})

    def column(self, schema: str, version: int) -> tuple[DenseBlock, ...]:
        """Return the blocks of a schema version.

        Raises:
            EntrepotError: the state has no such version: it is out of sync with the messages
        """
        if (schema, version) not in self.blocks:
            raise EntrepotError(f"{schema} has no version {version}.", "Register it, or let landing discover it.")
        return self.blocks[schema, version]


def parallel_mapping(
    messages: Iterable[Message], columns: ColumnSets, spread: Callable[..., Iterable[list[EntityMessage]]] = map
) -> Iterator[EntityMessage]:
    """Map messages (METL, algorithm 6, section 5.5), in their order.

    For each message, each block of its column super-set, and each element whose attribute the message carries: the data object goes out
    under the name of the entity attribute. Null objects are not there, and a message without any is not sent. Nothing that one message,
    block or element does depends on another, so they may be done in any order, or at once.

    Args:
        messages: what came in
        columns: the mapping, in one state
        spread: how messages are spread, such as `map` of an executor

    Raises:
        EntrepotError: the state does not have the schema version of a message
    """
    return chain.from_iterable(spread(partial(_mapped, columns), messages))


def _mapped(columns: ColumnSets, message: Message) -> list[EntityMessage]:
    """One message through the blocks of its column super-set."""
    present = {name: data for name, data in message.payload.items() if data is not None}
    sent = []
    for entity, version, elements in columns.column(message.schema, message.version):
        payload = {target: present[attribute] for attribute, target in elements if attribute in present}
        if payload:
            sent.append(EntityMessage(entity, version, payload))
    return sent
