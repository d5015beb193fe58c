"""What stands as an earlier job has left it: views that need not be made, and tests that need not run, again.

The checksum of a view is over its text, what shapes it, and the columns of all tables that it names, through other views too, and of the views
that it names: one with another text and the same columns is the same to it. That of a data test is over the statement that asks, what it is
compared with, and the versions of these tables; that of a unit test over its SQL, which has its rows, and the rows that are expected. What
has the same checksum as when it was made, or run without failing, stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import lru_cache
from threading import Lock

from entrepot.analysis import is_repeatable, unknown_functions
from entrepot.jobs.engine import Engine
from entrepot.jobs.once import Once
from entrepot.jobs.project import Node, Project
from entrepot.jobs.relations import Relations
from entrepot.jobs.verdicts import checksum_of
from entrepot.jobs.views import Views
from entrepot.ledger import Ledger, NodeState
from entrepot.ledger.records import EVERY_NODE, UNKNOWN_STATE
from entrepot.sql import Mention, SqlError, TableName, mentions, options_of, tables_of_query
from entrepot.tables.log import LogError

FORMATS_OF_FIXED_COLUMNS = ("text", "binaryfile")


@dataclass(frozen=True, slots=True)
class State:
    """A view or test of this job.

    Attributes:
        node: dbt's id of it
        checksum: of all that making it, or its result, depends on
        job: the number of the job that has left it so; none where it has to be made or run
        result: what a test has found, as text; the columns of a view, where somebody has asked for them
    """

    node: str
    checksum: str
    job: int | None = None
    result: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """What a text of SQL says by its words alone.

    Attributes:
        tables: the tables that it names; none where it cannot be read, as Spark will say
        is_repeatable: whether it gives the same from the same rows
        is_known: whether all functions in it are Spark's own
        files: those of the tables that are files with the same columns whatever is in them
    """

    tables: tuple[TableName, ...] | None
    is_repeatable: bool = False
    is_known: bool = False
    files: frozenset[TableName] = frozenset()


class States:
    """The views and tests of one job: which of them stand, and as what the job leaves them."""

    def __init__(self, engine: Engine, project: Project, relations: Relations, views: Views) -> None:
        """Begin with none read."""
        self._engine, self._project, self._relations, self._views = engine, project, relations, views
        self._books: Ledger | None = None
        self._number = 0
        self._lock = Lock()
        self._stored: Mapping[str, NodeState] | None = None
        self._columns: Once[str] = Once()
        self._columns_of_views: Once[str | None] = Once()
        self._done: dict[str, State] = {}
        self._standing: dict[str, State] = {}

    def open(self, books: Ledger, number: int, after_kill: bool) -> None:
        """Note where states are stored, and which job this is.

        After a job that was killed nothing stands: it may have made views without noting it.
        """
        self._books, self._number = books, number
        if after_kill:
            self._stored, self._done = {}, {EVERY_NODE: State(EVERY_NODE, UNKNOWN_STATE)}

    def of_test(self, test: Node, sql: str, shape: Mapping[str, object]) -> State | None:
        """Return the state of a data test; none where the same rows may give something else, or not all that it reads is known.

        Args:
            test: it, with what dbt says that it reads
            sql: the statement that asks for its result
            shape: what else its result depends on, as JSON can say it
        """
        texts, tables = self._read_by(test, sql)
        if tables is None or not all(_said(text).is_repeatable for text in texts):
            return None
        reads = {table.relation: self._version_of(table) for table in tables}
        return None if None in reads.values() else self._state(test.unique_id, [texts, shape, reads])

    def of_unit_test(self, test: str, sql: str, shape: Mapping[str, object]) -> State | None:
        """Return the state of a unit test; none where the same SQL may give something else, or reads more than the rows in it.

        Args:
            test: dbt's id of it
            sql: the model's SQL on the rows of the test
            shape: what else its result depends on, such as the rows that are expected, as JSON can say it
        """
        said = _said(sql)
        return self._state(test, [sql, shape]) if said.tables == () and said.is_repeatable and said.is_known else None

    def of_view(self, view: Node, sql: str, shape: Mapping[str, object]) -> State | None:
        """Return the state of a view.

        None where not all that it names is a Delta table of the project, or files whose columns are fixed; and where it reads a view that
        this job does not run: that one may have other columns than its text gives now.

        Args:
            view: it
            sql: its SQL, compiled
            shape: what else it is made of, such as its descriptions, as JSON can say it
        """
        texts, tables = self._read_by(view, sql, or_files=True)
        if tables is None or not self._views_are_run(view) or not all(_said(text).is_known for text in texts):
            return None
        columns = {table.relation: self._columns_of(table) for table in tables}
        if None in columns.values():
            return None
        views = {read.relation: self._view_as_read(read) for read in self._project.views(view)}
        state = self._state(view.unique_id, [view.relation, sql, shape, columns, views])
        return state if self._views.told(view.relation) == sql else replace(state, job=None)

    def note_standing(self, state: State) -> None:
        """Note that a view or test stands as an earlier job has left it."""
        with self._lock:
            self._standing[state.node] = state

    def note_done(self, state: State, result: str | None = None) -> None:
        """Note that a view is made, or that a test was run and has not failed, and what it has found."""
        with self._lock:
            self._done[state.node] = replace(state, result=result)

    def note_made(self, view: Node) -> None:
        """Note that a view is made, and that nobody knows of what: it does not stand as any job before has left it."""
        self.note_done(State(view.unique_id, UNKNOWN_STATE))

    def checksums(self, prefix: str) -> dict[str, str]:
        """Return as what earlier jobs have left the nodes whose ids begin so, {id: checksum}, of those that somebody knows."""
        known = self._known()
        return {name: one.checksum for name, one in known.items() if name.startswith(prefix) and one.checksum}

    @property
    def standing(self) -> frozenset[str]:
        """The ids of what stands as an earlier job has left it."""
        return frozenset(self._standing)

    def found(self, job: str, number: int) -> list[NodeState]:
        """Return what this job has made and run, to be stored."""
        now = datetime.now(timezone.utc)
        return [
            NodeState(
                state.node, state.checksum, job, number, now, state.result or self._columns_of_views.known(state.node)
            )
            for state in self._done.values()
        ]

    def _known(self) -> Mapping[str, NodeState]:
        """Return what earlier jobs have noted, {id: row}."""
        with self._lock:
            if self._stored is None:
                self._stored = self._books.states(self._number) if self._books else {}
            return self._stored

    def _state(self, node: str, parts: list[object]) -> State:
        # YAML may have keys of several types beside each other, which cannot be sorted before they are texts
        plain = json.loads(json.dumps(parts, default=str))
        checksum = checksum_of(json.dumps(plain, sort_keys=True))
        known = self._known().get(node)
        if known is None or known.checksum != checksum:
            return State(node, checksum)
        return State(node, checksum, known.number, known.result)

    def _read_by(self, node: Node, sql: str, *, or_files: bool = False) -> tuple[list[str], list[Node] | None]:
        """Return SQL with the texts of all views that a node reads, and the tables that they name.

        No tables where a view is not there, or a name is none of what dbt knows to be read, or that to be made of: it might be written later
        in this job.

        Args:
            node: what reads
            sql: its SQL
            or_files: whether files with the same columns whatever is in them do not matter
        """
        if not self._views.are_known(node):
            return [sql], None
        views = self._views.texts(node)
        texts = [sql, *_by_name(views)]
        found: dict[str, Node] = {}
        for text in texts:
            said = _said(text)
            if said.tables is None:
                return texts, None
            for table in said.tables:
                if table not in views and not (or_files and table in said.files):
                    named = self._project.of_table(table)
                    if named is None or not self._project.comes_before(named, node):
                        return texts, None
                    found[named.unique_id] = named
        return texts, list(found.values())

    def _views_are_run(self, node: Node) -> bool:
        views = self._project.views(node)
        return all(view in self._project.selected and self._views_are_run(view) for view in views)

    def _view_as_read(self, view: Node) -> object:
        """Return what a view is to another one that reads it: its columns; its text and those below, where nobody can tell its columns."""
        columns = self._columns_of_views.get(view.unique_id, lambda: self._columns_of_view(view))
        return columns or [self._views.text(view.relation), *_by_name(self._views.texts(view))]

    def _columns_of_view(self, view: Node) -> str | None:
        """Return the columns of a view that this job has made or that stands, as one text; none where it would take a statement."""
        standing = self._standing.get(view.unique_id)
        return (standing.result if standing else None) or self._engine.columns_of_view(view.relation)

    def _version_of(self, table: Node) -> tuple[int, int] | None:
        """Return the pinned version of a table, and when it was committed; none where either is not known, or somebody has written since."""
        version = self._relations.pin_if_there(table.relation)
        at = self._relations.committed_at(table.relation, version)
        if version is None or at is None:
            return None
        place = self._engine.table(table.relation)
        head = self._engine.log_of(place).newest([place]).get(place)
        return (version, at) if head and head.version == version else None

    def _columns_of(self, table: Node) -> str | None:
        """Return the columns of a table at its pinned version, as one text; none where it has no versions."""
        version = self._relations.pin_if_there(table.relation)
        if version is None:
            return None
        return self._columns.get((table.relation, version), lambda: self._ask_columns(table.relation, version)) or None

    def _ask_columns(self, relation: str, version: int) -> str:
        """Return the columns of a table as one text; empty where nobody can tell them."""
        table = self._engine.table(relation)
        try:
            return repr(self._engine.log_of(table).columns_at(table, version))
        except LogError:
            return ""


def _by_name(views: Mapping[TableName, str]) -> list[str]:
    return [views[name] for name in sorted(views, key=str)]


@lru_cache(maxsize=1024)
def _said(sql: str) -> _Said:
    try:
        other = {mention.table for mention in mentions(sql) if not _has_fixed_columns(sql, mention)}
        tables = tables_of_query(sql)
        return _Said(tables, is_repeatable(sql), not unknown_functions(sql), frozenset(tables) - other)
    except SqlError:
        return _Said(None)


def _has_fixed_columns(sql: str, mention: Mention) -> bool:
    """Whether a mention is of files in a format that has the same columns whatever is in them.

    The names of folders below a folder may be columns, too: not in ``text.`landing/*.jsonl` ``, and not with `recursiveFileLookup`.
    """
    folder, slash, files = mention.table.identifier.rpartition("/")
    if mention.table.schema.casefold() not in FORMATS_OF_FIXED_COLUMNS or not slash:
        return False
    is_below = options_of(sql, mention).get("recursivefilelookup", "").casefold() == "true"
    return is_below or (bool(folder) and "*" in files)
