"""Whether what is published is as fresh as models and exposures promise (`meta: {entrepot: {max_age: …}}`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from entrepot.snapshots import PublishedRelation, Snapshot
from entrepot.spans import humanized


@dataclass(frozen=True)
class Kept:
    """How a promise stands.

    Attributes:
        name: whose it is, such as `exposure weekly_report`
        max_age: how old what it reads may be
        relation: the oldest of the relations that it is about
        through: up to when that holds all that its sources have committed, UTC; none where nobody can say
        is_kept: whether that is no longer ago than promised
    """

    name: str
    max_age: timedelta
    relation: str
    through: datetime | None
    is_kept: bool

    def sentence(self, now: datetime) -> str:
        """Return it as a person reads it."""
        is_known = self.through is not None
        age = f"{humanized(now - self.through)} old" if is_known and self.through else "of an age that nobody can say"
        return f"{self.name} promises {humanized(self.max_age)}: {self.relation} is {age}"


def newest_rows(snapshots: Iterable[Snapshot]) -> list[PublishedRelation]:
    """Return what the newest of some snapshots that has a relation says of it; they come newest first."""
    found: dict[str, PublishedRelation] = {}
    for snapshot in snapshots:
        for relation in snapshot.relations.values():
            found.setdefault(relation.name, relation)
    return list(found.values())


def kept_promises(relations: Iterable[PublishedRelation], now: datetime) -> list[Kept]:
    """Return how each promise on some relations stands, by name.

    A promise of several relations is as good as the oldest of them.
    """
    spans: dict[str, float] = {}
    oldest: dict[str, PublishedRelation] = {}
    for relation in relations:
        for name, seconds in json.loads(relation.promises or "{}").items():
            spans[name] = seconds
            before = oldest.get(name)
            if before is None or _is_older(relation, before):
                oldest[name] = relation
    found = []
    for name in sorted(oldest):
        span, relation = timedelta(seconds=spans[name]), oldest[name]
        through = relation.holds_through
        found.append(Kept(name, span, relation.name, through, through is not None and now - through <= span))
    return found


def _is_older(one: PublishedRelation, other: PublishedRelation) -> bool:
    if other.holds_through is None:
        return False
    return one.holds_through is None or one.holds_through < other.holds_through
