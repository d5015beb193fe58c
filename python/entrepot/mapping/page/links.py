"""Addresses of dbt docs' pages about an entity."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from entrepot.mapping.page.content import Link
from entrepot.mapping.project import Project

# the nodes that an entity may have: the name of the node, and its kind as dbt docs has it
NODES = (("mapped_{}", "model"), ("{}_history", "snapshot"), ("int_{}_current", "model"), ("outgoing_{}", "model"))
# an older version of an entity beside the newest (docs/mapping.md)
OLDER = "mapped_{}_v{}"


def links_of(project: Project) -> dict[str, list[Link]]:
    """Return {entity: pages of the models and snapshots that the project has of it}; entities without any are left out."""
    versions: dict[str, set[str]] = {}
    for row in project.seeds.entity_attribute.rows:
        versions.setdefault(row["entity"], set()).add(row["entity_version"])
    found = {entity: list(_links(project, entity, numbers)) for entity, numbers in sorted(versions.items())}
    return {entity: links for entity, links in found.items() if links}


def _links(project: Project, entity: str, versions: set[str]) -> Iterator[Link]:
    names = [(name.format(entity), kind) for name, kind in NODES]
    names += [(OLDER.format(entity, number), "model") for number in sorted(versions)]
    for name, kind in names:
        if name in project.nodes:
            yield Link(name, f"#!/{kind}/{kind}.{quote(project.name)}.{quote(name)}")
