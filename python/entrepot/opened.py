"""One snapshot to work with from Python: its tables as Spark's frames, as Arrow and as pandas, all of one job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

from entrepot.errors import EnvironmentProblemError, NotInSnapshotError
from entrepot.snapshots import PublishedRelation, Snapshot, refuse_unreadable
from entrepot.spans import age
from entrepot.sql import check_one_query, quoted
from entrepot.tables.files import rows_in_arrow
from entrepot.tables.table import Table

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame

    from entrepot.spark.reader import Reader


@dataclass(frozen=True)
class OpenSnapshot:
    """A snapshot that stays the same, whatever jobs do meanwhile.

    Attributes:
        snapshot: which versions it has, of which job
        start: starts Spark, or gives the session that has been started; Arrow and pandas do without where they can
    """

    snapshot: Snapshot
    start: Callable[[], Reader]

    @property
    def tables(self) -> list[str]:
        """The names of its tables and views, `schema.name`."""
        return sorted(self.snapshot.relations)

    @property
    def holds_through(self) -> datetime | None:
        """Up to when all of it holds what its sources have committed, UTC; none where nobody can say."""
        return self.snapshot.holds_through(self.tables)

    @property
    def age(self) -> timedelta:
        """How old it is: since that moment; since it was published where nobody can say."""
        return age(self.holds_through or self.snapshot.published_at)

    def sql(self, query: str) -> DataFrame:
        """Return what a SELECT gives on its tables, as Spark's frame.

        Raises:
            QueryError: the text is not one query, or Spark refuses it
            NotInSnapshotError: it has not all of the tables
        """
        check_one_query(query)
        return self.start().run(query, self.snapshot)

    def table(self, name: str) -> DataFrame:
        """Return a table or view as Spark's frame; `name` is `schema.name`, or the name alone where only one has it.

        Raises:
            NotInSnapshotError: it has none of that name
        """
        schema, identifier = self.relation(name).name.split(".", 1)
        return self.sql(f"select * from {quoted(schema)}.{quoted(identifier)}")

    def arrow(self, name: str) -> pyarrow.Table:
        """Return a table or view as Arrow: without Spark where a table's rows are what its files contain, else by it.

        Raises:
            NotInSnapshotError: it has none of that name
        """
        import pyarrow  # 0.1 s

        relation = self.relation(name)
        if relation.version is not None:
            refuse_unreadable(relation)
            found = rows_in_arrow(Table(tuple(relation.name.split(".")), relation.location), relation.version)
            if found is not None:
                return pyarrow.table(found[0]).cast(pyarrow.schema(found[1]))
        return self.table(relation.name).toArrow()

    def pandas(self, name: str) -> pandas.DataFrame:
        """Return a table or view as pandas' frame, by way of Arrow; numbers with a fixed scale are `decimal.Decimal`.

        Raises:
            NotInSnapshotError: it has none of that name
            EnvironmentProblemError: pandas is not installed
        """
        try:
            import_module("pandas")
        except ImportError:
            raise EnvironmentProblemError(
                "pandas is not installed here.", "Say pip install 'entrepot[frames]', which brings it."
            ) from None
        return self.arrow(name).to_pandas()

    def relation(self, name: str) -> PublishedRelation:
        """Return what it has of a name.

        Raises:
            NotInSnapshotError: it has none of that name
        """
        found = self.snapshot.resolve(name)
        if found is None:
            raise NotInSnapshotError(
                f"The snapshot of job {self.snapshot.number} has no {name}, or several of that name.",
                f"`.tables` lists what it has; snapshot(tables=[{name!r}]) opens the newest that has it.",
            )
        return found
