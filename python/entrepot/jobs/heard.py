"""How far sources have been heard: the cut of a job (OD-ETL 3.1), and what tables hold of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

from entrepot.jobs.project import Node, Project
from entrepot.ledger import PublishedRelation, SourceCut

CHANGES = "change_event"  # the model of all changes that have landed


@dataclass(frozen=True, slots=True)
class Told:
    """What the records of one source system say that this job has read.

    Attributes:
        source_system: the system
        committed_at: the latest commit time of a change, UTC; none where there is no change
        log_commit: the position of that commit in the source's log
        heard_at: the latest time that a record carries: of a change its commit, of a transaction its end, of a heartbeat when it was sent.
            Never later than the record landed: a source's clock may be ahead
    """

    source_system: str
    committed_at: datetime | None = None
    log_commit: int | None = None
    heard_at: datetime | None = None


@dataclass
class Heard:
    """What this job has heard, by source system."""

    told: dict[str, Told] = field(default_factory=dict)

    def note(self, told: Told) -> None:
        """Note what records say, beside what others of their system have said."""
        known = self.told.get(told.source_system)
        self.told[told.source_system] = further(known, told) if known else told

    def cuts(self, job: str, number: int, before: Mapping[str, SourceCut]) -> list[SourceCut]:
        """Return the cut of a job: how far every source is heard now, whether or not this job has heard of it.

        Args:
            job: the job's id
            number: its place in the chain
            before: how far they were heard before

        Returns:
            one row a system, together the end of what has landed; empty where no source is heard further than before
        """
        systems = {name: Told(name, row.committed_at, row.log_commit, row.heard_at) for name, row in before.items()}
        now = {name: further(systems[name], told) if name in systems else told for name, told in self.told.items()}
        if all(systems.get(name) == told for name, told in now.items()):
            return []
        at = datetime.now(timezone.utc)
        return [
            SourceCut(job, number, one.source_system, one.log_commit, one.committed_at, one.heard_at, at)
            for one in sorted((systems | now).values(), key=lambda one: one.source_system)
        ]


def landed_through(
    published: Iterable[Node], cuts: Iterable[SourceCut], before: Iterable[PublishedRelation]
) -> datetime | None:
    """Return up to which commit time a snapshot has changes, UTC; none where nothing lands.

    It is that of all that has landed, whichever job did it, one that failed afterwards too; where the snapshot does not have the changes
    themselves, that of those before it.

    Args:
        published: what the snapshot has
        cuts: how far every source had been heard by what has landed
        before: what the newest snapshots say of all relations
    """
    known = [row.landed_through for row in before]
    if any(node.lands and node.name == CHANGES for node in published):
        known += [cut.committed_at for cut in cuts]
    return _latest(*known)


def further(one: Told, other: Told) -> Told:
    """Return what two accounts of a system say together.

    >>> late, early = datetime(2026, 1, 2), datetime(2026, 1, 1)
    >>> further(Told("a", late, 7, late), Told("a", early, 9, None)) == Told("a", late, 7, late)
    True
    """
    last = max(one, other, key=lambda told: (told.committed_at is not None, told.committed_at or datetime.min))
    return replace(last, heard_at=_latest(one.heard_at, other.heard_at))


class Holding:
    """Up to when tables hold what their sources have committed, at the end of a job that has brought them up to date."""

    def __init__(
        self,
        project: Project,
        began_at: datetime,
        heard: Mapping[str, datetime | None],
        feeds: Mapping[str, Collection[str]],
    ) -> None:
        """Take what bounds it.

        Args:
            project: the project
            began_at: when the job pinned what it reads
            heard: how far each source system has been heard
            feeds: the schemas, `system.schema.table`, whose changes come into a relation, of relations that do not hold those of all
        """
        self._project, self._began_at, self._heard, self._feeds = project, began_at, heard, feeds
        self._known: dict[str, datetime | None] = {}

    def through(self, node: Node) -> datetime | None:
        """Return the moment, UTC, up to which a relation holds all that its sources have committed; none where a source has never been heard.

        What other processes write (dbt's sources) and the project's own files count as of the job's beginning.
        """
        if node.unique_id not in self._known:
            self._known[node.unique_id] = self._through(node)
        return self._known[node.unique_id]

    def _through(self, node: Node) -> datetime | None:
        if node.lands:
            return _earliest([self._began_at, *self._heard.values()] if self._heard else [None])
        feeds = self._feeds.get(node.relation)
        read = [one for one in map(self._project.node, node.reads) if one is not None]
        if feeds is not None:
            systems = [name for name in self._heard if any(schema.startswith(f"{name}.") for schema in feeds)]
            heard = [self._heard[name] for name in systems]
            # a schema of which nothing has ever been heard has no changes, and so is not behind
            return _earliest([self._began_at, *heard])
        return _earliest([self._began_at, *(self.through(one) for one in read)])


def _earliest(moments: Collection[datetime | None]) -> datetime | None:
    """Return the earliest moment; none where one of them is not known."""
    known = [moment for moment in moments if moment is not None]
    return min(known) if len(known) == len(moments) else None


def _latest(*moments: datetime | None) -> datetime | None:
    return max((moment for moment in moments if moment is not None), default=None)
