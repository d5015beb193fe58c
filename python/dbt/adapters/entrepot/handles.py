"""What a connection of method `session` holds: a Spark session behind dbt-spark's cursor, errors without stack traces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.session import Connection, Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException, UnsupportedOperationException
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import StructType

from dbt.adapters.entrepot.sessions import Sessions
from entrepot.analysis import AnalyzedPlan, analyzed_plan, printed_plan
from entrepot.spark.files import frame_of
from entrepot.spark.sentences import sentence
from entrepot.spark.session import name_jobs
from entrepot.tables.feed import FeedFiles
from entrepot.tables.files import TableFiles
from entrepot.tables.metadata import COMMIT_METADATA

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable

JAVA = AdapterLogger("Spark")
# what Spark says of columns that it cannot bring into Arrow: intervals of years, an array of nothing, two fields of one name
NOT_IN_ARROW = (TypeError, ValueError, NotImplementedError, UnsupportedOperationException)

OWN = "spark_catalog"
SESSION_CATALOGUE, DEFAULT_CATALOGUE = f"spark.sql.catalog.{OWN}", "spark.sql.defaultCatalog"
DELTAS_CATALOGUE = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
# where Spark keeps the lengths of texts, beside their type
LENGTHS = "__CHAR_VARCHAR_TYPE_STRING"
# how Spark's text of a table begins, before what `show table extended` prints of it; a bracket ends it
TABLE = "CatalogTable(\n"
NAME = "\nTable: "
# statements behind which every table lies where it lay
_STAYS = re.compile(
    r"(\s|/\*([^*]|\*(?!/))*\*/|--[^\n]*\n)*(select|insert|with|delete|merge|update|set|reset)\b", re.IGNORECASE
)


class SessionHandle(SessionConnectionWrapper):
    """One open connection: takes a session, and gives it back when dbt closes it."""

    def __init__(self, sessions: Sessions, log: Path, name: str | None = None) -> None:
        """Take a session.

        Args:
            sessions: where it is taken from
            log: where the messages of a JVM go that is started for it
            name: what its statements are for, such as `model.shop.sale`, if that is known
        """
        self._sessions, self._taken = sessions, sessions.take(log)
        name_jobs(self._taken.session, name)
        # what failed in this session may have left what its commits were to say
        self._taken.session.conf.unset(COMMIT_METADATA)
        super().__init__(_SessionConnection(self._taken.session, sessions))

    def setting(self, key: str) -> str | None:
        """Return one of the session's settings; None where it is not set."""
        value: str | None = self._taken.session.conf.get(key, None)
        return value

    @cached_property
    def has_one_catalogue(self) -> bool:
        """Whether all that the session names is in Spark's own store of tables: no other catalogue stands in front of it but Delta's."""
        return self.setting(SESSION_CATALOGUE) == DELTAS_CATALOGUE and self.setting(DEFAULT_CATALOGUE) in (None, OWN)

    def schemas(self) -> list[str]:
        """Return the names of all schemas."""
        with _said_plainly():
            names = str(self._taken.root.catalogue.listDatabases().mkString("\0"))
        return names.split("\0") if names else []

    def relations(self, schema: str) -> dict[str, str]:
        """Return the tables and views of a schema, {name: what `show table extended` tells of it}; none where there is no such schema.

        The name of the catalogue, which Spark puts in front, is left out of what Hive's metastore tells. All come as one text: py4j asks for
        each part of each table alone.
        """
        with _said_plainly():
            catalogue = self._taken.root.catalogue
            if not catalogue.databaseExists(schema):
                return {}
            found = catalogue.getTablesByName(schema, catalogue.listTables(schema))
            tables = str(found.mkString("\0", "\0", "")).split(f"\0{TABLE}")[1:]
        return {told.partition(NAME)[2].partition("\n")[0]: f"{told[:-1]}\n" for told in tables}

    def location(self, relation: str) -> str | None:
        """Return where a table lies, as the catalogue knows it; None where it does not exist, or is a view.

        A job asks two hundred times, and one at a time is answered: a place that is known holds for the command, until a statement of any
        session may have changed one.
        """
        name = relation.lower()
        if known := self._sessions.places.get(name):
            return known
        schema, _, identifier = name.rpartition(".")
        try:
            # the session's own catalogue would ask four times
            place = self._taken.root.catalogue.getTable(schema, identifier).storage().locationUri()
        except AnalysisException:
            return None
        if not place.isDefined():
            return None
        return self._sessions.places.setdefault(name, self._taken.root.as_sql_names(place.get()))

    def default_location(self, relation: str) -> str:
        """Return where a table of this name will lie, if nobody says another place."""
        state = self._taken.session._jsparkSession.sessionState()
        with _said_plainly():
            return self._taken.root.as_sql_names(
                state.catalog().defaultTablePath(state.sqlParser().parseTableIdentifier(relation))
            )

    def analyzed(self, sql: str) -> AnalyzedPlan:
        """Return the plan of a query as Spark understands it; nothing runs."""
        with _said_plainly():
            return analyzed_plan(self._taken.session, sql)

    def printed(self, analyzed: AnalyzedPlan) -> str:
        """Return a plan as `explain` prints it."""
        with _said_plainly():
            return printed_plan(analyzed)

    def columns(self, relation: str) -> dict[str, str]:
        """Return the columns of a relation, {name: type in Spark's words}."""
        with _said_plainly():
            return {field.name: field.dataType.simpleString() for field in self._taken.session.table(relation).schema}

    def columns_as_told(self, relation: str) -> dict[str, str] | None:
        """Return the columns of a relation as `describe` tells them; None where it has to be asked.

        That is where Spark cannot read the relation, and where it keeps lengths of texts: `describe` tells them of some tables only.
        """
        try:
            kept = self.columns_of_view(relation)
            schema = StructType.fromJson(json.loads(kept)) if kept else self._taken.session.table(relation).schema
        except AnalysisException:
            return None
        if any(LENGTHS in (field.metadata or {}) for field in schema):
            return None
        return {field.name: field.dataType.simpleString() for field in schema}

    def columns_of_view(self, relation: str) -> str | None:
        """Return the columns with which Spark's store of tables keeps a view, as JSON; None where it is none, or kept elsewhere.

        They are cast to those types whatever the view reads by now, which would have to be analysed.
        """
        schema, _, identifier = relation.lower().rpartition(".")
        if not schema or not self.has_one_catalogue:
            return None
        try:
            found = self._taken.root.catalogue.getTable(schema, identifier)
        except AnalysisException:
            return None
        return str(found.schema().json()) if found.tableType().name() == "VIEW" else None

    def keep(self, view: str, most: int) -> int | None:
        """Keep the rows of the query that was executed last as a temporary view of all sessions, if they are not more than `most`.

        They travel as Arrow, which is exact for all that Spark has, texts that are no UTF-8 among them. Returns how many they are; none
        where they are more, or of a type that Arrow has not.
        """
        session = self._taken.session
        with _said_plainly():
            try:
                rows = self._cursor._df.limit(most + 1).toArrow()
            except NOT_IN_ARROW:
                return None
            if rows.num_rows > most:
                return None
            session.createDataFrame(rows, self._cursor._df.schema).createOrReplaceGlobalTempView(view)
            self._sessions.views[view] = None
            self._sessions.kept[view] = rows
        return int(rows.num_rows)

    def kept(self, view: str, columns: Sequence[str]) -> ArrowTable:
        """Return columns of the rows that a view keeps, under these names; letters count alike, as for Spark."""
        rows = self._sessions.kept[view]
        named = {name.lower(): name for name in rows.column_names}
        return rows.select([named[name.lower()] for name in columns]).rename_columns(list(columns))

    def kept_of(self, view: str) -> ArrowTable | None:
        """Return the rows that a view keeps on the driver; none where it keeps none there."""
        return self._sessions.kept.get(view)

    def forget(self, relation: str) -> None:
        """Let Spark read a table anew that others have written, where a hook may have cached it; its log is asked for in any case.

        What a job has cached itself is of versions that it has pinned, and stays as it is.
        """
        if self._sessions.has_cached_more(self._taken.session):
            self._taken.session.catalog.refreshTable(relation)

    def cache(self, view: str) -> None:
        """Let Spark keep the rows of the query that was executed last as a temporary view of all sessions, when they are read first.

        The view is on the kept rows themselves. Spark would look for the query's plan in the plans of readers, and not find it where both
        have common table expressions, because it puts those of a plan together.
        """
        session = self._taken.session
        with _said_plainly():
            frame = self._cursor._df._jdf
            frame.persist()
            self._sessions.views[view] = frame
            self._sessions.kept.pop(view, None)
            of_plan = session._jvm.org.apache.spark.sql.classic.Dataset.ofRows
            again = of_plan(session._jsparkSession, frame.queryExecution().analyzed())
            of_plan(session._jsparkSession, again.queryExecution().withCachedData()).createOrReplaceGlobalTempView(view)

    def read_files(self, view: str, files: TableFiles | FeedFiles) -> None:
        """Let a temporary view of all sessions read files."""
        with _said_plainly():
            frame_of(self._taken.session, files).createOrReplaceGlobalTempView(view)
        self._sessions.views[view] = None
        self._sessions.kept.pop(view, None)

    def drop(self, view: str) -> None:
        """Drop a temporary view of all sessions, and free its rows."""
        self._sessions.drop(view, self._taken.session)

    def drop_own(self, view: str) -> None:
        """Drop a temporary view of this session."""
        self._taken.session.catalog.dropTempView(view)

    def set_commit_metadata(self, text: str | None) -> None:
        """Let the commits of this session carry a text; None for nothing."""
        if text is None:
            self._taken.session.conf.unset(COMMIT_METADATA)
        else:
            self._taken.session.conf.set(COMMIT_METADATA, text)

    def close(self) -> None:
        """Give the session back."""
        super().close()
        name_jobs(self._taken.session, None)
        self._sessions.give_back(self._taken)


class _SessionConnection(Connection):
    """dbt-spark's connection, on a session that is there."""

    def __init__(self, session: SparkSession, sessions: Sessions) -> None:
        super().__init__()
        self._session, self._sessions = session, sessions

    def cursor(self) -> Cursor:
        return _SessionCursor(self._session, self._sessions)


class _SessionCursor(Cursor):
    """dbt-spark's cursor, on a session that is there."""

    def __init__(self, session: SparkSession, sessions: Sessions) -> None:
        super().__init__()
        self._session, self._sessions = session, sessions

    def execute(self, sql: str, *parameters: Any) -> None:
        try:
            with _said_plainly():
                self._df = self._session.sql(sql % parameters if parameters else sql)
        finally:
            if not _STAYS.match(sql):
                self._sessions.places.clear()

    def fetchall(self) -> list[Row] | None:
        with _said_plainly():
            rows: list[Row] | None = super().fetchall()
        return rows

    def fetchone(self) -> Row | None:
        with _said_plainly():
            return super().fetchone()


@contextmanager
def _said_plainly() -> Iterator[None]:
    """Raise what Spark has to say as dbt's error; where in Java it happened goes to the log of dbt (`logs/dbt.log`)."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        JAVA.debug(getattr(error, "_stackTrace", None) or str(error))
        raise DbtRuntimeError(sentence(error)) from None
