"""Follows columns through an analyzed plan, from the leaves up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from entrepot.analysis.follow import Inputs
from entrepot.analysis.join import with_equalities, with_subqueries
from entrepot.analysis.operators import operator_of
from entrepot.analysis.plan import Node
from entrepot.analysis.rows import NESTED_WITH, UNTOLD_TEXT, Obstacle, Occurrence, Rows, bridges_of


@dataclass(frozen=True, slots=True)
class Traced:
    """What is known of the rows of a plan's operators, by their numbers, in the order in which it was worked out.

    Attributes:
        results: the rows; what is above an obstacle has none
        obstacle: the first operator that nothing can be followed through, in words
    """

    results: Mapping[int, Rows]
    obstacle: str | None

    @property
    def root(self) -> Rows | None:
        """The rows of the whole plan; none where something is in the way."""
        return None if self.obstacle else self.results[0]


def trace(root: Node, occurrences: Sequence[Occurrence]) -> Traced:
    """Follow the columns of the occurrences of upstreams through a plan."""
    results: dict[int, Rows] = {}
    definitions: dict[str, Rows] = {}
    for node in in_order(root):
        if any(below.number not in results for below in node.children + node.subplans):
            return Traced(results, NESTED_WITH.words)
        rows = [results[below.number] for below in node.children]
        subqueries = [results[below.number] for below in node.subplans]
        found = _rows(node, Inputs(rows, subqueries, occurrences, definitions), results)
        if isinstance(found, Obstacle):
            return Traced(results, found.words)
        results[node.number] = found
        if node.kind == "CTERelationDef":
            definitions[node.variant] = found
    return Traced(results, None)


def in_order(root: Node) -> list[Node]:
    """Return all operators, each after what it needs: its inputs, its subqueries and the definitions of the CTEs that it names."""
    blocks: dict[int, list[Node]] = {}
    waiting = [(root, -1)]
    while waiting:
        node, block = waiting.pop()
        block = node.number if node.kind == "CTERelationDef" else block
        blocks.setdefault(block, []).append(node)
        waiting.extend((below, block) for below in reversed(node.subplans + node.children))
    last = blocks.pop(-1, [])
    return [node for block in (*blocks.values(), last) for node in reversed(block)]


def _rows(node: Node, inputs: Inputs, results: Mapping[int, Rows]) -> Rows | Obstacle:
    """Return what is known of an operator's rows, or what is in the way."""
    operator = operator_of(node)
    if operator.rows is None:
        return Obstacle(operator.name)
    rows = operator.rows(node, inputs) if operator.can_read(node) else UNTOLD_TEXT
    if isinstance(rows, Obstacle):
        return rows
    rows = with_equalities(node, with_subqueries(node, rows, inputs, results), inputs.occurrences)
    rows = replace(rows, bridges=bridges_of(rows))
    if node.kind == "CTERelationRef":
        return rows
    considered = inputs.rows[-1:] if node.kind == "WithCTE" else inputs.rows
    return replace(
        rows,
        is_by_row=operator.is_by_row and not inputs.subqueries and all(below.is_by_row for below in considered),
        grouping=operator.grouping(node, rows, inputs) if operator.grouping else None,
    )
