"""Front end for a session: the plan itself, as JSON. Constants in the SQL cannot look like a part of it.

The session and its plans are py4j objects; only their methods that are named in `AnalyzedPlan` are called.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from entrepot.analysis.expressions import ExpressionReader, Flat, Read, say_modes, type_name
from entrepot.analysis.from_text import HEADING
from entrepot.analysis.operators import OPERATORS
from entrepot.analysis.plan import Call, Expression, Node, Plan

_KINDS = {operator.spark_class: name for name, operator in OPERATORS.items() if operator.spark_class}
_OUTPUTS = ("projectList", "aggregateExpressions", "windowExpressions", "generatorOutput", "output")
_GROUPS = ("groupingExpressions", "partitionSpec")
_ORDER = ("order", "orderSpec")
_WORD = re.compile(r"\w+")
# characters of SQL whose plan cannot be too wide, and of all types in its JSON above which it is
_WIDE_SQL, _MOST_TYPES = 50_000, 10_000_000


class Schema(Protocol):
    """Spark's StructType."""

    def json(self) -> str:
        """Return names and types of the columns as JSON."""


class Inputs(Protocol):
    """Scala's sequence of an operator's inputs."""

    def size(self) -> int:
        """Return how many they are."""

    def apply(self, at: int) -> AnalyzedPlan:
        """Return one of them."""


class AnalyzedPlan(Protocol):
    """Spark's LogicalPlan, after analysis."""

    def toJSON(self) -> str:  # noqa: N802
        """Return the whole tree as JSON."""

    def toString(self) -> str:  # noqa: N802
        """Return the whole tree as `explain` prints it."""

    def children(self) -> Inputs:
        """Return the operators that it reads."""

    def schema(self) -> Schema:
        """Return names and types of the result's columns."""

    def deterministic(self) -> bool:
        """Return whether Spark takes every expression in it for deterministic."""


@dataclass(frozen=True, slots=True)
class _PlanOf:
    """A plan, printed by the settings of the session that has analyzed it. Spark asks the thread's active session, which may be another one."""

    session: Any
    plan: AnalyzedPlan

    def toJSON(self) -> str:  # noqa: N802
        return self.plan.toJSON()

    def toString(self) -> str:  # noqa: N802
        sessions = self.session._get_j_spark_session_class(self.session._jvm)
        before = sessions.getActiveSession()
        sessions.setActiveSession(self.session._jsparkSession)
        try:
            return self.plan.toString()
        finally:
            if before.isDefined():
                sessions.setActiveSession(before.get())
            else:
                sessions.clearActiveSession()

    def children(self) -> Inputs:
        return self.plan.children()

    def schema(self) -> Schema:
        return self.plan.schema()

    def deterministic(self) -> bool:
        return self.plan.deterministic()


def analyzed_plan(session: Any, sql: str) -> AnalyzedPlan:
    """Let a session analyze a query, without running it.

    Args:
        session: a `SparkSession` of pyspark
        sql: the query, in which every occurrence of an upstream has the alias `_occurrence_<number>`
    """
    return _PlanOf(session, session._jsparkSession.sql(sql).queryExecution().analyzed())


def is_too_wide(analyzed: AnalyzedPlan, sql: str) -> bool:
    """Return whether a plan's JSON would be too large for Spark's memory: it repeats a column's type wherever the column is read.

    So the JSON grows with the square of a struct's fields: 250 MB, and ten times as much while it is made, for a mapped table of 300 attributes.
    """
    if len(sql) < _WIDE_SQL:
        return False
    mentions = Counter(_WORD.findall(sql))
    types: dict[str, int] = {}
    waiting = [analyzed]
    while waiting:
        operator = waiting.pop()
        for column in json.loads(operator.schema().json())["fields"]:
            types[column["name"]] = max(types.get(column["name"], 0), len(json.dumps(column["type"])))
        if sum(mentions[name] * size for name, size in types.items()) > _MOST_TYPES:
            return True
        inputs = operator.children()
        waiting.extend(inputs.apply(at) for at in range(inputs.size()))
    return False


def printed_plan(analyzed: AnalyzedPlan) -> str:
    """Return what `explain extended` prints of an analyzed plan, without the optimizer's work, of which nobody reads anything."""
    header = ", ".join(f"{name}: {type_}" for name, type_ in _columns(analyzed))
    return f"{HEADING}{header}\n{analyzed.toString()}"


def plan_of_session(analyzed: AnalyzedPlan) -> Plan:
    """Read an analyzed plan out of a session."""
    flat = json.loads(analyzed.toJSON())
    text = analyzed.toString()
    lines = [line for line in text.split("\n") if line.strip()]
    # a constant with a line break, and no line tells for sure whose it is
    root, _ = _plan(flat, 0, lines if len(lines) == _size(flat) else [text])
    return Plan(root, _columns(analyzed), analyzed.deterministic())


def _columns(analyzed: AnalyzedPlan) -> tuple[tuple[str, str], ...]:
    """Return names and types of the result's columns, in Spark's words."""
    fields = json.loads(analyzed.schema().json())["fields"]
    return tuple((field["name"], type_name(field["type"], field.get("metadata"))) for field in fields)


def _size(flat: Flat) -> int:
    """Return the number of operators, with those of subqueries."""
    expressions = (
        expression for item in flat for value in item.values() for tree in trees_in(value) for expression in tree
    )
    return len(flat) + sum(
        _size(expression["plan"]) for expression in expressions if isinstance(expression.get("plan"), list)
    )


def _plan(flat: Flat, number: int, lines: Sequence[str]) -> tuple[Node, int]:
    """Read a plan from its operators, each before its inputs; return it with the next free number."""
    items: list[tuple[Mapping[str, Any], int, tuple[Node, ...], list[Read]]] = []
    for item in flat:
        subplans: list[Node] = []
        reads = _expressions(item, lines[number] if len(lines) > 1 else lines[0])
        ours, number = number, number + 1
        for subplan in (plan for read in reads for plan in read.subplans):
            node, number = _plan(subplan, number, lines)
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


def _expressions(item: Mapping[str, Any], line: str) -> list[Read]:
    """Read all expressions in an operator's fields."""
    trees = [(name, tree) for name, value in item.items() for tree in trees_in(value)]
    say_modes([tree for _, tree in trees], line)
    reader = ExpressionReader()
    return [reader.read(tree, name) for name, tree in trees]


def trees_in(value: Any) -> Iterator[Flat]:
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
