"""How a plan is written: what differs from the stored rows is found out first, so that what is written is known exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from entrepot.jobs.appending import has_columns
from entrepot.jobs.choice import Chosen
from entrepot.jobs.model import Model
from entrepot.jobs.state import Job
from entrepot.rules import Plan, Stored, Upstream, at_version, body_at, temporary_name
from entrepot.sql import keys_equal, listed_keys, quoted
from entrepot.stages.delete import keys_to_list
from entrepot.stages.stage import Path, RowCounts, Stage, Writing
from entrepot.stages.write import (
    Target,
    changes_written_sql,
    difference_sql,
    insert_sql,
    merge_sql,
    net_by_key_sql,
    net_changes_sql,
    new_rows_sql,
    source_sql,
)
from entrepot.tables.merge import FewRows

# changed rows of a large table that stay in memory for the model's readers
MOST_HANDED_ON = 500_000


@dataclass(frozen=True, slots=True)
class Kept:
    """What rows that are kept on the driver change.

    Attributes:
        rows: how many rows
        listed: the condition that a stored row has the key of one that goes; none where none does, or it cannot be written
        is_unique: whether no two of them have the same key
    """

    rows: RowCounts
    listed: str | None
    is_unique: bool


@dataclass(frozen=True, slots=True)
class Writer:
    """Finds the stages of a plan for one model; reads only.

    Attributes:
        job: the job
        model: the model
        chosen: its plan
        body: its SQL, with views inlined
        upstreams: what the SQL names
    """

    job: Job
    model: Model
    chosen: Chosen
    body: str
    upstreams: tuple[Upstream, ...]

    def writing(self) -> Writing:
        """Return how the plan is written."""
        plan = self.plan
        if plan.rule == "create" or plan.overwrites:
            return self._anew()
        if self.chosen.new_columns:
            return self._with_new_columns()
        if plan.gone is None and not plan.replaces and not plan.net:
            return self._few_new() or self._insert()
        if plan.rule != "full" and self.job.sizes.is_large(self.model.relation):
            return self._in_two()
        return self._few() or self._merge()

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.chosen.plan

    @property
    def keys(self) -> tuple[str, ...]:
        """The model's key columns."""
        return self.model.settings.unique_key

    def _anew(self) -> Writing:
        """Build the table new, or write all of its rows."""
        sql, is_new = body_at(self.body, self.upstreams, self.job.memory.at_hand(self.body)), self.plan.rule == "create"
        is_counted = not is_new and self.job.project.built_on(self.model.node)
        replaced = (self.job.sizes.rows([self.model.relation]) or 0) if is_counted else 0
        stages = (*self._added(), Stage("create", sql))
        return Writing("create" if is_new else "overwrite", stages, sql, replaced=replaced)

    def _with_new_columns(self) -> Writing:
        """Add the columns that have come, and fill them by comparing."""
        sql = self._merge_sql(self.chosen.columns)
        return Writing("merge", (*self._added(), Stage("merge", sql)), sql)

    def _added(self) -> tuple[Stage, ...]:
        """Return the stage that adds the columns that have come, where any have: a commit of its own, so that readers see it."""
        if not self.chosen.new_columns:
            return ()
        clauses = ",\n  ".join(self.chosen.new_columns)
        return (Stage("add columns", f"alter table {self.model.relation} add columns (\n  {clauses}\n)"),)

    def _merge(self) -> Writing:
        """Write all in one commit."""
        sql = self._merge_sql(self.job.engine.columns(self.model.relation).items())
        return Writing("merge", (Stage("merge", sql),), sql)

    def _merge_sql(self, columns: Iterable[tuple[str, str]]) -> str:
        plan = self.plan
        source = source_sql(plan.upsert, plan.gone, self.keys)
        return self._headed(merge_sql(self._target(columns), source, bool(plan.upsert)))

    def _insert(self) -> Writing:
        """Insert rows as they are worked out."""
        sql = self._headed(insert_sql(self.model.relation, self.plan.upsert or ""))
        return Writing("insert", (Stage("insert", sql),), sql)

    def _few_new(self) -> Writing | None:
        """Insert few rows without Spark: they come to the driver. None where they may be many, or only Spark writes the table."""
        job, relation = self.job, self.model.relation
        version = job.relations.pin(relation)
        if (
            version is None
            or not job.engine.can_keep(self.plan.rows_read)
            or not job.engine.may_append(relation, version)
        ):
            return None
        view, sql = self._view("apply"), self._headed(f"select true as _upsert, * from (\n{self.plan.upsert}\n)")
        count, columns = job.memory.keep(view, sql), job.engine.columns(relation)
        few = self._few_rows(columns, view, version) if count else None
        rows = RowCounts(inserted=count or 0)
        if few is None:
            job.memory.drop([view])
            return Writing("insert", (), sql, rows) if count == 0 else None
        insert = self._headed(insert_sql(relation, f"select * except (_upsert) from {view}"))
        stages = (Stage("insert", insert, few=few),)
        if not job.project.built_on(self.model.node):
            return Writing("insert", stages, sql, rows, views=(view,))
        changes = new_rows_sql(self._target(columns.items()), view)
        return Writing("insert", stages, sql, rows, changes=changes)

    def _few(self) -> Writing | None:
        """Write few rows that differ in a small table: they come to the driver. None where they are many.

        What is to be written is known exactly then, and nothing is where nothing differs.
        """
        job, plan, relation = self.job, self.plan, self.model.relation
        if not job.engine.can_keep(0):
            return None
        view = self._view("apply")
        source = f"(\n{source_sql(plan.upsert, plan.gone, self.keys)}\n)"
        pinned = Stored(self.model.node.table, relation)
        stored = f"{at_version(pinned, job.relations.pin(relation), job.memory.at_hand(self.body))} as _stored"
        columns = job.engine.columns(relation)
        target = self._target(columns.items())
        hands_over = bool(job.project.built_on(self.model.node))
        sql = self._headed(difference_sql(target, source, stored, bool(plan.upsert), with_old=hands_over))
        if job.memory.keep(view, sql) is None:
            return None
        kept = self._kept(view)
        rows = kept.rows
        besides = ("_is_stored", "_old") if hands_over else ("_is_stored",)
        if not rows.total and plan.rule == "full":
            return self._nothing(columns, view, sql, besides)
        merge = self._merge_without_spark(columns, kept, view, besides)
        stages = (merge,) if merge else self._stages(rows, self._delete_of_kept(kept, view), view, besides)
        path: Path = "merge" if merge else "delete+insert"
        if not hands_over:
            return Writing(path, stages, sql, rows, views=(view,))
        changes = changes_written_sql(target, view, bool(plan.upsert))
        return Writing(path, stages, sql, rows, changes=changes)

    def _nothing(self, columns: Mapping[str, str], view: str, sql: str, besides: Sequence[str]) -> Writing | None:
        """Write no row, in a commit that carries what has been compared: it is not to be done again if the job fails later.

        None where only Spark writes this table: a merge that may insert commits whatever it finds.
        """
        relation, version = self.model.relation, self.job.relations.pin(self.model.relation)
        few = self._few_rows(columns, view, version) if version is not None else None
        if few is None or not self.job.engine.may_append(relation, few.version):
            self.job.memory.drop([view])
            return None
        insert = self._headed(insert_sql(relation, f"select * except ({', '.join(['_upsert', *besides])}) from {view}"))
        return Writing("insert", (Stage("insert", insert, few=few),), sql, RowCounts(), views=(view,))

    def _merge_without_spark(
        self, columns: Mapping[str, str], kept: Kept, view: str, besides: Sequence[str]
    ) -> Stage | None:
        """Return one merge of the kept rows that needs no Spark; none where only Spark writes this table, or finds these keys."""
        job, relation, rows = self.job, self.model.relation, kept.rows
        goes, comes = bool(rows.updated or rows.deleted), bool(rows.inserted or rows.updated)
        version = job.relations.pin(relation)
        if not rows.total or version is None or (goes and not (kept.listed and kept.is_unique)):
            return None
        few = self._few_rows(columns, view, version, by_keys=goes, comes=comes)
        if few is None or not job.engine.may_merge(relation, version):
            return None
        source = f"select * except ({', '.join(besides)}) from {view}"
        return Stage("merge", self._headed(merge_sql(self._target(columns.items()), source, comes)), few=few)

    def _few_rows(
        self, stored: Mapping[str, str], view: str, version: int, *, by_keys: bool = False, comes: bool = True
    ) -> FewRows | None:
        """Return kept rows as they are written without Spark; none where they have not the table's types: what has to be cast is Spark's."""
        named = {name.lower(): name for name in stored}
        keys = tuple(named[key.strip("`").lower()] for key in self.keys)
        columns = tuple(stored) if comes else keys
        if not has_columns(self.job.engine.columns(view), {name: stored[name] for name in columns}):
            return None
        return FewRows(view, columns, version, keys if by_keys else (), comes)

    def _delete_of_kept(self, kept: Kept, view: str) -> str | None:
        """Return the delete of the stored rows that go; none where none does."""
        if not kept.rows.updated and not kept.rows.deleted:
            return None
        return self._delete_of(kept.listed) if kept.listed else self._merge_of_old(view)

    def _in_two(self) -> Writing:
        """Delete and insert in a large table, where a merge that also inserts is slow.

        What differs from the stored rows is worked out once, into memory; then old rows are deleted and new ones inserted, in two
        commits of which the second carries the reads. A killed job leaves the first alone: it is undone before anybody reads it.
        Readers are handed it: the change feed of a table with deletion vectors reads whole files.
        """
        plan = self.plan
        sql, changes, views = self._differences()
        counts = self.job.engine.ask(
            "select count_if(_upsert and not _is_stored) as inserted, count_if(_upsert and _is_stored) as updated, "
            f"count_if(_upsert is null) as deleted from {views[0]}"
        )[0]
        rows = RowCounts(int(counts["inserted"]), int(counts["updated"]), int(counts["deleted"]))
        goes = rows.updated + rows.deleted
        delete = self._delete_sql(views[0], goes) if goes else None
        besides = ("_is_stored", "_old") if changes and not plan.net else ("_is_stored",)
        stages = self._stages(rows, delete, views[0], besides)
        if not changes or rows.total > MOST_HANDED_ON:
            return Writing("delete+insert", stages, sql, rows, views=views)
        # what readers are handed stays until the job ends
        gone = views[:1] if plan.net else views[1:]
        return Writing("delete+insert", stages, sql, rows, views=gone, changes=changes)

    def _differences(self) -> tuple[str, str | None, tuple[str, ...]]:
        """Bring what differs from the stored rows into memory.

        The first view has rows to write (`_upsert` true) and keys to delete (`_upsert` null), a row for each key; `_is_stored` says whether
        the key is. A plan's `net` says it by itself; other plans are compared with the stored rows within the bounds of their keys.

        Returns the SQL; SQL of the net changes, where anything is built on the model; and the views, the one to be written first.
        """
        job, plan, relation = self.job, self.plan, self.model.relation
        view = self._view("apply")
        hands_over = bool(job.project.built_on(self.model.node))
        if plan.net and not hands_over:
            sql = net_by_key_sql(plan.net, self.keys)
            job.memory.cache(view, sql)
            return sql, None, (view,)
        target = self._target(job.engine.columns(relation).items())
        if plan.net:
            sql, net = net_by_key_sql(plan.net, self.keys), self._view("net")
            job.memory.cache(net, plan.net)
            job.memory.cache(view, net_by_key_sql(f"select * from {net}", self.keys))
            return sql, net_changes_sql(target, net), (view, net)
        source, sql = self._view("source"), source_sql(plan.upsert, plan.gone, self.keys)
        job.memory.cache(source, sql)
        # the stored rows are cut down to these keys first, because Spark would sort all of them for an outer join
        is_key = " and ".join([keys_equal("_stored", self.keys, "_key", self.keys), *self._stored_bounds(source)])
        stored = (
            f"{relation} version as of {job.relations.pin(relation)} as _stored\n"
            f"  left semi join {source} as _key on {is_key}"
        )
        job.memory.cache(view, difference_sql(target, source, stored, bool(plan.upsert), with_old=hands_over))
        return sql, changes_written_sql(target, view, bool(plan.upsert)) if hands_over else None, (view, source)

    def _stages(
        self, rows: RowCounts, delete: str | None, view: str, besides: Sequence[str] = ("_is_stored",)
    ) -> tuple[Stage, ...]:
        """Return a delete of the rows that go, where there are any, and an insert of those that come.

        `besides` are the columns of the view that are not the model's, but for `_upsert`.
        """
        comes = bool(rows.inserted or rows.updated)
        others = ", ".join(["_upsert", *besides])
        insert = f"insert into {self.model.relation} by name select * except ({others}) from {view} where _upsert"
        first = (Stage("delete", delete, is_first=comes),) if delete else ()
        return (*first, Stage("insert", insert)) if comes else first

    def _delete_sql(self, view: str, rows: int) -> str:
        """Return the delete of `rows` stored rows: by a list of their keys where that is quicker, which reads the stored rows once.

        Else by a merge, which reads them twice.
        """
        most = keys_to_list(self.job.sizes.rows_if_known(self.model.relation), self.job.options.delete_keys)
        listed = self._listed_of(view) if rows <= most else None
        return self._delete_of(listed) if listed else self._merge_of_old(view, self._stored_bounds(view))

    def _delete_of(self, condition: str) -> str:
        """Return a delete of the stored rows that a condition holds for."""
        return self._headed(f"delete from {self.model.relation} where {condition}")

    def _merge_of_old(self, view: str, bounds: Sequence[str] = ()) -> str:
        """Return a merge that deletes the stored rows whose keys a view says are stored."""
        is_same = " and ".join([keys_equal("_stored", self.keys, "_old", self.keys), *bounds])
        old = f"select {', '.join(self.keys)} from {view} where _is_stored"
        return self._headed(
            f"merge into {self.model.relation} as _stored\nusing ({old}) as _old\non {is_same}\nwhen matched then delete"
        )

    def _kept(self, view: str) -> Kept:
        """Return what the kept rows of a view change.

        Rows on the driver are read without a Spark job, which an aggregate would need.
        """
        types = ", ".join(f"typeof({key}) as type_{number}" for number, key in enumerate(self.keys))
        rows = self.job.engine.ask(
            f"select _upsert, _is_stored, {types}, to_json(array({self._key_texts})) as keys from {view}"
        )
        goes = [row for row in rows if row["_is_stored"]]
        updated = sum(bool(row["_upsert"]) for row in goes)
        inserted = sum(bool(row["_upsert"]) and not row["_is_stored"] for row in rows)
        listed = self._listed(goes[0], [json.loads(row["keys"]) for row in goes]) if goes else None
        is_unique = len({row["keys"] for row in rows}) == len(rows)
        return Kept(RowCounts(inserted, updated, len(goes) - updated), listed, is_unique)

    def _listed_of(self, view: str) -> str | None:
        """Return the condition that a row has one of the stored keys of a view in memory."""
        types = ", ".join(f"max(typeof({key})) as type_{number}" for number, key in enumerate(self.keys))
        found = self.job.engine.ask(
            f"select {types}, to_json(collect_list(array({self._key_texts}))) as keys from {view} where _is_stored"
        )[0]
        return self._listed(found, json.loads(found["keys"]))

    def _listed(self, types: Mapping[str, Any], rows: Sequence[Sequence[str | None]]) -> str | None:
        """Return the condition that a row has one of some keys; none where it cannot be written."""
        return listed_keys(self.keys, [str(types[f"type_{number}"]) for number in range(len(self.keys))], rows)

    @property
    def _key_texts(self) -> str:
        return ", ".join(f"cast({key} as string)" for key in self.keys)

    def _stored_bounds(self, view: str) -> list[str]:
        """Return the bounds of the keys of a view, as conditions on `_stored`: Delta skips files by literals, not by a join."""
        return [f"_stored.{key} {condition}" for key, condition in self.job.sizes.bounds(view, self.keys).items()]

    def _target(self, columns: Iterable[tuple[str, str]]) -> Target:
        return Target(self.model.relation, self.keys, tuple((quoted(name), type_) for name, type_ in columns))

    def _view(self, kind: str) -> str:
        return temporary_name(kind, Stored(self.model.node.table, self.model.relation))

    def _headed(self, sql: str) -> str:
        """Return SQL under a comment that says where it came from."""
        return f"-- entrepot: {self.model.node.name}, rule {self.plan.rule} ({self.plan.reason})\n{sql}"
