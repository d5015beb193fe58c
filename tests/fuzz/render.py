"""Writes a tree as SQL: for Spark as the text of a dbt model with `ref()` and `source()`, for DuckDB as plain SQL."""

from __future__ import annotations

import textwrap

from tests.fuzz.sql_types import Dialect
from tests.fuzz.tree import Explode, Group, Item, Join, Manner, Model, Node, Relation, Select, Union


def model_sql(model: Model, dialect: Dialect) -> str:
    """The SELECT of a model."""
    return _Renderer(dialect, model.ctes, model.manners if dialect == "spark" else frozenset()).whole(model.root)


def model_file(model: Model) -> str:
    """The dbt file of a model, with its configuration."""
    if model.materialized == "delta":
        # the generator orders windows by keys, which the analyzer does not always see
        config = f"unique_key={list(model.root.key)!r}, total_order=true" + (
            f", delta_rule={model.rule!r}" if model.rule else ""
        )
    else:
        config = f"materialized={model.materialized!r}"
    return f"{{{{ config({config}) }}}}\n{model_sql(model, 'spark')}\n"


class _Renderer:
    """Numbers aliases and, where asked to, collects inner operators as CTEs: equal operators become one CTE."""

    def __init__(self, dialect: Dialect, ctes: bool, manners: frozenset[Manner]) -> None:
        self.dialect, self.use_ctes, self.manners = dialect, ctes, manners
        self.aliases = 0
        self.ctes: dict[Node, tuple[str, str]] = {}

    def whole(self, node: Node) -> str:
        """The SELECT with its WITH clause."""
        body = self.select(node)
        ctes = ",\n".join(f"{name} as (\n{textwrap.indent(text, '  ')}\n)" for name, text in self.ctes.values())
        text = f"with {self.comment()}{ctes}\n{body}" if ctes else body
        return f"-- with part1 as (select 'it's, k#1\n{text}" if "commented" in self.manners else text

    def comment(self) -> str:
        """A comment that reads like SQL, or nothing."""
        return "/* ), union all select 1 as k */ " if "commented" in self.manners else ""

    def alias(self, stem: str) -> str:
        """A name that the query has not yet."""
        self.aliases += 1
        name = f"{stem}{self.aliases}"
        return f"`{name}`" if "quoted" in self.manners else name

    def named(self, node: Node) -> str:
        """An operator as it stands after FROM, without alias."""
        if isinstance(node, Relation):
            if self.dialect == "duckdb":
                return f'"{node.name}"'
            return f"{{{{ source('shop', '{node.name}') }}}}" if node.is_source else f"{{{{ ref('{node.name}') }}}}"
        if not self.use_ctes:
            return f"(\n{textwrap.indent(self.select(node), '  ')}\n)"
        if node not in self.ctes:
            text = self.select(node)
            self.ctes[node] = (self.alias("part"), text)
        name = self.ctes[node][0]
        return name.upper() if "shouted" in self.manners else name

    def items(self, items: tuple[Item, ...]) -> str:
        """The list of a SELECT."""
        return ", ".join(
            text if text == item.name else f"{text} as {item.name}"
            for item in items
            for text in [item.expression.text(self.dialect)]
        )

    def select(self, node: Node) -> str:
        """An operator as a SELECT."""
        if isinstance(node, Join):
            return self.join(node)
        if isinstance(node, Union):
            operator = "\nunion all\n" if node.all else "\nunion\n"
            return operator.join(self.select(branch) for branch in node.branches)
        if isinstance(node, Explode):
            return self.explode(node)
        if isinstance(node, Group):
            having = f"\nhaving {node.having.text(self.dialect)}" if node.having else ""
            group = f"\ngroup by {', '.join(node.group)}" if node.group else ""
            return f"select {self.comment()}{self.items(node.items)}\nfrom {self.named(node.input)} as {self.alias('g')}{group}{having}"
        if isinstance(node, Select):
            where = f"\nwhere {node.where.text(self.dialect)}" if node.where else ""
            # a relation of its own name, where nothing calls for an alias
            alias = "" if isinstance(node.input, Relation) and where else f" as {self.alias('s')}"
            distinct = "distinct " if node.distinct else ""
            return f"select {distinct}{self.items(node.items)}\nfrom {self.named(node.input)}{alias}{where}"
        return f"select * from {self.named(node)}"

    def explode(self, node: Explode) -> str:
        """Elements with their positions from 0."""
        table, elements = self.alias("x"), self.alias("e")
        if self.dialect == "spark":
            positions = f"cast({elements}.place as bigint) as {node.position}, {elements}.element as {node.element}"
            source = f"{self.named(node.input)} as {table}\nlateral view posexplode({node.list_column}) {elements} as place, element"
        else:
            positions = f"{elements}.place as {node.position}, {elements}.element as {node.element}"
            column = f"{table}.{node.list_column}"
            source = (
                f"{self.named(node.input)} as {table},\n"
                f"lateral (select unnest(generate_series(0, len({column}) - 1)) as place, unnest({column}) as element) as {elements}"
            )
        return f"select {self.items(node.items)}, {positions}\nfrom {source}"

    def join(self, node: Join) -> str:
        """A join, or a filter by a subquery."""
        left, right = self.alias("l"), self.alias("r")
        equals = "=" if not node.null_safe else "<=>" if self.dialect == "spark" else "is not distinct from"
        conditions = [f"{left}.{one} {equals} {right}.{other}" for one, other in node.pairs]
        if node.between:
            at, start, end = node.between
            conditions.append(f"{left}.{at} >= {right}.{start} and {left}.{at} < {right}.{end}")
        sides = {"left": left, "right": right}
        items = ", ".join(f"{sides[side]}.{column} as {name}" for side, column, name in node.items)
        head = f"select {items}\nfrom {self.named(node.left)} as {left}"
        other_side, condition = self.named(node.right), " and ".join(conditions)
        if node.kind in ("in", "not in"):
            one, other = node.pairs[0]
            return f"{head}\nwhere {left}.{one} {node.kind} (select {right}.{other} from {other_side} as {right})"
        if node.kind in ("exists", "not exists"):
            return f"{head}\nwhere {node.kind} (select 1 from {other_side} as {right} where {condition})"
        word = f"left {node.kind}" if node.kind in ("semi", "anti") and self.dialect == "spark" else node.kind
        return f"{head}\n{word} join {other_side} as {right} on {condition}"
