"""What macros ask of the job that runs, as methods of the adapter (see `entrepot.jobs`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Protocol

from dbt.adapters.base import available
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.entrepot.books import Books
from dbt.adapters.entrepot.following import follow
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.graph import project_of, table_properties
from entrepot.analysis import Settings
from entrepot.errors import EntrepotError
from entrepot.jobs import (
    Begun,
    Job,
    JobOptions,
    Model,
    Node,
    Outcome,
    Proof,
    Refresh,
    Run,
    apply,
    asking,
    can_be_proved,
    count_early,
    explained,
    finished,
    hand_on,
    note_runs,
    noted,
    planned,
    publish,
    published_models,
    published_proof,
    read_at_hand,
    schema_change_of,
    settings_of,
    stored_difference,
)
from entrepot.jobs.appending import Appended, append_few
from entrepot.jobs.contracts import contract_of
from entrepot.jobs.new_columns import missing_columns, stored_columns
from entrepot.jobs.once import Once
from entrepot.jobs.relations import Written
from entrepot.jobs.runs import counted
from entrepot.jobs.survivorship import Survivorship, survivorship_of
from entrepot.ledger import PublishedRelation
from entrepot.patience import Patience
from entrepot.rules import shared_name
from entrepot.stages.stage import RowCounts


class Relation(Protocol):
    """What is asked of dbt's relations."""

    is_delta: bool


class Jobs(Books):
    """The job of a dbt command: known from its first macro on, a maintenance job from `jobs_start` to `jobs_end`."""

    _job: Job | None = None
    _made: Once[Any]
    _graph: Mapping[str, Any]

    def execute(
        self, sql: str, auto_begin: bool = False, fetch: bool = False, limit: int | None = None
    ) -> tuple[Any, Any]:
        """Run one statement; what Spark says of it names tables, and not the views that a job reads them by.

        Raises:
            DbtRuntimeError: Spark refuses it
        """
        try:
            found: tuple[Any, Any] = super().execute(sql, auto_begin, fetch, limit)
        except DbtRuntimeError as error:
            told = self._job.memory.spelled_out(str(error.msg)) if self._job else error.msg
            if told == error.msg:
                raise
            raise DbtRuntimeError(told) from None
        return found

    @for_macros
    def jobs_know(
        self,
        invocation_id: str,
        graph: Mapping[str, Any],
        selected: Collection[str],
        default_properties: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        defers: str | None = None,
    ) -> None:
        """Note what this command is about; once, however often it is called.

        Args:
            invocation_id: dbt's
            graph: dbt's graph
            selected: the ids of what the command runs
            default_properties: var `entrepot_table_properties`
            options: fields of `JobOptions`
            defers: which relations of another target `ref` names: `missing` here (--defer), or of `all` that the command does not run
                (--favor-state); none without
        """
        if self._job is None or self._job.id != invocation_id:
            given = {name: value for name, value in options.items() if value is not None}

            def is_deferred(node: Mapping[str, Any]) -> bool:
                """Decide as dbt does."""
                if not defers or not node.get("defer_relation") or node["unique_id"] in selected:
                    return False
                return defers == "all" or self.catalogued(f"{node['schema']}.{node['alias']}") is None

            project = project_of(graph, selected, default_properties, is_deferred)
            self._made, self._graph = Once(), graph
            self._job = Job(invocation_id, self, project, JobOptions(**given))

    @for_macros
    def jobs_graph(self) -> Mapping[str, Any]:
        """dbt's graph of the command; a unit test's own has no nodes."""
        return self._graph

    @for_macros
    def jobs_open(self, schema: str) -> None:
        """Open the books in a schema, once in a command, and read what the newest snapshots say and what tables are there."""
        if self.job.has_begun:
            return
        places = {node.relation: self.known_location(node.relation) for node in self.job.project.stored}
        self.job.open(self.open_books(schema), {name: place for name, place in places.items() if place is not None})

    @for_macros
    def jobs_start(self, schema: str, command: str) -> int | None:
        """Begin a maintenance job, once in a command; the number of the job before, where it was killed."""
        if self.job.has_begun:
            return None
        books, patience = self.open_books(schema), Patience.told()
        killed = self.job.begin(books, command, self.is_alone(), patience)
        follow(self.job)
        if patience.has_waited:
            # what dbt has listed is as it was before the job that was waited for
            nodes = [node for node in self._macro_resolver.nodes.values() if node.is_relational]
            self.set_relations_cache(nodes, clear=True)
        places = {node.relation: self.known_location(node.relation) for node in self.job.project.stored}
        self.job.open(books, {name: place for name, place in places.items() if place is not None})
        self.job.undo_half_applied()
        return killed

    @for_macros
    def jobs_end(
        self, results: Iterable[Any], publishes: bool, details: Mapping[str, str], feeds: Mapping[str, Sequence[str]]
    ) -> None:
        """End the job: note what ran, publish one snapshot if everything passed, and give the lock back.

        Args:
            results: dbt's
            publishes: whether this command publishes
            details: what is to be kept of relations for the next job, {relation: text}
            feeds: the schemas whose changes come into a relation, {relation: schemas}, of those that do not hold the changes of all
        """
        job, outcomes = self.job, [_outcome(result) for result in results]
        failed = [outcome.name for outcome in outcomes if outcome.has_failed]
        note_runs(job, outcomes)
        job.books.write(job.verdicts.found(job.id, job.number))
        if failed:
            self.say(None)
        elif publishes:
            job.heartbeat()
            publish(job, outcomes, details, feeds)
        job.books.write(job.states.found(job.id, job.number))
        if job.states.standing:
            self.tell(f"{len(job.states.standing)} views and tests stand as earlier jobs left them.")
        job.end(failed)

    @for_macros
    def jobs_hold_lock(self) -> bool:
        """Whether this command is a maintenance job."""
        return self._job is not None and self._job.holds_lock()

    @for_macros
    def jobs_publishes(self) -> bool:
        """Whether this command publishes a snapshot where nothing fails."""
        return self.job.publishes

    @for_macros
    def jobs_heartbeat(self) -> None:
        """Say that the job is alive, at most once a minute."""
        self.job.heartbeat()

    @for_macros
    def jobs_cache(self, view: str, sql: str) -> str:
        """Let the rows of a query be kept in memory, as a temporary view that lives for the job; how SQL names it."""
        named = shared_name(self.config.credentials.schema, view)
        self.job.memory.cache(named, sql)
        return named

    @available
    def jobs_once(self, name: str, make: Callable[[], Any]) -> Any:
        """What a macro gives, called once in a command; models that run side by side and want the same wait for it."""
        return self._made.get(name, make)

    @for_macros
    def jobs_made(self, name: str) -> Any:
        """What `jobs_once` has made in this command; none where nobody has wanted it."""
        return self._made.known(name)

    @for_macros
    def jobs_at_hand(self, model: Mapping[str, Any], sql: str) -> str:
        """A query of a node that reads what is at hand in a maintenance job: tables of few files by those; in other commands the same.

        Args:
            model: dbt's
            sql: the query, compiled
        """
        return read_at_hand(self.job, self.node_of(model), sql) if self.job.holds_lock() else sql

    @for_macros
    def jobs_missing_columns(self, model: Mapping[str, Any]) -> list[str]:
        """The columns that a model's YAML describes with a type and its table has not, as clauses of `alter table … add columns`."""
        described = {name: column["data_type"] for name, column in model["columns"].items() if column.get("data_type")}
        return missing_columns(self.job, self.node_of(model).relation, described)

    @for_macros
    def jobs_columns(self, relation: Relation) -> set[str]:
        """The names of the columns that a table has in this job; none where it has no versions."""
        return {name for name, _type in stored_columns(self.job, str(relation))}

    @for_macros
    def jobs_view_text(self, relation: Relation) -> str:
        """The text of a view."""
        return self.job.views.text(str(relation))

    @for_macros
    def jobs_pin(self, relation: Relation) -> int | None:
        """The version of a relation that everything in this job reads; none where it has no versions."""
        return self.job.relations.pin(str(relation))

    @for_macros
    def jobs_published(self, relation: Relation) -> PublishedRelation | None:
        """What the newest snapshot that has a relation says of it."""
        return self.job.relations.published(str(relation))

    @for_macros
    def jobs_node(self, name: str) -> Node | None:
        """The model, seed or snapshot of a name."""
        return self.job.project.named(name)

    @for_macros
    def jobs_upstreams(self, model: Mapping[str, Any]) -> tuple[Node, ...]:
        """The stored relations that a node reads, through views and ephemeral models."""
        return self.job.project.upstreams(self.node_of(model))

    @for_macros
    def jobs_view_made(self, relation: Relation, text: str) -> None:
        """Note the text of a view that this job makes: models that read it inline it."""
        self.job.views.note(str(relation), text)

    @for_macros
    def jobs_view_passed(self, model: Mapping[str, Any]) -> None:
        """Note that a view is as this job leaves it: what waits for a person in it is counted."""
        count_early(self.job, self.node_of(model))

    @for_macros
    def jobs_begin_run(self) -> Begun:
        """Begin the run of one model or seed."""
        self.job.heartbeat()
        return Begun.now(self.statements_sent())

    @for_macros
    def jobs_say(self, relation: Relation) -> None:
        """Let the next commits carry that they are this job's, of a relation that reads no other; see `jobs_say_nothing`."""
        self.say(self.job.commit_metadata(str(relation), {}))

    @for_macros
    def jobs_say_nothing(self) -> None:
        """End `jobs_say`: later commits of this session carry nothing of ours."""
        self.say(None)

    @for_macros
    def jobs_written(self, relation: Relation) -> Written | None:
        """Note what this job has written into a relation that reads no other; none where nothing was."""
        return self.job.relations.note_written(str(relation), {}, None)

    @for_macros
    def jobs_hooks_done(self, relation: Relation) -> None:
        """Note what post-hooks have written into a relation that this job has brought up to date."""
        self.job.relations.note_hooks(str(relation))

    @for_macros
    def jobs_append_few(self, model: Mapping[str, Any], sql: str, rows_read: int) -> Appended | None:
        """Append the rows of a query to a table of a model that reads no other, without Spark.

        What they are; none where Spark has to be asked (`entrepot.jobs.appending`).
        """
        return append_few(self.job, self.node_of(model), sql, rows_read)

    @for_macros
    def jobs_end_run(
        self, model: Mapping[str, Any], begun: Begun, plan: Mapping[str, Any], written: Written | None
    ) -> Run:
        """Note what a run has done.

        Args:
            model: dbt's
            begun: what `jobs_begin_run` gave
            plan: `rule`, `reason`, `path`, `rows_read`, and `appended` where the job has the rows itself
            written: what it has written
        """
        node = self.node_of(model)
        appended: Appended | None = plan.get("appended")
        if appended and written:
            hand_on(self.job, node, written, appended.changes, appended.rows)
        rows = appended.rows if appended else counted(written.commit.metrics) if written else RowCounts()
        told = Run(node.unique_id, plan["rule"], plan["reason"], plan.get("path"), plan.get("rows_read"), rows)
        return finished(self.job, node, told, begun, written)

    @for_macros
    def delta_settings(self, model: Mapping[str, Any]) -> Settings:
        """The checked configuration of a model with `incremental_strategy: delta`."""
        return settings_of(model["name"], model["config"], model.get("language", "sql"))

    @for_macros
    def history_settings(self, model: Mapping[str, Any], log: Node, keys: Sequence[str]) -> Settings:
        """How a snapshot with `strategy: commit_order` is maintained: by rule scope, with the business key of its log."""
        return Settings(model["name"], ("dbt_scd_id",), "scope", {log.name: tuple(keys)}, tuple(keys))

    @for_macros
    def history_survivorship(self, model: Mapping[str, Any], attributes: Sequence[str]) -> Survivorship | None:
        """Return which source system wins in a history; none where it does not say so."""
        return survivorship_of(model["name"], model["config"].get("survivorship"), attributes)

    @for_macros
    def delta_plan(
        self,
        model: Mapping[str, Any],
        settings: Settings,
        sql: str,
        existing: Relation | None,
        full_refresh: bool,
        scope_always: str | None = None,
        detail: str | None = None,
    ) -> Refresh:
        """How a model is brought up to date in this job; reads only.

        Args:
            model: dbt's
            settings: its settings
            sql: its SQL, compiled
            existing: its relation; none where there is none
            full_refresh: whether it is to be built anew
            scope_always: a condition on changed rows that concern every scope
            detail: what is to be kept with the rows
        """
        given = Model(
            self.node_of(model),
            settings,
            sql,
            schema_change_of(model["name"], model["config"]),
            is_there=existing is not None,
            is_delta=existing is not None and existing.is_delta,
            full_refresh=full_refresh,
            scope_always=scope_always,
            detail=detail,
            contract=contract_of(model),
        )
        return planned(self.job, given)

    @for_macros
    def delta_explained(self, model: Mapping[str, Any], sql: str) -> str:
        """What the next job would do with a model, in words and SQL; reads only.

        Args:
            model: dbt's
            sql: its SQL, compiled
        """
        node = self.node_of(model)
        if (node.kind, node.strategy) != ("model", "delta"):
            raise EntrepotError(
                f"{node.name} is not a model with incremental_strategy delta.",
                "`entrepot explain --last` shows what its last run did.",
            )
        found = self.catalogued(node.relation)
        settings, schema_change = settings_of(node.name, model["config"]), schema_change_of(node.name, model["config"])
        given = Model(
            node,
            settings,
            sql,
            schema_change,
            is_there=found is not None,
            is_delta=found is not None and found.is_delta,
        )
        return explained(self.job, given)

    @for_macros
    def delta_apply(self, refresh: Refresh) -> None:
        """Run the stages of a plan; of a table that is to be made, say what the next commit contains."""
        apply(self.job, refresh)

    @for_macros
    def delta_applied(self, refresh: Refresh) -> dict[str, Any]:
        """Note what was written: the `run`, and the version of somebody else in between, `intruder`."""
        run, intruder = noted(self.job, refresh)
        return {"run": run, "intruder": intruder}

    @for_macros
    def delta_difference(self, model: Mapping[str, Any]) -> str | None:
        """SQL of the rows in which a model differs from its full recompute; none where the delta strategy has not written it.

        Args:
            model: dbt's

        Raises:
            EntrepotError: delta rules do not maintain it
        """
        node = self.node_of(model)
        if not can_be_proved(node):
            raise EntrepotError(
                f"Test incremental_equals_full: {node.name} is not maintained by delta rules; models with incremental_strategy 'delta' and "
                "snapshots with strategy 'commit_order' are.",
                "Take the test away, or configure the model so.",
            )
        return stored_difference(self.job, node)

    @for_macros
    def delta_published(self) -> list[str]:
        """The names of the models that can be compared with their full recompute."""
        return [node.name for node in published_models(self.job)]

    @for_macros
    def delta_proof(self, name: str, most_rows: int) -> Proof:
        """Compare a published model with its full recompute on the versions that it was made from; writes nothing."""
        node = self.job.project.named(name)
        assert node is not None, "named by delta_published"
        return published_proof(self.job, node, int(most_rows))

    @for_macros
    def table_properties(self, config: Mapping[str, Any], defaults: Mapping[str, Any] | None) -> dict[str, str]:
        """The properties that a node's table gets: the defaults under its own."""
        return table_properties(config, defaults)

    @property
    def job(self) -> Job:
        """The job of this command."""
        assert self._job is not None, "jobs_know comes first"
        return self._job

    def node_of(self, model: Mapping[str, Any]) -> Node:
        """Return a model, seed or snapshot by what dbt says of it; a test or a hook, which is none of the project's relations, too."""
        if model["resource_type"] in ("test", "unit_test", "operation"):
            return asking(model["unique_id"], model["name"], model["depends_on"]["nodes"])
        found = self.job.project.node(model["unique_id"])
        assert found is not None, "dbt runs nodes of its graph"
        return found


def _outcome(result: Any) -> Outcome:
    node = result.node
    is_stored = str(node.resource_type) in ("model", "seed", "snapshot")
    return Outcome(
        node.unique_id,
        node.search_name,
        str(node.resource_type),
        str(result.status),
        float(result.execution_time),
        node.config.materialized if is_stored else None,
        f"{node.schema}.{node.alias or node.name}" if is_stored else None,
        _started_at(result),
    )


def _started_at(result: Any) -> datetime | None:
    """When dbt began with a node, UTC; none of a node that it has left out."""
    began = [step.started_at for step in result.timing if step.started_at is not None]
    # dbt's times are UTC, and do not say so
    return min(began).replace(tzinfo=timezone.utc) if began else None
