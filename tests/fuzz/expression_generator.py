"""Random scalar expressions, predicates, aggregates and window functions over the columns of an operator.

Only what has one right result in both engines: no sums of doubles, no division, windows over a total order or with
functions that do not depend on it. Where the engines write or define something differently, the expression says so:
  casts and sums that overflow are null (Spark without ANSI; `try_cast` in DuckDB);
  the length of a null list is null (Spark's `size` alone says -1);
  a list of no elements is empty (DuckDB's `list` alone says null);
  nulls first or last is always written out, as the defaults differ.
"""

from __future__ import annotations

import random

from tests.fuzz.sql_types import KEYABLE, NAMES, Type, literal, random_value
from tests.fuzz.tree import Column, Expression, Node


def constant(random_: random.Random, type_: Type) -> Expression:
    """A literal, never null."""
    value = random_value(random_, type_, nulls=0)
    return Expression(type_, literal(value, type_, "spark"), literal(value, type_, "duckdb"))


def same(type_: Type, text: str) -> Expression:
    """An expression with the same text in both dialects."""
    return Expression(type_, text, text)


def checked(type_: Type, text: str) -> Expression:
    """A value brought to its type; null where it does not fit."""
    return Expression(
        type_, f"cast({text} as {NAMES['spark'][type_]})", f"try_cast({text} as {NAMES['duckdb'][type_]})"
    )


def scalar(random_: random.Random, node: Node) -> Expression:
    """A random expression over the columns of an operator."""
    column = random_.choice(node.columns)
    name, type_ = column.name, column.type
    other = random_.choice(node.of_types(type_))
    literal_ = constant(random_, type_)
    choices = [
        Expression(type_, f"coalesce({name}, {literal_.spark})", f"coalesce({name}, {literal_.duckdb})"),
        same(type_, f"case when {name} is null then {other.name} else {name} end"),
        column.expression,
    ]
    if type_ == "int":
        choices += [
            same(type_, f"{name} + {other.name}"),
            same(type_, f"{name} - {other.name}"),
            same(type_, f"{name} % 3"),
            same("text", f"cast({name} as string)"),
            same(type_, f"cast(try_cast({name} as int) as bigint)"),
        ]
        choices += [same(type_, f"case when {name} > 2 then 1 when {name} is null then 0 else {other.name} end")]
    elif type_ == "decimal":
        choices += [checked(type_, f"({name} + {other.name})"), checked(type_, f"({name} * 2)")]
    elif type_ == "text":
        choices += [
            same(type_, f"upper({name})"),
            same(type_, f"{name} || '-' || {other.name}"),
            same("int", f"length({name})"),
        ]
    elif type_ == "list":
        choices = [
            column.expression,
            Expression("int", f"case when {name} is not null then cast(size({name}) as bigint) end", f"len({name})"),
        ]
    elif type_ == "struct":
        choices = [column.expression, same("int", f"{name}.x"), same("text", f"{name}.y")]
    return random_.choice(choices)


def predicate(random_: random.Random, node: Node) -> Expression:
    """A random condition over the columns of an operator. Its type does not matter."""
    column = random_.choice(node.of_types(*KEYABLE))
    name = column.name
    literal_ = constant(random_, column.type)
    other = random_.choice(node.of_types(column.type))
    operator = random_.choice(["=", "<>", "<", "<=", ">", ">="])
    simple = [
        Expression("int", f"{name} {operator} {literal_.spark}", f"{name} {operator} {literal_.duckdb}"),
        Expression("int", f"{name} {operator} {literal_.spark}", f"{name} {operator} {literal_.duckdb}"),
        same("int", f"{name} is not null"),
        same("int", f"{name} is null"),
        Expression("int", f"{name} <=> {other.name}", f"{name} is not distinct from {other.name}"),
    ]
    first = random_.choice(simple)
    if random_.random() < 0.7:
        return first
    second, word = random_.choice(simple), random_.choice(["and", "or"])
    return Expression(
        "int", f"({first.spark} {word} not {second.spark})", f"({first.duckdb} {word} not {second.duckdb})"
    )


def aggregate(random_: random.Random, node: Node) -> Expression:
    """A random aggregate over the columns of an operator."""
    column = random_.choice(node.of_types(*KEYABLE))
    name, type_ = column.name, column.type
    choices = [
        same("int", "count(*)"),
        same("int", f"count({name})"),
        same("int", f"count(distinct {name})"),
        same(type_, f"min({name})"),
        same(type_, f"max({name})"),
    ]
    if type_ in ("int", "decimal"):
        choices += [checked(type_, f"sum({name})")] * 3
    if type_ == "int":
        spark, duckdb = (
            f"array_sort(collect_list({name}))",
            f"coalesce(list_sort(list({name}) filter (where {name} is not null)), [])",
        )
        choices += [same("double", f"avg({name})")] * 2 + [
            Expression("list", spark, duckdb),
            checked("int", f"sum(distinct {name})"),
        ]
    return random_.choice(choices)


def additive(random_: random.Random, node: Node) -> list[Expression]:
    """Some aggregates that rule `aggregate` maintains, with or without the counts that it can make use of."""
    chosen = [same("int", "count(*)")] if random_.random() < 0.5 else []
    for column in random_.choices(node.of_types(*KEYABLE), k=random_.choice([1, 1, 2])):
        name, type_ = column.name, column.type
        counted = [same("int", f"count({name})")] if random_.random() < 0.5 else []
        if type_ in ("int", "decimal") and random_.random() < 0.7:
            small = f"{name} % 1000" if type_ == "int" else f"try_cast({name} as decimal(18, 2))"
            wide = "bigint" if type_ == "int" else "decimal(28, 2)"
            counted = [same("int", f"count({small})")] if counted else []
            chosen.append(Expression(type_, f"sum({small})", f"cast(sum({small}) as {wide})"))
            if type_ == "int" and counted:
                chosen.append(same("double", f"avg({small})"))
        else:
            chosen.append(same(type_, f"{random_.choice(['min', 'max'])}({name})"))
        chosen += counted
    return chosen


def having(random_: random.Random, aggregates: list[Expression]) -> Expression:
    """A random condition over groups."""
    simple = [same("int", "count(*) > 1"), same("int", "count(*) = 1")]
    for one in aggregates:
        if one.type in KEYABLE:
            literal_ = constant(random_, one.type)
            simple.append(Expression("int", f"{one.spark} >= {literal_.spark}", f"{one.duckdb} >= {literal_.duckdb}"))
            simple.append(Expression("int", f"{one.spark} is not null", f"{one.duckdb} is not null"))
    return random_.choice(simple)


def window(random_: random.Random, node: Node) -> Expression:
    """A random window function; where it depends on an order, the order ends with the operator's key."""
    partition_by = _partition(random_, node)
    column = random_.choice(node.of_types(*KEYABLE))
    value = random_.choice(node.of_types("int", "decimal") or [column])
    first = random_.choice(node.of_types(*KEYABLE))
    total = [f"{first.name} {random_.choice(['asc', 'desc'])} nulls {random_.choice(['first', 'last'])}"]
    total += [f"{key} asc nulls first" for key in node.key if key != first.name]
    some_order, total_order = f"{partition_by} order by {total[0]}", f"{partition_by} order by {', '.join(total)}"
    running = f"{total_order} rows between unbounded preceding and current row"
    choices = [
        checked("int", f"row_number() over ({total_order})"),
        checked("int", f"rank() over ({some_order})"),
        checked("int", f"dense_rank() over ({some_order})"),
        same(column.type, f"lag({column.name}) over ({total_order})"),
        same(column.type, f"lead({column.name}, 2) over ({total_order})"),
        same("int", f"count({column.name}) over ({partition_by})"),
        same(column.type, f"max({column.name}) over ({partition_by})"),
        same(column.type, f"min({column.name}) over ({running})"),
        same(column.type, f"first_value({column.name}) over ({total_order})"),
    ]
    if value.type in ("int", "decimal"):
        choices += [
            checked(value.type, f"sum({value.name}) over ({partition_by})"),
            checked(value.type, f"sum({value.name}) over ({running})"),
        ]
    return random_.choice(choices)


def _partition(random_: random.Random, node: Node) -> str:
    """A PARTITION BY clause; without columns now and then."""
    columns: list[Column] = node.of_types(*KEYABLE)
    if random_.random() < 0.1:
        return ""
    names = {column.name: None for column in random_.choices(columns, k=random_.choice([1, 1, 2]))}
    return f"partition by {', '.join(names)}"
