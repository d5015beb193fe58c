"""How old what is published may be: what models and exposures promise by `meta: {entrepot: {max_age: …}}`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.spans import span_told

EXAMPLE = "meta: {entrepot: {max_age: 10m}}"


@dataclass(frozen=True, slots=True)
class Promise:
    """That some relations are never older than a span.

    Attributes:
        name: whose promise it is, such as `exposure weekly_report`
        max_age: how old what it reads may be
        nodes: dbt's ids of the relations
    """

    name: str
    max_age: timedelta
    nodes: tuple[str, ...]


def promise_of(name: str, meta: Mapping[str, Any], nodes: Collection[str]) -> Promise | None:
    """Return what the meta of a model or exposure promises; none where it promises nothing.

    Args:
        name: whose it is, such as `model fct_payment`
        meta: what the author says by `meta`
        nodes: dbt's ids of what it is about

    Raises:
        EntrepotError: it is no span

    >>> promise_of("model a", {"entrepot": {"max_age": "10m"}}, ["model.shop.a"])
    Promise(name='model a', max_age=datetime.timedelta(seconds=600), nodes=('model.shop.a',))
    """
    told = meta.get("entrepot")
    if not isinstance(told, Mapping) or "max_age" not in told:
        return None
    span = span_told(str(told["max_age"]))
    if span is None:
        raise EntrepotError(
            f"{name[:1].upper()}{name[1:]} has max_age {told['max_age']!r}; accepted is a number and a unit: s, m, h or d.",
            f"For example: {EXAMPLE}.",
        )
    return Promise(name, span, tuple(nodes))


def promises_on(node: str, promises: Iterable[Promise]) -> str | None:
    """Return the promises on a relation as the books keep them, {name: seconds} as JSON; none where there is none.

    >>> promises_on("a", [Promise("exposure x", timedelta(minutes=1), ("a", "b"))])
    '{"exposure x": 60.0}'
    """
    found = {one.name: one.max_age.total_seconds() for one in promises if node in one.nodes}
    return json.dumps(found, sort_keys=True) if found else None
