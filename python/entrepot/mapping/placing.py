"""Which file takes a new row of a seed: the one that has the other rows of its schema, entity or block (decision 37)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from entrepot.errors import EntrepotError
from entrepot.mapping.owners import NOBODY
from entrepot.mapping.seeds import Row, Seed, Seeds, whole_number

# the seed's own file
NO_OWNER = ""


def with_rows(seeds: Seeds, new: Mapping[str, Sequence[Row]], owner: str | None = None) -> Seeds:
    """Return the seeds with rows that are to be appended, each to the file where it belongs.

    Rows of a schema in schema_attribute, of an entity in entity_attribute, and of a schema's blocks to an entity in unique_block go where
    the newest of them are. A new schema goes where its blocks are, else where all other schemas of its source system are; a new entity
    where the first schema is that feeds it; a new block to the owner of the schema or of the entity. What is nobody's goes into the seed's
    own file.

    Args:
        seeds: as they are
        new: {seed: rows}
        owner: whose new schemas, entities and blocks are; none where nobody has said it

    Raises:
        EntrepotError: a block is between two owners and nobody has said whose it is, or `owner` is said and all rows belong elsewhere
    """
    places = _places(seeds, new, owner)
    found: dict[str, dict[str, list[Row]]] = {}
    for name, owner_of in (
        ("schema_attribute", lambda row: places.schema(row["schema"])),
        ("entity_attribute", lambda row: places.entity(row["entity"])),
        ("unique_block", lambda row: places.block(row["schema"], row["entity"])),
    ):
        for row in new.get(name, ()):
            found.setdefault(name, {}).setdefault(owner_of(row), []).append(row)
    files = [getattr(seeds, name).file_of(one).path for name, some in found.items() for one in some]
    if owner is not None and files and all(owner not in some for some in found.values()):
        raise EntrepotError(
            f"Nothing of this goes to --owner {owner or NOBODY}: it belongs to other rows, in {', '.join(map(str, files))}.",
            "Leave --owner out, or move those rows first.",
        )
    return replace(seeds, **{name: getattr(seeds, name).appended(some) for name, some in found.items()})


@dataclass(frozen=True, slots=True)
class _Places:
    """Whose rows are; what is placed here stays where it has been placed.

    Attributes:
        schemas, entities, blocks: {schema, entity, (schema, entity): owner}
        systems: {source system: owners of its schemas}
        fed: {entity: the first schema that new blocks feed it from}
        owner: whose new ones are, where somebody has said it
    """

    schemas: dict[str, str]
    entities: dict[str, str]
    blocks: dict[tuple[str, str], str]
    systems: Mapping[str, Set[str]]
    fed: Mapping[str, str]
    owner: str | None

    def schema(self, name: str) -> str:
        """Return whose the rows of a schema are."""
        if name not in self.schemas:
            system = self.systems.get(_system(name), set())
            fed = [of for (schema, _), of in self.blocks.items() if schema == name]
            likely = fed or (list(system) if len(system) == 1 else [NO_OWNER])
            self.schemas[name] = likely[0] if self.owner is None else self.owner
        return self.schemas[name]

    def entity(self, name: str) -> str:
        """Return whose the rows of an entity are."""
        if name not in self.entities:
            likely = self.schema(self.fed[name]) if name in self.fed else NO_OWNER
            self.entities[name] = likely if self.owner is None else self.owner
        return self.entities[name]

    def block(self, schema: str, entity: str) -> str:
        """Return whose the blocks of a schema to an entity are.

        Raises:
            EntrepotError: the schema is one owner's and the entity another's, and nobody has said whose the block is
        """
        if (schema, entity) not in self.blocks:
            both = sorted({self.schema(schema), self.entity(entity)} - {NO_OWNER})
            if self.owner is None and len(both) > 1:
                raise EntrepotError(
                    f"{schema} and {entity} have different owners, {' and '.join(both)}, and their block is nobody's yet.",
                    f"Say whose it is: --owner {' or --owner '.join(both)}.",
                )
            self.blocks[schema, entity] = (both or [NO_OWNER])[0] if self.owner is None else self.owner
        return self.blocks[schema, entity]


def _places(seeds: Seeds, new: Mapping[str, Sequence[Row]], owner: str | None) -> _Places:
    schemas = {one: of for (one,), of in _newest(seeds.schema_attribute, "version", "schema").items()}
    entities = {one: of for (one,), of in _newest(seeds.entity_attribute, "entity_version", "entity").items()}
    blocks = {
        (one, other): of for (one, other), of in _newest(seeds.unique_block, "version", "schema", "entity").items()
    }
    systems: dict[str, set[str]] = {}
    for schema, of in schemas.items():
        systems.setdefault(_system(schema), set()).add(of)
    fed = {row["entity"]: row["schema"] for row in reversed(new.get("unique_block", ()))}
    return _Places(schemas, entities, blocks, systems, fed, owner)


def _newest(seed: Seed, version: str, *columns: str) -> dict[tuple[str, ...], str]:
    """Whose the rows with the highest version are, {values of some columns: owner}; of several the first."""
    found: dict[tuple[str, ...], tuple[int, str]] = {}
    for file, row, _ in seed.placed():
        key, number = tuple(row[column] for column in columns), whole_number(file, row, version)
        if key not in found or number > found[key][0]:
            found[key] = number, file.owner
    return {key: owner for key, (_, owner) in found.items()}


def _system(schema: str) -> str:
    """The source system of a schema.

    >>> _system("shop.sales.customer")
    'shop'
    """
    return schema.partition(".")[0]
