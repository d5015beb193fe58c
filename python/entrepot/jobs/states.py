"""What stands as an earlier job has left it: views that need not be made, and data tests that need not run, again.

The checksum of a view is over its text, what shapes it, and the columns of all tables that it names, through other views too; that of a
test over its SQL, what it is compared with, and the versions of these tables. What has the same checksum as when it was made, or run
without failing, stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from threading import Lock

from entrepot.analysis import is_repeatable
from entrepot.jobs.engine import Engine
from entrepot.jobs.once import Once
from entrepot.jobs.project import Node, Project
from entrepot.jobs.relations import Relations
from entrepot.jobs.verdicts import checksum_of
from entrepot.jobs.views import Views
from entrepot.ledger import Ledger, NodeState
from entrepot.sql import SqlError, tables_of_query
from entrepot.tables.log import LogError


@dataclass(frozen=True, slots=True)
class State:
    """A view or test of this job.

    Attributes:
        node: dbt's id of it
        checksum: of all that making it, or its result, depends on
        job: the number of the job that has left it so; none where it has to be made or run
        result: what a test has found, as text; none for a view
    """

    node: str
    checksum: str
    job: int | None = None
    result: str | None = None


class States:
    """The views and tests of one job: which of them stand, and as what the job leaves them."""

    def __init__(self, engine: Engine, project: Project, relations: Relations, views: Views) -> None:
        """Begin with none read."""
        self._engine, self._project, self._relations, self._views = engine, project, relations, views
        self._books: Ledger | None = None
        self._lock = Lock()
        self._stored: Mapping[str, NodeState] | None = None
        self._columns: Once[str] = Once()
        self._done: dict[str, State] = {}
        self._standing: set[str] = set()

    def open(self, books: Ledger) -> None:
        """Note where states are stored."""
        self._books = books

    def of_test(self, test: Node, sql: str, shape: Mapping[str, object]) -> State | None:
        """Return the state of a data test; none where the same rows may give something else, or not all that it reads is known.

        Args:
            test: it, with what dbt says that it reads
            sql: its SQL, compiled
            shape: what its rows are compared with, as JSON can say it
        """
        body = self._inlined(test, sql)
        if body is None or not is_repeatable(body):
            return None
        named = self._named(body)
        reads = {relation: self._version_of(relation) for relation in named or ()}
        return None if named is None or None in reads.values() else self._state(test, [body, shape, reads])

    def of_view(self, view: Node, sql: str, shape: Mapping[str, object]) -> State | None:
        """Return the state of a view; none where not all that it reads is a Delta table of the project.

        Args:
            view: it
            sql: its SQL, compiled
            shape: what else it is made of, such as its descriptions, as JSON can say it
        """
        body = self._inlined(view, sql)
        named = None if body is None else self._named(body)
        columns = {relation: self._columns_of(relation) for relation in named or ()}
        if named is None or None in columns.values():
            return None
        state = self._state(view, [body, shape, columns])
        return state if self._views.told(view.relation) == sql else replace(state, job=None)

    def note_standing(self, state: State) -> None:
        """Note that a view or test stands as an earlier job has left it."""
        with self._lock:
            self._standing.add(state.node)

    def note_done(self, state: State, result: str | None = None) -> None:
        """Note that a view is made, or that a test was run and has not failed, and what it has found."""
        with self._lock:
            self._done[state.node] = replace(state, result=result)

    @property
    def standing(self) -> frozenset[str]:
        """The ids of what stands as an earlier job has left it."""
        return frozenset(self._standing)

    def found(self, job: str, number: int) -> list[NodeState]:
        """Return what this job has made and run, to be stored."""
        now = datetime.now(timezone.utc)
        done = self._done.values()
        return [NodeState(state.node, state.checksum, job, number, now, state.result) for state in done]

    def _state(self, node: Node, parts: Sequence[object]) -> State:
        checksum = checksum_of(json.dumps(parts, sort_keys=True, default=str))
        with self._lock:
            if self._stored is None:
                self._stored = self._books.states() if self._books else {}
        known = self._stored.get(node.unique_id)
        stands = known is not None and known.checksum == checksum
        return (
            State(node.unique_id, checksum, known.number, known.result)
            if known and stands
            else State(node.unique_id, checksum)
        )

    def _inlined(self, node: Node, sql: str) -> str | None:
        """Return SQL with its views inlined; none where one of them is not there, or the SQL cannot be read: Spark will say so."""
        try:
            return self._views.inlined(sql, node) if self._views.are_known(node) else None
        except SqlError:
            return None

    def _named(self, body: str) -> list[str] | None:
        """Return the tables that SQL names; none where one of them is not of the project."""
        found = [self._project.of_table(table) for table in tables_of_query(body)]
        relations = [node.relation for node in found if node is not None and not node.is_inlined]
        return relations if len(relations) == len(found) else None

    def _pin(self, relation: str) -> int | None:
        """Return the pinned version of a table; none where it has no versions, or is not there: Spark will say so."""
        return None if self._engine.catalogued(relation) is None else self._relations.pin(relation)

    def _version_of(self, relation: str) -> tuple[int, int] | None:
        """Return the pinned version of a table, and when it was committed; none where either is not known."""
        version = self._pin(relation)
        at = self._relations.committed_at(relation, version)
        return None if version is None or at is None else (version, at)

    def _columns_of(self, relation: str) -> str | None:
        """Return the columns of a table at its pinned version, as one text; none where it has no versions."""
        version = self._pin(relation)
        if version is None:
            return None
        table = self._engine.table(relation)
        try:
            return self._columns.get(
                (relation, version), lambda: repr(self._engine.log_of(table).columns_at(table, version))
            )
        except LogError:
            return None
