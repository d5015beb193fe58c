"""Whether what maps and what is mapped are in one state; what is not is out of sync, which is an error and no guess (METL 3.4)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from entrepot.errors import EntrepotError

# a mapping as macro `mapping_read` gives it
Compiled = Mapping[str, Any]
TOLD = 5
SHORT = 8


def out_of_sync(problem: str, command: str) -> EntrepotError:
    """Return the error: what differs, and what to run."""
    return EntrepotError(f"The mapping is out of sync: {problem}.", f"Run {command} (docs/mapping.md, States).")


def differing(before: Compiled, after: Compiled, entity: str | None = None) -> list[str]:
    """Return in words what maps otherwise in another state: schemas and versions by entity, sorted; all entities where none is named.

    >>> block = {"schema": "shop.item", "versions": [1, 2], "first_version": 1, "elements": [{"attribute": "id"}]}
    >>> other = block | {"versions": [1]}
    >>> attributes = {"item": {"1": [{"name": "id"}]}}
    >>> differing({"entities": attributes, "blocks": {"item": {"1": [block]}}}, {"entities": attributes, "blocks": {"item": {"1": [other]}}})
    ['shop.item version 2 to item version 1']
    >>> differing({"entities": attributes, "blocks": {}}, {"entities": {}, "blocks": {}})
    ['the attributes of item version 1']
    """
    old, new = _parts(before, entity), _parts(after, entity)
    return sorted({what for what in old.keys() | new.keys() if old.get(what) != new.get(what)}, key=_sorted)


def listed(words: Sequence[str]) -> str:
    """Return the first of some words, with commas, and how many more there are.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    more = f" and {len(words) - TOLD} more" if len(words) > TOLD else ""
    return ", ".join(words[:TOLD]) + more


def told_state(value: object) -> str:
    """Return the state that variable `mapping_state` names, or its beginning.

    Raises:
        EntrepotError: it is no text; YAML takes digits for a number, and those after a 0 for another one
    """
    if not isinstance(value, str):
        raise EntrepotError(
            f"Variable mapping_state is {value!r}, which is no text.",
            "Write the state, or its beginning, in quotes: mapping_state: '12345678'.",
        )
    return value


def recorded(details: Iterable[str | None], state: str) -> Compiled | None:
    """Return the mapping in a state, from what snapshots have kept of it; none where none has it.

    Args:
        details: what the snapshots keep of `balanced_set`
        state: the state, or its beginning

    Raises:
        EntrepotError: several states begin so
    """
    found = {mapping["state"]: mapping for detail in details if (mapping := compiled_of(detail))}
    named = [mapping for name, mapping in found.items() if name.startswith(state)]
    if len(named) > 1:
        raise EntrepotError(f"Several states of the mapping begin with {state}.", "Write more of it.")
    return named[0] if named else None


def compiled_of(detail: str | None) -> Compiled | None:
    """Return a mapping as a snapshot keeps it; none where it keeps none, or an older entrepot has written it."""
    found = json.loads(detail) if detail else None
    return found if isinstance(found, dict) and found.get("newest") is not None else None


def unmapped_versions(mapping: Compiled, mapped: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the older versions of entities that blocks feed and no model maps to.

    Args:
        mapping: the mapping
        mapped: (entity, version) of models that name a version

    >>> mapping = {"newest": {"item": "2", "order": "1"}, "blocks": {"item": {"1": [], "2": []}, "order": {"1": []}}}
    >>> unmapped_versions(mapping, []), unmapped_versions(mapping, [("item", "1")])
    ([('item', '1')], [])
    """
    fed = ((entity, version) for entity, versions in mapping["blocks"].items() for version in versions)
    return [one for one in fed if one[1] != mapping["newest"].get(one[0]) and one not in mapped]


def sentence_of_version(entity: str, version: str, newest: str, macro: str) -> str:
    """Say that a version of an entity has no model, and what to write or to take out."""
    name = f"{entity}_v{version}"
    config = f"{{{{ config(alias='{name}', entity='{entity}', entity_version={version}) }}}}"
    return (
        f"Blocks feed version {version} of entity {entity}, and no model maps to it: mapped_{entity} is version {newest}. "
        f"Write models/mapped/mapped_{name}.sql: {config} {{{{ {macro}('{entity}', {version}) }}}}; "
        f"or take the version out: entrepot mapping retire {entity} {version} (docs/mapping.md, Side by side)."
    )


def _parts(mapping: Compiled, entity: str | None) -> dict[str, Any]:
    """What maps, by what it is in words: attributes of entity versions, and blocks of schema versions."""
    found: dict[str, Any] = {}
    for name, versions in mapping["entities"].items():
        for version, attributes in versions.items() if entity in (None, name) else ():
            found[f"the attributes of {name} version {version}"] = attributes
    for name, versions in mapping["blocks"].items():
        for version, blocks in versions.items() if entity in (None, name) else ():
            for block in blocks:
                found |= {
                    f"{block['schema']} version {number} to {name} version {version}": block["elements"]
                    for number in block["versions"]
                }
    return found


def _sorted(words: str) -> list[tuple[bool, int, str]]:
    """Words with numbers in their order."""
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in words.split()]
