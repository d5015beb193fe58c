"""Rules: the model, its verdict and what has changed in; the plan by which it is brought up to date out."""

from __future__ import annotations

from entrepot.rules.aggregate import again_question, aggregate_again, aggregate_rule
from entrepot.rules.bounds import bounds_of, bounds_question
from entrepot.rules.cost import RunCost, cost_choice
from entrepot.rules.full import full_rule
from entrepot.rules.inputs import Change, Facts, Listed, Stored, Task, Upstream
from entrepot.rules.join import join_rule
from entrepot.rules.plan import Cache, Plan
from entrepot.rules.reading import GLOBAL_TEMPORARY, at_version, body_at, shared_name, temporary_name
from entrepot.rules.revised import Revised, revised_question, revised_rule
from entrepot.rules.scope import scope_rule

__all__ = [
    "GLOBAL_TEMPORARY",
    "Cache",
    "Change",
    "Facts",
    "Listed",
    "Plan",
    "Revised",
    "RunCost",
    "Stored",
    "Task",
    "Upstream",
    "again_question",
    "aggregate_again",
    "at_version",
    "body_at",
    "bounds_of",
    "bounds_question",
    "cost_choice",
    "full_rule",
    "plan_of",
    "revised_question",
    "revised_rule",
    "shared_name",
    "temporary_name",
]


def plan_of(task: Task, facts: Facts) -> Plan:
    """Return the plan by the rule that the verdict names."""
    if task.verdict.rule == "join":
        return join_rule(task, facts)
    if task.verdict.rule == "aggregate":
        return aggregate_rule(task, facts)
    if task.verdict.rule == "scope":
        return scope_rule(task, facts)
    return full_rule(task, facts, task.verdict.reason)
