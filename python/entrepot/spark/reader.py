"""Reading a warehouse by the locations of its tables, at published versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.errors import QueryError
from entrepot.ledger.records import RECORDS
from entrepot.snapshots import Snapshot, published_snapshots, refuse_other_table
from entrepot.spark.session import reader_session
from entrepot.sql import TableName, substitute, tables_of_query
from entrepot.target import Target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


BOOKKEEPING = frozenset(record.table for record in RECORDS)


class Reader:
    """A session on one warehouse that never writes."""

    def __init__(self, target: Target, session: SparkSession) -> None:
        """Read a target's warehouse by a session."""
        self.target, self.session = target, session

    @classmethod
    def start(cls, target: Target, log: Path) -> Reader:
        """Start Spark without a metastore; `log` is where its own messages go."""
        return cls(target, reader_session(target, log))

    def has_table(self, layer: str, table: str) -> bool:
        """Whether one of the warehouse's own tables exists."""
        return (self.target.table_path(layer, table) / "_delta_log").is_dir()

    def own_table(self, layer: str, table: str) -> str:
        """Return SQL that names one of the warehouse's own tables."""
        return f"delta.`{self.target.table_path(layer, table)}`"

    def snapshots(self) -> list[Snapshot]:
        """Return all published snapshots, newest first; empty where nothing has been published."""
        return published_snapshots(self.target.ledger())

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Run a statement that names tables by their location and version, and return its rows."""
        return [row.asDict() for row in self.session.sql(sql).collect()]

    def run(self, sql: str, snapshot: Snapshot) -> DataFrame:
        """Run a query on one snapshot.

        Args:
            sql: the query
            snapshot: what it reads

        Raises:
            QueryError: Spark refuses the query
            SqlError: a table is read at a version that the query itself gives
        """
        from pyspark.errors import AnalysisException, ParseException

        try:
            return self.session.sql(self._pinned(sql, snapshot))
        except (AnalysisException, ParseException) as error:
            sentence = str(error).split("\n\n")[0].split("; line")[0].split(" SQLSTATE")[0]
            raise QueryError(f"Spark refuses the query: {sentence.strip()}", "Correct it and ask again.") from error

    def _pinned(self, sql: str, snapshot: Snapshot, view: str | None = None) -> str:
        """Return the query with every table at its published version, views as their text, bookkeeping as it is now.

        Args:
            sql: the query, or the text of a view
            snapshot: what it reads
            view: the view's name

        Raises:
            QueryError: a view reads what is not published
            NotInSnapshotError: a table was made anew since
        """
        texts: dict[TableName, str] = {}
        for table in tables_of_query(sql):
            relation = snapshot.resolve(table.plain)
            if relation is not None and relation.definition is not None:
                texts[table] = f"(\n{self._pinned(relation.definition, snapshot, relation.name)}\n)"
            elif relation is not None:
                refuse_other_table(relation)
                texts[table] = f"delta.`{relation.location}` version as of {relation.version}"
            elif table.identifier in BOOKKEEPING and self.has_table("ops", table.identifier):
                texts[table] = self.own_table("ops", table.identifier)
            elif view is not None and "/" not in table.identifier:
                raise QueryError(
                    f"View {view} reads {table.plain}, which no job publishes: snapshots have the Delta tables and views that dbt makes.",
                    "Ask a model over it that has rows of its own, such as one with incremental_strategy delta.",
                )
        return substitute(sql, texts)
