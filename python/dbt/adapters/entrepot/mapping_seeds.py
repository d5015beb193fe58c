"""The seeds of the mapping are checked when dbt has read the project and no connection is open (see `entrepot.mapping.checks`, decision 29)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbt.flags import get_flags
from dbt_common.clients.agate_helper import from_csv
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.seeds import Seeds
from entrepot.errors import EntrepotError
from entrepot.mapping.checks import Named, failures_of, sentence_of
from entrepot.mapping.compiled import told
from entrepot.mapping.owners import IGNORED
from entrepot.mapping.seeds import COLUMNS
from entrepot.mapping.united import United, united_of
from entrepot.seeds import File

# the commands of dbt that load seeds
LOADING = ("build", "seed")
PACKAGE = "entrepot"
# models of the project entrepot that read the seeds: where none of them is, seeds of these names are somebody else's
READERS = ("balanced_set", "schema_tree", "schema_version", "discovered_schema_attribute")
# a table with this property takes any name for a column
MAPS_COLUMNS = "delta.columnMapping.mode"


class MappingSeeds(Seeds):
    """Unites the files of owners with the seeds of the mapping, refuses those that cannot be used, and finds the lines of those that a test has
    something against.
    """

    # the seeds' own files, by seed
    _files: dict[str, Named]
    # {seed: its files as one}, of those that owners have files of, by dbt's id
    _united: dict[str, United]
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
        found = {name: (paths[0], ",", str(paths[0])) for name, paths in self._seen().items()}
        return bool(failures_of(found, any_name=True))

    def refuse_owners_in_sight(self) -> None:
        """Refuse owners' files that dbt would take for seeds of its own.

        Raises:
            DbtRuntimeError: with what to do
        """
        for paths in self._seen().values():
            beside = [path for path in paths[1:] if path.parent.parent == paths[0].parent]
            if beside:
                said = [path.relative_to(self.config.project_root).as_posix() for path in (paths[0], *beside)]
                raise DbtRuntimeError(
                    f"dbt sees {said[1]} besides {said[0]}, and takes a seed of one name from one file. "
                    f"Write the line {Path(said[0]).parent.as_posix()}/*/ into {IGNORED}: entrepot unites the two (docs/mapping.md, Many owners)."
                )

    def set_macro_resolver(self, macro_resolver: Any) -> None:
        """Take dbt's manifest, which is complete now, and check the seeds of the mapping by it.

        The checksum of a seed with files of owners becomes that of all its rows, as if dbt had read them: so `state:modified` sees them.

        Raises:
            DbtRuntimeError: some rows cannot be used; each with its file and line
        """
        super().set_macro_resolver(macro_resolver)
        nodes = getattr(macro_resolver, "nodes", {})
        found = list(_mapping_seeds(nodes))
        self._files = {
            node.name: (self._seed_place(node.to_dict()), node.config.get("delimiter", ","), node.original_file_path)
            for node in found
        }
        self._mapped = frozenset(
            (str(node.config.get("entity")), str(node.config.get("entity_version")))
            for node in nodes.values()
            if node.resource_type == "model" and node.config.get("entity_version")
        )
        if _loads_seeds():
            self._refuse_seeds(nodes)
        self._united = {}
        for node in found:
            if one := _united(node.name, self._files[node.name]):
                self._united[node.unique_id] = one
                node.checksum = replace(node.checksum, name="sha256", checksum=one.checksum)
        self._noted = {node.name: None if node.checksum.name == "path" else node.checksum.checksum for node in found}

    def seed_file(self, model: Mapping[str, Any], reader: str | None) -> File:
        """Return a seed's file; of one with files of owners the one that unites them."""
        file, one = super().seed_file(model, reader), self._united.get(model["unique_id"])
        return replace(file, place=self._united_place(model), origins=one.origins) if one else file

    @for_macros
    def seed_table(self, model: Mapping[str, Any], load: Callable[[], Any]) -> Any:
        """Return the rows of a seed's files as dbt reads them; those of several are written into one first."""
        one = self._united.get(model["unique_id"])
        if one is None:
            return load()
        place, config = self._united_place(model), model["config"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(one.content)
        return from_csv(place, text_columns=config["column_types"], delimiter=config["delimiter"])

    @for_macros
    def mapping_told(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        """Sentences of what a test of the mapping has found: rows with `seed`, `problem`, `instead` and columns of the seed."""
        return told(rows, self._files)

    def _refuse_seeds(self, nodes: Mapping[str, Any]) -> None:
        any_name = MAPS_COLUMNS in repr(
            [self.config.vars.to_dict(), *(node.config.get("tblproperties") for node in nodes.values())]
        )
        if failures := failures_of(self._files, any_name):
            raise DbtRuntimeError(sentence_of(failures))

    def _united_place(self, model: Mapping[str, Any]) -> Path:
        """Where the files of a seed lie as one: where dbt writes what it has run."""
        run = Path(self.config.project_target_path, "run")
        return (run / model["package_name"] / model["original_file_path"]).absolute()

    def _seen(self) -> dict[str, list[Path]]:
        """Files with the names of the mapping's seeds that dbt sees, by seed; the one that others lie below first."""
        from dbt.parser.read_files import generate_dbt_ignore_spec  # dbt's parser imports adapters

        seen: dict[str, list[Path]] = {}
        if not hasattr(self.config, "project_root"):
            return seen  # `dbt debug` knows a profile alone
        root = Path(self.config.project_root)
        ignored = generate_dbt_ignore_spec(str(root))
        for folder in self.config.seed_paths:
            for path in sorted((root / folder).rglob("*.csv"), key=lambda one: (len(one.parts), one)):
                if path.stem in COLUMNS and not (ignored and ignored.match_file(path.relative_to(root).as_posix())):
                    seen.setdefault(path.stem, []).append(path)
        return seen


def _loads_seeds() -> bool:
    return getattr(get_flags(), "WHICH", None) in LOADING


def _united(name: str, file: Named) -> United | None:
    """The files of a seed as one; none where it has but one, or one that cannot be read: only a command that loads it says so."""
    try:
        return united_of(name, *file)
    except EntrepotError:
        return None


def _mapping_seeds(nodes: dict[str, Any]) -> Iterator[Any]:
    """Yield the seeds that models of the mapping read, and those of their package: `entity_attribute` is read by mapped models alone."""
    named = {key: node for key, node in nodes.items() if node.resource_type == "seed" and node.name in COLUMNS}
    readers = (
        (node for node in nodes.values() if node.package_name == PACKAGE and node.name in READERS) if named else ()
    )
    packages = {named[key].package_name for node in readers for key in node.depends_on.nodes if key in named}
    yield from (node for node in named.values() if node.package_name in packages)
