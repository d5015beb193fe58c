"""The terms of a sum over changed upstreams: a select once for each place where a changed upstream stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from entrepot.rules.inputs import Bounds, Change, Upstream
from entrepot.rules.reading import Reading
from entrepot.sql import numbered_mentions

Others = Literal["new", "old", "telescoped"]
Within = Mapping[str, Bounds]


@dataclass(frozen=True, slots=True)
class Place:
    """One naming of an upstream in a query, numbered by upstream and then by place."""

    number: str
    upstream: Upstream


@dataclass(frozen=True, slots=True)
class Term:
    """A select in which changed rows of an upstream stand in one place.

    Attributes:
        sql: the select
        relation: the upstream
        is_last: of telescoped terms, whether it reads nothing at OLD
    """

    sql: str
    relation: str
    is_last: bool


def places_of(sql: str, upstreams: Sequence[Upstream]) -> list[Place]:
    """Return every naming of the upstreams in a query."""
    by_table = {upstream.table: upstream for upstream in upstreams}
    return [Place(str(number), by_table[table]) for number, table in enumerate(numbered_mentions(sql, list(by_table)))]


def terms_of(
    sql: str, reading: Reading, changes: Sequence[Change], sign: str, others: Others, within: Within | None = None
) -> list[Term]:
    """Return a select once for each place of the changed upstreams that has rows of `sign`, with these rows in that place.

    Unchanged upstreams are read at the pinned version, within the bounds that the changed rows set.

    Args:
        sql: the select
        reading: how relations are read
        changes: the changed upstreams, in the order of the sum
        sign: '+' for rows that have come, '-' for rows that have gone
        others: how the other places of changed upstreams are read: all NEW; all OLD; or `telescoped`, NEW for those before the
            place and OLD for those behind it, in the order of `changes`: no combination of rows is in two terms
        within: the conditions that changed rows set on other places, {upstream: {its place: {other place: conditions}}}
    """
    places = places_of(sql, reading.task.upstreams)
    order = [
        (place, change) for change in changes for place in places if place.upstream.relation == change.upstream.relation
    ]
    terms = []
    for position, (replaced, change) in enumerate(order):
        if not change.count(sign):
            continue
        behind = {"new": [], "old": order, "telescoped": order[position + 1 :]}[others]
        versions = {place.number: other.consumed for place, other in behind}
        bounds = (within or {}).get(change.upstream.relation, {}).get(replaced.number, {})
        texts: dict[str, list[str | None]] = {}
        for place in places:
            text = reading.at(place.upstream, versions.get(place.number, place.upstream.version))
            if place.number == replaced.number:
                text = change.rows(sign)
            elif place.number in bounds:
                text = f"(select * from {text} where {' and '.join(bounds[place.number])})"
            texts.setdefault(place.upstream.relation, []).append(text)
        terms.append(Term(reading.body(sql, texts), change.upstream.relation, position == len(order) - 1))
    return terms
