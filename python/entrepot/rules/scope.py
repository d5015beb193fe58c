"""Rule `scope`, for whatever falls apart by columns: windows, outer joins, distinct, aggregates, history.

Every mention of a changed upstream cuts the result by columns that follow it: the scopes of its changed rows are recomputed over the
upstreams restricted to them, and replaced as a whole. A row in none of these scopes needs no changed row, so it stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from entrepot.analysis import Cut, Value, mentions_of, scope_cut, scope_follows, values_as, values_equal
from entrepot.rules.full import full_rule
from entrepot.rules.inputs import Facts, Task
from entrepot.rules.plan import Plan
from entrepot.rules.reading import Reading
from entrepot.sql import keys_equal


def scope_rule(task: Task, facts: Facts) -> Plan:
    """Return the plan of rule `scope`; of rule `full` where a change concerns every scope."""
    reading = Reading(task, facts)
    cuts: dict[tuple[str, ...], list[str]] = {}
    for change in task.changes:
        name = change.upstream.name
        if task.scope_always and facts.has_any(change.view, task.scope_always):
            return full_rule(task, facts, f"{name} has changes that concern every scope")
        for mention in mentions_of(task.verdict, change.upstream.relation):
            cut = scope_cut(task.settings, task.verdict, mention)
            if cut is None:
                return full_rule(task, facts, f"{name} changed, which no column of the result follows")
            cuts.setdefault(tuple(cut.columns), []).append(_affected(reading, cut, change.view))
    if not cuts:
        return Plan("skip", "what changed is named, but not used", rows_read=task.changed_rows)
    upsert, gone = [], []
    for columns, selects in cuts.items():
        affected = f"(select distinct * from ({' union all '.join(dict.fromkeys(selects))}))"
        within = f" as _row left semi join {affected} as _scope on {keys_equal('_row', columns, '_scope', columns)}"
        upsert.append(
            f"select _row.* from (\n{reading.body(task.body, restricted(reading, columns, affected))}\n){within}"
        )
        gone.append(f"select {', '.join(task.keys)} from {reading.stored_model()}{within}")
    return Plan(
        "scope",
        task.changed_names,
        upsert="\nunion\n".join(upsert),
        gone="\nunion all\n".join(gone),
        rows_read=task.changed_rows,
        caches=tuple(reading.caches),
    )


def restricted(reading: Reading, columns: Sequence[str], affected: str) -> Mapping[str, Sequence[str | None]]:
    """Return what stands for the upstreams: {relation: for each occurrence the rows that the affected scopes need, none for all}.

    A relation that is named more than once is restricted into memory.
    """
    task = reading.task
    places: dict[str, list[str | None]] = {}
    for upstream in task.upstreams:
        views: dict[str, str] = {}
        texts = places.setdefault(upstream.relation, [])
        occurrences = [one for one in task.verdict.occurrences if one.relation == upstream.relation]
        for occurrence in occurrences:
            theirs = scope_follows(task.verdict, columns, occurrence.number)
            if not theirs:
                texts.append(None)
                continue
            rows = _restricted(reading.new(upstream), theirs, affected, task.scope_always)
            if len(occurrences) > 1 and rows not in views:
                views[rows] = reading.cached("scope", rows, len(reading.caches))
            texts.append(views.get(rows, rows))
    return places


def _affected(reading: Reading, cut: Cut, changes: str) -> str:
    """Return SQL of the scopes that the changed rows of a mention belong to, by columns of the result.

    Where the cut leads over other mentions, those of the rows there that belong to the changed ones.
    """
    verdict, rows = reading.task.verdict, changes
    upstreams = {upstream.relation: upstream for upstream in reading.task.upstreams}
    for bridge in cut.path:
        there = reading.new(upstreams[verdict.occurrence_of(bridge.target).relation])
        on = keys_equal("_row", list(bridge.columns.values()), "_from", list(bridge.columns))
        rows = f"(select _row.* from {there} as _row left semi join {rows} as _from on {on})"
    theirs = [verdict.scopes[column][cut.mention] for column in cut.columns]
    return f"select {values_as(theirs, cut.columns)} from {rows}"


def _restricted(rows: str, theirs: Mapping[str, Value], affected: str, always: str | None) -> str:
    """Return SQL of a relation's rows that belong to the affected scopes, and of those that concern every scope.

    Args:
        rows: the relation
        theirs: {column of the scopes: its column, or an expression over its columns}
        affected: the scopes
        always: which rows concern every scope; none for none
    """
    on = values_equal("_row", list(theirs.values()), "_scope", list(theirs))
    if always:
        return (
            f"(select _row.* from {rows} as _row left join (select *, true as _affected from {affected}) as _scope "
            f"on {on} where _scope._affected or {always})"
        )
    return f"(select _row.* from {rows} as _row left semi join {affected} as _scope on {on})"
