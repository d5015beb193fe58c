"""A seeded generator of random models: trees of up to five relations, and projects of models on models on models."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.fuzz import expression_generator as expressions
from tests.fuzz.change_stream import SOURCES
from tests.fuzz.sql_types import KEYABLE
from tests.fuzz.tree import (
    FILTERING,
    Column,
    Explode,
    Expression,
    Group,
    Item,
    Join,
    JoinKind,
    Manner,
    Materialization,
    Model,
    Node,
    Relation,
    Select,
    Union,
    is_join_only,
    null_item,
)

MOST_RELATIONS = 5
MOST_LEVELS = 3
JOINS: dict[JoinKind, int] = {
    "inner": 9, "left": 5, "right": 3, "full": 3, "semi": 2, "anti": 2, "exists": 2, "not exists": 2, "in": 2, "not in": 1,
}  # fmt: skip
MATERIALIZATIONS: dict[Materialization, int] = {"delta": 20, "view": 3, "ephemeral": 3, "table": 1}
MANNERS: tuple[Manner, ...] = ("commented", "quoted", "shouted")


class ModelGenerator:
    """Draws trees; every name that it gives within one model is new."""

    def __init__(self, random_: random.Random, relations: list[Relation], number: int) -> None:
        """Draw with `random_` over `relations`; the model's `number` keeps its names apart from those of its upstreams."""
        self.random, self.relations, self.number, self.names = random_, relations, number, 0

    def tree(self, budget: int) -> Node:
        """A random tree with up to `budget` relations at its leaves; the outermost operator is never a bare relation."""
        random_ = self.random
        if random_.random() < 0.25:
            return self.group(self.by_row(budget), 0.9)
        node: Node = random_.choice(self.relations)
        if budget > 1 and random_.random() < 0.75:
            left = random_.randint(1, budget - 1)
            one = self.leaf_or_tree(left)
            is_self = 2 * _relations(one) <= budget and random_.random() < 0.3
            other = one if is_self else self.leaf_or_tree(budget - left)
            node = (
                self.join(one, other) if random_.random() < 0.75 else self.union([one, other], random_.random() < 0.6)
            )
        elif random_.random() < 0.3:
            node = self.select(node)
        makers: list[Callable[[Node], Node]] = [self.select, self.group, self.window, self.distinct]
        if node.of_types("list"):
            makers += [self.explode, self.explode]
        weights = [4, 5, 3, 1.5, 2, 2][: len(makers)]
        if isinstance(node, Relation) or random_.random() < 0.6:
            node = random_.choices(makers, weights)[0](node)
        return node

    def by_row(self, budget: int) -> Node:
        """A tree of up to `budget` relations whose rows come from one row of each: filters and inner joins."""
        node: Node = self.random.choice(self.relations)
        for _ in range(self.random.randint(1, budget) - 1):
            node = self.join(node, self.random.choice(self.relations), "inner")
        return self.select(node) if self.random.random() < 0.4 else node

    def leaf_or_tree(self, budget: int) -> Node:
        """A relation itself, or a tree."""
        return self.random.choice(self.relations) if budget == 1 and self.random.random() < 0.7 else self.tree(budget)

    def fresh(self, stem: str) -> str:
        """A column name that neither the model has yet nor its upstreams."""
        self.names += 1
        return f"{stem}{self.number}_{self.names}"

    def some(self, node: Node, most: int) -> list[Column]:
        """The key columns and a few others."""
        others = [column for column in node.columns if column.name not in node.key]
        chosen = self.random.sample(others, min(len(others), self.random.randint(1, most)))
        return [node.column(name) for name in node.key] + chosen

    def select(self, node: Node) -> Select:
        """Some columns, new expressions and a filter."""
        random_ = self.random
        items = [Item(column.name, column.expression) for column in self.some(node, 4)]
        items += [Item(self.fresh("v"), expressions.scalar(random_, node)) for _ in range(random_.choice([0, 1, 1, 2]))]
        where = expressions.predicate(random_, node) if random_.random() < 0.6 else None
        return _select(node, items, node.key, node.key_may_be_null, where)

    def distinct(self, node: Node) -> Select:
        """The different combinations of some columns."""
        columns = node.of_types(*KEYABLE)
        chosen = self.random.sample(columns, min(len(columns), self.random.choice([1, 2, 2, 3])))
        items = [Item(column.name, column.expression) for column in chosen]
        return replace(_select(node, items, tuple(column.name for column in chosen), True), distinct=True)

    def window(self, node: Node) -> Select:
        """Some columns and one or two window functions."""
        items = [Item(column.name, column.expression) for column in self.some(node, 3)]
        items += [
            Item(self.fresh("w"), expressions.window(self.random, node)) for _ in range(self.random.choice([1, 1, 2]))
        ]
        return replace(_select(node, items, node.key, node.key_may_be_null), has_window=True)

    def group(self, node: Node, additive: float = 0.3) -> Group:
        """Aggregates by up to three columns, or over everything; with the chance `additive` those of rule `aggregate`."""
        random_ = self.random
        columns = node.of_types(*KEYABLE)
        chosen = random_.sample(columns, min(len(columns), random_.choice([0, 1, 1, 1, 2, 2, 3])))
        is_additive = random_.random() < additive
        aggregates = (
            expressions.additive(random_, node)
            if is_additive
            else [expressions.aggregate(random_, node) for _ in range(random_.choice([1, 2, 2, 3]))]
        )
        having = expressions.having(random_, aggregates) if random_.random() < (0.05 if is_additive else 0.4) else None
        items = [Item(column.name, column.expression) for column in chosen]
        if not chosen:
            items = [Item(self.fresh("k"), Expression("text", "'all'", "'all'"))]
        key = tuple(item.name for item in items)
        items += [Item(self.fresh("a"), aggregate) for aggregate in aggregates]
        group = tuple(column.name for column in chosen)
        return Group(tuple(item.column for item in items), key, bool(chosen), node, group, tuple(items), having)

    def explode(self, node: Node) -> Explode:
        """One row for each element of a list column."""
        column = self.random.choice(node.of_types("list"))
        position, element = self.fresh("p"), self.fresh("e")
        items = tuple(Item(each.name, each.expression) for each in self.some(node, 2) if each.name != column.name)
        columns = (*(item.column for item in items), Column(position, "int"), Column(element, "int"))
        return Explode(columns, (*node.key, position), False, node, items, column.name, position, element)

    def join(self, left: Node, right: Node, kind: JoinKind | None = None) -> Node:
        """A join on columns of equal types, often of one side's whole key (a look-up), sometimes with a range."""
        random_ = self.random
        kind = kind or random_.choices(list(JOINS), list(JOINS.values()))[0]
        if kind == "full" and left.key_may_be_null and right.key_may_be_null:
            kind = "left"  # both sides' rows without a match could have a key of nulls only
        pairs = self.pairs(left, right, 1 if kind in ("in", "not in") else 2)
        if not pairs:
            return self.union([left, right], all_=True)
        between = None
        if (
            kind in ("inner", "left")
            and {"from_day", "to_day"} <= {c.name for c in right.columns}
            and left.of_types("int")
        ):
            between = (random_.choice(left.of_types("int")).name, "from_day", "to_day")
        null_safe = random_.random() < 0.25 and kind not in ("in", "not in")
        names: dict[tuple[str, str], str] = {}
        for side, node in (("left", left), ("right", right)):
            if side == "left" or kind not in FILTERING:
                names |= {(side, column.name): self.fresh(column.name[0]) for column in self.some(node, 3)}
        types = {("left", c.name): c.type for c in left.columns} | {("right", c.name): c.type for c in right.columns}
        columns = tuple(Column(name, types[which]) for which, name in names.items())
        keys = {
            side: tuple(names[side, k] for k in node.key)
            for side, node in (("left", left), ("right", right))
            if (side, node.key[0]) in names
        }
        is_lookup = kind in ("inner", "left") and set(right.key) <= {other for _, other in pairs}
        if kind in FILTERING or is_lookup:
            key, may_be_null = keys["left"], left.key_may_be_null
        else:
            key, may_be_null = keys["left"] + keys["right"], left.key_may_be_null or right.key_may_be_null
        items = tuple((side, column, name) for (side, column), name in names.items())
        return Join(columns, key, may_be_null, left, right, kind, pairs, null_safe, between, items)

    def pairs(self, left: Node, right: Node, most: int) -> tuple[tuple[str, str], ...]:
        """Columns of the same type to join on: the right side's key, or any."""
        random_ = self.random
        wanted = [right.column(name) for name in right.key]
        if len(wanted) > most or random_.random() < 0.5:
            usable = [column for column in right.of_types(*KEYABLE) if left.of_types(column.type)]
            usable = [column for column in usable if column.type in ("int", "text")] or usable
            wanted = random_.sample(usable, min(len(usable), random_.choice([1, 1, most])))
        if not all(left.of_types(column.type) for column in wanted):
            return ()
        return tuple((random_.choice(left.of_types(column.type)).name, column.name) for column in wanted)

    def union(self, nodes: list[Node], all_: bool) -> Union:
        """Rows of several operators in columns of common types; with duplicates, a column says which side a row is from."""
        slots: list[Column] = []
        keys = [[node.column(name) for name in node.key] for node in nodes]
        for type_ in KEYABLE:
            most = max(sum(column.type == type_ for column in key) for key in keys)
            slots += [Column(self.fresh("k"), type_) for _ in range(most)]
        key_slots = len(slots)
        values = [
            column
            for column in nodes[0].columns
            if column.name not in nodes[0].key and (all_ or column.type in KEYABLE)
        ]
        slots += [Column(self.fresh("v"), column.type) for column in self.random.sample(values, min(2, len(values)))]
        side = self.fresh("side")
        branches = []
        for number, (node, key) in enumerate(zip(nodes, keys, strict=True)):
            left_over, items = list(key), []
            others = [column for column in node.columns if column.name not in node.key]
            for position, slot in enumerate(slots):
                pool = left_over if position < key_slots else others
                found = next((column for column in pool if column.type == slot.type), None)
                if found:
                    pool.remove(found)
                items.append(Item(slot.name, found.expression) if found else null_item(slot))
            if all_:
                items.insert(0, Item(side, Expression("text", f"'{number}'", f"'{number}'")))
            where = expressions.predicate(self.random, node) if self.random.random() < 0.4 else None
            branches.append(_select(node, items, tuple(item.name for item in items), True, where))
        names = tuple(slot.name for slot in slots)
        key_names = (side, *names[:key_slots]) if all_ else names
        return Union(branches[0].columns, key_names, not all_, tuple(branches), all_)


def _relations(node: Node) -> int:
    """How many relations an operator reads."""
    return sum(isinstance(one, Relation) for one in node.walk())


def _reads_a_tree_twice(root: Node) -> bool:
    """Whether an operator is joined with itself: as a CTE, it is one that is used twice."""
    joins = [node for node in root.walk() if isinstance(node, Join)]
    return any(join.left == join.right and not isinstance(join.left, Relation) for join in joins)


def _select(
    node: Node, items: list[Item], key: tuple[str, ...], may_be_null: bool, where: Expression | None = None
) -> Select:
    return Select(tuple(item.column for item in items), key, may_be_null, node, tuple(items), where)


def random_models(
    random_: random.Random, count: int, accept: Callable[[list[Model]], bool], force_join: bool
) -> tuple[Model, ...]:
    """Draw the models of a project.

    Args:
        random_: where the randomness comes from
        count: how many
        accept: whether the models so far make a usable project: a model that it refuses is drawn again
        force_join: whether models that rule `join` takes are configured with it
    """
    models: list[Model] = []
    levels = {source.name: 0 for source in SOURCES}
    # views and ephemeral models become part of what reads them, and these are not for rule join
    not_for_join: set[str] = set()
    while len(models) < count:
        usable = [model.relation for model in models if levels[model.name] < MOST_LEVELS]
        sources = [source.relation for source in SOURCES]
        generator = ModelGenerator(random_, sources + usable * 2, len(models) + 1)
        root = generator.tree(random_.choice([1, 1, 2, 2, 2, 3, 3, 4, MOST_RELATIONS]))
        is_last = len(models) == count - 1
        materialized = (
            "delta" if is_last else random_.choices(list(MATERIALIZATIONS), list(MATERIALIZATIONS.values()))[0]
        )
        reads = {node.name for node in root.walk() if isinstance(node, Relation)}
        is_for_join = is_join_only(root) and not reads & not_for_join
        rule = "join" if force_join and materialized == "delta" and is_for_join else None
        ctes = random_.random() < (0.8 if _reads_a_tree_twice(root) else 0.35)
        manners = frozenset(manner for manner in MANNERS if random_.random() < 0.25)
        model = Model(f"model_{len(models) + 1}", root, materialized, ctes, rule, manners)
        if accept([*models, model]):
            models.append(model)
            if materialized in ("view", "ephemeral") and not is_for_join:
                not_for_join.add(model.name)
            levels[model.name] = 1 + max(levels[name] for name in model.reads)
    return tuple(models)
