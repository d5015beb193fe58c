"""Which versions of tables somebody still needs: published snapshots, models that have not consumed what came since, outboxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from entrepot.outbox.known import KnownOutbox
from entrepot.tables.log import is_later, millis
from entrepot.upkeep.tables import Stored


@dataclass(frozen=True, slots=True)
class Need:
    """A version of a table that somebody needs, with all that came after it.

    Attributes:
        version: the version
        by: who needs it, in words
        since: when the next version was committed, in milliseconds since 1970: files that went then or later have to stay
    """

    version: int
    by: str
    since: int


def needs_of(
    tables: Sequence[Stored],
    outboxes: Iterable[KnownOutbox],
    cutoffs: Mapping[str, int],
    now: int,
) -> dict[str, list[Need]]:
    """Return who needs which versions of each table, {relation: needs}, the oldest version first.

    - A published snapshot, from which queries are answered: each of its tables while it is the newest that has the table, and until the
      retention has passed since a newer one took its place. So a query that runs for less than the retention finds its files.
    - A model, snapshot or outbox that has consumed an upstream up to a version: that one, to compare with, and what came since. One
      that has fallen back by more than the table's own retention computes in full anyway, whatever is there
      (`entrepot.tables.retention`), so nothing is kept for it.

    What the log of a table has forgotten cannot be read any more, and is not needed.

    Args:
        tables: the tables
        outboxes: the outboxes
        cutoffs: {relation: until when what was superseded is let go}, in milliseconds since 1970
        now: the time
    """
    found: dict[str, list[Need]] = {table.relation: [] for table in tables}
    by_name = {table.relation: table for table in tables}
    for table in tables:
        found[table.relation] += _of_snapshots(table, cutoffs[table.relation])
    readers = [(one.relation, *one.consumed()) for one in tables]
    readers += [
        (f"messages in {one.folder}", {one.position.relation: one.position.version},
         {one.position.relation: one.position.committed_at})
        for one in outboxes
    ]  # fmt: skip
    for reader, versions, read_at in readers:
        for relation, version in versions.items():
            upstream = by_name.get(relation)
            if upstream is not None and _is_behind(upstream, version, read_at.get(relation), now):
                by = f"{reader}, which has read it up to version {version}"
                found[relation].append(Need(version, by, upstream.dropped_at(version) or now))
    return {relation: sorted(needs, key=lambda need: need.version) for relation, needs in found.items()}


def _of_snapshots(table: Stored, cutoff: int) -> list[Need]:
    jobs: dict[int, list[int]] = {}
    superseded: datetime | None = None
    for row in table.published:
        superseded_at = millis(superseded)
        if superseded_at is None or superseded_at > cutoff:
            assert row.version is not None
            jobs.setdefault(row.version, []).append(row.number)
        superseded = row.published_at
    found = [(version, _snapshots(numbers), table.dropped_at(version)) for version, numbers in jobs.items()]
    return [Need(version, by, since) for version, by, since in found if since is not None]


def _is_behind(upstream: Stored, version: int, read_at: int | None, now: int) -> bool:
    """Whether a reader that has consumed a version can go on from it, and has something to read."""
    if version >= upstream.version:
        return False
    at = next((commit.at for commit in upstream.commits if commit.version == version), None)
    dropped_at = upstream.dropped_at(version)
    if at is None or dropped_at is None or is_later(at, read_at):
        return False
    return now - dropped_at <= upstream.properties.kept_seconds * 1000


def _snapshots(numbers: Sequence[int]) -> str:
    """Return snapshots in words.

    >>> _snapshots([9, 8, 5]), _snapshots([3])
    ('the snapshots of jobs 5 to 9', 'the snapshot of job 3')
    """
    if len(numbers) == 1:
        return f"the snapshot of job {numbers[0]}"
    return f"the snapshots of jobs {min(numbers)} to {max(numbers)}"
