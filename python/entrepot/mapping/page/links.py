"""Addresses of dbt docs' pages about an entity."""

from __future__ import annotations

from urllib.parse import quote

from entrepot.mapping.page.content import Link
from entrepot.mapping.project import Project

# the nodes that an entity may have: the name of the node, and its kind as dbt docs has it
NODES = (("mapped_{}", "model"), ("{}_history", "snapshot"), ("int_{}_current", "model"))


def links_of(project: Project) -> dict[str, list[Link]]:
    """Return {entity: pages of the models and snapshots that the project has of it}; entities without any are left out."""
    entities = {row["entity"] for row in project.seeds.entity_attribute.rows}
    found = {entity: list(_links(project, entity)) for entity in sorted(entities)}
    return {entity: links for entity, links in found.items() if links}


def _links(project: Project, entity: str) -> list[Link]:
    names = [(name.format(entity), kind) for name, kind in NODES]
    return [
        Link(name, f"#!/{kind}/{kind}.{quote(project.name)}.{quote(name)}")
        for name, kind in names
        if name in project.nodes
    ]
