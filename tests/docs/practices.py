"""The rules of dbt-project-evaluator 1.x over a manifest: {rule: the nodes that break it}, by its definitions and its default thresholds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

OWN = "entrepot"
LEAVES, PARENTS, CHAINED = 3, 7, 5
LAYERS = {"int": "intermediate", "fct": "marts", "dim": "marts", "stg": "staging"}


class Practices:
    """A project's own nodes, and who reads whom."""

    def __init__(self, manifest: Any) -> None:
        """Take what dbt has parsed."""
        self.nodes = manifest.nodes
        self.stored = {
            one: node
            for one, node in manifest.nodes.items()
            if node.package_name == OWN and node.resource_type in ("model", "seed", "snapshot")
        }
        self.models = {one: node for one, node in self.stored.items() if node.resource_type == "model"}
        self.sources = {one: source for one, source in manifest.sources.items() if source.package_name == OWN}
        self.exposures = [one for one in manifest.exposures.values() if one.package_name == OWN]
        self.readers: dict[str, set[str]] = defaultdict(set)
        for one, node in {**self.stored, **{exposure.unique_id: exposure for exposure in self.exposures}}.items():
            for parent in _read(node):
                self.readers[parent].add(one)
        self.tests: dict[str, set[str]] = defaultdict(set)
        for node in manifest.nodes.values():
            if node.resource_type == "test" and node.attached_node:
                self.tests[node.attached_node].add(node.test_metadata.name)

    def broken(self) -> dict[str, set[str]]:
        """Return {rule: names of the nodes that break it}, with the rules that none breaks."""
        rules = {name[3:]: rule for name, rule in vars(type(self)).items() if name.startswith("is_")}
        nodes: Mapping[str, Any] = {**self.stored, **self.sources}
        found = {rule: {node.name for node in nodes.values() if check(self, node)} for rule, check in rules.items()}
        found["exposures_dependent_on_private_models"] = {
            node.name for node in self._shown() if str(node.access) != "public"
        }
        found["exposure_parents_materializations"] = {
            node.name for node in self._shown() if node.config.materialized in ("view", "ephemeral")
        }
        found["exposures_dependent_on_sources"] = {
            exposure.name
            for exposure in self.exposures
            if any(parent.startswith("source.") for parent in _read(exposure))
        }
        relations = [(source.schema, source.identifier) for source in self.sources.values()]
        found["duplicate_sources"] = {name for schema, name in relations if relations.count((schema, name)) > 1}
        return found

    def is_direct_join_to_source(self, node: Any) -> bool:
        """Whether it reads a source and a model."""
        read = self._sources_of(node)
        return bool(read) and len(read) < len(_read(node))

    def is_multiple_sources_joined(self, node: Any) -> bool:
        """Whether it reads several sources."""
        return len(self._sources_of(node)) > 1

    def is_marts_or_intermediate_dependent_on_source(self, node: Any) -> bool:
        """Whether it is of a late layer and reads a source."""
        return bool(self._sources_of(node)) and ("marts" in node.fqn or "intermediate" in node.fqn)

    def is_root_models(self, node: Any) -> bool:
        """Whether it is a model that reads nothing."""
        return node.unique_id in self.models and not _read(node)

    def is_model_fanout(self, node: Any) -> bool:
        """Whether many models that nobody reads read it."""
        leaves = [one for one in self.readers[node.unique_id] if one in self.models and not self.readers[one]]
        return node.unique_id in self.models and len(leaves) > LEAVES

    def is_source_fanout(self, node: Any) -> bool:
        """Whether it is a source that several read."""
        return node.unique_id in self.sources and len(self.readers[node.unique_id]) > 1

    def is_unused_sources(self, node: Any) -> bool:
        """Whether it is a source that nobody reads."""
        return node.unique_id in self.sources and not self.readers[node.unique_id]

    def is_too_many_joins(self, node: Any) -> bool:
        """Whether it reads many."""
        return node.unique_id in self.stored and len(_read(node)) >= PARENTS

    def is_rejoining_of_upstream_concepts(self, node: Any) -> bool:
        """Whether it reads something, and something else made of that alone for it."""
        if node.unique_id not in self.stored:
            return False
        read = _read(node)
        own = [one for one in read if one in self.models and self.readers[one] == {node.unique_id}]
        return any(above in read for one in own for above in _read(self.models[one]))

    def is_chained_views_dependencies(self, node: Any) -> bool:
        """Whether so many views stand on one another below it."""
        return node.unique_id in self.stored and self._views(node.unique_id) >= CHAINED

    def is_missing_primary_key_tests(self, node: Any) -> bool:
        """Whether no test looks at its key."""
        return node.unique_id in self.models and not self.tests[node.unique_id] & {"unique_key", "unique"}

    def is_untested_models(self, node: Any) -> bool:
        """Whether no test looks at it."""
        return node.unique_id in self.models and not self.tests[node.unique_id]

    def is_sources_without_freshness(self, node: Any) -> bool:
        """Whether it is a source of which nobody says how old it may be."""
        return node.unique_id in self.sources and not (node.freshness and node.freshness.warn_after)

    def is_undocumented(self, node: Any) -> bool:
        """Whether nobody describes it, or its source."""
        return not node.description or not getattr(node, "source_description", "yes")

    def is_model_naming_conventions(self, node: Any) -> bool:
        """Whether its name says another layer than its folder."""
        wanted = LAYERS.get(node.name.partition("_")[0])
        return node.unique_id in self.models and (wanted or "other") not in (*node.fqn, "other")

    def is_hard_coded_references(self, node: Any) -> bool:
        """Whether its text names a table itself."""
        words = getattr(node, "raw_code", "").lower().split()
        after = [after for word, after in pairwise(words) if word in ("from", "join")]
        return any("." in name and "{" not in name and "(" not in name for name in after)

    def is_public_models_without_contract(self, node: Any) -> bool:
        """Whether others may read it, and nobody promises its columns."""
        return str(getattr(node, "access", "")) == "public" and not node.config.contract.enforced

    def is_undocumented_public_models(self, node: Any) -> bool:
        """Whether others may read it, and it or a column of it is not described."""
        described = [node.description, *(column.description for column in node.columns.values())]
        return str(getattr(node, "access", "")) == "public" and not all(described)

    def _sources_of(self, node: Any) -> list[str]:
        read = _read(node) if node.unique_id in self.stored else []
        return [one for one in read if one.startswith("source.")]

    def _views(self, one: str) -> int:
        node = self.nodes.get(one)
        if node is None or node.config.materialized not in ("view", "ephemeral"):
            return 0
        return 1 + max((self._views(parent) for parent in _read(node)), default=0)

    def _shown(self) -> Iterator[Any]:
        return (self.nodes[parent] for exposure in self.exposures for parent in _read(exposure))


def _read(node: Any) -> list[str]:
    """What a node reads; a seed reads nothing, and has no such list."""
    return list(getattr(node.depends_on, "nodes", ()))
