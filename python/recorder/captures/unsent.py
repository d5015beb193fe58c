"""Rows with a key that no record can carry: they are recorded, with null in their key, and who runs the capture is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from recorder.captures.envelope import Change, Table
from recorder.captures.shape import unsent


class Unsent:
    """The changes of such rows in one poll, by table and by what is in the key."""

    def __init__(self) -> None:
        """None so far."""
        self._counts: Counter[tuple[Table, str]] = Counter()

    def noted(self, table: Table, change: Change) -> Change:
        """The change, counted if it is one of them."""
        parts = unsent(change.key) if change.key else {}
        if parts:
            what = ", ".join(f"{value} in key column {name!r}" for name, value in parts.items())
            self._counts[table, what] += 1
        return change

    def tell(self, say: Callable[[str], None]) -> None:
        """A sentence for each table and value."""
        for (table, what), count in self._counts.items():
            say(
                f"{table}: {count} {'change of a row' if count == 1 else 'changes of rows'} with {what}, which no record can carry: "
                "recorded with null there, so that histories leave it out"
            )
