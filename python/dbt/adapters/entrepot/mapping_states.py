"""What macros ask of the state of the mapping, as methods of the adapter (see `entrepot.mapping.sync`)."""

from __future__ import annotations

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.mapping_seeds import PACKAGE, MappingSeeds
from entrepot.errors import EntrepotError
from entrepot.jobs import Node
from entrepot.mapping.sync import (
    SHORT,
    Compiled,
    differing,
    listed,
    out_of_sync,
    recorded,
    sentence_of_version,
    told_state,
    unmapped_versions,
)
from entrepot.seeds import Checksums, File
from entrepot.seeds import is_in_sight as is_in_sight_of_spark


class MappingStates(MappingSeeds):
    """Refuses to map, or to read what is mapped, where trees, blocks, compiled models and mapped rows are not in one state."""

    @for_macros
    def mapping_refuse_older_blocks(self, reader: str | None) -> None:
        """Refuse to compile where D_P is not that of the seeds.

        Args:
            reader: var `entrepot_seed_reader`

        Raises:
            EntrepotError: a seed's file is not what its table was loaded from, or `balanced_set` was computed from other trees and blocks
        """
        for seed, noted in self._noted.items():
            node = self.job.project.named(seed)
            if node is not None and node not in self.job.project.selected:
                place, delimiter, path = self._files[seed]
                is_in_sight = is_in_sight_of_spark(path, reader, is_embedded=self.is_embedded())
                self._refuse_other_file(node, File(path, place, is_in_sight, delimiter, noted))
        blocks = self.job.project.named("balanced_set")
        if blocks is None or any(run.unique_id == blocks.unique_id for run in self.job.runs):
            return
        contents = self.job.relations.contents(blocks.relation)
        # where something else than our strategies computes it, nobody has noted what it was computed from
        moved = [] if contents.reads is None else self.job.changes.moved(self.job.project.upstreams(blocks), contents)
        if moved:
            newer = listed([one.node.relation for one in moved])
            raise out_of_sync(
                f"{blocks.relation} was computed before {newer} came to what it is", "dbt build --select balanced_set+"
            )

    @for_macros
    def mapping_refuse_older_rows(self, node: Node, entity: str, mapping: Compiled) -> None:
        """Refuse to read a mapped model whose rows were mapped by other blocks of its entity.

        Args:
            node: the mapped model
            entity: its entity
            mapping: the mapping of this job

        Raises:
            EntrepotError: its rows are of another state
        """
        state = self.job.relations.contents(node.relation).detail
        if state is None or state == mapping["state"]:
            return
        before = self.mapping_recorded(state)
        other = differing(before, mapping, entity) if before else ["what that state was is not in the books"]
        if other:
            raise out_of_sync(
                f"the rows of {node.relation} are of state {state[:SHORT]}, and the mapping is in state {mapping['state'][:SHORT]} "
                f"({listed(other)})",
                f"dbt build --select {node.name}+",
            )

    @for_macros
    def mapping_recorded(self, state: str) -> Compiled | None:
        """Return the mapping in a state, or one that begins so, as a snapshot has kept it; none where none has."""
        blocks = self.job.project.named("balanced_set")
        return recorded(self.job.books.details(blocks.relation), state) if blocks else None

    @for_macros
    def mapping_held(self, state: object, mapping: Compiled) -> Compiled:
        """Return the mapping in the state that it is held in, and say what is held back.

        Args:
            state: variable `mapping_state`
            mapping: the mapping as it is now

        Raises:
            EntrepotError: it is no state, or no snapshot has kept it
        """
        held = self.mapping_recorded(told_state(state))
        if held is None:
            raise EntrepotError(
                f"Variable mapping_state is {state}, and no published snapshot has a state of the mapping that begins so.",
                "ops.ops_mapping_run has the state of each mapped model by job in column mapping_state; or leave the variable out.",
            )
        waiting = differing(held, mapping)
        self.tell(
            f"The mapping is held in state {held['state'][:SHORT]} by variable mapping_state. "
            + (
                f"Held back until it is taken away: {listed(waiting)}."
                if waiting
                else "That is the state of the seeds."
            )
        )
        return held

    @for_macros
    def mapping_versions_without_model(self, mapping: Compiled, project: str) -> list[str]:
        """Return sentences on older versions of entities that blocks feed and no model maps to.

        Args:
            mapping: the mapping of this job
            project: the name of the project that is run
        """
        macro = f"{'' if project == PACKAGE else f'{PACKAGE}.'}map_to_entity"
        return [
            sentence_of_version(entity, version, mapping["newest"][entity], macro)
            for entity, version in unmapped_versions(mapping, self._mapped)
        ]

    @for_macros
    def mapping_feeds(self, mapping: Compiled) -> dict[str, list[str]]:
        """Return the schemas whose changes come into each mapped model, {relation: schemas}.

        Args:
            mapping: the mapping of this job
        """
        schemas = {
            entity: sorted({block["schema"] for blocks in versions.values() for block in blocks})
            for entity, versions in mapping["blocks"].items()
        }
        entities = {key: node["config"].get("entity") for key, node in self.jobs_graph()["nodes"].items()}
        nodes = ((self.job.project.node(key), entity) for key, entity in entities.items() if entity)
        return {node.relation: schemas.get(entity, []) for node, entity in nodes if node is not None}

    def _refuse_other_file(self, node: Node, file: File) -> None:
        found = self.catalogued(node.relation)
        if found is None or not found.is_delta or not file.is_told:
            return
        loaded = Checksums.of_text(self.job.relations.contents(node.relation).sql_hash or "").contents
        if loaded and loaded != file.checksum(list):
            owned = " with the files of owners" if node.unique_id in self._united else ""
            raise out_of_sync(
                f"{file.path}{owned} is not the file that {node.relation} was loaded from, and this command does not load it",
                f"dbt build, or dbt build --select {node.name}+",
            )
