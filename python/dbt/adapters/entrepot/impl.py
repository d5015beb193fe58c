"""The adapter: dbt-spark's, with Delta as the file format that need not be named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.spark.impl import SparkConfig
from dbt.flags import get_flags

from dbt.adapters.entrepot.catalogue import Catalogue
from dbt.adapters.entrepot.connections import EntrepotConnectionManager
from dbt.adapters.entrepot.landing import Landing
from dbt.adapters.entrepot.mapping_states import MappingStates
from dbt.adapters.entrepot.mapping_types import MappingTypes
from dbt.adapters.entrepot.published import Published
from dbt.adapters.entrepot.seeds import Seeds
from dbt.adapters.entrepot.sql_methods import SqlMethods
from dbt.adapters.entrepot.wire_schemas import WireSchemas
from entrepot.jobs.once import Once

# the commands of dbt that send statements whatever the project is
CONNECTING = ("build", "run", "seed", "snapshot", "test")


@dataclass
class EntrepotConfig(SparkConfig):
    """What a model's config may say besides dbt's own keys."""

    file_format: str = "delta"

    @classmethod
    def _merge_dicts(cls, src: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
        """Merge one more layer of a node's config; the first one brings the default, which later ones may replace.

        dbt merges adapters' keys here, but never asks for their defaults.
        """
        merged: dict[str, Any] = super()._merge_dicts(src, data)
        if "file_format" not in src:
            merged.setdefault("file_format", cls.file_format)
        return merged


class EntrepotAdapter(MappingStates, Landing, Seeds, Published, SqlMethods, MappingTypes, WireSchemas, Catalogue):
    """What dbt and macros ask of the warehouse."""

    ConnectionManager = EntrepotConnectionManager
    AdapterSpecificConfigs = EntrepotConfig

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Begin with no schemas known; let Spark start while dbt reads the project, where the command will need it."""
        super().__init__(*arguments, **named)
        self._schemas: Once[list[str]] = Once()
        self.refuse_owners_in_sight()
        if _is_connecting() and not self.seeds_may_be_refused():
            self.ConnectionManager.expect(self.config.credentials)

    def list_schemas(self, database: str | None) -> list[str]:
        """Return the schemas; asked once, where dbt asks for each schema of a project, side by side."""
        return self._schemas.get(database, lambda: super(EntrepotAdapter, self).list_schemas(database))

    def create_schema(self, relation: BaseRelation) -> None:
        """Create a schema."""
        super().create_schema(relation)
        self._schemas = Once()

    def drop_schema(self, relation: BaseRelation) -> None:
        """Drop a schema."""
        super().drop_schema(relation)
        self._schemas = Once()


def _is_connecting() -> bool:
    """Whether a command of dbt's runs that sends statements.

    Programs around dbt make an adapter with the flags of `dbt run` to look things up (dagster-dbt, beside the process that runs the job): a
    Spark of theirs would have the warehouse instead of the job's.
    """
    context = click.get_current_context(silent=True)
    return context is not None and context.command.name in CONNECTING and context.command.name == get_flags().WHICH
