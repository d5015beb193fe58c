"""The Python API: ask a warehouse, and get the answer together with the snapshot that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entrepot.errors import NotInSnapshotError, QueryError, TooOldError
from entrepot.freshness import WAIT, Bound, Refreshing, bound_of, fresh_snapshot
from entrepot.opened import OpenSnapshot
from entrepot.pins import snapshot_named
from entrepot.snapshots import Snapshot, snapshot_for
from entrepot.spans import age
from entrepot.spark.sentences import sentence
from entrepot.sql import check_one_query, quoted, tables_of_query, without_bound
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
        holds_through: the moment, UTC, up to which the tables hold all that their sources have committed; None where nobody can say
    """

    snapshot: Snapshot
    versions: dict[str, int | None]
    frame: DataFrame
    holds_through: datetime | None

    @property
    def age(self) -> timedelta:
        """How old the answer is now: since `holds_through`; since the snapshot was published where nobody can say that."""
        return age(self.holds_through or self.snapshot.published_at)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.frame.columns)

    def rows(self) -> list[dict[str, Any]]:
        """The rows, as dicts.

        Where Python knows no such date (before year 1, after 9999) or interval (of months), the whole column is text as Spark writes it.

        Raises:
            QueryError: two columns have one name, or Spark fails at what is asked for, such as a division by zero
        """
        twice = sorted(name for name, times in Counter(self.columns).items() if times > 1)
        if twice:
            raise QueryError(
                f"Several columns of the answer are called {', '.join(twice)}.",
                "Give each a name of its own: select a.x, b.x as other_x.",
            )
        from pyspark.errors import PySparkException

        try:
            try:
                rows = self.frame.collect()
            except (ValueError, OverflowError, NotImplementedError):
                rows = _times_as_text(self.frame).collect()
            return [row.asDict(recursive=True) for row in rows]
        except PySparkException as error:
            raise QueryError(
                f"Spark fails at the query: {sentence(error, with_place=False).rstrip('.')}.",
                "Correct it and ask again.",
            ) from error


def _times_as_text(frame: DataFrame) -> DataFrame:
    """The same rows; columns that have dates, moments or intervals, or are made of such, are text."""
    from pyspark.sql.functions import col

    columns = [
        col(quoted(field.name)).cast("string").alias(field.name)
        if any(kind in field.dataType.simpleString() for kind in ("date", "timestamp", "interval"))
        else col(quoted(field.name))
        for field in frame.schema.fields
    ]
    return frame.select(*columns)


@dataclass(frozen=True)
class Chosen:
    """A query, and the snapshot that answers it.

    Attributes:
        sql: the query, without its bound
        names: the tables that it names
        snapshot: what it reads
    """

    sql: str
    names: list[str]
    snapshot: Snapshot


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
        said = {"project_dir": project_dir, "profiles_dir": profiles_dir, "target": target}
        place = {name: str(value) for name, value in said.items() if value}
        self._refreshing = Refreshing(self.target.warehouse, place)
        self._log = Path(project_dir or Path.cwd()) / "logs" / "spark.log"
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        """The session, started when first needed."""
        if self._reader is None:
            from entrepot.spark.reader import Reader

            self._reader = Reader.start(self.target, self._log)
        return self._reader

    def query(
        self,
        sql: str,
        *,
        max_age: timedelta | None = None,
        as_of: datetime | None = None,
        stale_ok: bool = False,
        wait: timedelta = WAIT,
        snapshot: str | int | None = None,
    ) -> Answer:
        """Answer a query from one snapshot that has every table it names: the newest, or one as fresh as it asks to be.

        Where no snapshot is that fresh, a job refreshes the tables asked for and what they read, and then they are read.

        Args:
            sql: one SELECT in Spark SQL; tables as `schema.name`, or by name alone where only one relation has it. `CURRENCY BOUND 10 MIN`
                at its end says a `max_age`; of both the shorter holds
            max_age: how old the answer may be
            as_of: a moment, UTC where it has no time zone: the first snapshot that holds all that was committed by then
            stale_ok: whether an older answer will do where none is as fresh
            wait: how long to wait for the jobs of others
            snapshot: a snapshot by the number of its job, or by the name that it is kept under

        Raises:
            QueryError: the text is not one query, or Spark refuses it
            SqlError: a table is read at a version that the query itself gives
            NothingPublishedError, NotInSnapshotError: no snapshot can answer it
            TooOldError: no snapshot is as fresh, and none could be made; or a snapshot is named and a bound stated, too
            PinError: there is no such snapshot
        """
        return self.read(
            self.choose(sql, max_age=max_age, as_of=as_of, stale_ok=stale_ok, wait=wait, snapshot=snapshot)
        )

    def choose(
        self,
        sql: str,
        *,
        max_age: timedelta | None = None,
        as_of: datetime | None = None,
        stale_ok: bool = False,
        wait: timedelta = WAIT,
        snapshot: str | int | None = None,
    ) -> Chosen:
        """Choose the snapshot that answers a query, after a job where it needs one; asks Spark for nothing.

        Takes what `query` does, and raises what that raises before Spark is asked.
        """
        sql, stated = without_bound(sql)
        check_one_query(sql)
        names = [table.plain for table in tables_of_query(sql)]
        spans = [span for span in (max_age, stated) if span is not None]
        bound = bound_of(min(spans, default=None), as_of, stale_ok, wait)
        return Chosen(sql, names, self._snapshot(names, bound, snapshot))

    def read(self, chosen: Chosen) -> Answer:
        """Answer a query from the snapshot that was chosen for it; raises what Spark says against it, as `query` does."""
        names, read = chosen.names, chosen.snapshot
        frame = self.reader.run(chosen.sql, read)
        used = [relation for name in names if (relation := read.resolve(name)) is not None]
        through = read.holds_through(names)
        versions = {relation.name: relation.version for relation in used}
        return Answer(read, versions, frame, through)

    def snapshot(
        self,
        which: str | int | None = None,
        *,
        tables: Iterable[str] = (),
        max_age: timedelta | None = None,
        as_of: datetime | None = None,
        stale_ok: bool = False,
        wait: timedelta = WAIT,
    ) -> OpenSnapshot:
        """Open one snapshot: the newest, one that is named, or one as fresh as is asked for.

        Args:
            which: the number of its job, or the name that it is kept under
            tables: what it has to have; for a bound, what has to be fresh: all that the newest one has where nothing is said
            max_age: how old it may be
            as_of: a moment, UTC where it has no time zone: the first snapshot that holds all that was committed by then
            stale_ok: whether an older one will do where none is as fresh
            wait: how long to wait for the jobs of others

        Raises:
            NothingPublishedError, NotInSnapshotError: there is none that has the tables
            TooOldError: none is as fresh, and none could be made; or one is named and a bound stated, too
            PinError: there is none of that name
        """
        names, bound = list(tables), bound_of(max_age, as_of, stale_ok, wait)
        if bound is not None and not names:
            names = sorted(snapshot_for(self.target.ledger(), ()).relations)
        return OpenSnapshot(self._snapshot(names, bound, which), lambda: self.reader)

    def _snapshot(self, names: list[str], bound: Bound | None, named: str | int | None) -> Snapshot:
        """Return the snapshot that a query reads: the one that it names, one that meets its bound, or the newest."""
        ledger = self.target.ledger()
        if named is not None:
            if bound is not None:
                raise TooOldError("A snapshot is named, and a bound stated, too.", "Say --snapshot, or how fresh.")
            found = snapshot_named(self.target, ledger, str(named))
            if lacking := [name for name in names if found.resolve(name) is None]:
                raise NotInSnapshotError(
                    f"The snapshot {named}, of job {found.number}, has no {', '.join(lacking)}.",
                    "It has what its job has built or found up to date; ask another one, or the newest.",
                )
            return found
        if bound is None or not names:
            return snapshot_for(ledger, names)
        return fresh_snapshot(ledger, names, bound, self._refreshing)
