"""Few rows are kept where the plan is made: what a job has changed comes to the driver once, and is then known exactly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dbt.adapters.entrepot.asking import Asking
from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.stages.delete import listed_keys

MOST_ROWS = 5000


class Keeping(Asking):
    """Temporary views of few rows, which cost no Spark job to read again."""

    @for_macros
    def can_keep(self, rows: int | None) -> bool:
        """Whether so many rows can be kept: few, if that is known, and in a Spark that runs in this process."""
        return self.is_embedded() and rows is not None and rows <= MOST_ROWS

    @for_macros
    def keep_rows(self, view: str, sql: str) -> bool:
        """Run a query and keep its rows as a temporary view of the session; say whether they are few enough to be kept."""
        _, handle = self.connections.add_query(sql)
        kept: bool = handle.keep(view, MOST_ROWS)
        return kept

    @for_macros
    def kept_signs(self, view: str) -> dict[str, int]:
        """How many kept rows have come (`plus`) and gone (`minus`), by their `_delta`."""
        signs = [row["_delta"] for row in self.ask(f"select _delta from {view}")]
        return {"plus": sum(sign > 0 for sign in signs), "minus": sum(sign < 0 for sign in signs)}

    @for_macros
    def listed_keys(
        self, keys: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[str | None]]
    ) -> str | None:
        """The SQL condition that a row has one of some keys, as literals (see `entrepot.stages.delete`)."""
        return listed_keys(keys, types, rows)

    @for_macros
    def kept_changes(self, view: str, keys: Sequence[str]) -> dict[str, Any]:
        """What kept rows change in a table, by `_upsert` and `_is_stored`: how many are `inserted`, `updated` and `deleted`.

        `listed` is the SQL condition that a stored row has the key of one that goes, none where it cannot be written.
        """
        types = ", ".join(f"typeof({key}) as type_{number}" for number, key in enumerate(keys))
        texts = ", ".join(f"cast({key} as string)" for key in keys)
        rows = self.ask(f"select _upsert, _is_stored, {types}, to_json(array({texts})) as keys from {view}")
        going = [row for row in rows if row["_is_stored"]]
        written = {
            "inserted": sum(bool(row["_upsert"]) and not row["_is_stored"] for row in rows),
            "updated": sum(bool(row["_upsert"]) for row in going),
            "deleted": sum(not row["_upsert"] for row in going),
        }
        found = [tuple(json.loads(row["keys"])) for row in going]
        kinds = [str(going[0][f"type_{number}"]) for number in range(len(keys))] if going else []
        return {**written, "listed": listed_keys(keys, kinds, found) if going else None}
