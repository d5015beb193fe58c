"""What a published table comes from: dbt's graph, with what the books say of each relation in one snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.ledger import Ledger, ModelRun, SourceCut
from entrepot.snapshots import PublishedRelation, Snapshot

MANIFEST = "manifest.json"
SOURCE = "source"


class LineageError(EntrepotError):
    """Nobody can say what a table comes from."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of dbt's graph.

    Attributes:
        unique_id: dbt's id of it
        relation: schema and name; of a source the name of the source and of the table
        kind: how it is made: `source`, `seed`, `snapshot`, or a model's materialization
        parents: the ids of what it reads, in dbt's order
    """

    unique_id: str
    relation: str
    kind: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A relation that a table comes from, or the table itself.

    Attributes:
        node: as dbt's graph has it
        published: as the snapshot has it; none of a source, of what is inlined, and of what this snapshot does not have
        run: the run that wrote its rows; none where the books do not say
        heard_at: of a source: up to when it had been heard, UTC
        reads: relations, the names of what it reads
    """

    node: GraphNode
    published: PublishedRelation | None
    run: ModelRun | None
    heard_at: datetime | None
    reads: tuple[str, ...]

    @property
    def holds_through(self) -> datetime | None:
        """Up to when it holds what its sources have committed, UTC; none where nobody can say."""
        return self.published.holds_through if self.published else self.heard_at


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the tree.

    Attributes:
        ancestor: what it is about
        lasts: for each level from the table down, whether it is the last one there; empty for the table itself
        is_again: whether it stands above already, with all that it reads
    """

    ancestor: Ancestor
    lasts: tuple[bool, ...]
    is_again: bool


def read_graph(file: Path) -> dict[str, GraphNode]:
    """Read dbt's graph, {id: node}, from the manifest that its last command has written.

    Raises:
        LineageError: there is none, or it cannot be read
    """
    try:
        manifest: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        nodes = [*manifest["nodes"].values(), *manifest["sources"].values()]
    except FileNotFoundError:
        raise LineageError(f"There is no {file}: dbt has not read this project yet.", "Run `dbt parse`.") from None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise LineageError(
            f"{file} cannot be read: {type(error).__name__}: {error}.", "Run `dbt parse`, which writes it anew."
        ) from error
    return {node["unique_id"]: _node(node) for node in nodes if node["resource_type"] in RELATIONS}


RELATIONS = ("model", "seed", "snapshot", SOURCE)


def _node(node: Mapping[str, Any]) -> GraphNode:
    kind = node["resource_type"]
    if kind == SOURCE:
        return GraphNode(node["unique_id"], f"{node['source_name']}.{node['name']}", SOURCE, ())
    made = (node.get("config") or {}).get("materialized") if kind == "model" else kind
    parents = tuple((node.get("depends_on") or {}).get("nodes") or ())
    return GraphNode(node["unique_id"], f"{node['schema']}.{node['alias'] or node['name']}", str(made), parents)


class Lineage:
    """What one table of one snapshot comes from.

    Attributes:
        snapshot: the snapshot
        ancestors: the table first, then all that it comes from, each once, in the order of the tree, {id: ancestor}
    """

    def __init__(
        self, snapshot: Snapshot, relation: PublishedRelation, graph: Mapping[str, GraphNode], ledger: Ledger
    ) -> None:
        """Follow dbt's graph from a relation up to the sources.

        Raises:
            LineageError: dbt's graph does not have the relation
        """
        self.snapshot, self._graph = snapshot, graph
        ids = {node.relation.lower(): one for one, node in graph.items() if node.kind != SOURCE}
        root = relation.node if relation.node in graph else ids.get(relation.name.lower())
        if root is None:
            raise LineageError(
                f"{relation.name} is in the snapshot of job {snapshot.number}, and not in dbt's manifest of this project.",
                "Run `dbt parse`. A model that the project no longer has, has no lineage any more.",
            )
        self._root = root
        self.ancestors: dict[str, Ancestor] = {}
        found = self._above(root)
        published = {one: self._published(graph[one]) for one in found}
        tables = [row.name for row in published.values() if row is not None and row.version is not None]
        runs, cuts = ledger.written_by(tables, snapshot.number), ledger.cuts_of(snapshot.number)
        for one in found:
            self.ancestors[one] = _ancestor(graph, graph[one], published[one], runs, cuts)

    def steps(self) -> Iterator[Step]:
        """Yield the tree line by line, what a relation reads below it; what stands above already is not followed again."""
        seen: set[str] = set()
        waiting: list[tuple[str, tuple[bool, ...]]] = [(self._root, ())]
        while waiting:
            one, lasts = waiting.pop()
            ancestor = self.ancestors[one]
            is_again = one in seen and bool(ancestor.reads)
            yield Step(ancestor, lasts, is_again)
            seen.add(one)
            if not is_again:
                parents = self._parents(one)
                waiting += [
                    (parent, (*lasts, place == len(parents))) for place, parent in enumerate(parents, 1)
                ][::-1]  # fmt: skip

    def _above(self, root: str) -> list[str]:
        found, waiting = dict.fromkeys([root]), [root]
        while waiting:
            new = [one for one in self._parents(waiting.pop()) if one not in found]
            found.update(dict.fromkeys(new))
            waiting += new[::-1]
        return list(found)

    def _parents(self, one: str) -> list[str]:
        return [parent for parent in dict.fromkeys(self._graph[one].parents) if parent in self._graph]

    def _published(self, node: GraphNode) -> PublishedRelation | None:
        found = self.snapshot.relations
        by_id = next((row for row in found.values() if row.node == node.unique_id), None)
        return by_id or (None if node.kind == SOURCE else found.get(node.relation))


def _ancestor(
    graph: Mapping[str, GraphNode],
    node: GraphNode,
    published: PublishedRelation | None,
    runs: Mapping[str, ModelRun],
    cuts: Mapping[str, SourceCut],
) -> Ancestor:
    cut = cuts.get(node.relation.partition(".")[0]) if node.kind == SOURCE else None
    return Ancestor(
        node,
        published,
        runs.get(published.name) if published else None,
        cut.heard_at if cut else None,
        tuple(graph[parent].relation for parent in dict.fromkeys(node.parents) if parent in graph),
    )
