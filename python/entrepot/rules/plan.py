"""What a rule answers: how a model is brought from what it has consumed to what this job reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

RuleOfJob = Literal["create", "skip", "join", "aggregate", "scope", "full"]


@dataclass(frozen=True, slots=True)
class Cache:
    """A query whose rows are kept in memory before the plan's SQL is run.

    Attributes:
        view: the temporary view that holds them
        sql: the query
        key: `relation@version` where it is a whole relation, which other models of the job may read there, too
    """

    view: str
    sql: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """How a model is brought up to date.

    Attributes:
        rule: the rule
        reason: why this rule
        upsert: SQL of rows that must be in the model; none where none come
        gone: SQL of the keys of rows that may have to leave it; none where nothing can
        net: in place of both: SQL of the rows that come (`_delta` 1) and go (-1), where the rule knows them
        replaces: whether `upsert` may have rows that are stored under the same key although nothing can leave
        overwrites: whether all rows are to be written, whatever is stored
        rows_read: changed rows of the upstreams; none for rules that read all rows
        caches: what the SQL reads from memory, to be run first, in this order
        listed: conditions that list keys, and what stands for them where the SQL is kept: keys are data, which may have to be erased
        undecided: a view of `caches`; its groups with `_fate` `again` are computed from the upstreams (`aggregate_again`)
    """

    rule: RuleOfJob
    reason: str
    upsert: str | None = None
    gone: str | None = None
    net: str | None = None
    replaces: bool = False
    overwrites: bool = False
    rows_read: int | None = None
    caches: tuple[Cache, ...] = ()
    listed: Mapping[str, str] = field(default_factory=dict)
    undecided: str | None = None
