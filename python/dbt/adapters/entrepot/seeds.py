"""What the materialization of seeds asks of the job that runs, as methods of the adapter (see `entrepot.seeds`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.jobs import Jobs, Relation
from entrepot import seeds
from entrepot.jobs import Run
from entrepot.jobs.relations import Written


class Seeds(Jobs):
    """The steps of a seed's run, and its file and columns as dbt knows them."""

    @for_macros
    def seed_begin(
        self,
        model: Mapping[str, Any],
        existing: Relation | None,
        full_refresh: bool,
        properties: Mapping[str, str],
        reader: str | None,
        load: Callable[[], Any],
    ) -> seeds.Seed:
        """Begin the run of a seed; whether its table has the rows of its file is `is_unchanged`.

        Args:
            model: dbt's
            existing: its relation; none where there is none
            full_refresh: whether it is to be built anew
            properties: the table properties that it gets
            reader: var `entrepot_seed_reader`
            load: dbt's `load_agate_table`
        """
        begun = self.jobs_begin_run()
        file = self.seed_file(model, reader)
        wanted = seeds.wanted_checksums(model, properties)
        is_there, is_delta = existing is not None, existing is not None and existing.is_delta
        seed = seeds.Seed(self.node_of(model), file, wanted, is_there, is_delta, full_refresh, begun)
        return seeds.looked_up(self.job, seed, lambda: [tuple(row) for row in load().rows])

    def seed_file(self, model: Mapping[str, Any], reader: str | None) -> seeds.File:
        """Return a seed's file; takes what `seed_begin` takes."""
        path, noted = model["original_file_path"], model["checksum"]
        return seeds.File(
            path,
            self._seed_place(model),
            seeds.is_in_sight(path, reader, is_embedded=self.is_embedded()),
            model["config"].get("delimiter", ","),
            None if noted["name"] == "path" else noted["checksum"],
        )

    @for_macros
    def seed_table(self, _model: Mapping[str, Any], load: Callable[[], Any]) -> Any:
        """Return the rows of a seed's file as dbt reads them; `load` is dbt's `load_agate_table`."""
        return load()

    @for_macros
    def seed_plan(self, model: Mapping[str, Any], seed: seeds.Seed, table: Any) -> seeds.Refresh:
        """Check a seed's file, and decide how its rows are written; writes nothing. `table` is the file as dbt reads it."""
        return seeds.planned(self.job, seed, None if seed.is_unchanged else self._seed_sheet(model["config"], table))

    @for_macros
    def seed_apply(self, refresh: seeds.Refresh) -> None:
        """Write the difference; of a table that is to be made, say what the next commit contains."""
        seeds.applied(self.job, refresh)

    @for_macros
    def seed_written(self, refresh: seeds.Refresh) -> Written | None:
        """Note what the table contains now; none where nothing was written."""
        return seeds.written(self.job, refresh)

    @for_macros
    def seed_end(self, refresh: seeds.Refresh, written: Written | None) -> Run:
        """End the run of a seed."""
        return seeds.ended(self.job, refresh, written)

    def _seed_place(self, model: Mapping[str, Any]) -> Path:
        """Return where a seed's file lies, as `load_agate_table` looks for it."""
        root, package = Path(self.config.project_root), model["package_name"]
        folder = root if package == self.config.project_name else root / self.config.packages_install_path / package
        place = folder / model["original_file_path"]
        return (place if place.exists() else Path(model["root_path"], model["original_file_path"])).absolute()

    def _seed_sheet(self, config: Mapping[str, Any], table: Any) -> seeds.Sheet:
        declared = config.get("column_types") or {}
        columns = [
            seeds.column_of(
                number,
                self.quote_seed_column(name, config.get("quote_columns")),
                declared.get(name) or self.convert_type(table, number),
                is_declared=name in declared,
            )
            for number, name in enumerate(table.column_names)
        ]
        return seeds.Sheet(tuple(table.column_names), tuple(columns), [tuple(row) for row in table.rows])
