"""The terms of a sum over changed upstreams: a select once for each place where a changed upstream stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from entrepot.rules.inputs import Bounds, Change, Upstream
from entrepot.rules.reading import Reading
from entrepot.sql import carrying, mentions

Others = Literal["new", "old", "telescoped"]
Sign = Literal["+", "-", "+-"]
Within = Mapping[str, Bounds]


@dataclass(frozen=True, slots=True)
class Place:
    """One naming of an upstream in a query, numbered by upstream and then by place; and where its name begins."""

    number: str
    upstream: Upstream
    start: int


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
    named = [(upstream, mention) for upstream in upstreams for mention in mentions(sql, upstream.table)]
    return [Place(str(number), upstream, mention.start) for number, (upstream, mention) in enumerate(named)]


def terms_of(
    sql: str, reading: Reading, changes: Sequence[Change], sign: Sign, others: Others, within: Within | None = None
) -> list[Term]:
    """Return a select for each place of the changed upstreams that has rows of `sign`, with these rows in that place.

    Unchanged upstreams are read at the pinned version, within the bounds that the changed rows set.

    Args:
        sql: the select
        reading: how relations are read
        changes: the changed upstreams, in the order of the sum
        sign: '+' for rows that have come; '-' for rows that have gone; '+-' for both, with their sign, 1 or -1, as first column `_sign`: in
            one select where its text can carry it, so that the others are joined once
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
        behind = {"new": [], "old": order, "telescoped": order[position + 1 :]}[others]
        versions = {place.number: other.consumed for place, other in behind}
        bounds = (within or {}).get(change.upstream.relation, {}).get(replaced.number, {})
        for select, rows, item in _selects(sql, replaced, change, sign):
            texts: dict[str, list[str | None]] = {}
            for place in places:
                text = reading.at(place.upstream, versions.get(place.number, place.upstream.version))
                if place.number == replaced.number:
                    text = rows
                elif place.number in bounds:
                    text = f"(select * from {text} where {' and '.join(bounds[place.number])})"
                texts.setdefault(place.upstream.relation, []).append(text)
            body = reading.body(select, texts)
            if sign == "+-":
                # a select with a WITH clause stands in no union without parentheses
                body = f"select {item}* from (\n{body}\n)"
            terms.append(Term(body, change.upstream.relation, position == len(order) - 1))
    return terms


def _selects(sql: str, place: Place, change: Change, sign: Sign) -> Iterator[tuple[str, str, str]]:
    """Yield the selects of one place: the text, the rows that stand there, and the item `_sign` where the text does not give it."""
    if sign == "+-" and change.plus and change.minus:
        carried = carrying(sql, "_delta", "_sign", place.start)
        if carried:
            yield carried, change.signed_rows, ""
            return
    for one in sign:
        if change.count(one):
            yield sql, change.rows(one), f"{one}1 as _sign, "
