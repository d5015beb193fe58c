"""Rule `aggregate` (OD-ETL 3.5.1 for joins, with group by above them), for count, sum, min, max and avg of exact types.

What has come and what has gone is aggregated by the SELECT itself, and added to the stored groups:

    net     sum over j of body[R_<j NEW, Δ⁺_j, R_>j OLD] - body[R_<j NEW, Δ⁻_j, R_>j OLD], per group
    upsert  stored + net; groups of which this cannot be said (a deleted extreme; perhaps the last row) from the upstreams
    gone    keys of the stored rows of all these groups

Groups get absolute values in the commit that carries the consumed versions, so nothing is ever added twice.
"""

from __future__ import annotations

from dataclasses import replace

from entrepot.analysis import Aggregate
from entrepot.rules.affected import Affected
from entrepot.rules.inputs import Facts, Task
from entrepot.rules.measures import Maintained, count_after, count_of, is_full_sum, maintained
from entrepot.rules.plan import Plan
from entrepot.rules.reading import Reading
from entrepot.rules.scope import restricted
from entrepot.rules.terms import Sign, terms_of
from entrepot.sql import keys_equal


def aggregate_rule(task: Task, facts: Facts) -> Plan:
    """Return the plan of rule `aggregate`; where groups may be `undecided`, `aggregate_again` completes it."""
    reading = Reading(task, facts)
    if len(task.changes) > 1:
        reading.keep_inputs(task.changes)
    aggregate = _aggregate(task)
    net = _net(task, reading, aggregate)
    columns = f"`{'`, `'.join(task.verdict.columns)}`"
    plan = Plan("aggregate", task.changed_names, rows_read=task.changed_rows)
    if not _may_fail(task, aggregate):
        upsert = f"select {columns} from (\n{net}\n)"
        return replace(plan, upsert=upsert, replaces=True, caches=tuple(reading.caches))
    view = reading.cached("aggregate", net)
    return replace(
        plan,
        upsert=f"select {columns} from {view} where _fate = 'kept'",
        gone=f"select _stored.* from {view} where _stored is not null",
        caches=tuple(reading.caches),
        undecided=view,
    )


def again_question(view: str) -> str:
    """Return the query that counts a plan's undecided groups."""
    return f"select count_if(_fate = 'again') as groups from {view}"


def aggregate_again(task: Task, facts: Facts, plan: Plan, groups: int) -> Plan:
    """Return a plan of which `groups` groups are undecided with these computed over the upstreams restricted to them.

    Its `caches` are those that come on top of the plan's.
    """
    if not groups:
        return replace(plan, undecided=None, caches=())
    reading = Reading(task, facts)
    columns = _aggregate(task).groups
    again = f"select * from (\n{reading.body(task.body)}\n)"
    if columns:
        affected = Affected(
            tuple(columns), f"(select {', '.join(columns)} from {plan.undecided} where _fate = 'again')"
        )
        within = affected.within(reading, dict(zip(columns, columns, strict=True)))
        again = f"select _row.* from (\n{reading.body(task.body, restricted(reading, affected))}\n) as _row {within}"
    return replace(
        plan,
        reason=f"{plan.reason}; groups from the upstreams: {groups}",
        upsert=f"{plan.upsert}\nunion all\n{again}",
        caches=tuple(reading.caches),
        undecided=None,
    )


def _aggregate(task: Task) -> Aggregate:
    if task.verdict.aggregate is None:
        raise ValueError(f"{task.settings.model} is no aggregate")
    return task.verdict.aggregate


def _terms(task: Task, reading: Reading) -> str:
    """Return SQL of the signed telescoping sum (see `terms_of`).

    `_sign` is 1 or -1; `_sure` whether the rows behind it are all rows of NEW: those of the last occurrence are, and all are where
    nothing has gone.
    """
    in_order = sorted(task.changes, key=lambda change: change.plus)
    terms = []
    signs: tuple[Sign, ...] = ("+", "-")
    for sign in signs:
        for term in terms_of(task.body, reading, in_order, sign, "telescoped"):
            is_sure = sign == "+" and (not task.loses or term.is_last)
            terms.append(f"select *, {sign}1 as _sign, {str(is_sure).lower()} as _sure from (\n{term.sql}\n)")
    return "\nunion all\n".join(terms)


def _net(task: Task, reading: Reading, aggregate: Aggregate) -> str:
    """Return SQL of the touched groups with the model's columns as they are now, and

    `_fate`: `kept`; `ended` where no row is left; `again` where only the upstreams can say;
    `_stored`: the unique key of the stored row, a struct; null where there is none.
    """
    measures: dict[str, Maintained] = {
        column: maintained(task.settings.model, column, aggregate.measures)
        for column in task.verdict.columns
        if column not in aggregate.groups
    }
    values = [
        f"cast({measures[column].value} as {aggregate.measures[column].type}) as `{column}`"
        if column in measures
        else f"_net.`{column}`"
        for column in task.verdict.columns
    ]
    known = "".join(f"\n      and ({condition})" for measure in measures.values() for condition in measure.known)
    sums = [text for measure in measures.values() for text in measure.sums]
    counted = count_of(aggregate.measures, "1")
    rows = count_after(counted) if counted else None
    ended = f"\n    when {rows} = 0 then 'ended'" if rows and not aggregate.is_whole else ""
    is_there = "true" if aggregate.is_whole else f"{rows} > 0" if rows else "_net._sure"
    key = ", ".join(f"'{column}', _stored.{column}" for column in task.keys)
    selected = ",\n    ".join([*aggregate.groups, *sums, "bool_or(_sure) as _sure"])
    grouped = f"\n  group by {', '.join(aggregate.groups)}" if aggregate.groups else ""
    on = keys_equal("_net", aggregate.groups, "_stored", aggregate.groups) or "true"
    listed = ",\n  ".join(values)
    return f"""select
  {listed},
  case{ended}
    when {is_there}{known} then 'kept'
    else 'again'
  end as _fate,
  if(_stored._is_stored, named_struct({key}), null) as _stored
from (
  select
    {selected}
  from (
{_terms(task, reading)}
  ){grouped}
) as _net
left join (select *, true as _is_stored from {reading.stored_model()}) as _stored
  on {on}"""


def _may_fail(task: Task, aggregate: Aggregate) -> bool:
    """Return whether any group may have to be worked out from the upstreams, or may lose its row.

    Not where rows only come, unless an average of integers may pass what a double holds, a sum its type, or rows are told apart by something else
    than the groups.
    """
    is_rounded = any(one.function == "avg" and one.type == "double" for one in aggregate.measures.values())
    groups = {column.lower() for column in aggregate.groups}
    may_be_beyond = any(map(is_full_sum, aggregate.measures.values()))
    return task.loses or is_rounded or may_be_beyond or any(key.lower() not in groups for key in task.keys)
