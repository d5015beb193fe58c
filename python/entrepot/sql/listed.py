"""Keys of rows as literals: a condition that needs no join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from entrepot.sql.literals import exact_literal

MOST_COMBINATIONS = 20
MOST_TUPLES = 20_000
Row = tuple[str, ...]
# values of one column by rows of the others, for each of which they are keys
Lists = dict[tuple[Row, ...], list[str]]


def listed_keys(keys: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str | None:
    """Return the SQL condition that a row has one of some keys, in few literals, because each costs Spark time.

    The column with most values is listed: once for each combination of the others; or each value once, with those that have the same
    combinations. Where both are more than twenty lists, it is listed once for all, so that Delta skips files by it, and beside it the whole keys.

    None where that would be more than 20,000 whole keys, where a key is null, and for types whose text is not exact.

    >>> print(listed_keys(["a", "b"], ["int", "string"], [("1", "x"), ("2", "x"), ("3", "it's")]))
    b = 'x' and a in (1, 2)
      or b = 'it\\'s' and a in (3)
    >>> order_lines = [("7", "1"), ("8", "1"), ("8", "2"), ("9", "1"), ("9", "2")]
    >>> print(listed_keys(["order", "line"], ["int", "int"], order_lines * 2 + [("10", "1"), ("10", "2")]))
    line = 1 and order in (7)
      or line in (1, 2) and order in (8, 9, 10)
    >>> print(listed_keys(["a", "b"], ["int", "int"], [(str(number), str(-number)) for number in range(21)])[-21:])
    (19, -19), (20, -20))
    >>> listed_keys(["a"], ["double"], [("1.0",)]) is None
    True

    Args:
        keys: the key columns, as SQL names them
        types: their types, in Spark's words
        rows: the keys, as Spark casts them to text
    """
    literals = [
        tuple(exact_literal(value, kind) if value is not None else None for value, kind in zip(row, types, strict=True))
        for row in rows
    ]
    whole = [tuple(map(str, row)) for row in dict.fromkeys(literals) if None not in row]
    if not literals or len(whole) < len(set(literals)):
        return None
    sizes = [len({row[position] for row in whole}) for position in range(len(keys))]
    longest = max(range(len(keys)), key=lambda position: (sizes[position], position))
    others = [keys[position] for position in range(len(keys)) if position != longest]
    found = [lists for lists in _lists(whole, longest) if len(lists) <= MOST_COMBINATIONS]
    if found:
        terms = (
            " and ".join([*_is_one_of(others, combinations), f"{keys[longest]} in ({', '.join(values)})"])
            for combinations, values in min(found, key=_literals_in).items()
        )
        return "\n  or ".join(terms)
    if len(whole) > MOST_TUPLES:
        return None
    values = dict.fromkeys(row[longest] for row in whole)
    return " and ".join([f"{keys[longest]} in ({', '.join(values)})\n ", *_is_one_of(keys, whole)])


def _lists(rows: Iterable[Row], longest: int) -> tuple[Lists, Lists]:
    """Values of a column by the combination of the others, and by all the combinations that a value has."""
    of_combinations: dict[Row, list[str]] = {}
    of_values: dict[str, list[Row]] = {}
    for row in rows:
        combination = (*row[:longest], *row[longest + 1 :])
        of_combinations.setdefault(combination, []).append(row[longest])
        of_values.setdefault(row[longest], []).append(combination)
    alike: Lists = {}
    for value, combinations in of_values.items():
        alike.setdefault(tuple(sorted(combinations)), []).append(value)
    return {(combination,): values for combination, values in of_combinations.items()}, alike


def _literals_in(lists: Lists) -> int:
    return sum(len(combinations) + len(values) for combinations, values in lists.items())


def _is_one_of(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Conditions that columns, none or more, have the values of one of some rows."""
    if len(rows) == 1:
        return [f"{column} = {value}" for column, value in zip(columns, rows[0], strict=True)]
    if len(columns) == 1:
        return [f"{columns[0]} in ({', '.join(value for (value,) in rows)})"]
    listed = ", ".join(f"({', '.join(row)})" for row in rows)
    return [f"({', '.join(columns)}) in ({listed})"]
