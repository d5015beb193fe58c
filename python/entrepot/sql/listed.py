"""Keys of rows as literals: a condition that needs no join."""

from __future__ import annotations

from collections.abc import Sequence

from entrepot.sql.literals import exact_literal

MOST_COMBINATIONS = 20
MOST_TUPLES = 20_000


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
