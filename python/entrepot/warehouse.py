"""The Python API: ask a warehouse, and get the answer together with the snapshot that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.snapshots import Snapshot, snapshot_for
from entrepot.spans import age
from entrepot.sql import check_one_query, tables_of_query
from entrepot.target import Target, load_target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from entrepot.spark.reader import Reader


@dataclass(frozen=True)
class Answer:
    """The answer of a query.

    Attributes:
        snapshot: the snapshot that it was read from
        versions: {relation: Delta version} of the tables that the query names (None for a view)
        frame: the rows, as a Spark DataFrame
        age: how old the snapshot was when the query was asked
    """

    snapshot: Snapshot
    versions: dict[str, int | None]
    frame: DataFrame
    age: timedelta

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.frame.columns)

    def rows(self) -> list[dict[str, Any]]:
        """The rows, as dicts."""
        return [row.asDict(recursive=True) for row in self.frame.collect()]


class Warehouse:
    """A warehouse to ask. Works beside a running job: readers need neither metastore nor lock.

    For example:
        warehouse = Warehouse("path/to/project")
        warehouse.query("select count(*) as n from fct_order_line").rows()  # gives [{'n': 402}]
    """

    def __init__(
        self, project_dir: str | Path | None = None, profiles_dir: str | Path | None = None, target: str | None = None
    ) -> None:
        """Open the warehouse of a dbt project.

        Args:
            project_dir: the dbt project's folder; the current one when None
            profiles_dir: the folder of profiles.yml; dbt's own search when None
            target: the target's name; the profile's default when None

        Raises:
            ProfileError: the profile does not lead to a warehouse
        """
        self.target: Target = load_target(
            Path(project_dir) if project_dir else None, Path(profiles_dir) if profiles_dir else None, target
        )
        self._log = Path(project_dir or Path.cwd()) / "logs" / "spark.log"
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        """The session, started when first needed."""
        if self._reader is None:
            from entrepot.spark.reader import Reader

            self._reader = Reader(self.target, self._log)
        return self._reader

    def query(self, sql: str) -> Answer:
        """Answer a query from the newest snapshot that has every table it names.

        Args:
            sql: one SELECT in Spark SQL; tables as `schema.name`, or by name alone where only one relation has it

        Raises:
            QueryError: the text is not one query, or Spark refuses it
            SqlError: a table is read at a version that the query itself gives
            NothingPublishedError, NotInSnapshotError: no snapshot can answer it
        """
        check_one_query(sql)
        names = [table.plain for table in tables_of_query(sql)]
        snapshot = snapshot_for(self.target.ledger(), names)
        frame = self.reader.run(sql, snapshot)
        used = [relation for name in names if (relation := snapshot.resolve(name)) is not None]
        return Answer(
            snapshot, {relation.name: relation.version for relation in used}, frame, age(snapshot.published_at)
        )
