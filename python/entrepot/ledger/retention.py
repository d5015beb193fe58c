"""Which rows of the books nobody needs any more: never what a published snapshot, or a cost that is looked at, is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from entrepot.ledger.records import (
    JobEvent,
    ModelRun,
    ModelVerdict,
    NodeState,
    PublishedRelation,
    Record,
    SourceCut,
    TableHealth,
)
from entrepot.ledger.store import Store, Wanted

JOBS_KEPT = 200


@dataclass(frozen=True, slots=True)
class Trim:
    """Rows of one table that nobody needs any more.

    Attributes:
        record: the table
        rows: how many there are
        where: the SQL condition that they meet
    """

    record: type[Record]
    rows: int
    where: str


def outdated(store: Store, before: datetime) -> list[Trim]:
    """Return which rows nobody needs any more.

    A job is old where it began before the moment and is none of the newest 200, whose costs are looked at. Of old jobs these rows
    stay: the snapshots that are the newest ones of a relation, whole, because queries on it are answered from them; the newest run
    of each relation, and how its table was found last; the newest cuts of the sources; verdicts that are the newest ones of their
    relation, and those whose SQL a snapshot that stays was made by.

    Args:
        store: the books
        before: rows of jobs that began before it are old
    """
    events = store.read(JobEvent)
    newest = max((event.number for event in events), default=0)
    began = {event.number: event.at for event in events if event.event == "started"}
    old = {number for number, at in began.items() if at < before and number <= newest - JOBS_KEPT}
    # jobs whose events were trimmed before
    oldest_kept = min(began.keys() - old, default=newest)
    published = store.read(PublishedRelation, Wanted(without=("definition", "reads", "read_at", "detail", "concern")))
    current = {row.relation: row.number for row in sorted(published, key=lambda row: row.number)}
    snapshots = {row.number for row in published if row.number < oldest_kept} - set(current.values())
    hashes = {(row.relation, row.sql_hash) for row in published if row.number not in snapshots}
    verdicts = store.read(ModelVerdict, Wanted(without=("sql", "verdict")))
    judged = {row.relation: row.number for row in sorted(verdicts, key=lambda row: row.number)}
    idle = [
        (row.relation, row.number, row.sql_hash)
        for row in verdicts
        if row.number < min(oldest_kept, judged[row.relation]) and (row.relation, row.sql_hash) not in hashes
    ]
    runs = store.read(ModelRun, Wanted(without=("sql", "reason")))
    ran = {row.relation: row.number for row in sorted(runs, key=lambda row: row.number)}
    last_runs = {number for number in ran.values() if number < oldest_kept}
    cuts = store.read(SourceCut)
    newest_cut = max((row.number for row in cuts), default=0)
    health = store.read(TableHealth)
    found_last = {row.relation: row.number for row in sorted(health, key=lambda row: row.number)}
    states = store.read(NodeState, Wanted(without=("checksum",)))
    found = [
        _of_numbers(JobEvent, [event.number for event in events if event.number < oldest_kept]),
        _of_numbers(PublishedRelation, [row.number for row in published if row.number in snapshots]),
        _of_numbers(ModelRun, [row.number for row in runs if row.number < oldest_kept and row.number not in last_runs]),
        _of_numbers(SourceCut, [row.number for row in cuts if row.number < min(oldest_kept, newest_cut)]),
        _of_numbers(
            TableHealth,
            [row.number for row in health if row.number < oldest_kept and row.number not in found_last.values()],
        ),
        _of_numbers(NodeState, [row.number for row in states if row.number < oldest_kept]),
        Trim(ModelVerdict, len(idle), " or ".join(_same_verdict(*one) for one in idle)),
    ]
    return [trim for trim in found if trim.rows]


def _of_numbers(record: type[Record], numbers: Iterable[int]) -> Trim:
    """Return the trim of all rows of some jobs, as ranges of numbers."""
    listed = list(numbers)
    ranges: list[list[int]] = []
    for number in sorted(set(listed)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    where = " or ".join(f"number between {first} and {last}" for first, last in ranges)
    return Trim(record, len(listed), where)


def _same_verdict(relation: str, number: int, sql_hash: str) -> str:
    quoted = relation.replace("'", "''")
    return f"(number = {number} and relation = '{quoted}' and sql_hash = '{sql_hash}')"
