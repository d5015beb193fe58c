"""Front end for a session: the plan itself, as JSON. Constants in the SQL cannot look like a part of it.

The session and its plans are py4j objects; only their methods that are named in `AnalyzedPlan` are called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from entrepot.analysis.expressions import ExpressionReader, Read, type_name
from entrepot.analysis.operators import OPERATORS
from entrepot.analysis.plan import Call, Expression, Node, Plan

_KINDS = {operator.spark_class: name for name, operator in OPERATORS.items() if operator.spark_class}
# Spark may be set to leave fields out of texts; they may be anything
_TRY = re.compile(r"(?i)try_\w+\(|more fields")
_OUTPUTS = ("projectList", "aggregateExpressions", "windowExpressions", "generatorOutput", "output")
_GROUPS = ("groupingExpressions", "partitionSpec")
_ORDER = ("order", "orderSpec")


class Schema(Protocol):
    """Spark's StructType."""

    def json(self) -> str:
        """Return names and types of the columns as JSON."""


class AnalyzedPlan(Protocol):
    """Spark's LogicalPlan, after analysis."""

    def toJSON(self) -> str:  # noqa: N802
        """Return the whole tree as JSON."""

    def toString(self) -> str:  # noqa: N802
        """Return the whole tree as `explain` prints it."""

    def schema(self) -> Schema:
        """Return names and types of the result's columns."""

    def deterministic(self) -> bool:
        """Return whether Spark takes every expression in it for deterministic."""


def analyzed_plan(session: Any, sql: str) -> AnalyzedPlan:
    """Let a session analyze a query, without running it.

    Args:
        session: a `SparkSession` of pyspark
        sql: the query, in which every occurrence of an upstream has the alias `_occurrence_<number>`
    """
    plan: AnalyzedPlan = session._jsparkSession.sql(sql).queryExecution().analyzed()
    return plan


def plan_of_session(analyzed: AnalyzedPlan) -> Plan:
    """Read an analyzed plan out of a session."""
    fields = json.loads(analyzed.schema().json())["fields"]
    columns = tuple((field["name"], type_name(field["type"], field.get("metadata"))) for field in fields)
    flat = json.loads(analyzed.toJSON())
    lines = [_TRY.search(line) is not None for line in analyzed.toString().split("\n") if line.strip()]
    root, count = _plan(flat, 0, _Tries((), any(lines)))
    if any(lines) and count == len(lines):
        root, _ = _plan(flat, 0, _Tries(lines, True))
    return Plan(root, columns, analyzed.deterministic())


@dataclass(frozen=True, slots=True)
class _Tries:
    """Which operators may have a `try_…` function, by their numbers; `others` where the text does not tell them apart."""

    lines: Sequence[bool]
    others: bool

    def reader(self, number: int) -> ExpressionReader:
        """Return the reader of an operator's expressions."""
        return ExpressionReader(self.lines[number] if self.lines else self.others)


def _plan(flat: Sequence[Mapping[str, Any]], number: int, tries: _Tries) -> tuple[Node, int]:
    """Read a plan from its operators, each before its inputs; return it with the next free number."""
    items: list[tuple[Mapping[str, Any], int, tuple[Node, ...], list[Read]]] = []
    for item in flat:
        subplans: list[Node] = []
        reads = list(_expressions(item, tries.reader(number)))
        ours, number = number, number + 1
        for subplan in (plan for read in reads for plan in read.subplans):
            node, number = _plan(subplan, number, tries)
            subplans.append(node)
        items.append((item, ours, tuple(subplans), reads))
    waiting: list[Node] = []
    for item, ours, below, reads in reversed(items):
        children = tuple(waiting.pop() for _ in range(item["num-children"]))
        waiting.append(_node(item, ours, reads, below, children))
    return waiting[0], number


def _node(
    item: Mapping[str, Any], number: int, reads: Sequence[Read], subplans: tuple[Node, ...], children: tuple[Node, ...]
) -> Node:
    class_ = item["class"].rsplit(".", 1)[-1]
    by_field = {
        name: [read.expression for read in reads if read.field == name] for name in {read.field for read in reads}
    }
    condition = by_field.get("condition", [])
    return Node(
        kind=_KINDS.get(class_, class_),
        number=number,
        variant=_variant(class_, item),
        outputs=_of(by_field, _OUTPUTS),
        groups=_of(by_field, _GROUPS),
        order=_of(by_field, _ORDER),
        conditions=_conjuncts(condition[0]) if condition else (),
        uses=tuple(use for read in reads for use in read.uses),
        subplans=subplans,
        children=children,
    )


def _of(by_field: Mapping[str, Sequence[Expression]], names: Sequence[str]) -> tuple[Expression, ...]:
    return tuple(expression for name in names for expression in by_field.get(name, ()))


def _expressions(item: Mapping[str, Any], reader: ExpressionReader) -> Iterator[Read]:
    """Read all expressions in an operator's fields."""
    for name, value in item.items():
        yield from (reader.read(flat, name) for flat in trees_in(value))


def trees_in(value: Any) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Find the trees in the JSON of a field: one, or a list of them, however deep."""
    if isinstance(value, list) and value:
        if isinstance(value[0], dict) and "num-children" in value[0]:
            yield value
        else:
            for part in value:
                yield from trees_in(part)


def _variant(class_: str, item: Mapping[str, Any]) -> str:
    """Return an alias's or relation's name, a join's type, a CTE's number."""
    match class_:
        case "Join":
            return (
                str(item["joinType"].get("object", item["joinType"].get("product-class")))
                .rsplit(".", 1)[-1]
                .rstrip("$")
            )
        case "SubqueryAlias":
            # Spark writes the names before it as one text: [spark_catalog, shop]
            qualifier = str(item["identifier"]["qualifier"] or "[]")[1:-1]
            return ".".join([*filter(None, qualifier.split(", ")), item["identifier"]["name"]])
        case "CTERelationDef":
            return str(item["id"])
        case "CTERelationRef":
            return str(item["cteId"])
    table = item.get("catalogTable") or item.get("tableMeta")
    names = (table or {}).get("identifier") or {}
    return ".".join(names[part] for part in ("catalog", "database", "table") if names.get(part))


def _conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """Return the conditions that AND holds together, in the order of the front end for text."""
    found = []
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call) and part.name == "AND":
            waiting.extend(part.arguments)
        else:
            found.append(part)
    return tuple(found)
