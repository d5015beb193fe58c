"""Joins, subqueries and equalities: how a column follows what it is set equal to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from entrepot.analysis.follow import Inputs
from entrepot.analysis.plan import Membership, Node
from entrepot.analysis.rows import Key, Rows, Trace, equal_columns, same_column

_ONE_SIDE = ("LeftSemi", "LeftAnti")
_INNER = ("Inner", "Cross")


def join(node: Node, inputs: Inputs) -> Rows:
    """Join two sides.

    A side that every row needs keeps its traces, the other one adds its own by the equalities of the condition. Of a full join
    only `coalesce` of the two sides of an equality has a trace.
    """
    left, right = inputs.rows
    type_ = node.variant
    types = {**left.types, **right.types}
    trace: dict[str, Trace] = {}
    origin: dict[str, tuple[str, str]] = {}
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
    is_one_side = type_ in _ONE_SIDE
    return Rows(
        out=left.out if is_one_side else left.out + right.out,
        trace=trace,
        types=types,
        leaves=left.leaves + right.leaves,
        origin=origin,
        keys=(left.keys if is_one_side else _products(left, right)) + _kept_keys(type_, equal, left, right),
        pairs=pairs,
    )


def needed_sides(type_: str, left: Rows, right: Rows) -> list[Rows]:
    """Return the sides that every row of a join needs: columns of the others are null, or not there, where a row has no match."""
    lefts = [left] if type_ not in ("RightOuter", "FullOuter") else []
    rights = [right] if type_ in (*_INNER, "RightOuter") else []
    return lefts + rights


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


def with_equalities(node: Node, rows: Rows) -> Rows:
    """Give columns that a filter or an inner join sets equal each other's traces."""
    if node.kind != "Filter" and not (node.kind == "Join" and node.variant in _INNER):
        return rows
    trace = dict(rows.trace)
    for one, other in equal_columns(node.conditions, rows.types, (rows.out, rows.out)):
        both = {**trace.get(other, {}), **trace.get(one, {})}
        trace[one] = both
        trace[other] = {**both, **trace.get(other, {})}
    return replace(rows, trace=trace)


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
