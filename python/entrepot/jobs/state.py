"""One maintenance job (OD-ETL 3.2): what its models share, from the moment it begins until it is published."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from threading import Lock as Mutex

from entrepot.jobs.changes import Changes
from entrepot.jobs.columns import Columns
from entrepot.jobs.costs import Costs
from entrepot.jobs.counts import Counts
from entrepot.jobs.engine import Engine
from entrepot.jobs.following import Following
from entrepot.jobs.heard import Heard
from entrepot.jobs.memory import Memory
from entrepot.jobs.options import JobOptions
from entrepot.jobs.project import Project
from entrepot.jobs.relations import Relations
from entrepot.jobs.runs import Run
from entrepot.jobs.sizes import Sizes
from entrepot.jobs.states import States
from entrepot.jobs.verdicts import Verdicts
from entrepot.jobs.views import Views
from entrepot.ledger import Ledger, Lock
from entrepot.ledger.lock import Holder, LockError, this_process
from entrepot.patience import Patience
from entrepot.tables.metadata import CommitMetadata, Part


class Job:
    """One dbt command on a warehouse. It is a maintenance job where it holds the chain's lock; other commands only look.

    Attributes:
        id: dbt's invocation id
        engine: Spark
        project: the dbt project
        options: its variables
        relations: what stored relations contain
        memory: rows kept in memory
        changes: net changes of relations
        views: texts of views
        sizes: how large relations are
        states: which views and tests stand as an earlier job has left them
        verdicts: which rule maintains a model
        costs: what runs have cost
        counts: figures of concerns that were counted before the end
        runs: what was done, in its order
        publishes: whether it publishes a snapshot where nothing fails: `dbt build`, on all rows
        began_at: when the job pinned what it reads, UTC
        heard: how far the sources have been heard by what this job has landed
        following: tells others where it is; none before it has begun
    """

    def __init__(self, id_: str, engine: Engine, project: Project, options: JobOptions) -> None:
        """Begin with nothing known; nothing is asked."""
        self.id, self.engine, self.project, self.options = id_, engine, project, options
        self.relations = Relations(engine, project, id_, options.history_depth, self.holds_lock)
        self.memory = Memory(engine)
        self.changes = Changes(engine, self.relations, self.memory)
        self.views = Views(engine, project)
        self.states = States(engine, project, self.relations, self.views)
        self.sizes = Sizes(engine, self.relations, options)
        self.verdicts = Verdicts(engine)
        self.costs = Costs(project, self.changes, self.sizes, options)
        self.counts = Counts()
        self.publishes = False
        self.runs: list[Run] = []
        self.began_at = datetime.now(timezone.utc)
        self.heard = Heard()
        self.following: Following | None = None
        self._books: Ledger | None = None
        self._lock: Lock | None = None
        self._lost: LockError | None = None
        self._beating = Mutex()

    @property
    def has_begun(self) -> bool:
        """Whether the books are open."""
        return self._books is not None

    @property
    def books(self) -> Ledger:
        """The books of the warehouse, which the job's start has opened."""
        assert self._books is not None, "on-run-start opens the books"
        return self._books

    @property
    def number(self) -> int:
        """The job's place in the chain; 0 where it has none."""
        return self._lock.number if self._lock else 0

    def open(self, books: Ledger, locations: Mapping[str, str]) -> None:
        """Read what the newest snapshots say, and the newest version of every Delta table: one listing of each table's log.

        Args:
            books: the books
            locations: where the Delta tables of the project and its sources lie, {relation: location}
        """
        self._books = books
        self.began_at = datetime.now(timezone.utc)
        self.verdicts.open(books)
        self.states.open(books, self.number, self._lock is not None and self._lock.killed is not None)
        self.costs.open(books)
        self.relations.begin(books.published(), self.engine.heads(locations) if locations else {})

    def begin(self, books: Ledger, command: str, is_alone: bool, patience: Patience) -> int | None:
        """Take the chain's lock: one job at a time (docs/decisions/0006-job-events-as-lock.md).

        Returns the number of the job before, where it was killed.

        Args:
            books: the books
            command: dbt's
            is_alone: whether no second process can be on this warehouse
            patience: how long the job of somebody else is waited for

        Raises:
            LockError: another job runs on this warehouse
        """
        while self._lock is None:
            try:
                holder = Holder(self.id, command, self.options.lock_minutes, is_alone, this_process())
                self._lock = books.begin(holder)
            except LockError as error:
                if not patience.goes_on(error.problem):
                    raise
        self.following = Following(books, self.id, self._lock.number)
        self.publishes = command == "build" and not self.options.is_cut_down
        return self._lock.killed

    def undo_half_applied(self) -> None:
        """Restore every table that a killed or failed job has left between two commits that belong together, before anything reads it.

        A failed job of the same session may have left its commit's metadata.
        """
        if self._lock is None or not self._lock.after_failure:
            return
        self.engine.say(None)
        for node in self.project.maintained:
            if self.relations.was_there(node.relation):
                self.relations.contents(node.relation)

    def holds_lock(self) -> bool:
        """Whether this command is a job, which may write."""
        return self._lock is not None

    def heartbeat(self) -> None:
        """Say that the job is alive, at most once a minute.

        Raises:
            LockError: another job has taken over; from then on whenever it is called
        """
        with self._beating:
            if self._lost:
                raise self._lost
            try:
                if self._lock:
                    self._lock.heartbeat()
            except LockError as error:
                self._lock, self._lost = None, error
                if self.following:
                    self.following.lost()
                raise

    def end(self, failed: list[str]) -> None:
        """End the job and give the lock back.

        Args:
            failed: the names of what failed
        """
        if self._lock:
            self._lock.release("failed" if failed else "finished", ", ".join(failed) or None)
            self._lock = None
        if self.following:
            self.following.over()
        self.memory.drop_all()

    def commit_metadata(
        self,
        relation: str,
        reads: Mapping[str, int | None],
        sql_hash: str | None = None,
        *,
        base: int | None = None,
        part: Part = "whole",
        detail: str | None = None,
    ) -> str:
        """Return the text by which a commit of a relation says what it contains (docs/architecture.md).

        Args:
            relation: it
            reads: the consumed versions
            sql_hash: the checksum of the SQL
            base: the version that the rows were worked out from; none where all are new
            part: `first` for the first of two commits
            detail: what the project keeps with the rows
        """
        read_at = self.relations.read_at(reads)
        return CommitMetadata(relation, self.id, dict(reads), read_at, sql_hash, part, base, detail).render()

    def query_columns(self, sql: str) -> Columns:
        """Return the columns of a query and their types."""
        rows = self.engine.ask(f"describe query\n{sql}")
        return [(row["col_name"], row["data_type"]) for row in rows]

    def note_cuts(self) -> None:
        """Write down how far every source has been heard by what has landed; nothing where none is heard further."""
        self.books.write(self.heard.cuts(self.id, self.number, self.books.cuts()))

    def note_run(self, run: Run) -> None:
        """Note what was done with a model, seed or snapshot."""
        self.runs.append(run)

    def said_of(self, unique_id: str) -> str | None:
        """Return dbt's line of what was done with a model, seed or snapshot; none where nothing was noted, as of tests."""
        return next((run.message for run in reversed(self.runs) if run.unique_id == unique_id), None)
