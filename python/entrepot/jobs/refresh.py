"""One model in one job: choose, find out what differs, write, note down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from entrepot.errors import ModelError
from entrepot.jobs.choice import Choice
from entrepot.jobs.contracts import check_contract
from entrepot.jobs.model import Model
from entrepot.jobs.project import Node
from entrepot.jobs.relations import Written
from entrepot.jobs.runs import WHOLE, Begun, Run, counted
from entrepot.jobs.state import Job
from entrepot.jobs.verdicts import checksum_of
from entrepot.jobs.writing import Writer
from entrepot.rules import Plan
from entrepot.sql import mentions
from entrepot.stages.stage import RowCounts, Writing
from entrepot.tables.metadata import Part


@dataclass(frozen=True, slots=True)
class Refresh:
    """How a model is brought up to date in this job.

    Attributes:
        model: the model
        begun: when that began
        plan: the rule, and why
        writing: how it is written; none where nothing has changed
        reads: {relation: version} that the model contains afterwards
        sql_hash: the checksum of its SQL
        named: the relations that its SQL names
        warning: what the author is to be told before anything is written
        appends: whether what has changed are rows that have come; none where all rows are read
    """

    model: Model
    begun: Begun
    plan: Plan
    writing: Writing | None
    reads: Mapping[str, int | None]
    sql_hash: str
    named: tuple[str, ...]
    warning: str | None = None
    appends: bool | None = None

    @property
    def rule(self) -> str:
        """The rule of this job."""
        return self.plan.rule

    @property
    def created_sql(self) -> str | None:
        """The SELECT that dbt makes the table of; none where the stages write into the table that is there."""
        stages = self.writing.stages if self.writing else ()
        return next((stage.sql for stage in stages if stage.does == "create"), None)


def planned(job: Job, model: Model) -> Refresh:
    """Return how a model is brought up to date; reads only.

    Raises:
        ModelError: the model cannot be maintained as it stands, or would lose rows
        LockError: another job has taken over
    """
    begun = Begun.now(job.engine.statements_sent())
    job.heartbeat()
    if job.options.is_cut_down and model.is_there:
        raise ModelError(
            model.node.name,
            "is built with --empty or --sample",
            "its table exists and would lose the rows that these leave out",
            "dbt build --empty --target ci, into schemas of their own",
        )
    upstreams = job.project.upstreams(model.node)
    body = job.views.inlined(model.sql, model.node)
    named = [upstream for upstream in upstreams if mentions(body, upstream.table)]
    chosen = Choice(job, model, body, named).chosen()
    if model.contract and chosen.plan.rule != "create":
        check_contract(job, model, chosen.columns if chosen.new_columns else ())
    writing: Writing | None = None
    if chosen.plan.rule != "skip":
        writing = Writer(job, model, chosen, body, job.changes.pinned(named)).writing()
    return Refresh(
        model,
        begun,
        chosen.plan,
        writing,
        job.relations.pins([upstream.relation for upstream in upstreams]),
        checksum_of(body),
        tuple(upstream.relation for upstream in named),
        # `--empty` puts a `limit 0` around what models read, of which no author has to be told
        None if job.options.is_cut_down else chosen.warning,
        chosen.appends,
    )


def explained(job: Job, model: Model) -> str:
    """Return in words and SQL what the next job would do with a model; reads only.

    Raises:
        ModelError: the model cannot be maintained as it stands
    """
    refresh = planned(job, model)
    writing = refresh.writing
    said = [f"rule {refresh.plan.rule}: {refresh.plan.reason}"]
    if writing is None:
        said.append("Nothing would run.")
    elif not writing.stages:
        said += [f"Nothing would be written: no row differs.\n\n{job.memory.spelled_out(writing.text)}"]
    else:
        rows = writing.rows
        counts = f": +{rows.inserted} ~{rows.updated} -{rows.deleted}" if rows else ""
        said += [f"apply path {writing.path}{counts}", "", job.memory.spelled_out(writing.text)]
    if refresh.warning:
        said.insert(1, f"Warning: {refresh.warning}")
    job.memory.drop_all()
    return "\n".join(said)


def apply(job: Job, refresh: Refresh) -> None:
    """Run the stages of a refresh, each in a commit that says what it contains. A table is made by dbt, after this."""
    writing, relation = refresh.writing, refresh.model.relation
    if writing is None:
        return
    if refresh.model.is_there:
        job.verdicts.store(relation, job.id, job.number)
    for number, stage in enumerate(writing.stages):
        if stage.does == "add columns":
            # a commit that says nothing of the contents: after a killed job it is somebody else's, and the model is compared again
            job.engine.ask(stage.sql)
            job.relations.note_version(relation)
            continue
        if number:
            job.heartbeat()
        part: Part = "first" if stage.is_first else "whole"
        base = None if stage.does == "create" else job.relations.pin(relation)
        said = job.commit_metadata(
            relation, refresh.reads, refresh.sql_hash, base=base, part=part, detail=refresh.model.detail
        )
        if stage.few and job.engine.merge_few(relation, stage.few, said):
            continue
        job.engine.say(said)
        if stage.does != "create":
            job.engine.ask(stage.sql)
    job.memory.drop(writing.views)


def noted(job: Job, refresh: Refresh) -> tuple[Run, int | None]:
    """Note what a model contains now and what that took: the run, and the version of somebody else in between.

    Where no row had to be written there is no commit to carry the consumed versions: they are kept by the job, and published.
    """
    model, plan, writing, relation = refresh.model, refresh.plan, refresh.writing, refresh.model.relation
    written = None
    if writing:
        job.engine.say(None)
        written = job.relations.note_written(relation, refresh.reads, refresh.sql_hash, model.detail)
    if written is None:
        job.relations.note_reads(relation, refresh.reads, refresh.sql_hash, model.detail)
    if written and writing and writing.changes and writing.rows:
        hand_on(job, model.node, written, writing.changes, writing.rows)
    rows = writing.rows if writing and writing.rows else counted(written.commit.metrics) if written else RowCounts()
    rows_read = job.sizes.rows(refresh.named) if plan.rule in WHOLE else plan.rows_read
    run = Run(
        model.node.unique_id,
        plan.rule,
        plan.reason,
        writing.path if writing else None,
        rows_read,
        rows,
        sql=job.memory.spelled_out(writing.text) if writing else None,
        appends=refresh.appends,
    )
    replaced = writing.replaced if writing else 0
    return finished(job, model.node, run, refresh.begun, written, replaced), written.intruder if written else None


def hand_on(job: Job, node: Node, written: Written, changes: str, rows: RowCounts) -> None:
    """Let the readers of a relation have what this job has written into it, where nobody else has written in between.

    Args:
        job: the job
        node: the relation
        written: the commit
        changes: SQL of the changes, of rows in memory
        rows: how many they are
    """
    own = job.relations.own_write(node.relation)
    if own and own.before is not None:
        job.changes.note_written(node, own.before, written.commit.version, changes, rows)


def finished(job: Job, node: Node, run: Run, begun: Begun, written: Written | None, replaced: int = 0) -> Run:
    """Note a run, with what it took.

    Args:
        job: the job
        node: what was run
        run: what it did
        begun: when it began
        written: what it has written; none where nothing was
        replaced: how many rows an overwrite took away
    """
    if written:
        rows = run.rows.changed + replaced
        job.relations.note_own_write(node.relation, rows, run.path == "insert", run.path == "overwrite")
    ended = Begun.now(job.engine.statements_sent())
    done = replace(run, statements=ended.statements - begun.statements, seconds=ended.at - begun.at)
    job.note_run(done)
    return done
