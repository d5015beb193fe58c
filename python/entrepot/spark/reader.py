"""Reading a warehouse by the locations of its tables, at published versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.errors import QueryError
from entrepot.ledger.records import BOOKS
from entrepot.pinned import at_version, pinned
from entrepot.snapshots import PublishedRelation, Snapshot, published_snapshots
from entrepot.spark.files import frame_of
from entrepot.spark.sentences import sentence
from entrepot.spark.session import reader_session
from entrepot.sql import TableName
from entrepot.tables.files import files_of
from entrepot.tables.table import Table
from entrepot.target import Target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Reader:
    """A session on one warehouse that never writes."""

    def __init__(self, target: Target, session: SparkSession, stays: bool = False) -> None:
        """Read a target's warehouse by a session.

        Args:
            target: where it lies
            session: of Spark
            stays: whether the process answers many queries, several at once: then Delta knows its tables, and is asked for all of them
        """
        self.target, self.session = target, session
        self._stays = stays
        self._by_files: dict[tuple[str | None, int], str] = {}

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
            return self.session.sql(pinned(sql, snapshot, self._bookkeeping, self.table_text))
        except (AnalysisException, ParseException) as error:
            said = sentence(error, with_place=False).rstrip(".")
            raise QueryError(f"Spark refuses the query: {said}.", "Correct it and ask again.") from error

    def table_text(self, relation: PublishedRelation) -> str:
        """Return how SQL reads a published table: one of few files by those, as jobs do (decision 23); Delta would look through its log first."""
        if self._stays:
            return at_version(relation)
        assert relation.version is not None
        key = (relation.location, relation.version)
        if key not in self._by_files:
            files = files_of(Table(tuple(relation.name.split(".")), relation.location), relation.version)
            self._by_files[key] = at_version(relation)
            if files is not None:
                name = f"entrepot_files_{len(self._by_files)}"
                frame_of(self.session, files).createOrReplaceTempView(name)
                self._by_files[key] = name
        return self._by_files[key]

    def write_parquet(self, frame: DataFrame, folder: Path) -> None:
        """Write rows as Parquet files, moments in microseconds as all readers know them.

        Raises:
            QueryError: Parquet has no equal of a type, or Spark cannot read the rows
        """
        from pyspark.errors import PySparkException

        self.session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        try:
            frame.write.parquet(f"file:{folder.absolute()}")
        except PySparkException as error:
            raise QueryError(sentence(error), "Select what can be written, or ask Spark for it.") from error

    def _bookkeeping(self, table: TableName) -> str | None:
        """Return what a name of the bookkeeping stands for, as it is now; none of any other."""
        is_own = table.identifier in BOOKS and self.has_table("ops", table.identifier)
        return self.own_table("ops", table.identifier) if is_own else None
