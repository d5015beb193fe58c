"""The update of the matrix when a tree changes (METL 5.4.4, algorithm 5): one function for each of its four triggers.

Each returns the new state, whose stored blocks (D_U) come to its D_P on its trees; and the elements that could not be copied, which the
paper wants a person to see: their block is a new smaller permutation matrix, or a new null block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from entrepot.errors import EntrepotError
from entrepot.mapping.matrix.decompaction import inherited, replayed
from entrepot.mapping.matrix.elements import NULL_BLOCK, Block, Blocks, Element, One, Place, one_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.matrix.trees import successors
from entrepot.mapping.matrix.words import known
from entrepot.mapping.trees import EntityAttribute, Version


@dataclass(frozen=True, slots=True)
class Update:
    """What a trigger has done.

    Attributes:
        state: the state after it
        lost: elements that were to be copied and were not, as they stood where they were copied from; sorted
    """

    state: State
    lost: tuple[One, ...] = ()


def schema_version_added(state: State, version: Version) -> Update:
    """Add a schema version: copy the elements of the version before whose attribute is still there (trigger 1).

    Nothing has to be stored: D_U replays to the same. A version between two others is what the later one inherits from now on.

    Raises:
        EntrepotError: the schema has this version
    """
    if state.domain.version(version.schema, version.number):
        raise EntrepotError(
            f"{version.schema} has a version {version.number}.", "Delete it first, or take another number."
        )
    domain = state.domain.with_version(version)
    entities = state.feeds.get(version.schema, ())
    balanced = {place: block for place, block in state.balanced_set.items() if place.schema != version.schema}
    for entity in entities:
        balanced |= replayed(version.schema, entity, state.stored, domain.steps(version.schema))
    before = domain.before(version.schema, version.number)
    lost: list[One] = []
    if before:
        kept = successors(before, version)
        places = [Place(version.schema, before.number, entity) for entity in entities]
        lost = [one_of(place, one) for place in places for one in state.block(place) if one.attribute not in kept]
    return Update(State(domain, state.range, state.stored, balanced), tuple(sorted(lost)))


def schema_version_deleted(state: State, schema: str, number: int) -> Update:
    """Delete a schema version and its column super-set; later versions keep what they had (trigger 2).

    The block of the version after it is stored where it would come to something else without the deleted one.

    Raises:
        EntrepotError: there is no such version
    """
    if not state.domain.version(schema, number):
        raise EntrepotError(f"{schema} has no version {number}.", f"It has {_numbers(state, schema)}.")
    domain = state.domain.without_version(schema, number)
    stored = _without_column(state.stored, schema, number)
    before, after = domain.before(schema, number), domain.after(schema, number)
    for entity in state.feeds.get(schema, ()) if after else []:
        place = Place(schema, after.number if after else 0, entity)
        alone = NULL_BLOCK
        if before and after:
            alone = inherited(state.block(Place(schema, before.number, entity)), successors(before, after))
        if place not in stored and state.block(place) != alone:
            stored[place] = state.block(place)
    return Update(State(domain, state.range, stored, _without_column(state.balanced_set, schema, number)))


def entity_version_added(state: State, entity: str, version: int, attributes: tuple[EntityAttribute, ...]) -> Update:
    """Add an entity version: copy the row super-set of the version before row by row, where the attribute is still there (trigger 3).

    Both versions stay side by side; the paper's rule of one version (5.1) is `entity_version_deleted` of the old one afterwards.

    Raises:
        EntrepotError: the entity has this version
    """
    if state.range.names(entity, version):
        raise EntrepotError(f"{entity} has a version {version}.", "Delete it first, or take another number.")
    before = state.range.before(entity, version)
    names = frozenset(one.name for one in attributes)

    def copied(place: Place, block: Block) -> Block:
        if place.entity != entity:
            return block
        old = (one for one in block if one.entity_version == before and one.entity_attribute in names)
        return block | {Element(version, one.attribute, one.entity_attribute) for one in old}

    lost = [
        one_of(place, one)
        for place, block in state.balanced_set.items()
        for one in block
        if place.entity == entity and one.entity_version == before and one.entity_attribute not in names
    ]
    stored = {place: copied(place, block) for place, block in state.stored.items()}
    balanced = {place: copied(place, block) for place, block in state.balanced_set.items()}
    return Update(
        State(state.domain, state.range.with_version(entity, version, attributes), stored, balanced),
        tuple(sorted(lost)),
    )


def elevated(state: State, entity: str) -> Update:
    """Copy the row super-set of an entity's version before to its newest version, which the range tree has and no block feeds yet.

    Raises:
        EntrepotError: there is no such entity, it has one version, or blocks feed its newest version already
    """
    versions = state.range.entities[known("entity", entity, state.range.entities)]
    newest = max(versions)
    if len(versions) == 1:
        raise EntrepotError(
            f"{entity} has version {newest} alone.",
            "Write the rows of the next version into entity_attribute.csv first.",
        )
    if any(
        one.entity_version == newest for place, block in state.stored.items() for one in block if place.entity == entity
    ):
        raise EntrepotError(f"Blocks feed version {newest} of {entity} already.", "Change their rows by hand.")
    without = replace(state, range=state.range.without_version(entity, newest))
    return entity_version_added(without, entity, newest, versions[newest])


def entity_version_deleted(state: State, entity: str, version: int) -> Update:
    """Delete an entity version and its row super-set (trigger 4).

    A stored block that had no other elements becomes a null block, so that it does not inherit; super-blocks of null blocks only go.

    Raises:
        EntrepotError: there is no such version
    """
    if not state.range.names(entity, version):
        there = ", ".join(str(number) for number in sorted(state.range.entities.get(entity, {}))) or "none"
        raise EntrepotError(f"{entity} has no version {version}.", f"It has {there}.")

    def left(place: Place, block: Block) -> Block:
        return frozenset(one for one in block if one.entity_version != version) if place.entity == entity else block

    stored = {place: left(place, block) for place, block in state.stored.items()}
    mapped = {(place.schema, place.entity) for place, block in stored.items() if block}
    stored = {place: block for place, block in stored.items() if (place.schema, place.entity) in mapped}
    balanced = {place: left(place, block) for place, block in state.balanced_set.items()}
    return Update(
        State(
            state.domain,
            state.range.without_version(entity, version),
            stored,
            {place: block for place, block in balanced.items() if block},
        )
    )


def _without_column(blocks: Blocks, schema: str, number: int) -> dict[Place, Block]:
    """Blocks without a column super-set."""
    return {place: block for place, block in blocks.items() if (place.schema, place.version) != (schema, number)}


def _numbers(state: State, schema: str) -> str:
    return ", ".join(str(one.number) for one in state.domain.schemas.get(schema, ())) or "none"
