"""What the stored relations contain, as a job found them or has written them since. Each is looked up once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import RLock

from entrepot.jobs.engine import Engine
from entrepot.jobs.project import Node, Project
from entrepot.ledger import PublishedRelation
from entrepot.ledger.records import BOOKS
from entrepot.tables.commit import Commit
from entrepot.tables.contents import NO_VERSIONS, Contents, commit_of_job, contents_of, intruder, keeps_rows_since
from entrepot.tables.log import Head, is_later, millis
from entrepot.tables.reader import OwnWrite
from entrepot.tables.size import UNKNOWN, Size, size_after

NEWEST_COMMITS = 5


@dataclass(frozen=True, slots=True)
class Known:
    """What a job knows of a relation: its contents, and what the job itself has written into it."""

    contents: Contents
    own: OwnWrite | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What a job has written into a relation.

    Attributes:
        commit: the commit
        intruder: the version of somebody else in between; none where there is none
    """

    commit: Commit
    intruder: int | None = None


class Relations:
    """The relations of one job: versions pinned, contents and sizes known. Models that run side by side share them."""

    def __init__(
        self, engine: Engine, project: Project, job: str, history_depth: int, may_write: Callable[[], bool]
    ) -> None:
        """Begin with nothing known.

        Args:
            engine: what is asked
            project: the project that the relations belong to
            job: this job
            history_depth: how many commits are looked through
            may_write: whether this command holds the job's lock, so that it may undo what a killed job has left
        """
        self._engine, self._project, self._job, self._depth = engine, project, job, history_depth
        self._may_write = may_write
        self._lock = RLock()
        self._heads: Mapping[str, Head] = {}
        self._published: Mapping[str, PublishedRelation] = {}
        self._known: dict[str, Known] = {}
        self._source_sizes: dict[str, Size] = {}

    def begin(self, published: Mapping[str, PublishedRelation], heads: Mapping[str, Head]) -> None:
        """Note what the newest snapshots say of each relation, and each relation's newest version, as the job begins."""
        self._published, self._heads = published, heads

    def published(self, relation: str) -> PublishedRelation | None:
        """Return what the newest snapshot says of a relation."""
        return self._published.get(relation)

    def published_all(self) -> Mapping[str, PublishedRelation]:
        """Return what the newest snapshots say of all relations."""
        return self._published

    def read_from(self) -> dict[Node, Head]:
        """Return the sources that are Delta tables, with the version that everything in this job reads; without the books."""
        return {
            node: self._heads[node.relation]
            for node in self._project.sources
            if node.relation in self._heads and node.identifier not in BOOKS
        }

    def was_there(self, relation: str) -> bool:
        """Whether a relation was a Delta table when the job began."""
        return relation in self._heads

    def contents(self, relation: str) -> Contents:
        """Return what a relation contains now.

        A table left half-applied by a killed job is restored first; a command that does not hold the job's lock reads the version
        before.
        """
        with self._lock:
            if relation not in self._known:
                self._known[relation] = Known(self._look_up(relation))
            return self._known[relation].contents

    def contents_if_known(self, relation: str) -> Contents | None:
        """Return what a relation contains where this job has looked it up."""
        known = self._known.get(relation)
        return known.contents if known else None

    def pin(self, relation: str) -> int | None:
        """Return the version of a relation that everything in this job reads; none where it has no versions.

        It is the one that the job found when it began, or has written since.
        """
        with self._lock:
            head = self._heads.get(relation)
            if head and self._project.is_source(relation):
                return head.version
            if head and relation not in self._known and self.is_as_published(relation):
                return head.version
            return self.contents(relation).version

    def pin_if_there(self, relation: str) -> int | None:
        """Return the same; none too where the catalogue has no such relation, as Spark will say."""
        return None if self._engine.catalogued(relation) is None else self.pin(relation)

    def pins(self, relations: list[str]) -> dict[str, int | None]:
        """Return {relation: pinned version} of those that have versions: what a model contains after this job."""
        found = {relation: self.pin(relation) for relation in relations}
        return {relation: version for relation, version in found.items() if version is not None}

    def is_as_published(self, relation: str) -> bool:
        """Whether a relation still is what the newest snapshot says of it.

        Nobody has written it since, or made it again, and dbt's own materializations do not write it in this job.
        """
        known, head = self._published.get(relation), self._heads.get(relation)
        if known is None or known.version is None or head is None or head.version != known.version:
            return False
        return relation not in self._project.rewritten and not is_later(
            head.committed_at, millis(known.committed_at or known.published_at)
        )

    def committed_at(self, relation: str, version: int | None) -> int | None:
        """Return when a version was committed, in milliseconds since 1970, where it is known without asking.

        It is of one that was the newest when this job began, or that this job has looked up or written.
        """
        head, known = self._heads.get(relation), self._known.get(relation)
        if version is not None and head and head.version == version and relation not in self._project.rewritten:
            return head.committed_at
        return (
            known.contents.committed_at if version is not None and known and known.contents.version == version else None
        )

    def read_at(self, reads: Mapping[str, int | None]) -> dict[str, int]:
        """Return {relation: when that version was committed} of consumed versions, without those of which it is not known.

        A table that has taken another's name may have the same version, but not from the same time.
        """
        times = {relation: self.committed_at(relation, version) for relation, version in reads.items()}
        return {relation: at for relation, at in times.items() if at is not None}

    def size(self, relation: str) -> Size:
        """Return how large a relation is at its pinned version, as far as it is known without asking."""
        if self._project.is_source(relation):
            return self._source_sizes.get(relation, UNKNOWN)
        contents = self.contents(relation)
        return Size(contents.row_count, contents.bytes)

    def note_size(self, relation: str, size: Size) -> None:
        """Note what was found out about how large a relation is."""
        with self._lock:
            if self._project.is_source(relation):
                self._source_sizes[relation] = size
            else:
                known = self._known[relation]
                contents = replace(known.contents, row_count=size.row_count, bytes=size.bytes)
                self._known[relation] = replace(known, contents=contents)

    def own_write(self, relation: str) -> OwnWrite | None:
        """Return what this job has written into a relation; none where it has not."""
        known = self._known.get(relation)
        return known.own if known else None

    def note_own_write(self, relation: str, rows: int, appends: bool, overwrites: bool) -> None:
        """Note how many rows this job has changed in a relation, and how."""
        with self._lock:
            known = self._known.get(relation)
            if known and known.own:
                own = replace(known.own, rows=rows, appends=appends, overwrites=overwrites)
                self._known[relation] = replace(known, own=own)

    def note_reads(
        self, relation: str, reads: Mapping[str, int | None], sql_hash: str, detail: str | None = None
    ) -> None:
        """Note that a relation's rows are those of other versions, too: no row had to be written."""
        with self._lock:
            contents = replace(
                self.contents(relation), reads=reads, read_at=self.read_at(reads), sql_hash=sql_hash, detail=detail
            )
            self._known[relation] = replace(self._known[relation], contents=contents)

    def note_version(self, relation: str) -> None:
        """Note that a statement of this job has given a relation a new version, and that nobody knows what it contains."""
        table = self._engine.table(relation)
        version = self._engine.log_of(table).commits(table, limit=1)[0].version
        with self._lock:
            contents = replace(self.contents(relation), version=version, data_version=version)
            self._known[relation] = replace(self._known[relation], contents=contents)

    def note_hooks(self, relation: str) -> None:
        """Note what hooks have made of a relation behind this job's own write.

        Readers and the snapshot get it with what they have written. That is not what its SQL gives any more, so the next job compares all
        rows.
        """
        contents = self.contents(relation)
        if contents.version is None:
            return
        table = self._engine.table(relation)
        since = self._engine.log_of(table).commits(table, from_version=contents.version + 1)
        if not since:
            return
        writes = [commit for commit in since if not commit.keeps_rows]
        found = replace(contents, version=since[0].version, committed_at=since[0].at)
        if writes:
            found = replace(found, data_version=writes[0].version, sql_hash=None, row_count=None, bytes=None)
        with self._lock:
            self._known[relation] = Known(found)

    def note_written(
        self, relation: str, reads: Mapping[str, int | None], sql_hash: str | None, detail: str | None = None
    ) -> Written | None:
        """Note a relation's contents after this job has written it; none where nothing was.

        Our commit is not always the newest: another writer may have come in between, and so often that the newest ones do not reach it.
        """
        table = self._engine.table(relation)
        log = self._engine.log_of(table)
        commits = log.commits(table, limit=NEWEST_COMMITS)
        before = self.contents_if_known(relation) or NO_VERSIONS
        if before.version is not None and len(commits) == NEWEST_COMMITS and commits[-1].version > before.version + 1:
            commits = log.commits(table, from_version=before.version + 1)
        ours = commit_of_job(relation, self._job, commits)
        if ours is None:
            return None
        with self._lock:
            has_version = before.version is not None
            size = size_after(relation, self._job, before if has_version else None, commits)
            other = intruder(relation, ours, commits)
            contents = Contents(
                ours.version,
                ours.version,
                reads=reads if other is None else None,
                sql_hash=sql_hash if other is None else None,
                read_at=self.read_at(reads),
                committed_at=ours.at,
                row_count=size.row_count,
                bytes=size.bytes,
                detail=detail if other is None else None,
            )
            own = OwnWrite(before.version if other is None else None, is_new=ours.is_new)
            self._known[relation] = Known(contents, own)
        return Written(ours, other)

    def _look_up(self, relation: str) -> Contents:
        if self.is_as_published(relation):
            return _as_published(self._published[relation])
        if self._has_no_versions(relation):
            return NO_VERSIONS
        kept = self._kept_since_published(relation)
        if kept is not None:
            return kept
        table = self._engine.table(relation)
        commits = self._engine.log_of(table).commits(table, limit=self._depth)
        contents = contents_of(relation, commits)
        if contents.restore_to is None:
            return contents
        if not self._may_write():
            return contents_of(relation, commits, contents.restore_to)
        self._engine.tell(f"Undoing the half-applied commit {contents.version} of {relation}.")
        self._engine.ask(f"restore table {relation} to version as of {contents.restore_to}")
        return contents_of(relation, self._engine.log_of(table).commits(table, limit=self._depth))

    def _kept_since_published(self, relation: str) -> Contents | None:
        """Return what a relation contains where only its files were written anew since it was published (OPTIMIZE, VACUUM …); none elsewhere.

        The snapshot may know later consumed versions than the commit that wrote the rows.
        """
        known, head = self._published.get(relation), self._heads.get(relation)
        if known is None or known.version is None or head is None or head.version <= known.version:
            return None
        if relation in self._project.rewritten:
            return None
        table = self._engine.table(relation)
        commits = self._engine.log_of(table).commits(table, from_version=known.version)
        if not keeps_rows_since(commits, known.version, millis(known.committed_at or known.published_at)):
            return None
        newest = commits[0]
        return replace(_as_published(known), version=newest.version, committed_at=newest.at, bytes=None)

    def _has_no_versions(self, relation: str) -> bool:
        """Whether a relation is a view, or a table in another format than Delta.

        As Spark's catalogue told dbt at the start; of one that this job has made, as its config says.
        """
        found = self._engine.catalogued(relation)
        if found is not None and found.information:
            return not found.is_delta
        node = self._project.of_relation(relation)
        return node is not None and not node.is_delta


def _as_published(row: PublishedRelation) -> Contents:
    return Contents(
        row.version,
        row.data_version,
        reads=json.loads(row.reads) if row.reads else None,
        sql_hash=row.sql_hash,
        read_at=json.loads(row.read_at) if row.read_at else {},
        row_count=row.row_count,
        bytes=row.bytes,
        detail=row.detail,
    )
