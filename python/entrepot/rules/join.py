"""Rule `join` (OD-ETL 3.5.1), for select, where, inner join and, outermost, union all.

Per branch of the union and occurrence R_j of a changed upstream, where the model's table is small:

    upsert  union over j of branch[R_j := Δ⁺_j, others NEW]
    gone    keys of the union over j of branch[R_j := Δ⁻_j, others OLD]; of the stored rows that carry the key of a row of Δ⁻_j, where they do

Reading the others NEW for insertions and OLD for deletions is what keeps the anomaly of Fig. 3.5 out; the write compares with the
stored rows. Where the table is large, the model's own net changes are worked out instead, and no stored row is looked for:

    net     sum over j of branch[R_<j NEW, Δ⁺_j, R_>j OLD] - branch[R_<j NEW, Δ⁻_j, R_>j OLD]

both in one select that carries the sign where its text can; and where nothing has gone from the upstreams either, its first half is
`upsert`: no row comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from entrepot.analysis import mentions_of
from entrepot.rules.inputs import Bounds, Change, Facts, Task
from entrepot.rules.plan import Plan
from entrepot.rules.reading import Reading
from entrepot.rules.terms import Others, Sign, Term, Within, terms_of
from entrepot.sql import as_branch, columns_as, keys_equal, qualified, union_branches
from entrepot.tables.net_changes import net_rows_sql


def join_rule(task: Task, facts: Facts) -> Plan:
    """Return the plan of rule `join`."""
    reading = Reading(task, facts)
    branches = union_branches(task.body) or ()
    plan = _by_net_changes(reading, branches, facts) if task.is_large else _by_key(reading, branches)
    return replace(plan, caches=tuple(reading.caches))


def _by_net_changes(reading: Reading, branches: Sequence[str], facts: Facts) -> Plan:
    """Return the plan for a large table."""
    task = reading.task
    within: Within = {}
    if len(branches) == 1:
        within = {change.upstream.relation: _bounds(task, change, facts) for change in task.changes}
    if len(task.changes) > (1 if task.loses else 2):
        reading.keep_inputs(task.changes)
    if not task.loses:
        come = [term.sql for term in _terms(reading, branches, "+", "telescoped", within)]
        upsert = "select * from (\n" + "\n) union all select * from (\n".join(come) + "\n)"
        return Plan("join", task.changed_names, upsert=upsert, rows_read=task.changed_rows)
    signed = [term.sql for term in _terms(reading, branches, "+-", "telescoped", within)]
    net = net_rows_sql("\nunion all\n".join(signed))
    return Plan("join", task.changed_names, net=net, rows_read=task.changed_rows)


def _by_key(reading: Reading, branches: Sequence[str]) -> Plan:
    """Return the plan for a small table."""
    task, keys = reading.task, ", ".join(reading.task.keys)
    by_key = {
        change.upstream.relation: _gone_by_key(reading, change) for change in task.changes if change.minus
    }  # fmt: skip
    joined = [relation for relation, selects in by_key.items() if not selects]
    if len(task.changes) > 2:
        reading.keep_inputs(task.changes if joined else ())
    upsert = [term.sql for term in _terms(reading, branches, "+", "new")]
    gone = [select for selects in by_key.values() for select in selects]
    gone += [term.sql for term in _terms(reading, branches, "-", "old") if term.relation in joined]
    return Plan(
        "join",
        task.changed_names,
        upsert="select * from (\n" + "\n) union select * from (\n".join(upsert) + "\n)" if upsert else None,
        gone=f"select {keys} from (\n" + f"\n) union select {keys} from (\n".join(gone) + "\n)" if gone else None,
        rows_read=task.changed_rows,
    )


def _terms(
    reading: Reading, branches: Sequence[str], sign: Sign, others: Others, within: Within | None = None
) -> list[Term]:
    """Return the terms of all branches, with the columns that the union gives them."""
    verdict = reading.task.verdict
    columns = list(zip(verdict.columns, verdict.types, strict=True)) if len(branches) > 1 else []
    if columns and sign == "+-":
        columns.insert(0, ("_sign", "int"))
    return [
        replace(term, sql=as_branch(term.sql, columns))
        for branch in branches
        for term in terms_of(branch, reading, reading.task.changes, sign, others, within)
    ]


def _bounds(task: Task, change: Change, facts: Facts) -> Bounds:
    """Return where an upstream's changed rows leave only a range of another occurrence to be joined."""
    verdict = task.verdict
    bridges = [
        bridge for bridge in verdict.bridges
        if verdict.occurrence_of(bridge.source).relation == change.upstream.relation
    ]  # fmt: skip
    if not bridges:
        return {}
    columns = list(dict.fromkeys(column for bridge in bridges for column in bridge.columns))
    within = facts.bounds(change.view, columns)
    bounds: dict[str, dict[str, list[str]]] = {}
    for bridge in bridges:
        for column, theirs in bridge.columns.items():
            if column in within:
                others = bounds.setdefault(bridge.source.split("/")[0], {})
                others.setdefault(bridge.target.split("/")[0], []).append(f"{theirs} {within[column]}")
    return bounds


def _gone_by_key(reading: Reading, change: Change) -> list[str]:
    """Return SQL, one for each occurrence, of the keys of stored rows that stem from deleted rows of an upstream.

    Where the model carries the upstream's unique key, the stored rows say so themselves, and nothing needs to be joined at OLD;
    where that is the model's own key, the deleted rows say it. Empty where it does not.
    """
    task, key, gone = reading.task, change.upstream.unique_key, change.rows("-")
    mentions = mentions_of(task.verdict, change.upstream.relation)
    selects = []
    for mention in mentions:
        stems = [column for column, stem in task.verdict.stems.items() if stem == mention]
        theirs = {column: task.verdict.scopes[column][mention] for column in stems}
        carried = {value.lower(): column for column, value in theirs.items() if isinstance(value, str)}
        columns = [carried[column.lower()] for column in key if column.lower() in carried]
        if not key or len(columns) < len(key):
            continue
        if sorted(map(str.lower, columns)) == sorted(map(str.lower, task.keys)):
            selects.append(f"select {columns_as(key, columns)} from {gone}")
        else:
            selects.append(
                f"select {qualified('_row', task.keys)} from {reading.stored_model()} as _row "
                f"left semi join {gone} as _gone on {keys_equal('_row', columns, '_gone', key)}"
            )
    return selects if len(selects) == len(mentions) else []
