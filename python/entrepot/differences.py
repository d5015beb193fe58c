"""What has changed between two snapshots: rows added, changed and removed, table by table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from entrepot.errors import NotInSnapshotError
from entrepot.snapshots import PublishedRelation, Snapshot, refuse_unreadable
from entrepot.sql import quoted

Ask = Callable[[str], list[dict[str, Any]]]


@dataclass(frozen=True)
class Difference:
    """What has become of one table.

    Attributes:
        relation: its name
        added, removed: rows that came and went: by the table's key, where it is known, else by all of their values
        changed: rows of the same key with other values; None where no key is known
        columns: columns that came (`+name`) and went (`-name`); these are not compared
        only_in: which of the two snapshots has the table; None where both have it
    """

    relation: str
    added: int = 0
    removed: int = 0
    changed: int | None = None
    columns: tuple[str, ...] = ()
    only_in: str | None = None

    @property
    def is_none(self) -> bool:
        """Whether nothing has changed."""
        return not (self.added or self.removed or self.changed or self.columns or self.only_in)


def differences(before: Snapshot, after: Snapshot, ask: Ask, names: Collection[str] = ()) -> Iterator[Difference]:
    """Yield what has become of each table between two snapshots, by name; views are not compared.

    Args:
        before: the earlier one
        after: the later one
        ask: runs a statement on the warehouse
        names: the tables that are asked for; all where there are none

    Raises:
        NotInSnapshotError: neither has a table that is asked for, or one was made anew since it was published
    """
    wanted = _named(before, after, names)
    for name in wanted:
        old, new = before.relations.get(name), after.relations.get(name)
        if old is None or new is None:
            yield Difference(name, only_in="before" if new is None else "after")
        elif old.version is not None and new.version is not None:
            refuse_unreadable(old)
            refuse_unreadable(new)
            yield (
                Difference(name)
                if (old.location, old.version) == (new.location, new.version)
                else _compared(old, new, ask)
            )


def _named(before: Snapshot, after: Snapshot, names: Collection[str]) -> list[str]:
    if not names:
        return sorted(name for name, one in (before.relations | after.relations).items() if one.version is not None)
    found = {name: after.resolve(name) or before.resolve(name) for name in names}
    missing = [name for name, relation in found.items() if relation is None]
    if missing:
        raise NotInSnapshotError(
            f"Neither snapshot has {', '.join(missing)}.", "`entrepot status --relations` lists what is published."
        )
    return sorted(relation.name for relation in found.values() if relation is not None)


def _compared(old: PublishedRelation, new: PublishedRelation, ask: Ask) -> Difference:
    """Count rows by one statement: each row, and its key, as JSON text with nulls."""
    tables = [f"delta.`{one.location}` version as of {one.version}" for one in (old, new)]
    columns = [[row["col_name"] for row in ask(f"describe query select * from {table}")] for table in tables]
    shared = [name for name in columns[0] if name in columns[1]]
    key = new.unique_key if set(new.unique_key) <= set(shared) else ()
    moved = tuple(
        [f"+{name}" for name in columns[1] if name not in shared]
        + [f"-{name}" for name in columns[0] if name not in shared]
    )
    row = ask(_keyed(tables, shared, key) if key else _unkeyed(tables, shared))[0]
    return Difference(new.name, row["added"], row["removed"], row["changed"] if key else None, moved)


def _keyed(tables: Sequence[str], shared: Sequence[str], key: Sequence[str]) -> str:
    old, new = (f"select {_text(key)} as k, {_text(shared)} as r from {table}" for table in tables)
    return (
        "select count_if(old.k is null) as added, count_if(new.k is null) as removed, count_if(old.r != new.r) as changed "
        f"from ({old}) as old full outer join ({new}) as new on old.k = new.k"
    )


def _unkeyed(tables: Sequence[str], shared: Sequence[str]) -> str:
    old, new = (
        f"select {_text(shared)} as r, {sign} as n from {table}" for sign, table in zip((-1, 1), tables, strict=True)
    )
    return (
        "select coalesce(sum(greatest(n, 0)), 0) as added, coalesce(sum(greatest(-n, 0)), 0) as removed, 0 as changed "
        f"from (select sum(n) as n from ({old} union all {new}) group by r)"
    )


def _text(columns: Sequence[str]) -> str:
    return f"to_json(struct({', '.join(map(quoted, columns))}), map('ignoreNullFields', 'false'))"
