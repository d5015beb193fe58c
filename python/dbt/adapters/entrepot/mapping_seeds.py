"""The seeds of the mapping are checked when dbt has read the project and no connection is open (see `entrepot.mapping.checks`, decision 29)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dbt.flags import get_flags
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.seeds import Seeds
from entrepot.mapping.checks import failures_of, sentence_of
from entrepot.mapping.compiled import told
from entrepot.mapping.seeds import COLUMNS

# the commands of dbt that load seeds
LOADING = ("build", "seed")
PACKAGE = "entrepot"
# models of the project entrepot that read the seeds: where none of them is, seeds of these names are somebody else's
READERS = ("balanced_set", "schema_tree", "schema_version", "discovered_schema_attribute")
# a table with this property takes any name for a column
MAPS_COLUMNS = "delta.columnMapping.mode"


class MappingSeeds(Seeds):
    """Refuses seeds of the mapping that cannot be used, and finds the lines of those that a test has something against."""

    # {seed: (its file, what stands between two values, the file as the project names it)}
    _files: dict[str, tuple[Path, str, str]]
    # {seed: the checksum that dbt has noted of its file; none of a large one}
    _noted: dict[str, str | None]
    # (entity, version) of the models that map to a version that they name
    _mapped: frozenset[tuple[str, str]]

    def seeds_may_be_refused(self) -> bool:
        """Whether files with the names of the mapping's seeds have failures: then Spark is not started before dbt has read the project.

        Which of them are the mapping's, and how they are written, is not known before.
        """
        if not _loads_seeds():
            return False
        root = Path(self.config.project_root)
        found = {
            path.stem: (path, ",")
            for folder in self.config.seed_paths
            for path in (root / folder).rglob("*.csv")
            if path.stem in COLUMNS
        }
        return bool(failures_of(found, any_name=True))

    def set_macro_resolver(self, macro_resolver: Any) -> None:
        """Take dbt's manifest, which is complete now, and check the seeds of the mapping by it.

        Raises:
            DbtRuntimeError: some rows cannot be used; each with its file and line
        """
        super().set_macro_resolver(macro_resolver)
        nodes = getattr(macro_resolver, "nodes", {})
        self._files = {
            node.name: (self._seed_place(node.to_dict()), node.config.get("delimiter", ","), node.original_file_path)
            for node in _mapping_seeds(nodes)
        }
        self._noted = {
            node.name: None if node.checksum.name == "path" else node.checksum.checksum
            for node in _mapping_seeds(nodes)
        }
        self._mapped = frozenset(
            (str(node.config.get("entity")), str(node.config.get("entity_version")))
            for node in nodes.values()
            if node.resource_type == "model" and node.config.get("entity_version")
        )
        if not _loads_seeds():
            return
        any_name = MAPS_COLUMNS in repr(
            [self.config.vars.to_dict(), *(node.config.get("tblproperties") for node in nodes.values())]
        )
        failures = failures_of({name: file[:2] for name, file in self._files.items()}, any_name)
        if failures:
            raise DbtRuntimeError(sentence_of(failures, {name: file[2] for name, file in self._files.items()}))

    @for_macros
    def mapping_told(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Sentences of what a test of the mapping has found: rows with `seed`, `problem`, `instead` and columns of the seed."""
        return told(rows, self._files)


def _loads_seeds() -> bool:
    return getattr(get_flags(), "WHICH", None) in LOADING


def _mapping_seeds(nodes: dict[str, Any]) -> Iterator[Any]:
    """Yield the seeds that models of the mapping read, and those of their package: `entity_attribute` is read by mapped models alone."""
    named = {key: node for key, node in nodes.items() if node.resource_type == "seed" and node.name in COLUMNS}
    readers = (
        (node for node in nodes.values() if node.package_name == PACKAGE and node.name in READERS) if named else ()
    )
    packages = {named[key].package_name for node in readers for key in node.depends_on.nodes if key in named}
    yield from (node for node in named.values() if node.package_name in packages)
