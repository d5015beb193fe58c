"""What dbt asks of Spark's catalogue: schemas, relations and columns; where Spark runs in this process without a statement."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.spark.column import SparkColumn

from dbt.adapters.entrepot.engine import SparkEngine
from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.tables.table import local_folder


class Catalogue(SparkEngine):
    """What dbt-spark asks by `show databases`, `show table extended` and `describe extended`.

    A statement for each schema would be most of what a job without news sends, and Spark asks its store once for each table then.
    """

    def list_schemas(self, database: str | None) -> list[str]:
        """Return the names of all schemas."""
        found: list[str] = self.handle.schemas() if self._is_at_hand() else super().list_schemas(database)
        return found

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """Return the tables and views of a schema; none where there is no such schema."""
        schema = schema_relation.schema
        if not schema or "." in schema or not self._is_at_hand():
            found: list[BaseRelation] = super().list_relations_without_caching(schema_relation)
            return found
        rows: list[Any] = [(schema, *told) for told in self.handle.relations(schema.lower()).items()]
        return list(self._build_spark_relation_list(rows, lambda row: row))

    def get_columns_in_relation(self, relation: BaseRelation) -> list[SparkColumn]:
        """Return the columns of a relation; none where there is no such relation."""
        name = relation.render()
        columns = self.columns_of_log(name) if "." in name else None  # a temporary view has no schema
        if columns is None and self.is_embedded():
            columns = self.handle.columns_as_told(name)
        if columns is None:
            found: list[SparkColumn] = super().get_columns_in_relation(relation)
            return found
        owner = re.search(self.INFORMATION_OWNER_REGEX, getattr(relation, "information", None) or "")
        return [
            SparkColumn(
                table_schema=relation.schema,
                table_name=relation.name,
                table_type=relation.type,
                table_owner=owner.group(1) if owner else None,
                column=name,
                column_index=place,
                dtype=dtype,
            )
            for place, (name, dtype) in enumerate(columns.items())
        ]

    @for_macros
    def is_nothing_yet(self, relation: BaseRelation) -> bool:
        """Whether it is certain that there is no table of this name, and nothing where it would lie.

        A killed job leaves files that the catalogue does not know.
        """
        name = relation.render()
        if "." in (relation.schema or ".") or not self._is_at_hand() or self.location(name):
            return False
        folder = local_folder(self.handle.default_location(name))
        return folder is not None and not Path(folder).exists()

    def _is_at_hand(self) -> bool:
        """Whether Spark's store of tables is in this process, and has them all."""
        return self.is_embedded() and bool(self.handle.has_one_catalogue)
