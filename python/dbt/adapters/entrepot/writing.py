"""Statements that write a plan, as methods of the adapter (see `entrepot.stages`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from dbt.adapters.base.meta import AdapterMeta

from dbt.adapters.entrepot.for_macros import for_macros
from entrepot.stages.delete import keys_to_list
from entrepot.stages.write import Target, difference_sql, insert_sql, merge_sql, net_by_key_sql, source_sql


class Column(Protocol):
    """What is asked of dbt's columns."""

    quoted: str
    dtype: str


class Writing(metaclass=AdapterMeta):
    """The SQL that a plan is carried out with; no connection is asked. `plan` is what `delta_plan` returns."""

    @for_macros
    def write_insert(self, relation: object, plan: Mapping[str, Any]) -> str:
        """An insert of the rows that come."""
        return insert_sql(str(relation), plan["upsert"])

    @for_macros
    def write_merge(
        self, relation: object, keys: Sequence[str], columns: Iterable[Column], plan: Mapping[str, Any]
    ) -> str:
        """A merge of the rows that come and the keys that go."""
        source = source_sql(plan["upsert"], plan["gone"], keys)
        return merge_sql(_target(relation, keys, columns), source, bool(plan["upsert"]))

    @for_macros
    def write_source(self, keys: Sequence[str], plan: Mapping[str, Any]) -> str:
        """A query of the rows that come (`_upsert` true) and the keys that go (`_upsert` null)."""
        return source_sql(plan["upsert"], plan["gone"], keys)

    @for_macros
    def write_difference(
        self,
        relation: object,
        keys: Sequence[str],
        columns: Iterable[Column],
        source: str,
        stored: str,
        plan: Mapping[str, Any],
    ) -> str:
        """A query of those that differ from the stored rows, with `_is_stored`."""
        return difference_sql(_target(relation, keys, columns), source, stored, bool(plan["upsert"]))

    @for_macros
    def write_net_by_key(self, keys: Sequence[str], plan: Mapping[str, Any]) -> str:
        """A query of a plan's net changes, one row for each key."""
        return net_by_key_sql(plan["net"], keys)

    @for_macros
    def write_keys_to_list(self, row_count: int | None, most: int) -> int:
        """Up to how many keys a delete lists."""
        return keys_to_list(row_count, int(most))


def _target(relation: object, keys: Sequence[str], columns: Iterable[Column]) -> Target:
    return Target(str(relation), tuple(keys), tuple((column.quoted, column.dtype) for column in columns))
