"""How a plan reads relations: at which version, and from memory where they are there."""

from __future__ import annotations

import hashlib
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence

from entrepot.rules.inputs import Change, Facts, Stored, Task, Upstream
from entrepot.rules.plan import Cache
from entrepot.sql import TableName, substitute

# Spark's schema of temporary views that all sessions see, so that models which run side by side share them
GLOBAL_TEMPORARY = "global_temp"


def shared_name(owner: str, *parts: int | str) -> str:
    """Return a name for a temporary view: all sessions of a Spark see it, so the checksum of whose it is keeps two owners' apart."""
    checksum = hashlib.md5(owner.encode(), usedforsecurity=False).hexdigest()[:8]
    return f"{GLOBAL_TEMPORARY}.{'_'.join([*map(str, parts), checksum])}"


def temporary_name(kind: str, stored: Stored, *parts: int | str) -> str:
    """Return a name for a temporary view about a relation: what it is, the relation's name, versions or numbers.

    The checksum of the full name keeps `a.b_c` and `a_b.c` apart.

    >>> temporary_name("kept", Stored(TableName("a", "b-c"), "a.`b-c`"), 3)
    'global_temp.kept_b_c_3_0af083ab'
    """
    identifier = re.sub(r"\W", "_", stored.table.identifier)
    return shared_name(stored.relation, kind, identifier, *parts)


def at_version(stored: Stored, version: int | None, kept: Mapping[str, str]) -> str:
    """Return SQL that stands for a relation at a version: what is kept in memory, else a time travel."""
    if version is None:
        return stored.relation
    return kept.get(f"{stored.relation}@{version}") or f"{stored.relation} version as of {version}"


def body_at(
    body: str,
    upstreams: Iterable[Upstream],
    kept: Mapping[str, str],
    places: Mapping[str, Sequence[str | None]] | None = None,
) -> str:
    """Return a model's SQL with every upstream read at its pinned version.

    Args:
        body: the SQL
        upstreams: what it reads
        kept: what is in memory
        places: what stands in place of an upstream instead, {relation: one for each occurrence, none for the version}
    """
    texts: dict[TableName, Sequence[str | None]] = {}
    for upstream in upstreams:
        pinned = at_version(upstream, upstream.version, kept)
        texts[upstream.table] = [place or pinned for place in (places or {}).get(upstream.relation) or [None]]
    return substitute(body, texts)


class Reading:
    """How one plan reads: notes what has to be brought into memory first, and what lists keys (see `Plan`)."""

    def __init__(self, task: Task, facts: Facts) -> None:
        """Begin with what is in memory already."""
        self.task, self._facts = task, facts
        self._kept = ChainMap[str, str]({}, task.kept)  # type: ignore[arg-type]  # only the first map is written
        self.caches: list[Cache] = []
        self.listed: dict[str, str] = {}

    def new(self, upstream: Upstream) -> str:
        """Return SQL of a relation as the job reads it, NEW."""
        return self.at(upstream, upstream.version)

    def at(self, stored: Stored, version: int | None) -> str:
        """Return SQL of a relation at a version."""
        return at_version(stored, version, self._kept)

    def stored_model(self) -> str:
        """Return SQL of the model's rows before this job."""
        return self.at(self.task.model, self.task.model.version)

    def body(self, sql: str, places: Mapping[str, Sequence[str | None]] | None = None) -> str:
        """Return a query of the model's upstreams at their pinned versions, but for `places` (see `body_at`)."""
        return body_at(sql, self.task.upstreams, self._kept, places)

    def cached(self, kind: str, sql: str, *parts: int) -> str:
        """Have the rows of a query in memory, and return the view's name."""
        view = temporary_name(kind, self.task.model, *parts)
        self.caches.append(Cache(view, sql))
        return view

    def keep_inputs(self, changes: Iterable[Change] = ()) -> None:
        """Keep what several terms read in memory, where it is small: NEW of every upstream, and OLD of some changed ones.

        Each mention of a Delta table costs Spark a job of its own before a row is read.
        """
        for upstream in self.task.upstreams:
            self._keep(upstream, upstream.version)
        for change in changes:
            self._keep(change.upstream, change.consumed)

    def _keep(self, upstream: Upstream, version: int | None) -> None:
        key = f"{upstream.relation}@{version}"
        if version is None or key in self._kept or not self._facts.is_small(upstream):
            return
        view = temporary_name("kept", upstream, version)
        self.caches.append(Cache(view, f"select * from {upstream.relation} version as of {version}", key))
        self._kept[key] = view
