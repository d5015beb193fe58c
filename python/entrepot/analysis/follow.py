"""How columns are followed through one operator, from its inputs' rows to its own; joins are in `join`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.analysis.computed import computed_origin, computed_trace, type_of
from entrepot.analysis.plan import Alias, Call, Cast, Column, Expression, Node, id_of, plain_column, value_of
from entrepot.analysis.rows import (
    NESTED_WITH,
    UNTOLD_TEXT,
    Key,
    Obstacle,
    Occurrence,
    Rows,
    distinct_column,
    keys_renamed,
    same_column,
)
from entrepot.analysis.value import Trace, Value

_OURS = re.compile(r"_occurrence_(\d+)")


@dataclass(frozen=True, slots=True)
class Inputs:
    """What an operator's rows depend on: its inputs, its subqueries, the namings of upstreams, and the CTEs by their numbers."""

    rows: Sequence[Rows]
    subqueries: Sequence[Rows]
    occurrences: Sequence[Occurrence]
    definitions: Mapping[str, Rows]

    @property
    def first(self) -> Rows:
        """The first input, or the only one."""
        return self.rows[0]


def our_alias(node: Node, occurrences: Sequence[Occurrence] | None = None) -> str | None:
    """Return the number of the occurrence that an alias of ours marks; none where it is no such alias."""
    found = _OURS.fullmatch(node.variant) if node.kind == "SubqueryAlias" else None
    if found and (occurrences is None or int(found[1]) < len(occurrences)):
        return found[1]
    return None


def leaf(node: Node, inputs: Inputs) -> Rows:
    """Give a leaf's columns, traced to nothing until an alias says which occurrence it is."""
    return Rows(out=tuple(map(id_of, node.outputs)), attributes=node.outputs)


def same(node: Node, inputs: Inputs) -> Rows:
    """Give the rows of the last input, which the operator sorts, filters or names."""
    return replace(inputs.rows[-1], attributes=())


def alias(node: Node, inputs: Inputs) -> Rows:
    """Name rows; one of our aliases says which occurrence of an upstream is below."""
    number = our_alias(node, inputs.occurrences)
    if number is None:
        return inputs.first
    occurrence = inputs.occurrences[int(number)]
    attributes = map(plain_column, inputs.first.attributes)
    columns = [column for column in attributes if column and column.name in occurrence.columns]
    ids = {column.name.lower(): column.id for column in columns}
    key = tuple(ids[name.lower()] for name in occurrence.unique_key if name.lower() in ids)
    return replace(
        inputs.first,
        trace={column.id: {number: column.name} for column in columns},
        types={column.id: occurrence.columns[column.name] for column in columns},
        leaves=(number,),
        origin={column.id: (number, column.name) for column in columns},
        keys=(key,) if key and len(key) == len(occurrence.unique_key) else (),
        attributes=(),
    )


def distinct(node: Node, inputs: Inputs) -> Rows:
    """Leave out repeated rows: all columns together tell rows apart."""
    whole: Key = tuple(id_ or "" for id_ in inputs.first.out)
    return replace(inputs.first, keys=(*inputs.first.keys, whole), attributes=())


def mention(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Mention a CTE: its definition's rows under the mention's own ids and mentions of upstreams."""
    definition = inputs.definitions.get(node.variant)
    ids = tuple(map(id_of, node.outputs))
    if definition is None or len(ids) != len(definition.out):
        return NESTED_WITH
    pairs = [(old, new) for old, new in zip(definition.out, ids, strict=True) if old is not None and new is not None]
    names = dict(pairs)
    renames: dict[str, list[str]] = {}
    for old, new in pairs:
        renames.setdefault(old, []).append(new)
    ours = f"/{node.number}"
    return Rows(
        out=ids,
        trace={
            new: {occurrence + ours: column for occurrence, column in definition.trace.get(old, {}).items()}
            for old, new in pairs
        },
        types={new: definition.types.get(old) for old, new in pairs},
        leaves=tuple(occurrence + ours for occurrence in definition.leaves),
        origin={
            new: (definition.origin[old][0] + ours, definition.origin[old][1])
            for old, new in pairs
            if old in definition.origin
        },
        keys=keys_renamed(definition.keys, renames),
        is_by_row=definition.is_by_row,
        grouping=definition.grouping.renamed(names) if definition.grouping else None,
    )


def project(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Choose columns: they keep their trace under the same id or a new one, and what is computed of them follows as they do.

    `coalesce` of the two sides of a full join's equality has the traces of both. An output without an id is a piece of a text
    with a comma.
    """
    rows = inputs.first
    trace: dict[str, Trace] = {}
    types: dict[str, str | None] = {}
    origin: dict[str, tuple[str, Value]] = {}
    names: dict[str, list[str]] = {}
    for output in node.outputs:
        id_ = id_of(output)
        if id_ is None:
            return UNTOLD_TEXT
        found = same_column(value_of(output), rows.types)
        pair = _coalesced(output)
        if found:
            column, cast_to = found
            trace[id_] = rows.trace.get(column.id, {})
            types[id_] = cast_to or rows.types.get(column.id)
            if column.id in rows.origin:
                origin[id_] = rows.origin[column.id]
        else:
            value = value_of(output)
            of_pair = rows.pairs.get(pair, {}) if pair else {}
            trace[id_] = of_pair or computed_trace(value, rows, inputs.occurrences)
            types[id_] = type_of(value, rows)
            is_ = computed_origin(value, rows, inputs.occurrences)
            if is_:
                origin[id_] = is_
        apart = distinct_column(value_of(output), rows.types)
        if apart:
            names.setdefault(apart, []).append(id_)
    return Rows(tuple(map(id_of, node.outputs)), trace, types, rows.leaves, origin, keys_renamed(rows.keys, names))


def _coalesced(output: Expression) -> tuple[str, str] | None:
    """Return the ids of the two columns that an output is the `coalesce` of."""
    if not isinstance(output, Alias) or not isinstance(output.value, Call) or output.value.name != "coalesce":
        return None
    columns = [plain_column(argument) for argument in output.value.arguments]
    if len(columns) != 2 or columns[0] is None or columns[1] is None:
        return None
    return columns[0].id, columns[1].id


def aggregate(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Aggregate rows: what it groups by, columns or expressions, keeps its trace, and tells rows apart.

    Without any, everything is one group. A key of the rows below that it groups by is one above, too.
    """
    first = inputs.first
    plain = {column.id for column in map(plain_column, node.groups) if column}
    computed = {group: Column(f"group {at}", "") for at, group in enumerate(node.groups) if not plain_column(group)}
    trace = {id_: first.trace.get(id_, {}) for id_ in plain}
    types, origin = dict(first.types), {id_: found for id_, found in first.origin.items() if id_ in plain}
    for group, column in computed.items():
        trace[column.id] = computed_trace(group, first, inputs.occurrences)
        types[column.id] = type_of(group, first)
        is_ = computed_origin(group, first, inputs.occurrences)
        if is_:
            origin[column.id] = is_
    whole = tuple(dict.fromkeys([*plain, *(column.id for column in computed.values())]))
    keys = (*([whole] if whole else []), *(key for key in first.keys if plain.issuperset(key)))
    kept = replace(first, trace=trace, types=types, origin=origin, pairs={}, keys=keys, attributes=())
    above = replace(node, outputs=tuple(_over_groups(output, computed) for output in node.outputs))
    return project(above, replace(inputs, rows=[kept]))


def _over_groups(expression: Expression, computed: Mapping[Expression, Column]) -> Expression:
    """Return an output of an aggregate with columns in place of the expressions that it groups by."""
    if expression in computed:
        return computed[expression]
    match expression:
        case Alias() | Cast():
            return replace(expression, value=_over_groups(expression.value, computed))
        case Call():
            return replace(
                expression, arguments=tuple(_over_groups(argument, computed) for argument in expression.arguments)
            )
    return expression


def window(node: Node, inputs: Inputs) -> Rows:
    """Compute over windows: only the columns by which all of them are partitioned keep their trace, and those that always equal one.

    Spark partitions by a copy of what is computed in the select list.
    """
    plain = {column.id for column in map(plain_column, node.groups) if column}
    origins = [inputs.first.origin[id_] for id_ in plain if id_ in inputs.first.origin]
    plain |= {id_ for id_, origin in inputs.first.origin.items() if origin in origins}
    return replace(
        inputs.first,
        out=inputs.first.out + tuple(map(id_of, node.outputs)),
        trace={id_: inputs.first.trace.get(id_, {}) for id_ in plain},
        pairs={},
        attributes=(),
    )


def generate(node: Node, inputs: Inputs) -> Rows:
    """Make several rows of one: it does not tell them apart."""
    return replace(inputs.first, out=inputs.first.out + tuple(map(id_of, node.outputs)), keys=(), attributes=())


def lateral(node: Node, inputs: Inputs) -> Rows:
    """Join with a subquery that sees the row."""
    return replace(inputs.first, out=inputs.first.out + inputs.subqueries[0].out, keys=(), attributes=())


def union(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Put rows after each other, column by column: rows of one value on all sides; nothing tells rows of two sides apart."""
    rows = difference(node, inputs)
    return rows if isinstance(rows, Obstacle) else replace(rows, keys=())


def difference(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Keep the rows of one side that the other has, or has not: rows of one value on all sides."""
    first = inputs.first
    if any(len(rows.out) != len(first.out) or None in rows.out for rows in inputs.rows):
        return UNTOLD_TEXT
    trace: dict[str, Trace] = {}
    types: dict[str, str | None] = {}
    for sides in zip(*(rows.out for rows in inputs.rows), strict=True):
        id_ = sides[0] or ""
        found = [(rows, side or "") for rows, side in zip(inputs.rows, sides, strict=True)]
        trace[id_] = {
            occurrence: column for rows, side in found for occurrence, column in rows.trace.get(side, {}).items()
        }
        if len({rows.types.get(side) for rows, side in found}) == 1:
            types[id_] = first.types.get(id_)
    leaves = tuple(leaf for rows in inputs.rows for leaf in rows.leaves)
    return replace(first, trace=trace, types=types, leaves=leaves, origin={}, pairs={}, attributes=())


def sort_ids(items: Sequence[Expression], types: Mapping[str, str | None]) -> list[str]:
    """Return the ids of the columns that a list sorts or partitions by; a cast counts where it keeps values apart."""
    found = [distinct_column(item, types) for item in items]
    return [id_ for id_ in found if id_]
