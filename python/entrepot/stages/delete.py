"""A `delete` that lists the keys of the rows that go, as literals."""

from __future__ import annotations

LEAST_KEYS = 10_000
ROWS_A_KEY = 60


def keys_to_list(row_count: int | None, most: int) -> int:
    """Return up to how many keys a delete from a table of `row_count` rows lists.

    A key costs Spark 30 to 60 µs to read and plan; a merge some seconds more, because it reads the stored rows twice (docs/benchmarks.md).
    Delta writes the list into its commit, ten bytes a key, so there is a most.
    """
    return min(most, max(LEAST_KEYS, (row_count or 0) // ROWS_A_KEY))
