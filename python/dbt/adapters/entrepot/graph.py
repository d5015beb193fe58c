"""dbt's graph as `entrepot.jobs.Project`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.jobs import Node, Project
from entrepot.jobs.concerns import concern_of
from entrepot.jobs.model import as_columns
from entrepot.jobs.promises import Promise, promise_of

STORED = ("model", "seed", "snapshot")
FEED = "delta.enableChangeDataFeed"


def project_of(
    graph: Mapping[str, Any],
    selected: Collection[str],
    default_properties: Mapping[str, Any] | None,
    is_deferred: Callable[[Mapping[str, Any]], bool] = lambda node: False,
) -> Project:
    """Return the project of dbt's graph.

    Args:
        graph: what macros see as `graph`
        selected: the ids of what the command runs
        default_properties: var `entrepot_table_properties`
        is_deferred: whether `ref` names a node's relation in another target

    Raises:
        EntrepotError: two nodes have one table, because their relations differ in capitals only
    """
    sources = graph.get("sources", {}).values()
    landed = {source["unique_id"] for source in sources if _is_landed(source)}
    stored = list(_stored_nodes(graph))
    elsewhere = {node["unique_id"] for node in stored if is_deferred(node)}
    nodes = [_written(node, default_properties, landed) for node in stored if node["unique_id"] not in elsewhere]
    _refuse_one_table(nodes)
    read = [_source(source) for source in sources if source["unique_id"] not in landed]
    read += [_deferred(node) for node in stored if node["unique_id"] in elsewhere]
    return Project([*nodes, *read], selected, _promises(graph))


def table_properties(config: Mapping[str, Any], defaults: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the properties that a node's table gets: the defaults (Delta tables only) under its own `tblproperties`.

    >>> table_properties({"file_format": "delta", "tblproperties": {"b": None, "c": True}}, {"a": 1, "b": 2})
    {'a': '1', 'c': 'true'}
    """
    properties = dict(defaults or {}) if config.get("file_format") == "delta" else {}
    properties |= config.get("tblproperties") or {}
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in properties.items()
        if value is not None
    }


def _refuse_one_table(nodes: Iterable[Node]) -> None:
    known: dict[str, Node] = {}
    for node in nodes:
        if node.materialized == "ephemeral":
            continue
        other = known.setdefault(node.relation.lower(), node)
        if other.relation != node.relation:
            raise EntrepotError(
                f"The {other.kind} {other.name} and the {node.kind} {node.name} differ in capitals only: "
                f"{other.relation} and {node.relation} are one table to Spark.",
                "Give one of them another name or alias.",
            )


def _stored_nodes(graph: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for node in graph.get("nodes", {}).values():
        if node["resource_type"] in STORED and node["config"].get("enabled", True):
            yield node


def _promises(graph: Mapping[str, Any]) -> Iterator[Promise]:
    """Yield what models, seeds, snapshots and exposures promise of their age."""
    for node in _stored_nodes(graph):
        if found := promise_of(f"{node['resource_type']} {node['name']}", _meta(node), [node["unique_id"]]):
            yield found
    for exposure in graph.get("exposures", {}).values():
        read = exposure.get("depends_on", {}).get("nodes") or ()
        if found := promise_of(f"exposure {exposure['name']}", _meta(exposure), read):
            yield found


def _is_landed(source: Mapping[str, Any]) -> bool:
    """Whether a source is a table of another database whose changes land: named for its lineage and age, and read by no statement."""
    told = _meta(source).get("entrepot")
    return isinstance(told, Mapping) and bool(told.get("landed"))


def _written(
    node: Mapping[str, Any], default_properties: Mapping[str, Any] | None, landed: Collection[str] = ()
) -> Node:
    config, kind = node["config"], str(node["resource_type"])
    found = Node(
        node["unique_id"],
        kind,
        _called(node),
        node["schema"],
        node.get("alias") or node["name"],
        config.get("materialized"),
        config.get("strategy") if kind == "snapshot" else config.get("incremental_strategy"),
        config.get("file_format") == "delta",
        table_properties(config, default_properties).get(FEED) == "true",
        rule=config.get("delta_rule"),
        reads=tuple(one for one in node.get("depends_on", {}).get("nodes") or () if one not in landed),
        concern=concern_of(node["name"], config.get("materialized") == "view", _meta(node)),
    )
    own = _own_key(found, config)
    return _with_key(found, own or _stated_key(node))


def _called(node: Mapping[str, Any]) -> str:
    """Return what dbt selects a node by: of a model with versions `dim_item.v2`."""
    version = node.get("version")
    return str(node["name"]) if version is None else f"{node['name']}.v{version}"


def _source(node: Mapping[str, Any]) -> Node:
    found = Node(
        node["unique_id"],
        "source",
        f"{node['source_name']}.{node['name']}",
        node["schema"],
        node.get("identifier") or node["name"],
    )
    return _with_key(found, _stated_key(node))


def _deferred(node: Mapping[str, Any]) -> Node:
    """Return a node whose relation is another target's: to this one a source."""
    told = node["defer_relation"]
    found = _written(node, None)
    return Node(found.unique_id, "source", found.name, told["schema"], told["alias"], unique_key=found.unique_key)


def _own_key(node: Node, config: Mapping[str, Any]) -> Any:
    """Return the key of what our own strategies maintain, and the version key of a snapshot."""
    if node.kind == "snapshot":
        return "dbt_scd_id"
    return config.get("unique_key") if node.is_maintained else None


def _stated_key(node: Mapping[str, Any]) -> Any:
    """Return what the author says by `meta: {unique_key: …}`, such as of a source."""
    return _meta(node).get("unique_key")


def _meta(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the author says by `meta`, of the node or in its config."""
    return ((node.get("config") or {}).get("meta") or {}) | (node.get("meta") or {})


def _with_key(node: Node, key: Any) -> Node:
    return replace(node, unique_key=as_columns(key))
