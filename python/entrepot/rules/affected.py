"""The scopes that a plan computes again, and the rows that belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from entrepot.analysis import Value, value_sql, values_equal
from entrepot.rules.inputs import Listed
from entrepot.rules.reading import Reading
from entrepot.sql import listed_keys


@dataclass(frozen=True, slots=True)
class Affected:
    """Scopes, which columns of the result tell apart.

    Attributes:
        columns: these columns
        sql: a query of the scopes in brackets, each once
        listed: the same as rows on the driver; none where they are not there
    """

    columns: tuple[str, ...]
    sql: str
    listed: Listed | None = None

    def within(self, reading: Reading, values: Mapping[str, Value], always: str | None = None) -> str:
        """Return SQL to stand behind `from … as _row`, which leaves the rows that belong to these scopes.

        Keys that are on the driver are listed: a condition costs Spark neither a broadcast nor a join, and leaves files out.

        Args:
            reading: where keys that are listed are noted
            values: what the columns, or some of them, are of `_row`: {column: its column, or an expression over its columns}
            always: which rows are left besides; none for none
        """
        keys = self._keys(values)
        condition = listed_keys([value_sql(value, "_row") for value in values.values()], keys.types, keys.rows)
        if condition is not None:
            reading.listed[condition] = f"({', '.join(values)}) in (… {len(keys.rows)} keys)"
            return f"where ({condition})" + (f" or {always}" if always else "")
        on = values_equal("_row", list(values.values()), "_scope", list(values))
        if always:
            return f"left join (select *, true as _affected from {self.sql}) as _scope on {on} where _scope._affected or {always}"
        return f"left semi join {self.sql} as _scope on {on}"

    def _keys(self, columns: Iterable[str]) -> Listed:
        """Return the different values of some columns; no row where they are not on the driver."""
        if self.listed is None:
            return Listed((), ())
        places = [self.columns.index(column) for column in columns]
        rows = dict.fromkeys(tuple(row[place] for place in places) for row in self.listed.rows)
        return Listed(tuple(self.listed.types[place] for place in places), tuple(rows))
