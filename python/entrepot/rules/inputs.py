"""What rules are given: the model, what it reads, what has changed there, and whom to ask for the size of things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from entrepot.analysis import Settings, Verdict
from entrepot.sql import TableName

Bounds = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored relation at the version that this job reads.

    Attributes:
        table: its name
        relation: the same as statements write it
        version: the pinned version; none where the relation has no versions
    """

    table: TableName
    relation: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Upstream(Stored):
    """A stored relation that a model reads.

    Attributes:
        name: what the model calls it: `model`, or `source.table`
        unique_key: the columns that tell its rows apart; empty where that is not known
    """

    name: str = ""
    unique_key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """Rows that are on the driver, few, each once.

    Attributes:
        types: the types of their columns, in Spark's words
        rows: their values, as Spark casts them to text
    """

    types: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The net changes of an upstream between the version that a model has consumed, OLD, and the pinned one, NEW.

    Attributes:
        upstream: it
        consumed: the version OLD
        view: a temporary view of the relation's columns and `_delta`, 1 for a row that has come, -1 for one that has gone
        plus: how many rows have come
        minus: how many rows have gone
    """

    upstream: Upstream
    consumed: int
    view: str
    plus: int
    minus: int

    def rows(self, sign: str) -> str:
        """Return SQL of the rows that have come ('+') or gone ('-'), to stand in place of the relation's name."""
        return f"(select * except (_delta) from {self.view} where _delta {'> 0' if sign == '+' else '< 0'})"

    @property
    def signed_rows(self) -> str:
        """SQL of the rows that have come or gone with `_delta`, to stand in place of the relation's name."""
        return f"(select * from {self.view})"

    def count(self, sign: str) -> int:
        """Return how many rows have come ('+') or gone ('-')."""
        return self.plus if sign == "+" else self.minus


@dataclass(frozen=True, slots=True)
class Task:
    """A model that changes of its upstreams are to be brought to.

    Attributes:
        model: its table
        settings: its configuration
        verdict: which rule maintains it, and what the rule needs to know
        body: its SQL, with views inlined
        upstreams: all that it reads
        changes: those whose rows differ
        is_large: whether its table is large, so that stored rows are better not looked up
        scope_always: a condition on changed rows that concern every scope; none for most models
        kept: temporary views that give relations at a version more cheaply than Delta does, {`relation@version`: view}
    """

    model: Stored
    settings: Settings
    verdict: Verdict
    body: str
    upstreams: tuple[Upstream, ...]
    changes: tuple[Change, ...] = ()
    is_large: bool = False
    scope_always: str | None = None
    kept: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, ...]:
        """The model's key columns."""
        return self.settings.unique_key

    @property
    def changed_rows(self) -> int:
        """How many rows of its upstreams have come or gone."""
        return sum(change.plus + change.minus for change in self.changes)

    @property
    def changed_names(self) -> str:
        """The changed upstreams, in words."""
        return f"changed: {', '.join(change.upstream.name for change in self.changes)}"

    @property
    def loses(self) -> bool:
        """Whether rows have gone from any upstream."""
        return any(change.minus for change in self.changes)


class Facts(Protocol):
    """What rules ask of the data, only where they need it."""

    def is_small(self, stored: Stored) -> bool:
        """Whether a relation is small enough to be kept in memory."""

    def bounds(self, view: str, columns: Sequence[str]) -> Mapping[str, str]:
        """Conditions that all values of some columns of a view meet, {column: `between … and …`} (see `rules.bounds`)."""

    def has_any(self, view: str, condition: str) -> bool:
        """Whether any row of a view meets a condition."""

    def listed(self, view: str, columns: Sequence[str]) -> Listed | None:
        """The different values of some columns of a view; none where they are many, not on the driver, or of types whose text is not exact."""
