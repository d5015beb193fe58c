"""Spark as jobs see it (`entrepot.jobs.Engine`): statements, the catalogue, logs of tables, analysis of queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dbt.adapters.base import BaseRelation
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.events.base_types import EventLevel
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.analysis import (
    Findings,
    Occurrence,
    findings_by_session,
    findings_by_text,
    is_of_others,
    is_too_wide,
    unknown_functions,
)
from entrepot.jobs import Catalogued
from entrepot.rules import GLOBAL_TEMPORARY, Listed
from entrepot.spark.listed import listed_rows
from entrepot.sql import TableName, code_only, mark_mentions, with_texts_masked
from entrepot.tables.columns import columns_of_schema
from entrepot.tables.feed import FeedFiles, feed_of
from entrepot.tables.files import TableFiles, files_of, is_plain
from entrepot.tables.log import Head, LogError, TableLog
from entrepot.tables.log_files import LogFiles
from entrepot.tables.log_sql import LogSql
from entrepot.tables.merge import UPSERT, FewRows, may_append, may_merge, merged
from entrepot.tables.metadata import COMMIT_METADATA
from entrepot.tables.table import Table

LOGGER = AdapterLogger("entrepot")
MOST_ROWS = 5000
TYPES = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}


class SparkEngine(Asking):
    """What the rooms below ask of Spark; by py4j and by files where Spark runs in this process, else by statements."""

    def can_keep(self, rows: int | None) -> bool:
        """Whether so many rows can be kept: few, if that is known, and in a Spark that runs in this process."""
        return self.is_embedded() and rows is not None and rows <= MOST_ROWS

    def keep_rows(self, view: str, sql: str) -> int | None:
        """Run a query and keep its rows as a temporary view of the session; how many, none where they are too many to be kept."""
        _, handle = self.connections.add_query(sql)
        kept: int | None = handle.keep(_name(view), MOST_ROWS)
        return kept

    def listed(self, view: str, columns: Sequence[str], most: int) -> Listed | None:
        """Return the different values of some columns of rows that a view keeps on the driver.

        None where they are not there, more than `most`, or of types whose text is not exact.
        """
        rows = self.handle.kept_of(_name(view)) if self.is_embedded() else None
        return listed_rows(rows, columns, most) if rows is not None else None

    def cache_rows(self, view: str, sql: str) -> None:
        """Let Spark keep the rows of a query as a temporary view of all sessions when they are read first."""
        if self.is_embedded():
            _, handle = self.connections.add_query(sql)
            handle.cache(_name(view))
        else:
            self.ask(f"create or replace global temporary view {_name(view)} as\n{sql}")
            self.ask(f"cache lazy table {view}")

    def read_files(self, view: str, relation: str, version: int) -> bool:
        """Let a temporary view of all sessions read a table's files as they were at a version; whether it can."""
        return self.is_embedded() and self._read(view, files_of(self.table(relation), version))

    def read_feed(self, view: str, relation: str, from_version: int, to_version: int) -> bool:
        """Let such a view read the files of what has changed after a version up to another; whether it can."""
        return self.is_embedded() and self._read(view, feed_of(self.table(relation), from_version, to_version))

    def _read(self, view: str, files: TableFiles | FeedFiles | None) -> bool:
        if files is not None:
            self.handle.read_files(_name(view), files)
        return files is not None

    def may_merge(self, relation: str, version: int) -> bool:
        """Whether few kept rows can be written into a table without Spark: one that lies here, and is small and plain."""
        return self.is_embedded() and may_merge(self.table(relation), version)

    def may_append(self, relation: str, version: int) -> bool:
        """The same for rows that only come: into a plain table of any size."""
        return self.is_embedded() and may_append(self.table(relation), version)

    def merge_few(self, relation: str, few: FewRows, metadata: str) -> bool:
        """Write kept rows without Spark, in one commit that carries a text; whether that was done."""
        rows = self.handle.kept(_name(few.view), [*few.columns, UPSERT])
        if not merged(self.table(relation), few, rows, metadata):
            return False
        LOGGER.debug(f"{relation} is written without Spark: {rows.num_rows} rows, on version {few.version}")
        self.handle.forget(relation)
        return True

    def drop_rows(self, view: str) -> None:
        """Drop a temporary view, of this session or of all, and free its rows."""
        if self.is_embedded() and view == _name(view):
            self.handle.drop_own(view)
        elif self.is_embedded():
            self.handle.drop(_name(view))
        else:
            self.ask(f"drop view if exists {view}")

    def catalogued(self, relation: str) -> Catalogued | None:
        """Return what the catalogue said of a relation when dbt read it, or dbt has noted since; None where there is none."""
        found = self._cached(relation)
        return Catalogued(found.is_delta, found.information or "") if found else None

    def table(self, relation: str) -> Table:
        """Return a relation's name and place."""
        return _table(relation, self.location(relation))

    def log_of(self, table: Table) -> TableLog:
        """Return the reader of a table's log; a path means the same to Spark only where it runs here."""
        return self._log_files if self.is_embedded() and self._log_files.reaches(table) else self._log_sql

    def heads(self, locations: Mapping[str, str]) -> Mapping[str, Head]:
        """Return the newest versions of tables, {relation: location}."""
        tables = [_table(relation, location) for relation, location in locations.items()]
        heads = dict(self._log_files.newest(tables)) if self.is_embedded() else {}
        heads |= self._log_sql.newest(table for table in tables if table not in heads)
        return {table.relation: head for table, head in heads.items()}

    def columns_of_view(self, relation: str) -> str | None:
        """Return the columns with which the catalogue keeps a view, as JSON; None where it would take a statement to ask."""
        return self.handle.columns_of_view(relation) if self.is_embedded() else None

    def columns_of_log(self, relation: str) -> Mapping[str, str] | None:
        """Return the columns of a Delta table, {name: type in Spark's words}, from its log; None where Spark has to be asked.

        That is where the log does not lie here, or says more of a column than its type, such as the length of texts.
        """
        told = self._metadata_of_log(relation)
        if told is None or not is_plain(told["schemaString"]):
            return None
        return {column.name: column.type for column in columns_of_schema(json.loads(told["schemaString"]))}

    @for_macros
    def comments_of_log(self, relation: BaseRelation) -> dict[str, Any] | None:
        """Return the comments of a Delta table by its log: `relation`, and `columns` {name: text}, empty for none. None: Spark has to be asked."""
        told = self._metadata_of_log(str(relation))
        if told is None:
            return None
        fields = json.loads(told["schemaString"])["fields"]
        columns = {field["name"]: field["metadata"].get("comment", "") for field in fields}
        return {"relation": told.get("description") or "", "columns": columns}

    def _metadata_of_log(self, relation: str) -> Mapping[str, Any] | None:
        """What a Delta table's log says of its columns and properties now; None where it does not lie here."""
        catalogued = self.catalogued(relation) if self.is_embedded() else None
        if catalogued is None or not catalogued.is_delta:
            return None
        table = self.table(relation)
        try:
            for head in self._log_files.newest([table]).values():
                return self._log_files.metadata(table, head.version)
        except LogError as error:
            LOGGER.debug(f"{error}")
        return None

    def columns(self, relation: str) -> Mapping[str, str]:
        """Return the columns of a relation, {name: type in Spark's words}.

        A table's log says them, so that Spark need not know the table, which may be read by its files and written without it.
        """
        if self.is_embedded():
            of_log = None if relation.startswith(f"{GLOBAL_TEMPORARY}.") else self.columns_of_log(relation)
            return of_log if of_log is not None else self.handle.columns(relation)
        columns = self.get_columns_in_relation(self._cached(relation) or self._relation(relation))
        return {column.name: TYPES.get(column.dtype, column.dtype) for column in columns}

    def say(self, text: str | None) -> None:
        """Let the next commits of this session carry a text; None for nothing."""
        if self.is_embedded():
            self.handle.set_commit_metadata(text)
        elif text is None:
            self.ask(f"reset {COMMIT_METADATA}")
        else:
            self.ask(f"set {COMMIT_METADATA} = {text}")

    def tell(self, text: str) -> None:
        """Print a line for the person who runs the job."""
        fire_event(Note(msg=text), level=EventLevel.INFO)

    def findings(self, body: str, named: Sequence[Occurrence], upstreams: Iterable[tuple[str, TableName]]) -> Findings:
        """Return the findings on Spark's plan, in which every occurrence of an upstream has an alias that the plan repeats."""
        read = list(upstreams)
        columns = {relation: self.columns(relation) for relation, _ in read}
        known = [replace(one, columns=columns[one.relation]) for one in named]
        tables = [table for _, table in read]
        analyzed = self.handle.analyzed(mark_mentions(body, tables)) if self.is_embedded() else None
        if analyzed is not None and not is_too_wide(analyzed, body):
            return findings_by_session(analyzed, body, code_only(body), known)
        masked = with_texts_masked(body)
        if analyzed is None:
            printed = self.ask(f"explain extended\n{mark_mentions(masked, tables)}")[0]["plan"]
        else:
            is_told = masked == body
            printed = self.handle.printed(analyzed if is_told else self.handle.analyzed(mark_mentions(masked, tables)))
        return findings_by_text(printed, body, code_only(body), known, masked, self._function_of_others(body))

    def _function_of_others(self, body: str) -> str | None:
        """Return the first function in SQL that others have written in another language; Spark is asked of those that are not its own."""
        for name in unknown_functions(body):
            rows, _ = self.attempt(f"describe function {name}")
            if is_of_others(str(line) for row in rows for line in row.values()):
                return name
        return None

    @cached_property
    def _log_files(self) -> LogFiles:
        return LogFiles()

    @cached_property
    def _log_sql(self) -> LogSql:
        return LogSql(self.ask)

    def _relation(self, relation: str) -> Any:
        schema, _, identifier = relation.rpartition(".")
        return self.Relation.create(schema=schema, identifier=identifier)

    def _cached(self, relation: str) -> Any:
        schema, _, identifier = relation.rpartition(".")
        return self.get_relation(None, schema, identifier)


def _name(view: str) -> str:
    """Return the name of a global temporary view in its schema."""
    return view.removeprefix(f"{GLOBAL_TEMPORARY}.")


def _table(relation: str, location: str | None) -> Table:
    return Table(tuple(relation.split(".")), location)
