"""What macros ask of the rules, as methods of the adapter (see `entrepot.rules`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.entrepot.analysis import settings_told
from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from dbt.adapters.entrepot.sql_methods import Relation, table_of
from entrepot.rules import (
    Change,
    Plan,
    RunCost,
    Stored,
    Task,
    Upstream,
    again_question,
    aggregate_again,
    body_at,
    bounds_of,
    bounds_question,
    cost_choice,
    full_rule,
    plan_of,
    temporary_name,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The facts that a rule asks of Spark; what is known of the sizes of relations is noted where all of the job looks.

    Attributes:
        adapter: asks
        sizes: {relation: a dict with its `bytes`, where they are known}
        memory: up to how many bytes a relation is small
    """

    adapter: Rules
    sizes: Mapping[str, dict[str, Any]]
    memory: int

    def is_small(self, stored: Stored) -> bool:
        """Whether a relation is small enough to be kept in memory."""
        return self.adapter.size_in_bytes(stored, self.sizes[stored.relation]) <= self.memory

    def bounds(self, view: str, columns: Sequence[str]) -> Mapping[str, str]:
        """Conditions that all values of some columns of a view meet."""
        return self.adapter.view_bounds(view, columns)

    def has_any(self, view: str, condition: str) -> bool:
        """Whether any row of a view meets a condition."""
        return bool(self.adapter.ask(f"select 1 from {view} where {condition} limit 1"))


class Rules(Asking):
    """How a model is brought up to date."""

    @for_macros
    def rules_plan(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """The plan by the rule of the verdict, as `delta_apply` reads it (see `delta_plan`).

        Args:
            task: `model`, `this`, `settings`, `verdict`, `body`, `upstreams` with their pinned `version`, `changed` with `consumed` and
                `changes`, `is_large`, `kept`, `sizes`, `memory`, and the pinned `version` of the model's table
        """
        return _told(plan_of(_task(task), self._facts(task)))

    @for_macros
    def rules_again(self, task: Mapping[str, Any], plan: Mapping[str, Any], groups: int) -> dict[str, Any]:
        """The same plan after `groups` of its undecided groups have turned out to be computed again."""
        return _told(aggregate_again(_task(task), self._facts(task), plan["plan"], groups))

    @for_macros
    def rules_full(self, task: Mapping[str, Any], reason: str) -> dict[str, Any]:
        """The plan of rule `full`."""
        return _told(full_rule(_task(task), self._facts(task), reason))

    @for_macros
    def rules_body(self, body: str, upstreams: Iterable[Mapping[str, Any]], kept: Mapping[str, str]) -> str:
        """A model's SQL with every upstream read at its `version`."""
        return body_at(body, [_upstream(one) for one in upstreams], kept)

    @for_macros
    def rules_cost_choice(
        self, rows_read: int, rows_in_all: int | None, runs: Iterable[Mapping[str, Any]], appends: bool = False
    ) -> str | None:
        """Why a full recompute is cheaper than a rule, in words; none where it is not."""
        costs = [RunCost(run["rule"], run["rows_read"], run["seconds"], run.get("apply_path")) for run in runs]
        return cost_choice(rows_read, rows_in_all, costs, appends)

    @for_macros
    def rules_bounds(self, view: str, columns: Sequence[str]) -> dict[str, str]:
        """Conditions that all values of some columns of a view in memory meet, {column: `between … and …`}."""
        return self.view_bounds(view, columns)

    @for_macros
    def rules_bytes(self, relation: Relation, size: dict[str, Any]) -> int:
        """How many bytes a Delta table has: what `size` says, else Delta, asked once per job."""
        return self.size_in_bytes(_stored(relation), size)

    @for_macros
    def rules_temporary_name(self, kind: str, relation: Relation, parts: Sequence[int | str] = ()) -> str:
        """A name for a temporary view about a relation: what it is, the relation's name, versions or numbers."""
        return temporary_name(kind, _stored(relation), *parts)

    def view_bounds(self, view: str, columns: Sequence[str]) -> dict[str, str]:
        """Ask for the bounds of some columns of a view."""
        return bounds_of(columns, self.ask(bounds_question(view, columns))[0])

    def size_in_bytes(self, stored: Stored, size: dict[str, Any]) -> int:
        """Return how many bytes a Delta table has, and note it in `size`."""
        if size.get("bytes") is None:
            size["bytes"] = int(self.ask(f"describe detail {stored.table}")[0]["sizeInBytes"])
        return int(size["bytes"])

    def _facts(self, task: Mapping[str, Any]) -> Asked:
        return Asked(self, task["sizes"], int(task["memory"]))


def _task(told: Mapping[str, Any]) -> Task:
    return Task(
        _stored(told["this"], told["version"]),
        settings_told(told["model"], told["settings"]),
        told["verdict"]["verdict"],
        told["body"],
        tuple(_upstream(one) for one in told["upstreams"]),
        tuple(_change(one) for one in told["changed"]),
        bool(told["is_large"]),
        told["settings"].get("scope_always"),
        {key: view for key, view in told["kept"].items() if view},
    )


def _stored(relation: Relation, version: int | None = None) -> Stored:
    return Stored(table_of(relation), str(relation), version)


def _upstream(told: Mapping[str, Any]) -> Upstream:
    relation = told["relation"]
    return Upstream(table_of(relation), str(relation), told["version"], told["name"], tuple(told["unique_key"] or ()))


def _change(told: Mapping[str, Any]) -> Change:
    changes = told["changes"]
    return Change(_upstream(told), told["consumed"], changes["view"], changes["plus"], changes["minus"])


def _told(plan: Plan) -> dict[str, Any]:
    return {
        "plan": plan,
        "rule": plan.rule,
        "reason": plan.reason,
        "upsert": plan.upsert,
        "gone": plan.gone,
        "net": plan.net,
        "replaces": plan.replaces,
        "overwrites": plan.overwrites,
        "rows_read": plan.rows_read,
        "caches": [{"view": cache.view, "sql": cache.sql, "key": cache.key} for cache in plan.caches],
        "undecided": again_question(plan.undecided) if plan.undecided else None,
    }
