"""A `delete` that lists the keys of the rows that go, as literals."""

from __future__ import annotations

LEAST_KEYS = 10_000
ROWS_A_KEY = 200


def keys_to_list(row_count: int | None, most: int) -> int:
    """Return up to how many keys a delete from a table of `row_count` rows lists.

    A key costs Spark about 60 µs to read and plan, a stored row 0.2 µs more in a merge (docs/benchmarks.md). Delta writes the list
    into its commit, ten bytes a key, so there is a most.
    """
    return min(most, max(LEAST_KEYS, (row_count or 0) // ROWS_A_KEY))
