"""Published snapshots: which version of every relation a finished job has published, and which one answers a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from entrepot.errors import NothingPublishedError, NotInSnapshotError, did_you_mean
from entrepot.ledger import Ledger
from entrepot.ledger.concerns import Figures
from entrepot.ledger.records import is_source
from entrepot.tables.health import files_missing
from entrepot.tables.log import is_later, millis
from entrepot.tables.log_files import LogFiles
from entrepot.tables.table import Table

RECENT_JOBS = 20


@dataclass(frozen=True)
class PublishedRelation:
    """One row of `ops.published_snapshot`.

    Attributes:
        name: schema and name, such as `marts.fct_order_line`
        version: Delta version; None for a view
        location: where the table lies; None for a view
        definition: the view's text; None for a table
        concern: what was counted of the view, as text (`entrepot.ledger.concerns`); None for a table, and where nobody counted yet
        node: dbt's id of it; None where an older version has published it
        holds_through: up to when it holds all that its sources have committed, UTC; None where nobody can say
        unique_key: the columns that tell its rows apart; empty where nobody says it
        committed_at: when that version was committed, UTC; None for a view, and where it is unknown
        promises: how old it may be, as the books keep it (`entrepot.jobs.promises`); None where nobody promises anything
    """

    name: str
    version: int | None
    location: str | None
    definition: str | None
    concern: str | None = None
    node: str | None = None
    holds_through: datetime | None = None
    unique_key: tuple[str, ...] = ()
    committed_at: datetime | None = None
    promises: str | None = None

    @property
    def identifier(self) -> str:
        """The name without its schema."""
        return self.name.split(".", 1)[1]

    @property
    def is_source(self) -> bool:
        """Whether it is a table of another program (dbt's sources), which is read and never written."""
        return is_source(self.node)


@dataclass(frozen=True)
class Snapshot:
    """What one job has published.

    Attributes:
        number: position of the job in the chain
        job: the job's id
        published_at: when, UTC
        landed_through: commit time up to which source changes are in it, UTC; None where nothing lands
        relations: {name: relation}
    """

    number: int
    job: str
    published_at: datetime
    landed_through: datetime | None
    relations: dict[str, PublishedRelation] = field(default_factory=dict)

    def resolve(self, name: str) -> PublishedRelation | None:
        """Return the relation that a query means by `name`, in any capitals: schema.name, or the name alone where only one has it.

        The project's own come before sources of the same name.
        """
        wanted = name.lower()
        if "." in name:
            found = [relation for relation in self.relations.values() if relation.name.lower() == wanted]
        else:
            found = [relation for relation in self.relations.values() if relation.identifier.lower() == wanted]
            found = [relation for relation in found if not relation.is_source] or found
        return found[0] if len(found) == 1 else None

    def holds_through(self, names: Iterable[str]) -> datetime | None:
        """Return up to when the relations named hold all that their sources have committed, UTC: the earliest of them.

        A query that names none holds what there was when the snapshot was published. None where of one of them nobody can say.
        """
        found = [relation.holds_through for name in names if (relation := self.resolve(name)) is not None]
        known = [moment for moment in found if moment is not None]
        return min([*known, self.published_at]) if len(known) == len(found) else None


def refuse_other_table(relation: PublishedRelation) -> None:
    """Refuse a table that has been made anew since it was published: its versions count from 0 again, and have other rows (decision 14).

    Raises:
        NotInSnapshotError: the version was committed later than the one that was published, or is not there yet
    """
    table, log = Table(tuple(relation.name.split(".")), relation.location), LogFiles()
    if relation.version is None or relation.committed_at is None or not log.reaches(table):
        return
    found = log.head_at(table, relation.version)
    # a version that is not in the log was cleaned up, or has not been written yet
    is_missing = found is None and log.newest([table])[table].version < relation.version
    if is_missing or (found is not None and is_later(found.committed_at, millis(relation.committed_at))):
        raise NotInSnapshotError(
            f"{relation.name} has been made anew since version {relation.version} was published (or its log was copied without the times "
            "of its files): its versions have other rows now.",
            "Ask a newer snapshot; `dbt build` publishes one. What has been kept (entrepot pin) has the rows of its time.",
        )


def refuse_unreadable(relation: PublishedRelation) -> None:
    """Refuse a table that is gone, one that has been made anew since it was published, and a version whose files are not there any more.

    Raises:
        NotInSnapshotError: it is, it has, or they are not
    """
    table = Table(tuple(relation.name.split(".")), relation.location)
    if relation.version is not None and table.folder is not None and not Path(table.folder, "_delta_log").is_dir():
        raise NotInSnapshotError(
            f"{relation.name} is not there any more: {table.folder} has no log of a Delta table.",
            "Put the folder back from a copy, or build again: the next `dbt build` makes the table anew.",
        )
    refuse_other_table(relation)
    if relation.version is None or table.folder is None or not LogFiles().reaches(table):
        return
    is_newest = LogFiles().newest([table])[table].version == relation.version
    if not is_newest and files_missing(table.folder, relation.version):
        raise NotInSnapshotError(
            f"{relation.name} version {relation.version} cannot be read any more: files that no newer version has are removed "
            "when the retention has passed (entrepot maintain, vacuum).",
            "Ask a newer snapshot, or one that is kept (entrepot pin); see docs/retention.md.",
        )


def published_snapshots(ledger: Ledger, jobs: int | None = None) -> list[Snapshot]:
    """Return published snapshots, newest first, of so many newest jobs, else of all; empty where nothing has been published."""
    found: dict[int, Snapshot] = {}
    for row in ledger.published_rows(jobs):
        assert row.published_at is not None
        snapshot = found.setdefault(row.number, Snapshot(row.number, row.job, row.published_at, row.landed_through))
        snapshot.relations[row.relation] = PublishedRelation(
            row.relation,
            row.version,
            row.location,
            row.definition,
            row.concern,
            row.node,
            row.holds_through,
            tuple(json.loads(row.unique_key)) if row.unique_key else (),
            row.committed_at,
            row.promises,
        )
    return list(found.values())


def counted_views(snapshots: Iterable[Snapshot]) -> list[tuple[PublishedRelation, int, Figures]]:
    """Return what waits for somebody, by name: each view that is a concern, the newest job that published it, and what that has counted.

    Args:
        snapshots: newest first
    """
    found: dict[str, tuple[PublishedRelation, int]] = {}
    for snapshot in snapshots:
        for relation in snapshot.relations.values():
            if relation.definition is not None:
                found.setdefault(relation.name, (relation, snapshot.number))
    return [
        (view, number, Figures.told(view.concern))
        for view, number in sorted(found.values(), key=lambda one: one[0].name)
        if view.concern
    ]


def snapshot_for(ledger: Ledger, names: Iterable[str]) -> Snapshot:
    """Return the newest snapshot that has every relation named; the newest jobs are looked through first.

    Args:
        ledger: the books
        names: relations as a query names them

    Raises:
        NothingPublishedError: there is no snapshot at all
        NotInSnapshotError: no snapshot has them all
    """
    wanted = list(names)
    try:
        return choose_snapshot(published_snapshots(ledger, RECENT_JOBS), wanted)
    except NotInSnapshotError:
        return choose_snapshot(published_snapshots(ledger), wanted)


def choose_snapshot(snapshots: Sequence[Snapshot], names: Iterable[str]) -> Snapshot:
    """Return the newest snapshot that has every relation named.

    Args:
        snapshots: newest first
        names: relations as a query names them

    Raises:
        NothingPublishedError: there is no snapshot at all
        NotInSnapshotError: no snapshot has them all; says which are missing, and what there is instead
    """
    names = list(names)
    if not snapshots:
        raise NothingPublishedError(
            "Nothing has been published on this warehouse yet.",
            "Run `dbt build`: a job that passes publishes a snapshot.",
        )
    for snapshot in snapshots:
        if all(snapshot.resolve(name) for name in names):
            return snapshot
    known = {relation.name for snapshot in snapshots for relation in snapshot.relations.values()}
    never = [name for name in names if not any(snapshot.resolve(name) for snapshot in snapshots)]
    if not never:
        raise NotInSnapshotError(
            f"No job has published {', '.join(names)} together.", "Run `dbt build` without --select, then ask again."
        )
    raise NotInSnapshotError(_missing(never, known), "`entrepot status --relations` lists what is published.")


def newest_whole(ledger: Ledger, otherwise: str) -> Snapshot:
    """Return the newest snapshot, which has to have all that jobs before have published.

    Args:
        ledger: the books
        otherwise: how somebody says that a part will do, with `{}` for the number of its job

    Raises:
        NothingPublishedError: there is none
        NotInSnapshotError: it lacks relations, as that of a `dbt build --select …` or of a refresh for a query does
    """
    snapshots = published_snapshots(ledger, RECENT_JOBS)
    newest = choose_snapshot(snapshots, ())
    lacking = sorted({name for one in snapshots[1:] for name in one.relations} - newest.relations.keys())
    if lacking:
        raise NotInSnapshotError(
            f"The newest snapshot, of job {newest.number}, has {len(newest.relations)} relations; {len(lacking)} that jobs before have published "
            f"are not in it, such as {lacking[0]}: it is that of a part (--select, or a refresh for a query), or they are no more.",
            f"Run `dbt build` and say it again; or {otherwise.format(newest.number)}.",
        )
    return newest


def _missing(names: Sequence[str], known: set[str]) -> str:
    """Say which names no snapshot has, and why where that can be seen."""
    sentences = []
    for name in names:
        same = sorted(relation for relation in known if relation.split(".", 1)[1].lower() == name.lower())
        if len(same) > 1:
            sentences.append(f"{name} is ambiguous: write one of {', '.join(same)}.")
            continue
        wanted = name.lower() if "." in name else None
        hint = did_you_mean(wanted or name.lower(), known if wanted else {r.split(".", 1)[1] for r in known})
        sentences.append(f"No published snapshot has {name}.{hint}")
    return " ".join(sentences)
