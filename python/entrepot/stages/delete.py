"""A `delete` that lists the keys of the rows that go, as literals."""

from __future__ import annotations

from collections.abc import Sequence

from entrepot.sql import exact_literal

MOST_COMBINATIONS = 20
MOST_TUPLES = 20_000
LEAST_KEYS = 10_000
ROWS_A_KEY = 200


def keys_to_list(row_count: int | None, most: int) -> int:
    """Return up to how many keys a delete from a table of `row_count` rows lists.

    A key costs Spark about 60 µs to read and plan, a stored row 0.2 µs more in a merge (docs/benchmarks.md). Delta writes the list
    into its commit, ten bytes a key, so there is a most.
    """
    return min(most, max(LEAST_KEYS, (row_count or 0) // ROWS_A_KEY))


def listed_keys(keys: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str | None:
    """Return the SQL condition that a row has one of some keys: the column with most values is listed, once for each
    combination of the others; where those are more than twenty, once for all, so that Delta skips files by it, and beside it the whole keys.

    None where that would be more than 20,000 whole keys, where a key is null, and for types whose text is not exact.

    >>> print(listed_keys(["a", "b"], ["int", "string"], [("1", "x"), ("2", "x"), ("3", "it's")]))
    b = 'x' and a in (1, 2)
      or b = 'it\\'s' and a in (3)
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
        [exact_literal(value, kind) if value is not None else None for value, kind in zip(row, types, strict=True)]
        for row in rows
    ]
    if not literals or any(value is None for row in literals for value in row):
        return None
    sizes = [len({row[position] for row in literals}) for position in range(len(keys))]
    longest = max(range(len(keys)), key=lambda position: (sizes[position], position))
    lists: dict[str, list[str]] = {}
    for row in literals:
        same = " and ".join(f"{keys[other]} = {row[other]}" for other in range(len(keys)) if other != longest)
        lists.setdefault(same, []).append(str(row[longest]))
    if len(lists) > MOST_COMBINATIONS:
        if len(literals) > MOST_TUPLES:
            return None
        values = dict.fromkeys(str(row[longest]) for row in literals)
        whole = (f"({', '.join(map(str, row))})" for row in literals)
        return f"{keys[longest]} in ({', '.join(values)})\n  and ({', '.join(keys)}) in ({', '.join(whole)})"
    return "\n  or ".join(
        f"{f'{same} and ' if same else ''}{keys[longest]} in ({', '.join(values)})" for same, values in lists.items()
    )
