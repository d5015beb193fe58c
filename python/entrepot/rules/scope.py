"""Rule `scope`, for whatever falls apart by columns: windows, outer joins, distinct, aggregates, history.

Every mention of a changed upstream cuts the result by columns that follow it: the scopes of its changed rows are recomputed over the
upstreams restricted to them, and replaced as a whole. A row in none of these scopes needs no changed row, so it stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from entrepot.analysis import Cut, mentions_of, scope_cut, scope_follows, values_as
from entrepot.rules.affected import Affected
from entrepot.rules.full import full_rule
from entrepot.rules.inputs import Facts, Listed, Task
from entrepot.rules.plan import Plan
from entrepot.rules.reading import Reading
from entrepot.sql import keys_equal


def scope_rule(task: Task, facts: Facts) -> Plan:
    """Return the plan of rule `scope`; of rule `full` where a change concerns every scope."""
    reading = Reading(task, facts)
    cuts: dict[tuple[str, ...], dict[str, Listed | None]] = {}
    for change in task.changes:
        name = change.upstream.name
        if task.scope_always and facts.has_any(change.view, task.scope_always):
            return full_rule(task, facts, f"{name} has changes that concern every scope")
        for mention in mentions_of(task.verdict, change.upstream.relation):
            cut = scope_cut(task.settings, task.verdict, mention)
            if cut is None:
                return full_rule(task, facts, f"{name} changed, which no column of the result follows")
            cuts.setdefault(tuple(cut.columns), {})[_scopes(reading, cut, change.view)] = _listed(
                task, facts, cut, change.view
            )
    if not cuts:
        return Plan("skip", "what changed is named, but not used", rows_read=task.changed_rows)
    upsert, gone = [], []
    for columns, selects in cuts.items():
        affected = Affected(
            columns, f"(select distinct * from ({' union all '.join(selects)}))", _together(list(selects.values()))
        )
        within = f"as _row {affected.within(reading, dict(zip(columns, columns, strict=True)))}"
        upsert.append(f"select _row.* from (\n{reading.body(task.body, restricted(reading, affected))}\n) {within}")
        gone.append(f"select {', '.join(task.keys)} from {reading.stored_model()} {within}")
    return Plan(
        "scope",
        task.changed_names,
        upsert="\nunion\n".join(upsert),
        gone="\nunion all\n".join(gone),
        rows_read=task.changed_rows,
        caches=tuple(reading.caches),
        listed=reading.listed,
    )


def restricted(reading: Reading, affected: Affected) -> Mapping[str, Sequence[str | None]]:
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
            theirs = scope_follows(task.verdict, affected.columns, occurrence.number)
            if not theirs:
                texts.append(None)
                continue
            within = affected.within(reading, theirs, task.scope_always)
            rows = f"(select _row.* from {reading.new(upstream)} as _row {within})"
            if len(occurrences) > 1 and rows not in views:
                views[rows] = reading.cached("scope", rows, len(reading.caches))
            texts.append(views.get(rows, rows))
    return places


def _scopes(reading: Reading, cut: Cut, changes: str) -> str:
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


def _listed(task: Task, facts: Facts, cut: Cut, changes: str) -> Listed | None:
    """Return the scopes that the changed rows of a mention belong to, where columns of these rows say so and they are on the driver."""
    theirs = [task.verdict.scopes[column][cut.mention] for column in cut.columns]
    names = [value for value in theirs if isinstance(value, str)]
    return facts.listed(changes, names) if not cut.path and len(names) == len(theirs) else None


def _together(found: Sequence[Listed | None]) -> Listed | None:
    """Return all scopes of several mentions; none where those of any are not listed, or of other types."""
    listed = [one for one in found if one is not None]
    if len(listed) < len(found) or len({one.types for one in listed}) != 1:
        return None
    return Listed(listed[0].types, tuple(dict.fromkeys(row for one in listed for row in one.rows)))
