"""Statements that write what a plan says: rows that come, keys that go, and what differs from the stored rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from entrepot.sql import keys_equal, qualified

_NOT_COMPARED = re.compile("map<|variant")


@dataclass(frozen=True, slots=True)
class Target:
    """The table that is written.

    Attributes:
        relation: its name, as statements write it
        keys: the model's key columns
        columns: its columns as SQL names them, with their types
    """

    relation: str
    keys: tuple[str, ...]
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [name for name, _ in self.columns]

    @property
    def in_its_types(self) -> str:
        """SQL of the columns of a query that has them, in the table's types."""
        return ", ".join(f"cast({name} as {type_}) as {name}" for name, type_ in self.columns)

    @property
    def same_row(self) -> str:
        """SQL condition that `_stored` and `_new` are the same row. Maps and variants cannot be compared: such a row counts as another."""
        compared = [name for name, type_ in self.columns if not _NOT_COMPARED.search(type_)]
        return keys_equal("_stored", compared, "_new", compared) + (
            " and false" if len(compared) < len(self.columns) else ""
        )


def source_sql(upsert: str | None, gone: str | None, keys: Sequence[str]) -> str:
    """Return SQL of the rows to upsert (`_upsert` true) and the keys to delete (`_upsert` null): `gone` without the keys of `upsert`."""
    listed = ", ".join(keys)
    if gone is None:
        return f"select true as _upsert, * from (\n{upsert}\n)"
    if not upsert:
        return f"select distinct cast(null as boolean) as _upsert, {listed} from (\n{gone}\n)"
    either = ", ".join(f"coalesce(_u.{key}, _g.{key}) as {key}" for key in keys)
    return (
        f"select _u._upsert, {either}, _u.* except (_upsert, {listed})\n"
        f"from (select true as _upsert, * from (\n{upsert}\n)) as _u\n"
        f"full outer join (select distinct {listed} from (\n{gone}\n)) as _g on {keys_equal('_u', keys, '_g', keys)}"
    )


def net_by_key_sql(net: str, keys: Sequence[str]) -> str:
    """Return SQL of net changes, `_delta` 1 or -1, as one row for each key, which is unique before and after them."""
    by_key = f"over (partition by {', '.join(keys)})"
    return (
        "select * except (_delta, _comes, _goes), if(_delta > 0, true, null) as _upsert, _goes as _is_stored\n"
        f"from (\n  select *, bool_or(_delta > 0) {by_key} as _comes, bool_or(_delta < 0) {by_key} as _goes\n"
        f"  from (\n{net}\n  )\n)\nwhere _delta > 0 or not _comes"
    )


def net_changes_sql(target: Target, net: str) -> str:
    """Return SQL of net changes as the table has them: its columns, in its types, and `_delta`, 1 or -1; `net` is a view of them."""
    return f"select {target.in_its_types}, if(_delta > 0, 1, -1) as _delta from {net}"


def difference_sql(target: Target, source: str, stored: str, comes: bool, *, with_old: bool = False) -> str:
    """Return SQL of a source without rows equal to the stored ones and keys that are not stored.

    `_is_stored` says whether the key is.

    Args:
        target: the table
        source: rows of `source_sql`
        stored: the stored rows that may have these keys
        comes: whether the source has rows to upsert
        with_old: whether the stored row is wanted, too, as a struct `_old`
    """
    old = f", struct({qualified('_stored', target.names)}) as _old" if with_old else ""
    new = f"_new._upsert and (_stored._is_stored is null or not ({target.same_row})) or " if comes else ""
    return (
        f"select _new.*, _stored._is_stored is not null as _is_stored{old}\n"
        f"from {source} as _new\n"
        f"left join (select _stored.*, true as _is_stored from {stored}) as _stored\n"
        f"  on {keys_equal('_stored', target.keys, '_new', target.keys)}\n"
        f"where {new}_new._upsert is null and _stored._is_stored"
    )


def changes_written_sql(target: Target, view: str, comes: bool) -> str:
    """Return SQL of the net changes that writing a view of `difference_sql` makes: the table's columns and `_delta`, 1 or -1.

    Args:
        target: the table
        view: the rows, with `_old`
        comes: whether it has rows to upsert
    """
    old = qualified("_old", target.names)
    gone = f"select {old}, -1 as _delta from {view} where _is_stored"
    return f"{new_rows_sql(target, view)}\nunion all\n{gone}" if comes else gone


def new_rows_sql(target: Target, view: str) -> str:
    """Return SQL of the rows that writing a view inserts: the table's columns, in its types, and `_delta`, 1.

    Args:
        target: the table
        view: the rows, those to write with `_upsert` true
    """
    return f"select {target.in_its_types}, 1 as _delta from {view} where _upsert"


def merge_sql(target: Target, source: str, comes: bool) -> str:
    """Return a merge of `source_sql`: one commit; rows equal to the stored ones are not written.

    Delta reads the source twice, and materialises it in between (`spark.databricks.delta.merge.materializeSource`): it needs no table
    of its own.
    """
    merge = (
        f"merge into {target.relation} as _stored\nusing (\n{source}\n) as _new\n"
        f"on {keys_equal('_stored', target.keys, '_new', target.keys)}\n"
        "when matched and _new._upsert is null then delete"
    )
    if not comes:
        return merge
    sets = ", ".join(f"{name} = _new.{name}" for name in target.names)
    values = ", ".join(f"_new.{name}" for name in target.names)
    return (
        f"{merge}\nwhen matched and not ({target.same_row}) then update set {sets}\n"
        f"when not matched and _new._upsert then insert ({', '.join(target.names)}) values ({values})"
    )


def insert_sql(relation: str, rows: str) -> str:
    """Return an insert of rows whose columns are found by name."""
    return f"insert into {relation} by name\n{rows}"
