"""How a model is brought from what it has consumed to what the job reads: which rule, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from entrepot.analysis import Verdict
from entrepot.errors import ModelError
from entrepot.jobs.columns import Columns, added_columns, column_differences
from entrepot.jobs.model import Model
from entrepot.jobs.new_columns import stored_columns
from entrepot.jobs.project import Node
from entrepot.jobs.state import Job
from entrepot.jobs.verdicts import checksum_of
from entrepot.rules import (
    Change,
    Plan,
    Revised,
    Stored,
    Task,
    again_question,
    aggregate_again,
    body_at,
    full_rule,
    plan_of,
    revised_question,
    revised_rule,
)
from entrepot.sql import as_branch, mentions, revision_of, tables_of_query
from entrepot.tables.contents import Contents


@dataclass(frozen=True, slots=True)
class Chosen:
    """A plan, and what was found out on the way to it.

    Attributes:
        plan: the plan
        warning: what the author is to be told
        new_columns: clauses of columns that the SELECT has and the table has not yet, to be added in place
        columns: the columns of the SELECT, where they had to be asked for
        appends: whether the changes have only rows that have come; none where all rows are read
    """

    plan: Plan
    warning: str | None = None
    new_columns: tuple[str, ...] = ()
    columns: Columns = ()
    appends: bool | None = None


class Choice:
    """The choice for one model in one job."""

    def __init__(self, job: Job, model: Model, body: str, upstreams: Sequence[Node]) -> None:
        """Take the model.

        Args:
            job: the job
            model: it
            body: its SQL, with views inlined
            upstreams: those of its upstreams that the SQL names
        """
        self._job, self._model, self._body, self._upstreams = job, model, body, upstreams
        self._verdict: Verdict | None = None

    def chosen(self) -> Chosen:
        """Return the plan.

        Raises:
            ModelError: the SELECT cannot be maintained as the configuration wants it, or has columns that it does not allow
        """
        chosen = self._chosen()
        return chosen if self._verdict is None else replace(chosen, warning=self._warning())

    def _chosen(self) -> Chosen:
        model, job = self._model, self._job
        if not model.is_there or not model.is_delta or model.full_refresh:
            self._judge_anew()
            return Chosen(Plan("create", _why_create(model)))
        contents = job.relations.contents(model.relation)
        if contents.reads is None:
            return self._undone(f"written by somebody else (version {contents.version})")
        if contents.sql_hash is None:
            return self._undone(f"its hooks have written it (version {contents.version})")
        if contents.sql_hash != checksum_of(self._body):
            return self._anew("its SQL changed", contents)
        moved = job.changes.moved(self._upstreams, contents)
        for one in moved:
            if one.why:
                return self._anew(one.why)
        if not model.settings.rule:
            full_run = job.costs.full_run(model.node, self._upstreams, moved, lambda: self._judged().rule)
            if full_run:
                plan = full_rule(self._task(), job.sizes, full_run.reason)
                return Chosen(replace(plan, overwrites=full_run.overwrites))
        changed = job.changes.of(moved)
        if not changed:
            return Chosen(Plan("skip", "nothing changed", rows_read=0))
        return Chosen(self._by_rule(self._task(changed)), appends=all(one.appends for one in moved))

    def _by_rule(self, task: Task) -> Plan:
        """Return the plan by the rule of the verdict, with what its SQL reads from memory brought there."""
        job = self._job
        plan = plan_of(task, job.sizes)
        job.memory.note_listed(plan.listed)
        job.memory.bring(plan.caches)
        if plan.undecided:
            groups = int(job.engine.ask(again_question(plan.undecided))[0]["groups"])
            plan = aggregate_again(task, job.sizes, plan, groups)
            job.memory.bring(plan.caches)
        return plan

    def _undone(self, reason: str) -> Chosen:
        """Return the plan where others have written rows.

        All rows are written where a key is there twice: a comparison by keys finds the row of the SELECT for both, and leaves them.
        """
        chosen = self._anew(reason)
        if chosen.plan.rule != "full" or chosen.new_columns or chosen.plan.overwrites:
            return chosen
        keys, relation = ", ".join(self._task().keys), self._model.relation
        twice = self._job.engine.ask(f"select 1 as twice from {relation} group by {keys} having count(*) > 1 limit 1")
        return replace(chosen, plan=replace(chosen.plan, overwrites=True)) if twice else chosen

    def _anew(self, reason: str, contents: Contents | None = None) -> Chosen:
        """Return the plan where columns may have changed: with the stored ones only the difference is written.

        That is rule `full`; of a model whose SQL changed, and whose table contains `contents`, perhaps what changed in part.
        """
        self._judge_anew()
        job, verdict = self._job, self._judged()
        told = list(zip(verdict.columns, verdict.types, strict=True))
        wanted = stored = stored_columns(job, self._model.relation) if told else []
        if not told or told != stored:
            pinned = job.changes.pinned(self._upstreams)
            wanted = job.query_columns(body_at(self._body, pinned, job.memory.at_hand(self._body)))
            stored = job.query_columns(f"select * from {self._model.relation}")
        if wanted == stored:
            in_part = self._in_part(contents, stored) if contents else None
            return Chosen(in_part or full_rule(self._task(), job.sizes, reason))
        return self._other_columns(f"{reason}, and with it its columns", stored, wanted)

    def _in_part(self, contents: Contents, columns: Columns) -> Plan | None:
        """Return the plan where the SQL has changed in some branches of a UNION ALL, or in their last conditions; none where it is all.

        Nor is there one where the earlier text is not known, or reads something that cannot be read at its consumed version.
        """
        job, node, verdict = self._job, self._model.node, self._judged()
        earlier = job.verdicts.body(node.relation, contents.sql_hash)
        revision = revision_of(earlier, self._body) if earlier and verdict.rule == "join" and verdict.is_fixed else None
        if earlier is None or revision is None or not revision.kept:
            return None
        known = job.project.upstreams(node)
        if not {one.table for one in known}.issuperset(tables_of_query(earlier)):
            return None
        read = [one for one in known if mentions(earlier, one.table)]
        moved = job.changes.moved([*self._upstreams, *(one for one in read if one not in self._upstreams)], contents)
        if any(one.why for one in moved):
            return None
        consumed = job.changes.pinned(read, {one.node.relation: one.consumed for one in moved})
        both_join = job.verdicts.is_join(node, read, earlier) and job.verdicts.is_join(
            node, self._upstreams, self._body
        )
        return self._by_revision(Revised(revision, columns, consumed), job.changes.of(moved), both_join)

    def _by_revision(self, revised: Revised, changes: Sequence[Change], both_join: bool) -> Plan | None:
        """Return the plan by what has changed in the SQL; none where rule `join` cannot maintain the branches that stay.

        It can where it is right for both texts. The branches are looked at nevertheless where rows have gone from what they read.
        """
        job = self._job
        kept = "\nunion all\n".join(as_branch(sql, revised.columns) for sql in revised.revision.kept)
        named = [change for change in changes if mentions(kept, change.upstream.table)]
        if both_join and not any(change.minus for change in named):
            verdict = job.verdicts.of_branches(self._judged(), self._upstreams, kept)
        else:
            verdict = job.verdicts.looked_at(self._model.settings, self._upstreams, kept)
        if verdict.rule != "join":
            return None
        task = replace(self._task(named), body=kept, verdict=verdict, is_large=False)
        question = revised_question(task, revised)
        counts = job.engine.ask(question)[0] if question else {}
        come, gone = int(counts.get("come", 0)), int(counts.get("gone", 0))
        if not (come or gone or named):
            return Plan("skip", "nothing changed", rows_read=0)
        plan = revised_rule(task, job.sizes, revised, come, gone)
        job.memory.bring(plan.caches)
        return plan

    def _other_columns(self, reason: str, stored: Columns, wanted: Columns) -> Chosen:
        """Return the plan for a SELECT whose columns are not the stored ones.

        Columns that have only come are added in place where the configuration says so, and filled by comparing; the table keeps its
        history and its change feed.
        """
        policy, clauses = self._model.on_schema_change, added_columns(stored, wanted)
        if policy == "fail" or (policy == "append_new_columns" and clauses is None):
            columns_move = "columns can be added, but none removed, moved or changed in type"
            raise ModelError(
                self._model.node.name,
                f"has on_schema_change '{policy}', and {reason} ({column_differences(stored, wanted)})",
                "the table keeps its columns" if policy == "fail" else columns_move,
                f"dbt build --select {self._model.node.name} --full-refresh, or config(on_schema_change='sync_all_columns')",
            )
        if policy != "ignore" and clauses:
            return Chosen(full_rule(self._task(), self._job.sizes, reason), new_columns=clauses, columns=wanted)
        return Chosen(Plan("create", reason))

    def _task(self, changes: Sequence[Change] = ()) -> Task:
        job, verdict = self._job, self._judged()
        node = self._model.node
        return Task(
            Stored(node.table, node.relation, job.relations.pin(node.relation)),
            self._model.settings,
            verdict,
            self._body,
            job.changes.pinned(self._upstreams),
            tuple(changes),
            bool(changes) and verdict.rule == "join" and job.sizes.is_large(node.relation),
            self._model.scope_always,
            job.memory.at_hand(self._body),
        )

    def _judge_anew(self) -> None:
        self._job.verdicts.forget(self._model.node, self._upstreams, self._body)
        self._judged()

    def _judged(self) -> Verdict:
        if self._verdict is None:
            self._verdict = self._job.verdicts.of(self._model.node, self._model.settings, self._upstreams, self._body)
        return self._verdict

    def _warning(self) -> str | None:
        assert self._verdict is not None
        return self._job.verdicts.warning(self._model.node, self._verdict)


def _why_create(model: Model) -> str:
    if not model.is_there:
        return "first build"
    return "full refresh" if model.is_delta else "was no Delta table"
