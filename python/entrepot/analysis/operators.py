"""The operators that the analysis knows: one table, from which tracing, rules, refusals and documentation are read.

An operator that is not in it is `unknown`: nothing is followed through it, so that only a full computation is right. Adding one is one
entry here and one case in tests/analysis/plans.txt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from entrepot.analysis import follow, refusal
from entrepot.analysis.follow import Inputs
from entrepot.analysis.grouping import own_grouping, renamed_grouping
from entrepot.analysis.join import join
from entrepot.analysis.plan import Node
from entrepot.analysis.refusal import Refusal
from entrepot.analysis.rows import Grouping, Obstacle, Rows

Follow = Callable[[Node, Inputs], "Rows | Obstacle"]
Group = Callable[[Node, Rows, Inputs], "Grouping | None"]

SUBQUERY = "a subquery in an expression (exists, in, scalar)"


def _own(node: Node, rows: Rows, inputs: Inputs) -> Grouping | None:
    return own_grouping(node, rows, inputs.first)


def _renamed(node: Node, rows: Rows, inputs: Inputs) -> Grouping | None:
    return renamed_grouping(node, inputs.first)


def _kept(node: Node, rows: Rows, inputs: Inputs) -> Grouping | None:
    return inputs.rows[-1].grouping


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of Spark's analyzed plans, and what the analysis says of it.

    Attributes:
        name: what Spark prints; of a join with its type
        example: SQL that has it, over orders(id, cust, amount) and cust(id, name)
        follows: which columns of its result still follow an upstream, for the documentation
        rows: what is known of its rows; none where nothing can be followed through it
        not_join: what rule join calls it, where it is wrong for it; none where it is right
        is_by_row: whether every row comes from one row of each input, so that rule aggregate may stand above it
        grouping: the groups that its rows are
        refuses: what has no one right result at it, besides what has none anywhere
        spark_class: the class in Spark, where it is not what is printed
    """

    name: str
    example: str
    follows: str
    rows: Follow | None = None
    not_join: str | None = None
    is_by_row: bool = False
    grouping: Group | None = None
    refuses: tuple[Refusal, ...] = ()
    spark_class: str = ""

    def can_read(self, node: Node) -> bool:
        """Return whether a node has as many inputs as its operator takes."""
        inputs = len(node.children)
        if self.rows in (follow.leaf, follow.mention):
            return inputs == 0
        if self.rows in (follow.union, follow.difference) or self.name == "WithCTE":
            return inputs > 0
        has_subquery = bool(node.subplans) or self.rows is not follow.lateral
        return inputs == (2 if self.rows is join else 1) and has_subquery


_ALL = "all columns"
_NONE = "nothing"
_LEAF = "an upstream's columns follow it"
_BOTH = "both sides; columns that the condition sets equal, or equal to what is computed, follow both"
_LEFT = "the left side; its columns that the condition sets equal follow the right side too"
_RIGHT = "the right side; its columns that the condition sets equal follow the left side too"
_OUTER = "an outer join"
_SEMI = "a semi or anti join"

_TABLE = (
    Operator("Relation", "from orders", _LEAF, follow.leaf, None, True, refuses=(refusal.FOREIGN,), spark_class="LogicalRelation"),
    Operator("LocalRelation", "from values (1), (2)", _NONE, follow.leaf, None, True),
    Operator("OneRowRelation", "select 1", _NONE, follow.leaf, None, True),
    Operator("Range", "from range(5)", _NONE, follow.leaf, None, True),
    Operator("LogicalRDD", "rows of the program", _NONE, follow.leaf, "LogicalRDD", refuses=(refusal.FOREIGN,)),
    Operator("View", "from a view", _NONE, None, "View", refuses=(refusal.FOREIGN,)),
    Operator("RelationV2", "from a table of another catalog", _NONE, None, "RelationV2",
             refuses=(refusal.FOREIGN,), spark_class="DataSourceV2Relation"),
    Operator(
        "HiveTableRelation", "from a Hive table", _NONE, None, "HiveTableRelation", refuses=(refusal.FOREIGN,)
    ),
    Operator("SubqueryAlias", "from orders as o", _ALL, follow.alias, None, True, _kept),
    Operator(
        "Project", "select id, amount * 2", "columns, and what is computed from columns", follow.project, None, True,
        _renamed,
    ),
    Operator("Filter", "where amount > 0", f"{_ALL}; those set equal follow each other", follow.same, None, True),
    Operator("Sort", "order by id", _ALL, follow.same, None, True, _kept),
    Operator("ResolvedHint", "select /*+ broadcast(cust) */ …", _ALL, follow.same, None, True, _kept),
    Operator("Generate", "lateral view explode(tags)", "all columns but the new ones", follow.generate, None, True),
    Operator("Join Inner", "join cust on cust = cust.id", _BOTH, join, None, True),
    Operator("Join Cross", "cross join cust", _BOTH, join, None, True),
    Operator("Join LeftOuter", "left join cust on …", _LEFT, join, _OUTER),
    Operator("Join RightOuter", "right join cust on …", _RIGHT, join, _OUTER),
    Operator("Join FullOuter", "full join cust on …", "`coalesce` of two columns that it sets equal", join, _OUTER),
    Operator("Join LeftSemi", "left semi join cust on …", _LEFT, join, _SEMI),
    Operator("Join LeftAnti", "left anti join cust on …", _LEFT, join, _SEMI),
    Operator("LateralJoin", "orders, lateral (select …)", "the left side", follow.lateral, "a lateral join"),
    Operator(
        "Aggregate", "group by cust", "columns and expressions that it groups by", follow.aggregate, "an aggregate or group by",
        grouping=_own, refuses=(refusal.ANY_ORDER, refusal.BEST),
    ),
    Operator("Distinct", "select distinct", _ALL, follow.distinct, "distinct"),
    Operator(
        "Window", "sum(amount) over (partition by cust)", "columns and expressions by which every window is partitioned", follow.window,
        "a window function", refuses=(refusal.TIES,),
    ),
    Operator("Union", "union all", "columns that follow something on a side", follow.union),
    Operator("Except", "except", "columns that follow something on a side", follow.difference, "except"),
    Operator("Intersect", "intersect", "columns that follow something on a side", follow.difference, "intersect"),
    Operator("WithCTE", "with o as (…) select …", _ALL, follow.same, None, True, _kept),
    Operator("CTERelationDef", "with o as (…)", _ALL, follow.same, None, True, _kept),
    Operator("CTERelationRef", "from o, defined by with", _ALL, follow.mention),
    Operator("GlobalLimit", "limit 5", _NONE, None, "limit", refuses=(refusal.LIMIT,)),
    Operator("LocalLimit", "limit 5", _NONE, None, "LocalLimit"),
    Operator("Offset", "offset 5", _NONE, None, "Offset", refuses=(refusal.LIMIT,)),
    Operator("Tail", "the last rows", _NONE, None, "Tail", refuses=(refusal.LIMIT,)),
    Operator("Sample", "tablesample (10 percent)", _NONE, None, "Sample", refuses=(refusal.LIMIT,)),
)  # fmt: skip

OPERATORS = {operator.name: operator for operator in _TABLE}


def operator_of(node: Node) -> Operator:
    """Return the table's entry for an operator; what is not in the table is unknown."""
    name = f"Join {node.variant}" if node.kind == "Join" else node.kind
    known = OPERATORS.get(name)
    if known:
        return known
    words = node.kind if node.kind != "Join" else _SEMI if node.variant.startswith(("LeftSemi", "LeftAnti")) else _OUTER
    return Operator(name, "", _NONE, None, words)


def operators_table() -> str:
    """Write the table of operators for docs/delta-rules.md."""
    lines = [
        "| operator | for example | `join` | `aggregate` above it | what is followed through it, for `scope` | has no one right result |"
    ]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for operator in _TABLE:
        is_grouped = operator.grouping is _own
        above = "yes" if operator.is_by_row else "is its `group by`" if is_grouped else "no"
        above = "as over its definition" if operator.rows is follow.mention else above
        join_ = "no" if operator.not_join else "yes"
        refused = "; ".join(found.sentence for found in operator.refuses)
        cells = [f"`{operator.name}`", f"`{operator.example}`", join_, above, operator.follows, refused]
        lines.append("| " + " | ".join(cells).rstrip() + " |")
    lines.append("| any other | | no | no | nothing | |")
    return "\n".join(lines) + "\n"
