"""What a job asks of the adapter: statements, the catalogue, logs of tables, and Spark's analysis of a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from entrepot.analysis import Findings, Occurrence
from entrepot.rules import Listed
from entrepot.sql import TableName
from entrepot.tables.log import Head, TableLog
from entrepot.tables.merge import FewRows
from entrepot.tables.table import Table


@dataclass(frozen=True, slots=True)
class Catalogued:
    """What the catalogue says of a relation, as dbt has read it.

    Attributes:
        is_delta: whether it is a Delta table
        information: what Spark's catalogue told of it; empty for one that this command has made
    """

    is_delta: bool
    information: str = ""


class Engine(Protocol):
    """Spark, as a job sees it."""

    def ask(self, sql: str) -> list[dict[str, Any]]:
        """Run one statement and return its rows."""

    def attempt(self, sql: str) -> tuple[list[dict[str, Any]], str | None]:
        """Run one statement that nothing depends on; its rows, and what Spark says where it refuses it."""

    def statements_sent(self) -> int:
        """How many statements the running thread has sent."""

    def can_keep(self, rows: int | None) -> bool:
        """Whether so many rows can be kept on the driver."""

    def keep_rows(self, view: str, sql: str) -> int | None:
        """Run a query and keep its rows on the driver as a temporary view; how many, none where they are too many for that."""

    def listed(self, view: str, columns: Sequence[str], most: int) -> Listed | None:
        """The different values of some columns of rows that a view keeps on the driver.

        None where they are not there, more than `most`, or of types whose text is not exact.
        """

    def cache_rows(self, view: str, sql: str) -> None:
        """Let Spark keep the rows of a query as a temporary view when they are read first."""

    def read_files(self, view: str, relation: str, version: int) -> bool:
        """Let a temporary view read a table's files as they were at a version; whether it can (decision 23)."""

    def read_feed(self, view: str, relation: str, from_version: int, to_version: int) -> bool:
        """Let a temporary view read the files of what has changed after a version up to another; whether it can (decision 58)."""

    def may_merge(self, relation: str, version: int) -> bool:
        """Whether few rows that are kept on the driver can be written into a table without Spark, as it is at a version (decision 55)."""

    def may_append(self, relation: str, version: int) -> bool:
        """The same for rows that only come, into a table of any size."""

    def merge_few(self, relation: str, few: FewRows, metadata: str) -> bool:
        """Write rows that are kept on the driver without Spark, in one commit that carries a text; whether that was done."""

    def drop_rows(self, view: str) -> None:
        """Drop a temporary view, and free its rows."""

    def catalogued(self, relation: str) -> Catalogued | None:
        """What the catalogue says of a relation; None where there is none."""

    def table(self, relation: str) -> Table:
        """A relation's name and place."""

    def log_of(self, table: Table) -> TableLog:
        """The reader of a table's log."""

    def heads(self, locations: Mapping[str, str]) -> Mapping[str, Head]:
        """The newest versions of tables, {relation: location}."""

    def columns(self, relation: str) -> Mapping[str, str]:
        """The columns of a relation, {name: type in Spark's words}."""

    def columns_of_view(self, relation: str) -> str | None:
        """The columns with which the catalogue keeps a view, as one text; none where it would take a statement to ask."""

    def say(self, text: str | None) -> None:
        """Let the next commits of this session carry a text; None for nothing."""

    def tell(self, text: str) -> None:
        """Print a line for the person who runs the job."""

    def findings(self, body: str, named: Sequence[Occurrence], upstreams: Iterable[tuple[str, TableName]]) -> Findings:
        """What Spark's plan of a model says.

        Args:
            body: the model's SQL
            named: every naming of an upstream in it
            upstreams: (relation, name in SQL) of what it reads
        """
