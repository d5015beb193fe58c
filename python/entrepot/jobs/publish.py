"""What a job publishes at its end: the version of every relation that is current in it (write, audit, publish)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from entrepot.jobs.concerns import Counted, counted
from entrepot.jobs.heard import Holding, landed_through
from entrepot.jobs.project import Node
from entrepot.jobs.promises import promises_on
from entrepot.jobs.published_views import switch_views
from entrepot.jobs.runs import Run
from entrepot.jobs.state import Job
from entrepot.ledger import ModelRun, PublishedRelation
from entrepot.ledger.concerns import NO_CONCERN
from entrepot.stages.stage import RowCounts
from entrepot.tables.contents import NO_VERSIONS
from entrepot.tables.log import Head, is_later, moment
from entrepot.tables.table import told_location

FAILED = ("error", "fail", "runtime error", "partial success")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What dbt says of one node or test of the job.

    Attributes:
        unique_id: dbt's id of it
        name: its name
        kind: dbt's resource type
        status: how it ended
        seconds: how long it took
        materialized: how dbt made it; none for tests
        relation: its relation; none for tests
        started_at: when it began, UTC; none where it was skipped
    """

    unique_id: str
    name: str
    kind: str
    status: str
    seconds: float = 0.0
    materialized: str | None = None
    relation: str | None = None
    started_at: datetime | None = None

    @property
    def has_failed(self) -> bool:
        """Whether nothing may be published because of it."""
        return self.status in FAILED


def note_runs(job: Job, outcomes: Iterable[Outcome]) -> None:
    """Note in the books what ran: our own records where one of our strategies wrote, else what dbt knows."""
    records = {run.unique_id: run for run in job.runs}
    ran = [outcome for outcome in outcomes if outcome.kind in ("model", "seed", "snapshot")]
    job.books.write([_run_row(job, position, one, records.get(one.unique_id)) for position, one in enumerate(ran, 1)])


def publish(
    job: Job,
    outcomes: Iterable[Outcome],
    details: Mapping[str, str],
    feeds: Mapping[str, Collection[str]] | None = None,
) -> None:
    """Publish one snapshot, all rows in one commit.

    A relation that is not current gets no row, so a query on it is answered from the newest job in which it was. Neither does a table
    in another format than Delta: nobody could read it as it was. Delta tables of other programs that this job has read have one, too.

    Args:
        job: the job
        outcomes: what it did
        details: what the project wants to be kept of relations for the next job, {relation: text}; an empty text for nothing
        feeds: the schemas whose changes come into a relation, of relations that do not hold those of all sources
    """
    built = {outcome.unique_id for outcome in outcomes if outcome.status == "success"}
    current = Currency(job, built)
    nodes = [
        node
        for node in job.project.written
        if current.is_current(node) and node.materialized != "ephemeral" and (node.is_view or node.is_delta)
    ]
    figures = counted(job, [node for node in nodes if node.concern])
    cuts = job.books.cuts()
    heard = {name: cut.heard_at for name, cut in cuts.items()}
    holding = Holding(job.project, job.began_at, heard, feeds or {})
    now = datetime.now(timezone.utc)
    landed = landed_through(nodes, cuts.values(), job.relations.published_all().values())
    rows = [
        _published_view(job, node, figures.get(node.relation))
        if node.is_view
        else _published_table(job, node, _detail(job, node, details))
        for node in nodes
    ]
    sources = job.relations.read_from()
    rows += [_published_source(job, node, head) for node, head in sources.items()]
    published = [
        replace(
            row,
            landed_through=landed,
            published_at=now,
            node=node.published_as,
            holds_through=holding.through(node),
            unique_key=json.dumps(node.unique_key) if node.unique_key else None,
            promises=promises_on(node.unique_id, job.project.promises),
        )
        for node, row in zip([*nodes, *sources], rows, strict=True)
    ]
    job.books.write(published)
    switch_views(job, published)


class Currency:
    """Which nodes' rows are what this job's versions of their upstreams give, and have passed an audit."""

    def __init__(self, job: Job, built: Collection[str]) -> None:
        """Take the job, and the ids of what was built in it."""
        self._job, self._built = job, built
        self._known: dict[str, bool] = {}

    def is_current(self, node: Node) -> bool:
        """Whether all upstreams are current, what a node has consumed is their newest data, and tests have seen it."""
        if node.unique_id not in self._known:
            read = [self._job.project.node(unique_id) for unique_id in node.reads]
            upstreams = [one for one in read if one is not None and one.kind != "source"]
            self._known[node.unique_id] = all(map(self.is_current, upstreams)) and self._is_current_itself(node)
        return self._known[node.unique_id]

    def _is_current_itself(self, node: Node) -> bool:
        if node.materialized == "ephemeral":
            return True
        if self._job.engine.catalogued(node.relation) is None or not self._is_audited(node, self._built):
            return False
        return node.is_view or self._has_consumed(node)

    def _is_audited(self, node: Node, built: Collection[str]) -> bool:
        """Whether tests have seen what a node has now.

        It was built in this job, in which nothing failed, or has what the newest snapshot publishes of it, and the views that it reads
        are those too. What failed in an earlier job, or was built by `dbt run`, is published when it is built again. A `dbt retry`
        that passes completes the job that it repeats.
        """
        relations, known = self._job.relations, self._job.relations.published(node.relation)
        if node.unique_id in built or self._job.options.is_retry:
            return True
        if not all(self._is_audited(view, ()) for view in self._job.project.views(node)):
            return False
        if node.is_view:
            return known is not None and known.definition == self._job.views.text(node.relation)
        if known is None or known.version is None:
            return False
        if relations.is_as_published(node.relation):
            return True
        contents = relations.contents(node.relation)
        return (
            contents.version is not None
            and contents.version > known.version
            and contents.data_version == known.data_version
        )

    def _has_consumed(self, node: Node) -> bool:
        """Whether a stored relation has consumed the newest data of its upstreams.

        One that keeps no record of what it has consumed (dbt's own materializations) has when it was built in this job, or has no
        upstream. A consumed version above the newest one, or older than it, is that of a table that is no more.
        """
        relations = self._job.relations
        contents = relations.contents(node.relation)
        if node.lands:
            return True
        if contents.reads is None:
            return not node.is_maintained and (node.unique_id in self._built or not node.reads)
        for upstream in self._job.project.upstreams(node):
            version, consumed = relations.pin(upstream.relation), contents.reads.get(upstream.relation)
            if version is None:
                continue
            read = -1 if consumed is None else consumed
            data_version = relations.contents(upstream.relation).data_version if version > read else None
            committed_at = relations.committed_at(upstream.relation, consumed)
            is_other = is_later(committed_at, contents.read_at.get(upstream.relation))
            if is_other or read > version or (data_version is not None and data_version > read):
                return False
        return True


def _run_row(job: Job, position: int, outcome: Outcome, run: Run | None) -> ModelRun:
    rows = run.rows if run else RowCounts()
    contents = job.relations.contents_if_known(outcome.relation or "") or NO_VERSIONS
    return ModelRun(
        job.id,
        job.number,
        position,
        outcome.relation or "",
        outcome.kind,
        outcome.status,
        run.rule if run else str(outcome.materialized),
        run.reason if run else None,
        run.path if run else None,
        run.rows_read if run else None,
        rows.inserted if run else None,
        rows.updated if run else None,
        rows.deleted if run else None,
        run.statements if run else None,
        run.seconds if run else outcome.seconds,
        contents.version,
        run.sql if run else None,
        outcome.started_at,
        run.appends if run else None,
    )


def _published_view(job: Job, node: Node, figures: Counted | None) -> PublishedRelation:
    return PublishedRelation(
        job.id,
        job.number,
        node.relation,
        definition=job.views.text(node.relation),
        reads=json.dumps(dict(figures.reads)) if figures and figures.reads is not None else None,
        read_at=json.dumps(dict(figures.read_at)) if figures and figures.read_at else None,
        sql_hash=figures.sql_hash if figures else None,
        concern=figures.figures.render() if figures else NO_CONCERN,
    )


def _published_table(job: Job, node: Node, detail: str | None) -> PublishedRelation:
    contents = job.relations.contents(node.relation)
    committed_at = job.relations.committed_at(node.relation, contents.version)
    return PublishedRelation(
        job.id,
        job.number,
        node.relation,
        contents.version,
        contents.data_version,
        moment(committed_at),
        None,
        _location(job, node),
        None if contents.reads is None else json.dumps(dict(contents.reads)),
        json.dumps(dict(contents.read_at)) if contents.read_at else None,
        contents.sql_hash,
        contents.row_count,
        contents.bytes,
        detail,
    )


def _published_source(job: Job, node: Node, head: Head) -> PublishedRelation:
    """A table of another program, at the version that this job reads."""
    return PublishedRelation(
        job.id,
        job.number,
        node.relation,
        head.version,
        committed_at=moment(head.committed_at),
        location=_location(job, node),
    )


def _detail(job: Job, node: Node, details: Mapping[str, str]) -> str | None:
    """Return what is kept of a relation: what the project says in this job, else what is kept with its rows."""
    found = details[node.relation] if node.relation in details else job.relations.contents(node.relation).detail
    return found or None


def _location(job: Job, node: Node) -> str | None:
    """Return where a table lies; of one that was made in this job it is asked for."""
    catalogued = job.engine.catalogued(node.relation)
    return told_location(catalogued.information if catalogued else None) or job.engine.table(node.relation).location
