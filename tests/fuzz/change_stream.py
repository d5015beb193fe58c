"""The source tables and random commits on them: few keys and few values, so that rows meet, move and come back.

A change is data. Applied to the contents of the tables it gives the statement to run and the contents afterwards, and
gives no statement where it would break a unique key: so a stream stays right whatever the shrinker takes out of it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from tests.fuzz.sql_types import NAMES, Row, Type, Value, literal, normal, random_value
from tests.fuzz.tree import Column, Relation

Kind = Literal["insert", "update", "delete", "overwrite", "merge", "truncate", "optimize"]
Contents = dict[str, tuple[Row, ...]]


@dataclass(frozen=True)
class Source:
    """A source table: its key are the first columns. Without `feed`, its changes are the difference of two versions."""

    name: str
    types: tuple[tuple[str, Type], ...]
    key_width: int
    key_may_be_null: bool = False
    feed: bool = True

    @property
    def relation(self) -> Relation:
        """The table as an input of models."""
        columns = tuple(Column(name, type_) for name, type_ in self.types)
        key = tuple(column.name for column in columns[: self.key_width])
        return Relation(columns, key, self.key_may_be_null, self.name, True)

    def key_of(self, row: Row) -> Row:
        """A row's key, in the form that tells whether two are equal."""
        return tuple(normal(value) for value in row[: self.key_width])

    def row_sql(self, row: Row) -> str:
        """A row as SQL for Spark."""
        return f"({', '.join(literal(v, type_, 'spark') for v, (_, type_) in zip(row, self.types, strict=True))})"

    def where(self, keys: tuple[Row, ...]) -> str:
        """The condition for rows of some keys."""
        names = self.types[: self.key_width]
        each = [
            " and ".join(
                f"{name} <=> {literal(v, type_, 'spark')}" for v, (name, type_) in zip(key, names, strict=True)
            )
            for key in keys
        ]
        return " or ".join(f"({one})" for one in each)


SOURCES = (
    Source(
        "orders",
        (("id", "int"), ("k", "int"), ("amount", "decimal"), ("t", "text"), ("moment", "timestamp"), ("tags", "list")),
        1,
    ),
    Source("orders_line", (("k", "int"), ("t", "text"), ("quantity", "int"), ("weight", "double")), 2),
    Source("loose", (("k", "int"), ("t", "text"), ("amount", "decimal"), ("s", "struct")), 2, key_may_be_null=True),
    Source(
        "price",
        (("id", "int"), ("k", "int"), ("from_day", "int"), ("to_day", "int"), ("amount", "decimal")),
        1,
        feed=False,
    ),
    Source("names", (("t", "text"), ("k", "int"), ("weight", "double"), ("moment", "timestamp")), 1),
)
BY_NAME = {source.name: source for source in SOURCES}


@dataclass(frozen=True)
class Change:
    """One commit on a source table.

    Attributes:
        kind: insert `rows`; set `column` to `value` where the key is in `keys` (a key column too: the row moves); delete
            `keys`; overwrite everything by `rows`; merge: delete `keys`, update and insert `rows`, in one commit
    """

    table: str
    kind: Kind
    rows: tuple[Row, ...] = ()
    keys: tuple[Row, ...] = ()
    column: int = 0
    value: Value = None


def create_statement(source: Source, schema: str, rows: tuple[Row, ...]) -> str:
    """Create a source table with its first rows."""
    names = [name for name, _ in source.types]
    columns = ", ".join(f"cast({name} as {NAMES['spark'][type_]}) as {name}" for name, type_ in source.types)
    # a table may be empty: one row that is filtered out says what the columns are
    nobody = tuple(None for _ in names)
    values = _values(source, rows or (nobody,))
    where = "" if rows else " where false"
    return (
        f"create table {schema}.{source.name} using delta tblproperties ('delta.enableChangeDataFeed' = '{str(source.feed).lower()}') "
        f"as select {columns} from values {values} as first({', '.join(names)}){where}"
    )


def apply(change: Change, contents: Contents, schema: str) -> tuple[str | None, Contents]:
    """Return the statement of a change, if it can be made, and the contents after it."""
    source, before = BY_NAME[change.table], contents[change.table]
    name = f"{schema}.{source.name}"
    chosen = {tuple(normal(value) for value in key) for key in change.keys}
    kept = tuple(row for row in before if source.key_of(row) not in chosen)
    if change.kind == "optimize":
        return f"optimize {name}", contents
    statement: str
    after: tuple[Row, ...]
    if change.kind == "truncate":
        statement, after = f"truncate table {name}", ()
    elif change.kind == "overwrite":
        statement, after = f"insert overwrite {name} values {_values(source, change.rows)}", change.rows
    elif change.kind == "delete":
        statement, after = f"delete from {name} where {source.where(change.keys)}", kept
    elif change.kind == "insert":
        statement, after = f"insert into {name} values {_values(source, change.rows)}", (*before, *change.rows)
    elif change.kind == "update":
        column, type_ = source.types[change.column]
        statement = (
            f"update {name} set {column} = {literal(change.value, type_, 'spark')} where {source.where(change.keys)}"
        )
        after = tuple(
            row
            if source.key_of(row) not in chosen
            else (*row[: change.column], change.value, *row[change.column + 1 :])
            for row in before
        )
    else:
        new = {source.key_of(row) for row in change.rows}
        after = (*(row for row in kept if source.key_of(row) not in new), *change.rows)
        statement = _merge(source, name, change)
    keys = [source.key_of(row) for row in after]
    if len(set(keys)) != len(keys) or (not change.rows and change.kind in ("insert", "overwrite")):
        return None, contents
    return statement, contents | {source.name: after}


def _values(source: Source, rows: tuple[Row, ...]) -> str:
    return ", ".join(source.row_sql(row) for row in rows)


def _merge(source: Source, name: str, change: Change) -> str:
    """One merge that deletes the keys that do not come again, and updates or inserts the rows."""
    new = {source.key_of(row) for row in change.rows}
    padding = (None,) * (len(source.types) - source.key_width)
    gone = tuple((*key, *padding) for key in change.keys if tuple(normal(v) for v in key) not in new)
    columns = [column for column, _ in source.types]
    rows = [f"(true, {source.row_sql(row)[1:]}" for row in change.rows] + [
        f"(false, {source.row_sql(row)[1:]}" for row in gone
    ]
    on = " and ".join(f"old.{column} <=> new.{column}" for column in columns[: source.key_width])
    return (
        f"merge into {name} as old using (select * from values {', '.join(rows)} as new(stays, {', '.join(columns)})) as new on {on} "
        f"when matched and not new.stays then delete when matched then update set {', '.join(f'{c} = new.{c}' for c in columns)} "
        f"when not matched and new.stays then insert ({', '.join(columns)}) values ({', '.join(f'new.{c}' for c in columns)})"
    )


def random_row(random_: random.Random, source: Source) -> Row:
    """A row with any key."""
    return tuple(
        random_value(random_, type_, 0.15 if position >= source.key_width or source.key_may_be_null else 0)
        for position, (_, type_) in enumerate(source.types)
    )


def random_rows(random_: random.Random, source: Source, count: int) -> tuple[Row, ...]:
    """Up to `count` rows with different keys."""
    return tuple({source.key_of(row): row for row in (random_row(random_, source) for _ in range(count))}.values())


def random_changes(random_: random.Random, contents: Contents) -> tuple[tuple[Change, ...], Contents]:
    """Draw the commits of one job; return them with the contents afterwards."""
    changes: list[Change] = []
    for _ in range(random_.choice([0, 2, 3, 3, 4, 6, 8])):
        for change in _random_change(random_, contents):
            statement, contents = apply(change, contents, "s")
            if statement:
                changes.append(change)
    return tuple(changes), contents


def _random_change(random_: random.Random, contents: Contents) -> list[Change]:
    """Draw one change; or two, of which the second takes the first back."""
    source = random_.choice(SOURCES)
    table, before = source.name, contents[source.name]
    keys = tuple(
        row[: source.key_width] for row in random_.sample(before, min(len(before), random_.choice([1, 1, 2, 3])))
    )
    kinds = [
        "insert",
        "update",
        "move",
        "delete",
        "again",
        "merge",
        "back",
        "overwrite",
        "truncate",
        "optimize",
        "nothing",
    ]
    kind = random_.choices(kinds, [5, 6, 3, 3, 2, 3, 2, 0.4, 0.3, 0.4, 0.4])[0]
    if kind == "insert" or not before:
        return [Change(table, "insert", random_rows(random_, source, random_.choice([1, 1, 2, 4])))]
    if kind in ("overwrite", "truncate", "optimize"):
        rows = random_rows(random_, source, 8) if kind == "overwrite" else ()
        return [Change(table, kind, rows)]  # type: ignore[arg-type]
    if kind == "merge":
        return [Change(table, "merge", random_rows(random_, source, 3), keys)]
    if kind == "delete":
        return [Change(table, "delete", (), keys)]
    one = next(row for row in before if row[: source.key_width] == keys[0])
    if kind == "again":
        new = random_.choice([one, (*keys[0], *random_row(random_, source)[source.key_width :])])
        return [Change(table, "delete", (), keys[:1]), Change(table, "insert", (new,))]
    position = (
        random_.randrange(source.key_width)
        if kind == "move"
        else random_.randrange(source.key_width, len(source.types))
    )
    if kind == "nothing":
        return [Change(table, "update", (), keys[:1], position, one[position])]
    if kind == "back":
        away = Change(table, "update", (), keys[:1], position, None)
        return [away, Change(table, "update", (), keys[:1], position, one[position])][: random_.choice([1, 2])]
    value = random_row(random_, source)[position]
    return [Change(table, "update", (), keys[:1] if kind == "move" else keys, position, value)]
