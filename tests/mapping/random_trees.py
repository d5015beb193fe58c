"""Random domain trees and stored blocks: everything that schemas do, and everything that mapping owners may store."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.mapping.oracle import Block, Blocks, Element, Place, Tree

NAMES = [*(f"a{number}" for number in range(10)), "A0", "A1"]
FIELDS = [f"f{number}" for number in range(8)]


@dataclass
class Case:
    """One or more schemas with their versions, and D_U over them."""

    tree: Tree = field(default_factory=dict)
    unique_set: Blocks = field(default_factory=dict)


def random_case(number: int, random_: random.Random) -> Case:
    """Make case `number`; its schemas carry the number, so that many cases fit into one table."""
    case = Case()
    for schema in (f"case{number}.schema{position}" for position in range(random_.randint(1, 2))):
        case.tree[schema] = random_versions(random_)
        for entity in random_.sample(["customer", "item", "order"], random_.randint(1, 3)):
            case.unique_set |= random_blocks(schema, entity, case.tree[schema], random_)
    return case


def random_versions(random_: random.Random) -> dict[int, dict[str, str | None]]:
    """Make the versions of a schema: attributes come, go, come back and are renamed; version numbers have gaps."""
    versions: dict[int, dict[str, str | None]] = {}
    version = random_.choice([1, 1, 1, 4])
    attributes: dict[str, str | None] = dict.fromkeys(random_.sample(NAMES, random_.randint(1, 6)))
    restless = random_.choice([0.1, 0.3, 0.6])
    for _ in range(random_.randint(1, 9)):
        versions[version] = attributes
        version += random_.choice([1, 1, 1, 2, 7])
        attributes = next_attributes(list(attributes), restless, random_)
    return versions


def next_attributes(before: list[str], restless: float, random_: random.Random) -> dict[str, str | None]:
    """Make the attributes of the next version, now and then none at all; what they say of renames may be odd."""
    if random_.random() < 0.03:
        return {}
    found: dict[str, str | None] = {}
    new_names = [name for name in NAMES if name not in before]
    random_.shuffle(new_names)
    for name in before:
        if random_.random() > restless:
            found[name] = None
        elif new_names and random_.random() < 0.5:
            found[new_names.pop()] = name
    found |= dict.fromkeys(new_names.pop() for _ in range(3) if new_names and random_.random() < restless)
    if len(found) > 1 and random_.random() < 0.15:
        # two that say they have changed places, two that come from one, one that comes from what is still there or never was
        one, other = random_.sample(list(found), 2)
        found[one], found[other] = random_.choice(
            [(other, one), (found[other], found[other]), (other, None), ("ghost", None)]
        )
    return found


def random_blocks(
    schema: str, entity: str, versions: dict[int, dict[str, str | None]], random_: random.Random
) -> Blocks:
    """Make the stored blocks of a schema and an entity: at any versions, some of them null, some of them needless."""
    blocks: Blocks = {}
    entity_version = random_.randint(1, 2)
    block: Block = frozenset()
    for version, attributes in sorted(versions.items()):
        if blocks and random_.random() < 0.6:
            continue
        kind = random_.random()
        if kind < 0.2 or not attributes:
            block = frozenset()
        elif kind > 0.35 or not all(element.attribute in attributes for element in block):
            names = random_.sample(sorted(attributes), random_.randint(1, len(attributes)))
            entity_version = random_.choice([entity_version, entity_version, entity_version, 3])
            fields = random_.sample(FIELDS, len(FIELDS))
            block = frozenset(Element(entity_version, name, field) for name, field in zip(names, fields, strict=False))
        blocks[Place(schema, version, entity)] = block
    return blocks
