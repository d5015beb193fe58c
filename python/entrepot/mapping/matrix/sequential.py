"""The paper's baseline: sparse blocks with all their 0s, and the sequential mapping of one message (METL 4.5, algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.elements import Place
from entrepot.mapping.matrix.messages import EntityMessage, Message
from entrepot.mapping.matrix.state import State


@dataclass(frozen=True, slots=True)
class SparseBlock:
    """A block of M, 0s and 1s: an entity version against a schema version.

    Attributes:
        entity, entity_version: r and w
        rows: attributes of the entity version, c_q
        columns: attributes of the schema version, a_p
        elements: for each row the m_qp of all columns, 0 or 1
    """

    entity: str
    entity_version: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    elements: tuple[tuple[int, ...], ...]


def column_super_block(state: State, schema: str, version: int) -> list[SparseBlock]:
    """Return the column super-block of a schema version (METL 4.4): its blocks to all entity versions, null blocks too.

    Raises:
        EntrepotError: there is no such version
    """
    found = state.domain.version(schema, version)
    if found is None:
        raise EntrepotError(f"{schema} has no version {version}.", "Register it, or let landing discover it.")
    columns = tuple(attribute.name for attribute in found.attributes)
    blocks = []
    for entity, versions in state.range.entities.items():
        ones = state.block(Place(schema, version, entity))
        for number, attributes in versions.items():
            mapped = {(one.entity_attribute, one.attribute) for one in ones if one.entity_version == number}
            rows = tuple(attribute.name for attribute in attributes)
            elements = tuple(tuple(int((row, column) in mapped) for column in columns) for row in rows)
            blocks.append(SparseBlock(entity, number, rows, columns, elements))
    return blocks


def sequential_mapping(message: Message, blocks: list[SparseBlock]) -> list[EntityMessage]:
    """Map one message, element by element (METL, algorithm 1, section 4.5).

    Each block makes a message of all its attributes, null at first. Each element multiplies its 0 or 1 with the number of data objects of
    its column, 0 for a null object; where that is 1, the data object takes the place of the null.

    Args:
        message: what came in
        blocks: the column super-block of its schema version

    Returns:
        A message for each block, all null where nothing is mapped
    """
    sent = []
    for block in blocks:
        payload = dict.fromkeys(block.rows)
        for row, elements in zip(block.rows, block.elements, strict=True):
            for column, element in zip(block.columns, elements, strict=True):
                data = message.payload.get(column)
                if element * int(data is not None) == 1:
                    payload[row] = data
        sent.append(EntityMessage(block.entity, block.entity_version, payload))
    return sent
