"""Trees and blocks of the oracle as the values of `entrepot.mapping.matrix`, and as seeds."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from entrepot.mapping.matrix import elements
from entrepot.mapping.matrix.trees import DomainTree
from entrepot.mapping.seeds import COLUMNS, Row, Seed, SeedFile, Seeds
from entrepot.mapping.trees import Attribute, Version
from tests.mapping.oracle import Blocks, Tree


def version_of(schema: str, number: int, attributes: Mapping[str, str | None]) -> Version:
    named = enumerate(attributes.items(), 1)
    return Version(
        schema,
        number,
        tuple(Attribute(name, None, place, False, renamed_from=old or "") for place, (name, old) in named),
    )


def domain_tree(tree: Tree) -> DomainTree:
    return DomainTree.of(
        version_of(schema, number, some) for schema, versions in tree.items() for number, some in versions.items()
    )


def stored_in_python(blocks: Blocks) -> dict[elements.Place, elements.Block]:
    return {
        elements.Place(*place): frozenset(elements.Element(*element) for element in block)
        for place, block in blocks.items()
    }


def seeds_of_case(
    tree: Tree, blocks: Blocks, range_: Mapping[tuple[str, int], list[str]], random_: random.Random
) -> Seeds:
    """The three seeds, their lines in any order; a version without attributes is a row without one."""
    domain = [
        {"schema": schema, "version": str(number), "attribute": name, "renamed_from": old or ""}
        for schema, versions in tree.items()
        for number, attributes in versions.items()
        for name, old in (attributes or {"": None}).items()
    ]
    entities = [
        {"entity": entity, "entity_version": str(version), "entity_attribute": name}
        for (entity, version), names in range_.items()
        for name in names
    ]
    stored = [
        {"schema": place.schema, "version": str(place.version), "entity": place.entity, "entity_version": str(version),
         "attribute": attribute, "entity_attribute": entity_attribute}
        for place, block in blocks.items()
        for version, attribute, entity_attribute in (block or [(1, "", "")])
    ]  # fmt: skip
    return Seeds(
        **{
            name: seed_of(name, rows, random_)
            for name, rows in zip(
                ("schema_attribute", "entity_attribute", "unique_block"), (domain, entities, stored), strict=True
            )
        }
    )


def seed_of(name: str, rows: list[dict[str, str]], random_: random.Random) -> Seed:
    """A seed, its lines in any order and any owner's file."""
    full: list[Row] = [dict.fromkeys(COLUMNS[name], "") | row for row in rows]
    random_.shuffle(full)
    whose = [random_.choice(("", "plant", "shop")) for _ in full]
    return Seed(
        tuple(
            SeedFile(Path("seeds") / owner / f"{name}.csv", b"", COLUMNS[name],
                     tuple(row for row, of in zip(full, whose, strict=True) if of == owner), owner=owner)
            for owner in ("", "plant", "shop")
        )
    )  # fmt: skip
