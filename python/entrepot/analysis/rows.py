"""What is known of an operator's rows: which columns follow which mention of an upstream, and what tells rows apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from entrepot.analysis.plan import INTEGERS, Call, Cast, Column, Expression, column_of
from entrepot.analysis.value import Trace, Value

Key = tuple[str, ...]
MOST_KEYS = 16
_INTEGER_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One naming of an upstream in a model's SQL, with what is known of that table.

    Attributes:
        number: its place among all namings, as the plan's alias `_occurrence_<number>` repeats it
        relation: the table's full name
        upstream: the name by which `scope` calls it
        columns: the table's columns with their types
        unique_key: the columns that tell its rows apart; empty where that is not known
    """

    number: str
    relation: str = ""
    upstream: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    unique_key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """A column that aggregates: `of` is the text of its argument and filter, equal for measures of the same values.

    Attributes:
        function: count, count_if, sum, sum_or_zero (`coalesce(sum(…), 0)`), min, max or avg
        type: the column's type; empty as long as it is not known
        sum: for avg, the column with the sum of the same values
        count: for avg, the column with their number
    """

    function: str
    of: str
    type: str = ""
    sum: str | None = None
    count: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups that an operator's rows are, by ids: what it groups by, constants, and measures."""

    groups: tuple[str | None, ...] = ()
    literals: tuple[str | None, ...] = ()
    measures: Mapping[str | None, Measure] = field(default_factory=dict)

    def renamed(self, names: Mapping[str, str]) -> Grouping | None:
        """Return the grouping under other ids, {old: new}; none where one that it groups by has no new id."""
        if any(id_ not in names for id_ in self.groups):
            return None
        return Grouping(
            tuple(names[id_] for id_ in self.groups if id_ is not None),
            tuple(names[id_] for id_ in self.literals if id_ is not None and id_ in names),
            {names[id_]: measure for id_, measure in self.measures.items() if id_ is not None and id_ in names},
        )


@dataclass(frozen=True, slots=True)
class Bridge:
    """A change of a row of `source` concerns only rows that stem from rows of `target` with equal columns, {of source: of target}."""

    source: str
    target: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rows:
    """What the analysis knows of an operator's rows.

    Attributes:
        out: ids of its columns, in their order
        trace: per id and mention a column of the upstream, or an expression over its columns: to know the rows with one value of the
            id's column, rows of the mention with another value of that are not needed
        types: types by ids, where they are known
        leaves: the mentions of upstreams below; an occurrence in a CTE counts once per mention, as `0/<number of the mention>`
        origin: per id the mention and the column or expression over its columns that it is, row by row
        keys: lists of ids that tell rows apart
        pairs: of a full join, per pair of ids that it sets equal the trace of their `coalesce`
        attributes: of a leaf and plain aliases over it, its columns
        bridges: by the mentions that they lead from and to
        is_by_row: whether every row comes from one row of each input
        grouping: the groups that its rows are; none where they are none
    """

    out: tuple[str | None, ...] = ()
    trace: Mapping[str, Trace] = field(default_factory=dict)
    types: Mapping[str, str | None] = field(default_factory=dict)
    leaves: tuple[str, ...] = ()
    origin: Mapping[str, tuple[str, Value]] = field(default_factory=dict)
    keys: tuple[Key, ...] = ()
    pairs: Mapping[tuple[str, str], Trace] = field(default_factory=dict)
    attributes: tuple[Expression, ...] = ()
    bridges: Mapping[tuple[str, str], Bridge] = field(default_factory=dict)
    is_by_row: bool = False
    grouping: Grouping | None = None

    def traced(self, trace: Mapping[str, Trace]) -> Rows:
        """Return these rows with other traces."""
        return replace(self, trace=trace)

    def has_key_in(self, ids: Iterable[str]) -> bool:
        """Return whether columns with these ids tell all rows apart."""
        known = set(ids)
        return any(key and known.issuperset(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What is in the way of following columns through an operator, in words."""

    words: str


UNTOLD_TEXT = Obstacle("a text that looks like a part of a plan")
NESTED_WITH = Obstacle("a WITH clause inside a subquery")


def least_keys(keys: Iterable[Key]) -> tuple[Key, ...]:
    """Return the shortest keys, without those that have another one within them.

    >>> least_keys([("a", "b", "c"), ("c",), ("a", "b"), ("b", "a")])
    (('c',), ('a', 'b'))
    """
    least: dict[frozenset[str], Key] = {}
    for key in sorted((tuple(dict.fromkeys(key)) for key in keys), key=len):
        columns = frozenset(key)
        if not any(other <= columns for other in least):
            least[columns] = key
    return tuple(islice(least.values(), MOST_KEYS))


def keys_renamed(keys: Sequence[Key], names: Mapping[str, Sequence[str]]) -> tuple[Key, ...]:
    """Return keys under other ids, {old: all new}; those that have lost a column are none any more."""
    renamed = (new for key in keys for new in product(*(names.get(id_, ()) for id_ in key)))
    return least_keys(islice(renamed, MOST_KEYS * MOST_KEYS))


def keys_with_equals(keys: Sequence[Key], equal: Iterable[tuple[str, str]]) -> tuple[Key, ...]:
    """Return keys, and those with a column in place of one that always equals it.

    >>> keys_with_equals([("a", "c")], [("a", "b")])
    (('a', 'c'), ('b', 'c'))
    """
    found = tuple(keys)
    for pair in equal:
        swapped = [
            tuple(new if id_ == old else id_ for id_ in key)
            for old, new in (pair, pair[::-1])
            for key in found
            if old in key
        ]
        found = least_keys((*found, *swapped)) if swapped else found
    return found


def same_column(
    expression: Expression, types: Mapping[str, str | None], with_outer: bool = False
) -> tuple[Column, str | None] | None:
    """Return the column, and its integer type, that an expression has the same equalities as.

    That is the column itself, or an integer cast to a wider one: a narrower one would wrap around.
    """
    found = column_of(expression, with_outer)
    if found and found[1] and types.get(found[0].id) not in INTEGERS[: INTEGERS.index(found[1]) + 1]:
        return None
    return found


def distinct_column(expression: Expression, types: Mapping[str, str | None]) -> str | None:
    """Return the id of the column of which an expression has another value for each other value.

    That is the column itself, or a cast of it that keeps its values apart, or casts of that.
    """
    casts = []
    while isinstance(expression, Cast):
        casts.append(expression.type)
        expression = expression.value
    if not isinstance(expression, Column) or expression.is_outer:
        return None
    type_ = types.get(expression.id)
    for to in reversed(casts):
        if not keeps_apart(type_, to):
            return None
        type_ = to
    return expression.id


def keeps_apart(type_: str | None, to: str) -> bool:
    """Return whether a cast gives two values of a type never one of another.

    >>> keeps_apart("int", "bigint"), keeps_apart("bigint", "int"), keeps_apart("date", "string")
    (True, False, True)
    >>> keeps_apart("int", "decimal(10,0)"), keeps_apart("decimal(10,2)", "decimal(9,2)"), keeps_apart("timestamp", "string")
    (True, False, False)
    """
    if type_ == to:
        return type_ is not None
    if type_ in INTEGERS and to in INTEGERS:
        return INTEGERS.index(type_) < INTEGERS.index(to)
    if to == "string":
        return type_ in (*INTEGERS, "date", "boolean", "timestamp_ntz") or _digits(type_) is not None
    if to == "timestamp_ntz":
        # not a timestamp: where a time zone leaves out a day, it begins when the next one does
        return type_ == "date"
    if to == "binary":
        return type_ == "string"
    digits, wide = _digits(type_), _digits(to)
    return digits is not None and wide is not None and digits[0] <= wide[0] and digits[1] <= wide[1]


def _digits(type_: str | None) -> tuple[int, int] | None:
    """Return how many digits a type of exact numbers has before and behind the point; none for other types."""
    if type_ in _INTEGER_DIGITS:
        return _INTEGER_DIGITS[type_], 0
    found = re.fullmatch(r"decimal\((\d+),(\d+)\)", type_ or "")
    return (int(found[1]) - int(found[2]), int(found[2])) if found else None


def equal_columns(
    conditions: Iterable[Expression],
    types: Mapping[str, str | None],
    sides: tuple[Sequence[str | None], Sequence[str | None]],
    with_outer: bool = False,
) -> list[tuple[str, str]]:
    """Return the pairs of ids, one of each side, that conditions set equal, whatever else they ask for."""
    pairs = []
    for condition in conditions:
        if not isinstance(condition, Call) or condition.name not in ("=", "<=>"):
            continue
        columns = [same_column(argument, types, with_outer) for argument in condition.arguments]
        if len(columns) != 2 or columns[0] is None or columns[1] is None:
            continue
        one, other = columns[0][0].id, columns[1][0].id
        if one in sides[0] and other in sides[1]:
            pairs.append((one, other))
        elif other in sides[0] and one in sides[1]:
            pairs.append((other, one))
    return pairs


def bridges_of(rows: Rows) -> dict[tuple[str, str], Bridge]:
    """Return the bridges that an operator shows."""
    columns: dict[tuple[str, str], dict[str, str]] = {}
    for id_, (target, column) in rows.origin.items():
        for source, theirs in rows.trace.get(id_, {}).items():
            if source != target and isinstance(theirs, str) and isinstance(column, str):
                columns.setdefault((source, target), {}).setdefault(theirs, column)
    return {(source, target): Bridge(source, target, found) for (source, target), found in columns.items()}
