"""How columns are followed through one operator, from its inputs' rows to its own; joins are in `join`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.analysis.plan import Alias, Call, Expression, Node, id_of, plain_column, value_of
from entrepot.analysis.rows import (
    NESTED_WITH,
    UNTOLD_TEXT,
    Key,
    Obstacle,
    Occurrence,
    Rows,
    Trace,
    keys_renamed,
    same_column,
)

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
        keys=keys_renamed(definition.keys, names),
        is_by_row=definition.is_by_row,
        grouping=definition.grouping.renamed(names) if definition.grouping else None,
    )


def project(node: Node, inputs: Inputs) -> Rows | Obstacle:
    """Choose columns: they keep their trace under the same id or a new one.

    `coalesce` of the two sides of a full join's equality has the traces of both. An output without an id is a piece of a text
    with a comma.
    """
    rows = inputs.first
    trace: dict[str, Trace] = {}
    types: dict[str, str | None] = {}
    origin: dict[str, tuple[str, str]] = {}
    names: dict[str, str] = {}
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
            names.setdefault(column.id, id_)
            if column.id in rows.origin:
                origin[id_] = rows.origin[column.id]
        elif pair is not None and pair in rows.pairs:
            trace[id_] = rows.pairs[pair]
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
    """Aggregate rows: the columns that it groups by keep their trace. Without any, everything is one group."""
    plain = [column.id for column in map(plain_column, node.groups) if column]
    kept = replace(
        inputs.first, trace={id_: inputs.first.trace.get(id_, {}) for id_ in plain}, pairs={}, keys=(), attributes=()
    )
    rows = project(node, replace(inputs, rows=[kept]))
    if isinstance(rows, Obstacle):
        return rows
    grouping = [output for output in node.outputs if value_of(output) in node.groups]
    shown = {value_of(output) for output in grouping}
    key = tuple(id_ for id_ in map(id_of, grouping) if id_ is not None)
    return replace(rows, keys=(key,) if node.groups and shown.issuperset(node.groups) else ())


def window(node: Node, inputs: Inputs) -> Rows:
    """Compute over windows: only the columns by which all of them are partitioned keep their trace."""
    plain = [column.id for column in map(plain_column, node.groups) if column]
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
    found = [same_column(item, types) for item in items]
    return [column[0].id for column in found if column]
