"""A dbt project as jobs see it: what is stored, what reads what, and what this job runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from entrepot.jobs.promises import Promise
from entrepot.sql import TableName

OWN_STRATEGIES = ("delta", "land")


@dataclass(frozen=True, slots=True)
class Concern:
    """That a view lists what waits for a person, by `meta: {entrepot: {concern: …, reason: …, amount: …}}`.

    Attributes:
        says: what its rows are, such as `unmapped events`
        reason: SQL of why a row waits
        amount: SQL of how many a row counts for
    """

    says: str
    reason: str = "null"
    amount: str = "1"


@dataclass(frozen=True, slots=True)
class Node:
    """A model, seed, snapshot or source of a dbt project.

    Attributes:
        unique_id: dbt's id of it
        kind: `model`, `seed`, `snapshot` or `source`; `test` for what is none of the project's relations
        name: what models call it: `model`, or `source.table`
        schema: the schema of its relation
        identifier: its relation's name in the schema
        materialized: how dbt makes it; none for sources
        strategy: how it is maintained: its incremental strategy, or a snapshot's strategy
        is_delta: whether its config asks for a Delta table
        has_feed: whether its config asks for a change feed; none for a source, which has to be asked
        unique_key: the columns that tell its rows apart; empty where nobody says it
        rule: the rule that its config forces
        reads: the ids of what it reads
        concern: what waits for a person in it; none for most
    """

    unique_id: str
    kind: str
    name: str
    schema: str
    identifier: str
    materialized: str | None = None
    strategy: str | None = None
    is_delta: bool = False
    has_feed: bool | None = None
    unique_key: tuple[str, ...] = ()
    rule: str | None = None
    reads: tuple[str, ...] = ()
    concern: Concern | None = None

    @property
    def relation(self) -> str:
        """The name of its relation, as statements and commits write it."""
        return f"{self.schema}.{self.identifier}"

    @property
    def table(self) -> TableName:
        """The name of its relation; a profile's schema may have a catalog in front."""
        return TableName.of([*self.schema.split("."), self.identifier])

    @property
    def published_as(self) -> str:
        """Its id in what is published: where its relation is another target's (`--defer`), it is a source here."""
        return (
            self.unique_id
            if self.kind != "source" or self.unique_id.startswith("source.")
            else f"source.{self.unique_id}"
        )

    @property
    def is_view(self) -> bool:
        """Whether it is a view."""
        return self.materialized == "view"

    @property
    def is_inlined(self) -> bool:
        """Whether its text stands in place of its name in what reads it."""
        return self.materialized in ("view", "ephemeral")

    @property
    def is_maintained(self) -> bool:
        """Whether one of our own strategies writes it: its commits say what they contain."""
        if self.kind == "snapshot":
            return self.strategy == "commit_order"
        return self.kind == "model" and self.materialized == "incremental" and self.strategy in OWN_STRATEGIES

    @property
    def lands(self) -> bool:
        """Whether it takes what arrives from outside."""
        return self.strategy == "land"


def asking(unique_id: str, name: str, reads: Sequence[str]) -> Node:
    """Return what reads nodes and is no relation of the project: a data test, a hook, a count of what waits."""
    return Node(unique_id, "test", name, "", "", reads=tuple(reads))


class Project:
    """The nodes of a project that have a relation, and those that have not one of their own."""

    def __init__(self, nodes: Iterable[Node], selected: Collection[str] = (), promises: Iterable[Promise] = ()) -> None:
        """Take the nodes and sources, the ids of what this command runs, and how old what is published may be."""
        self.promises = tuple(promises)
        self._nodes = {node.unique_id: node for node in nodes}
        self._selected = frozenset(selected)

    def node(self, unique_id: str) -> Node | None:
        """Return a node by its id."""
        return self._nodes.get(unique_id)

    def named(self, name: str) -> Node | None:
        """Return the model, seed or snapshot of a name."""
        return next((node for node in self.written if node.name == name), None)

    def of_relation(self, relation: str) -> Node | None:
        """Return the model, seed or snapshot that makes a relation."""
        return self._by_relation.get(relation)

    def of_table(self, table: TableName) -> Node | None:
        """Return what a name in SQL stands for: a model, seed, snapshot, or a source that is read."""
        return self._by_table.get(table)

    @property
    def sources(self) -> tuple[Node, ...]:
        """The sources that a node reads, and that none writes."""
        return tuple(self._sources.values())

    def is_source(self, relation: str) -> bool:
        """Whether a relation is a source that a node reads, and that none writes."""
        return relation in self._sources

    @cached_property
    def written(self) -> tuple[Node, ...]:
        """All models, seeds and snapshots."""
        return tuple(node for node in self._nodes.values() if node.kind != "source")

    @cached_property
    def stored(self) -> tuple[Node, ...]:
        """Those that have a relation, views among them, and the sources that are read."""
        return tuple(node for node in self.written if node.materialized != "ephemeral") + self.sources

    @cached_property
    def maintained(self) -> tuple[Node, ...]:
        """Those that our own strategies write."""
        return tuple(node for node in self.written if node.is_maintained)

    @cached_property
    def selected(self) -> tuple[Node, ...]:
        """Those that this command runs."""
        return tuple(node for node in self.written if node.unique_id in self._selected)

    @cached_property
    def rewritten(self) -> frozenset[str]:
        """The relations that dbt's own materializations write in this job: their versions are looked up afterwards."""
        return frozenset(
            node.relation for node in self.selected if node.kind in ("model", "snapshot") and not node.is_maintained
        )

    def upstreams(self, node: Node) -> tuple[Node, ...]:
        """Return the stored relations that a node reads, through views and ephemeral models."""
        found: dict[str, Node] = {}
        for upstream in self._read_by(node):
            if upstream.is_inlined:
                found |= {inner.relation: inner for inner in self.upstreams(upstream)}
            else:
                found[upstream.relation] = upstream
        return tuple(found.values())

    def comes_before(self, table: Node, node: Node) -> bool:
        """Whether a node reads a table, or something that is made of it: what a job writes to the table is there then."""
        found: set[str] = set()
        waiting = [node]
        while waiting:
            new = [one for one in self.upstreams(waiting.pop()) if one.unique_id not in found]
            if table in new:
                return True
            found.update(one.unique_id for one in new)
            waiting += new
        return False

    def views(self, node: Node) -> list[Node]:
        """Return the views that a node reads, directly or through ephemeral models."""
        found: dict[str, Node] = {}
        for upstream in self._read_by(node):
            if upstream.is_view:
                found[upstream.unique_id] = upstream
            elif upstream.is_inlined:
                found |= {view.unique_id: view for view in self.views(upstream)}
        return list(found.values())

    def built_on(self, node: Node) -> list[Node]:
        """Return the models and snapshots that are built on a node, directly or over views."""
        found: dict[str, Node] = {}
        for reader in self._readers.get(node.unique_id, ()):
            built = self.built_on(reader) if reader.is_inlined else [reader]
            found |= {one.unique_id: one for one in built}
        return list(found.values())

    def _read_by(self, node: Node) -> list[Node]:
        return [self._nodes[unique_id] for unique_id in node.reads if unique_id in self._nodes]

    @cached_property
    def _by_relation(self) -> dict[str, Node]:
        return {node.relation: node for node in reversed(self.written)}

    @cached_property
    def _by_table(self) -> dict[TableName, Node]:
        return {node.table: node for node in reversed(self.stored)}

    @cached_property
    def _sources(self) -> dict[str, Node]:
        read = [upstream for node in self.written for upstream in self._read_by(node) if upstream.kind == "source"]
        return {node.relation: node for node in read if node.relation not in self._by_relation}

    @cached_property
    def _readers(self) -> dict[str, list[Node]]:
        readers: dict[str, list[Node]] = {}
        for node in self.written:
            for unique_id in node.reads if node.kind in ("model", "snapshot") else ():
                readers.setdefault(unique_id, []).append(node)
        return readers
