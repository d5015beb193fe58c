"""Joins, subqueries and equalities: how a column follows what it is set equal to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from entrepot.analysis.computed import computed_trace
from entrepot.analysis.follow import Inputs
from entrepot.analysis.plan import Call, Expression, Membership, Node
from entrepot.analysis.rows import Key, Occurrence, Rows, equal_columns, keys_with_equals, least_keys, same_column
from entrepot.analysis.value import Trace, Value

_ONE_SIDE = ("LeftSemi", "LeftAnti")
_INNER = ("Inner", "Cross")


def join(node: Node, inputs: Inputs) -> Rows:
    """Join two sides.

    A side that every row needs keeps its traces, the other one adds its own by the equalities of the condition: a column's, or those
    of an expression. Of a full join only `coalesce` of the two sides of an equality has a trace.
    """
    left, right = inputs.rows
    type_ = node.variant
    types = {**left.types, **right.types}
    trace: dict[str, Trace] = {}
    origin: dict[str, tuple[str, Value]] = {}
    for side in needed_sides(type_, left, right):
        trace.update(side.trace)
        origin.update(side.origin)
    pairs: dict[tuple[str, str], Trace] = {}
    equal = equal_columns(node.conditions, types, (left.out, right.out))
    for one, other in equal:
        both = {**left.trace.get(one, {}), **right.trace.get(other, {})}
        if type_ in ("LeftOuter", *_ONE_SIDE):
            trace[one] = {**both, **trace.get(one, {})}
        elif type_ == "RightOuter":
            trace[other] = {**both, **trace.get(other, {})}
        elif type_ == "FullOuter":
            pairs[one, other] = pairs[other, one] = both
    if type_ in ("LeftOuter", *_ONE_SIDE):
        add_computed(trace, node.conditions, types, left, right, inputs.occurrences)
    elif type_ == "RightOuter":
        add_computed(trace, node.conditions, types, right, left, inputs.occurrences)
    is_one_side = type_ in _ONE_SIDE
    return Rows(
        out=left.out if is_one_side else left.out + right.out,
        trace=trace,
        types=types,
        leaves=left.leaves + right.leaves,
        origin=origin,
        keys=least_keys(
            [*(left.keys if is_one_side else _products(left, right)), *_kept_keys(type_, equal, left, right)]
        ),
        pairs=pairs,
    )


def needed_sides(type_: str, left: Rows, right: Rows) -> list[Rows]:
    """Return the sides that every row of a join needs: columns of the others are null, or not there, where a row has no match."""
    lefts = [left] if type_ not in ("RightOuter", "FullOuter") else []
    rights = [right] if type_ in (*_INNER, "RightOuter") else []
    return lefts + rights


def add_computed(
    trace: dict[str, Trace],
    conditions: Iterable[Expression],
    types: Mapping[str, str | None],
    side: Rows,
    other: Rows,
    occurrences: Sequence[Occurrence],
    with_outer: bool = False,
) -> None:
    """Add to the columns of a side the traces of what conditions set them equal to, where that is computed from the other side."""
    for condition in conditions:
        if not isinstance(condition, Call) or condition.name not in ("=", "<=>") or len(condition.arguments) != 2:
            continue
        for one, computed in (condition.arguments, condition.arguments[::-1]):
            found = same_column(one, types, with_outer)
            if found and found[0].id in side.out and same_column(computed, types, with_outer) is None:
                id_ = found[0].id
                trace[id_] = {**computed_trace(computed, other, occurrences), **trace.get(id_, {})}


def _products(left: Rows, right: Rows) -> tuple[Key, ...]:
    return tuple(one + other for one in left.keys for other in right.keys)


def _kept_keys(type_: str, equal: Sequence[tuple[str, str]], left: Rows, right: Rows) -> tuple[Key, ...]:
    """Return the keys of a side of which every row has at most one match: they are keys of the join."""
    ones, others = {one for one, _ in equal}, {other for _, other in equal}
    kept: tuple[Key, ...] = ()
    if type_ in ("Inner", "LeftOuter") and any(others.issuperset(key) for key in right.keys):
        kept += left.keys
    if type_ in ("Inner", "RightOuter") and any(ones.issuperset(key) for key in left.keys):
        kept += right.keys
    return kept


def with_equalities(node: Node, rows: Rows, occurrences: Sequence[Occurrence]) -> Rows:
    """Give columns that a filter or an inner join sets equal each other's traces, or those of an expression, and places in keys."""
    if node.kind != "Filter" and not (node.kind == "Join" and node.variant in _INNER):
        return rows
    trace = dict(rows.trace)
    equal = equal_columns(node.conditions, rows.types, (rows.out, rows.out))
    for one, other in equal:
        both = {**trace.get(other, {}), **trace.get(one, {})}
        trace[one] = both
        trace[other] = {**both, **trace.get(other, {})}
    add_computed(trace, node.conditions, rows.types, rows, rows, occurrences)
    return replace(rows, trace=trace, keys=keys_with_equals(rows.keys, equal))


def with_subqueries(node: Node, rows: Rows, inputs: Inputs, results: Mapping[int, Rows]) -> Rows:
    """Take an operator's subqueries into account: their mentions of upstreams are below it.

    A column of the operator that the subquery's own filters set equal to one of theirs, or that is `IN` it, has that one's trace too.
    """
    if not inputs.subqueries:
        return rows
    needed = needed_sides(node.variant, *inputs.rows) if node.kind == "Join" else [rows]
    columns = [id_ for side in needed for id_ in side.out]
    trace = dict(rows.trace)
    for top in node.subplans:
        for filter_, inner in _filters(top, results):
            types = {**rows.types, **inner.types}
            for one, other in equal_columns(filter_.conditions, types, (columns, inner.out), with_outer=True):
                trace[one] = {**inner.trace.get(other, {}), **trace.get(one, {})}
            outer = replace(rows, out=tuple(columns))
            add_computed(trace, filter_.conditions, types, outer, inner, inputs.occurrences, with_outer=True)
    if node.kind == "Filter" and len(inputs.subqueries) == 1:
        only = inputs.subqueries[0]
        first = only.trace.get(only.out[0] or "", {}) if only.out else {}
        for condition in node.conditions:
            found = same_column(condition.value, rows.types) if isinstance(condition, Membership) else None
            if found:
                id_ = found[0].id
                trace[id_] = {**first, **trace.get(id_, {})}
    leaves = rows.leaves + tuple(leaf for below in inputs.subqueries for leaf in below.leaves)
    return replace(rows, trace=trace, leaves=leaves, pairs={})


def _filters(top: Node, results: Mapping[int, Rows]) -> Iterable[tuple[Node, Rows]]:
    """Return the filters of a subquery in the order in which their rows were worked out, from the leaves up."""
    below = {node.number: node for node, _ in top.walk() if node.kind == "Filter"}
    return [(below[number], rows) for number, rows in results.items() if number in below]
