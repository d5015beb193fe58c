"""What waits for a person: views that a project calls concerns, counted when a job publishes, so that nobody starts Spark to ask."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from entrepot.analysis import is_repeatable
from entrepot.errors import EntrepotError
from entrepot.jobs.at_hand import read_at_hand
from entrepot.jobs.counts import Counted
from entrepot.jobs.project import Concern, Node, asking
from entrepot.jobs.state import Job
from entrepot.jobs.verdicts import checksum_of
from entrepot.ledger import PublishedRelation
from entrepot.ledger.concerns import Figures
from entrepot.sql import literal
from entrepot.tables.log import is_later

SQL_KEYS = ("reason", "amount")
EXAMPLE = "meta: {entrepot: {concern: late orders, reason: country, amount: pieces}}"


def concern_of(name: str, is_view: bool, meta: Mapping[str, Any]) -> Concern | None:
    """Return what a node's meta says of it; None where it is no concern.

    Raises:
        EntrepotError: it is no view, or says something that nobody understands

    >>> concern_of("late", True, {"entrepot": {"concern": "late orders", "reason": "country"}})
    Concern(says='late orders', reason='country', amount='1')
    """
    told = meta.get("entrepot")
    if isinstance(told, Mapping):
        told = {key: value for key, value in told.items() if key != "max_age"}  # see `entrepot.jobs.promises`
    if not told:
        return None
    is_understood = isinstance(told, Mapping) and "concern" in told and set(told) <= {"concern", *SQL_KEYS}
    if not is_understood or not all(isinstance(value, (str, int)) for value in told.values()):
        raise EntrepotError(
            f"Model {name} has meta.entrepot {told!r}; accepted are concern, and beside it reason and amount, which are SQL of a row; and max_age.",
            f"For example: {EXAMPLE}.",
        )
    if not is_view:
        raise EntrepotError(
            f"Model {name} has meta.entrepot.concern, but only a view can be a concern.",
            "Take it away, or make a view that selects what waits for somebody, and say it there.",
        )
    return Concern(str(told["concern"]), **{key: str(told[key]) for key in SQL_KEYS if key in told})


def count_early(job: Job, view: Node) -> None:
    """Count what waits in a concern as soon as it is done, while other models run: at the end of the job nothing else would.

    Args:
        job: the job
        view: a view that is as the job leaves it
    """
    if job.publishes and view.concern:
        job.counts.keep(counted(job, [view]))


def counted(job: Job, views: Iterable[Node]) -> dict[str, Counted]:
    """Return the figures of concerns as this job leaves them, {relation: figures}.

    Those of the last snapshot, and those that were counted early, are taken over where nothing that the view reads has changed since;
    all others are counted by one statement together, none where there are none.

    Args:
        job: the job
        views: the views that are concerns, all current
    """
    found: dict[str, Counted] = {}
    stale: list[Node] = []
    for view in views:
        begun = _begun(job, view)
        known = job.counts.taken_over(view.relation, begun)
        found[view.relation] = known or _taken_over(begun, job.relations.published(view.relation)) or begun
        if found[view.relation] is begun:
            stale.append(view)
    for relation, figures in _asked(job, stale).items():
        before = found[relation]
        found[relation] = replace(before, figures=figures, reads=None if figures.problem else before.reads)
    return found


def _begun(job: Job, view: Node) -> Counted:
    """Return what the figures of a view will be counted from; without the figures."""
    assert view.concern is not None, "only concerns are counted"
    upstreams = [upstream.relation for upstream in job.project.upstreams(view)]
    pins = job.relations.pins(upstreams)
    texts = [_waiting(view), *_texts(job, view)]
    is_known = bool(pins) and len(pins) == len(upstreams) and all(map(is_repeatable, texts))
    sql = "\n".join(texts)
    return Counted(
        Figures(view.concern.says), checksum_of(sql), pins if is_known else None, job.relations.read_at(pins)
    )


def _texts(job: Job, view: Node) -> list[str]:
    """Return the text of a view, and those of the views that it reads."""
    inner = [text for one in job.project.views(view) for text in _texts(job, one)]
    return [job.views.text(view.relation), *inner]


def _taken_over(now: Counted, row: PublishedRelation | None) -> Counted | None:
    """Return the figures of the last snapshot; None where it has none, or something that they were counted from has changed."""
    if row is None or not row.concern or row.reads is None or row.sql_hash != now.sql_hash:
        return None
    read_at = json.loads(row.read_at) if row.read_at else {}
    is_other = any(is_later(at, read_at.get(relation)) for relation, at in now.read_at.items())
    if is_other or json.loads(row.reads) != now.reads:
        return None
    return replace(now, figures=replace(Figures.told(row.concern), says=now.figures.says))


def _asked(job: Job, views: Sequence[Node]) -> dict[str, Figures]:
    """Count what waits in some views, {relation: figures}: by one statement; where Spark refuses that, by one for each."""
    if not views:
        return {}
    rows, problem = job.engine.attempt(_count(job, views))
    if problem is not None and len(views) > 1:
        return {relation: figures for view in views for relation, figures in _asked(job, [view]).items()}
    if problem is not None:
        job.engine.tell(f"{views[0].relation} could not be counted: {problem}")
    return {view.relation: _figures(view, rows, problem) for view in views}


def _figures(view: Node, rows: Iterable[Mapping[str, object]], problem: str | None) -> Figures:
    assert view.concern is not None
    if problem is not None:
        return Figures(view.concern.says, problem=problem)
    amounts = {
        None if row["reason"] is None else str(row["reason"]): int(str(row["amount"]))
        for row in rows
        if row["relation"] == view.relation
    }
    return Figures.of(view.concern.says, amounts)


def _count(job: Job, views: Sequence[Node]) -> str:
    """Return SQL of how many each reason of some views has; grouped once, because each grouping is a shuffle."""
    askers = [asking(view.unique_id, view.name, [view.unique_id]) for view in views]
    parts = [read_at_hand(job, asker, _waiting(view)) for asker, view in zip(askers, views, strict=True)]
    waiting = "\nunion all\n".join(parts)
    return (
        "-- entrepot: what waits for a person\n"
        f"select relation, reason, coalesce(sum(amount), 0) as amount from (\n{waiting}\n) group by relation, reason"
    )


def _waiting(view: Node) -> str:
    """Return SQL of why each row of a view waits, and for how many it counts."""
    assert view.concern is not None
    reason, amount = view.concern.reason, view.concern.amount
    return (
        f"select {literal(view.relation)} as relation, cast({reason} as string) as reason, cast({amount} as bigint) as amount "
        f"from {view.relation}"
    )
