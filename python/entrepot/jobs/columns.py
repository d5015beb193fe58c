"""Columns of a SELECT that are not those of its table."""

from __future__ import annotations

from collections.abc import Sequence

from entrepot.sql import quoted

Columns = Sequence[tuple[str, str]]


def added_columns(stored: Columns, wanted: Columns) -> tuple[str, ...] | None:
    """Return the clauses of `alter table … add columns` that turn the stored columns into the wanted ones, in their order.

    None where that takes more than new columns.

    >>> added_columns([("a", "int"), ("c", "int")], [("a", "int"), ("b", "string"), ("c", "int")])
    ('`b` string after `a`',)
    >>> added_columns([("a", "int")], [("a", "string")]) is None
    True
    """
    position, place = 0, "first"
    clauses = []
    for name, type_ in wanted:
        if position < len(stored) and stored[position] == (name, type_):
            position += 1
        else:
            clauses.append(f"{quoted(name)} {type_} {place}")
        place = f"after {quoted(name)}"
    return tuple(clauses) if position == len(stored) else None


def column_differences(stored: Columns, wanted: Columns) -> str:
    """Return in words what the wanted columns have more and less than the stored ones.

    >>> column_differences([("a", "int"), ("b", "int")], [("b", "int"), ("c", "string")])
    '+ c string, - a int'
    """
    more = [f"+ {name} {type_}" for name, type_ in wanted if (name, type_) not in stored]
    less = [f"- {name} {type_}" for name, type_ in stored if (name, type_) not in wanted]
    return ", ".join(more + less) or "another order"
