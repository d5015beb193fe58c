"""All that jobs ask of the bookkeeping and note in it, whatever holds the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from entrepot.ledger.layout import LAYOUT
from entrepot.ledger.lock import ALIVE, Holder, Lock, is_known_dead, newest_event
from entrepot.ledger.progress import Progress, read_progress, remove_progress, write_progress
from entrepot.ledger.records import (
    EPOCH,
    EVERY_NODE,
    JobEvent,
    ModelRun,
    ModelVerdict,
    NodeState,
    PublishedRelation,
    Record,
    SourceCut,
    columns,
)
from entrepot.ledger.retention import Trim, outdated
from entrepot.ledger.store import Store, Wanted

SNAPSHOTS_LOOKED_THROUGH = 50
# so every view is made, and every test runs, once in a while
JOBS_THAT_STATES_LAST = 50
RUNS_THAT_TELL_COSTS = 20
JOBS_THAT_TELL_COSTS = 200
# each job adds a file to each table, and a read opens all of them
JOBS_BETWEEN_COMPACTIONS = 10
SKIP = "skip"
RULES = ("create", "full", "join", "aggregate", "scope")


class Ledger:
    """The books of one warehouse."""

    def __init__(self, store: Store) -> None:
        """Take the store of the bookkeeping tables."""
        self._store = store

    def check_layout(self) -> None:
        """Refuse books that are newer than this program.

        Raises:
            LayoutError: they are
        """
        self._store.layout()

    def bring_forward(self) -> None:
        """Bring books of an older layout to the program's own.

        Raises:
            LayoutError: they are newer than this program
        """
        if self._store.layout() < LAYOUT:
            self._store.upgrade()
            self._store.compact()

    def begin(self, holder: Holder) -> Lock:
        """Take the chain's lock for a job (see `Lock.acquire`).

        The job then brings books of an older layout forward, and every tenth one compacts them: nobody else writes them.

        Raises:
            LockError: another job runs on this warehouse
            LayoutError: the books are newer than this program
        """
        self.check_layout()
        lock = Lock.acquire(self._store, holder)
        self.bring_forward()
        if lock.number % JOBS_BETWEEN_COMPACTIONS == 0:
            self._store.compact()
        return lock

    def tell(self, progress: Progress | None) -> None:
        """Tell where the running job is, none where it ends; nobody is told where the books are not in files."""
        folder = self._store.folder()
        if folder is not None and progress is not None:
            write_progress(folder, progress)
        elif folder is not None:
            remove_progress(folder)

    def progress(self) -> Progress | None:
        """Return where the running job is; none where none runs, or nobody knows."""
        folder = self._store.folder()
        told = read_progress(folder) if folder is not None else None
        newest = newest_event(self._store) if told else None
        if told is None or newest is None or newest.event not in ALIVE or is_known_dead(newest):
            return None
        return told if (told.job, told.number) == (newest.job, newest.number) else None

    def published(self) -> dict[str, PublishedRelation]:
        """Return what the newest snapshot that has a relation of the project says of it, {relation: row}.

        It is a cache of the Delta logs, trusted only where the version still is the relation's newest. A relation that
        was in none of the last 50 snapshots is not known.
        """
        newest = self._store.newest(PublishedRelation)
        if newest is None:
            return {}
        rows = self._store.read(PublishedRelation, Wanted(since=max(1, newest - SNAPSHOTS_LOOKED_THROUGH + 1)))
        return {row.relation: row for row in sorted(rows, key=lambda row: row.number) if not row.is_source}

    def cuts(self) -> dict[str, SourceCut]:
        """Return how far every source had been heard when a job last landed what had arrived, {source system: cut}."""
        newest = self._store.newest(SourceCut)
        rows = self._store.read(SourceCut, Wanted(since=newest)) if newest is not None else []
        return _by_source(rows)

    def cuts_of(self, number: int) -> dict[str, SourceCut]:
        """Return how far every source had been heard up to a job, {source system: cut}: as the last job that landed by then says it."""
        rows = [row for row in self._store.read(SourceCut) if row.number <= number]
        newest = max((row.number for row in rows), default=0)
        return _by_source(row for row in rows if row.number == newest)

    def all_cuts(self, since: int = 0) -> list[SourceCut]:
        """Return the cut of each job from a number on through each source's log, oldest first."""
        by_job = {
            (row.number, row.source_system): row
            for row in sorted(self._store.read(SourceCut, Wanted(since=since)), key=_cut_at)
        }
        return sorted(by_job.values(), key=lambda row: (row.number, row.source_system))

    def verdicts(self) -> list[ModelVerdict]:
        """Return all stored verdicts, oldest first."""
        return sorted(self._store.read(ModelVerdict, Wanted(without=("sql",))), key=lambda row: row.number)

    def states(self, number: int) -> dict[str, NodeState]:
        """Return as which job has left each view and test, {node: row}, as far as the last 50 jobs before one of a number say."""
        rows = self._store.read(NodeState, Wanted(since=max(1, number - JOBS_THAT_STATES_LAST)))
        cut = max((row.number for row in rows if row.node == EVERY_NODE), default=0)
        return {row.node: row for row in sorted(rows, key=lambda row: row.number) if row.number >= cut}

    def jobs(self, limit: int) -> list[list[JobEvent]]:
        """Return the events of the newest jobs, newest job first, each job's oldest event first."""
        newest = self._store.newest(JobEvent)
        if newest is None:
            return []
        events: dict[int, list[JobEvent]] = {}
        for event in sorted(
            self._store.read(JobEvent, Wanted(since=max(1, newest - limit + 1))), key=lambda event: event.at
        ):
            events.setdefault(event.number, []).append(event)
        return [events[number] for number in sorted(events, reverse=True)]

    def published_rows(self, jobs: int | None = None) -> list[PublishedRelation]:
        """Return every row of published snapshots, newest snapshot first, by name; of so many newest jobs, else of all.

        Without what only jobs need of them.
        """
        newest = self._store.newest(PublishedRelation) if jobs is not None else None
        since = max(1, newest - jobs + 1) if newest is not None and jobs is not None else 0
        wanted = Wanted(since=since, without=("reads", "read_at", "sql_hash", "detail"))
        rows = self._store.read(PublishedRelation, wanted)
        return sorted(rows, key=lambda row: (-row.number, row.relation))

    def published_jobs(self, since: int) -> set[int]:
        """Return the numbers of the jobs from one on that have published a snapshot."""
        unwanted = tuple(name for name in _names(PublishedRelation) if name not in ("number", "job", "relation"))
        return {row.number for row in self._store.read(PublishedRelation, Wanted(since=since, without=unwanted))}

    def made_of(self, number: int) -> dict[str, tuple[str | None, str | None]]:
        """Return what the relations that a job has published were made of, {relation: (checksum of its SQL, what is kept with its rows)}."""
        unwanted = ("definition", "reads", "read_at", "concern", "promises")
        rows = self._store.read(PublishedRelation, Wanted(since=number, without=unwanted))
        return {row.relation: (row.sql_hash, row.detail) for row in rows if row.number == number}

    def published_tables(self) -> list[PublishedRelation]:
        """Return every row of published snapshots that is one of a table of ours, with what it has consumed, newest snapshot first."""
        wanted = Wanted(without=("definition", "sql_hash", "detail", "concern", "promises"))
        rows = [
            row for row in self._store.read(PublishedRelation, wanted) if row.version is not None and not row.is_source
        ]
        return sorted(rows, key=lambda row: (-row.number, row.relation))

    def details(self, relation: str) -> list[str]:
        """Return what snapshots have kept of a relation for the next job, newest first."""
        unwanted = ("definition", "reads", "read_at", "sql_hash", "concern")
        rows = self._store.read(PublishedRelation, Wanted(of=(relation,), without=unwanted))
        return [row.detail for row in sorted(rows, key=lambda row: -row.number) if row.detail]

    def runs(self, name: str) -> list[ModelRun]:
        """Return the runs of the relations of a name, `schema.name` or the name alone, newest first."""
        known = {row.relation for row in self._store.read(ModelRun, Wanted(without=("sql", "reason")))}
        wanted = name.lower()
        named = [one for one in known if wanted in (one.lower(), one.lower().rpartition(".")[2])]
        rows = self._store.read(ModelRun, Wanted(of=tuple(named))) if named else []
        return sorted(rows, key=lambda row: row.number, reverse=True)

    def runs_of_last_job(self) -> list[ModelRun]:
        """Return what the newest job has run, in its order."""
        newest = self._store.newest(ModelRun)
        rows = self._store.read(ModelRun, Wanted(since=newest, without=("sql",))) if newest is not None else []
        return sorted(rows, key=lambda row: row.position)

    def runs_since(self, number: int) -> list[ModelRun]:
        """Return what the jobs from a number on have run, job by job in its order, without the SQL."""
        rows = self._store.read(ModelRun, Wanted(since=number, without=("sql",)))
        return sorted(rows, key=lambda row: (row.number, row.position))

    def written_by(self, relations: Iterable[str], number: int) -> dict[str, ModelRun]:
        """Return the runs that have written the rows that tables had after a job, {relation: run}; without the SQL.

        The newest run up to that job that has written rows; one of dbt's own materializations, whose rows nobody counts, counts as such.
        Where none has, the newest that did not skip.
        """
        wanted = Wanted(of=tuple(relations), without=("sql",))
        rows = self._store.read(ModelRun, wanted) if wanted.of else []
        found: dict[str, ModelRun] = {}
        for row in sorted(rows, key=lambda row: (_has_written(row), row.number, row.position)):
            if row.number <= number and row.status == "success" and row.rule != SKIP:
                found[row.relation] = row
        return found

    def verdict(self, relation: str) -> ModelVerdict | None:
        """Return the newest verdict on a relation; None where delta rules do not maintain it."""
        rows = self._store.read(ModelVerdict, Wanted(of=(relation,), without=("sql", "verdict")))
        return max(rows, key=lambda row: row.number, default=None)

    def model_sql(self, relation: str, sql_hash: str) -> str | None:
        """Return the SQL of a model with its views inlined, by its checksum; None where it is not known."""
        rows = self._store.read(ModelVerdict, Wanted(of=(relation,)))
        return next((row.sql for row in rows if row.sql_hash == sql_hash), None)

    def cost_runs(self, relations: Iterable[str]) -> list[ModelRun]:
        """Return what runs of some relations cost in the last 200 jobs, newest first: up to 20 for each rule and apply path."""
        newest = self._store.newest(ModelRun)
        if newest is None:
            return []
        since = max(1, newest - JOBS_THAT_TELL_COSTS + 1)
        wanted = Wanted(since=since, of=tuple(relations), without=("reason", "sql"))
        rows = [row for row in self._store.read(ModelRun, wanted) if row.status == "success" and row.rule in RULES]
        found: list[ModelRun] = []
        seen: dict[tuple[str, str, str | None], int] = {}
        for row in sorted(rows, key=lambda row: row.number, reverse=True):
            kind = (row.relation, row.rule, row.apply_path)
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] <= RUNS_THAT_TELL_COSTS:
                found.append(row)
        return found

    def outdated(self, before: datetime) -> list[Trim]:
        """Return which rows nobody needs any more that are older than a moment (see `entrepot.ledger.retention`)."""
        return outdated(self._store, before)

    def trim(self, trims: Iterable[Trim]) -> None:
        """Delete rows that nobody needs any more, write what is left into few files, and remove the files of a week ago and older."""
        for trim in trims:
            self._store.delete(trim.record, trim.where)
        self._store.compact()
        self._store.clean()

    def has(self, record: type[Record]) -> bool:
        """Whether a table of the books is there: one that a newer entrepot brings is made by the next job."""
        return self._store.has(record)

    def write(self, records: Sequence[Record]) -> None:
        """Append rows, all of one table, in one commit; nothing where there are none."""
        if records:
            self._store.append(records)


def _names(record: type[Record]) -> tuple[str, ...]:
    return tuple(column.name for column in columns(record))


def _cut_at(cut: SourceCut) -> datetime:
    return cut.at or EPOCH


def _by_source(cuts: Iterable[SourceCut]) -> dict[str, SourceCut]:
    # a job that is run again after a kill between two commits of landing has two
    return {cut.source_system: cut for cut in sorted(cuts, key=_cut_at)}


def _has_written(run: ModelRun) -> bool:
    """Whether a run has written rows, or nobody has counted them."""
    counts = (run.rows_inserted, run.rows_updated, run.rows_deleted)
    return run.rows_inserted is None or any(counts)
