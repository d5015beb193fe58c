"""What the page knows, as rows of numbers and names that `chain.js` reads: all of it is in the books.

Words (rules, reasons, ways of writing) and relations stand once and are numbers everywhere else; moments are milliseconds since 1970, UTC.
500 jobs of 60 models are 30,000 rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import IntEnum
from typing import NamedTuple

from entrepot.ledger import Ledger, ModelRun, PastJob, SourceCut, past_jobs
from entrepot.ledger.concerns import Figures
from entrepot.promises import kept_promises, newest_rows
from entrepot.snapshots import RECENT_JOBS, counted_views, published_snapshots
from entrepot.tables.log import millis

# what is not there
NONE = -1
WHOLE = ("create", "full")


class Outcome(IntEnum):
    """What a job did with a relation, as a reader sees it."""

    CHANGES = 0
    """What had changed was computed."""
    UNCHANGED = 1
    WHOLE = 2
    """All of its rows were computed."""
    FAILED = 3
    SKIPPED = 4
    """It was left out, because something before it had failed."""
    VIEW = 5


class RunRow(NamedTuple):
    """A relation in a job; words and relations are numbers, milliseconds count from the job's beginning, NONE is what nobody knows."""

    relation: int
    outcome: int
    rule: int
    reason: int
    path: int
    rows_read: int
    inserted: int
    updated: int
    deleted: int
    statements: int
    start: int
    milliseconds: int


class JobRow(NamedTuple):
    """A job; `ended` is NONE where it runs or was killed, `detail` what failed."""

    number: int
    command: str
    state: str
    is_published: int
    started: int
    ended: int
    detail: str
    runs: list[RunRow]


class SourceRow(NamedTuple):
    """A source system; `points` are (job, when the job had landed what had arrived, up to when the source had been heard), oldest first."""

    name: str
    points: list[tuple[int, int, int]]


class WaitingRow(NamedTuple):
    """What waits for somebody: what it is, how many (NONE where they could not be counted), the commonest reasons, the job that counted it."""

    says: str
    total: int
    reasons: list[tuple[str, int]]
    more: int
    problem: str
    job: int


class Content(NamedTuple):
    """All that the page knows: jobs newest first; `earlier` is how many jobs before them are left out, `progress` where a running job is."""

    project: str
    at: int
    earlier: int
    words: list[str]
    relations: list[str]
    jobs: list[JobRow]
    sources: list[SourceRow]
    waiting: list[WaitingRow]
    broken: list[str]
    progress: str


@dataclass(slots=True)
class _Numbers:
    """Texts by number."""

    texts: dict[str, int] = field(default_factory=dict)

    def of(self, text: str | None) -> int:
        return NONE if not text else self.texts.setdefault(text, len(self.texts))


def content(ledger: Ledger, project: str = "", most: int = 500) -> Content:
    """Return what the page shows of a warehouse.

    Args:
        ledger: its books
        project: the dbt project's name
        most: of how many newest jobs
    """
    now = datetime.now(timezone.utc)
    past = list(past_jobs(ledger.jobs(most)))
    first = past[-1].number if past else 1
    snapshots, words, relations = published_snapshots(ledger, RECENT_JOBS), _Numbers(), _Numbers()
    runs: dict[int, list[ModelRun]] = {}
    for run in ledger.runs_since(first):
        runs.setdefault(run.number, []).append(run)
    published = ledger.published_jobs(first)
    jobs = [_job(job, job.number in published, runs.get(job.number, ()), words, relations) for job in past]
    return Content(
        project,
        _milliseconds(now),
        first - 1,
        list(words.texts),
        list(relations.texts),
        jobs,
        _sources(ledger.all_cuts(first)),
        [_waiting(figures, number) for _view, number, figures in counted_views(snapshots)],
        [one.sentence(now) for one in kept_promises(newest_rows(snapshots), now) if not one.is_kept],
        str(ledger.progress() or ""),
    )


def _job(job: PastJob, is_published: bool, runs: Iterable[ModelRun], words: _Numbers, relations: _Numbers) -> JobRow:
    return JobRow(
        job.number,
        job.command,
        job.state,
        int(is_published),
        _milliseconds(job.started_at),
        _milliseconds(job.ended_at),
        job.detail or "",
        [_run(run, job.started_at, words, relations) for run in runs],
    )


def _run(run: ModelRun, began: datetime, words: _Numbers, relations: _Numbers) -> RunRow:
    start = NONE if run.started_at is None else max(0, _milliseconds(run.started_at) - _milliseconds(began))
    return RunRow(
        relations.of(run.relation),
        outcome_of(run),
        words.of(run.rule),
        words.of(run.reason),
        words.of(run.apply_path),
        _known(run.rows_read),
        _known(run.rows_inserted),
        _known(run.rows_updated),
        _known(run.rows_deleted),
        _known(run.statements),
        start,
        round(1000 * (run.seconds or 0)),
    )


def outcome_of(run: ModelRun) -> Outcome:
    """Return what a job did with a relation."""
    if run.status == "skipped":
        return Outcome.SKIPPED
    if run.status != "success":
        return Outcome.FAILED
    if run.rule == "skip":
        return Outcome.UNCHANGED
    if run.rule == "view":
        return Outcome.VIEW
    return Outcome.WHOLE if run.rule in WHOLE else Outcome.CHANGES


def _sources(cuts: Iterable[SourceCut]) -> list[SourceRow]:
    found: dict[str, list[tuple[int, int, int]]] = {}
    for cut in cuts:
        if cut.at is not None:
            found.setdefault(cut.source_system, []).append(
                (cut.number, _milliseconds(cut.at), _milliseconds(cut.heard_at))
            )
    return [SourceRow(name, found[name]) for name in sorted(found)]


def _waiting(figures: Figures, number: int) -> WaitingRow:
    reasons = [(reason or "", amount) for reason, amount in figures.reasons]
    return WaitingRow(figures.says, _known(figures.total), reasons, figures.more_reasons, figures.problem or "", number)


def _known(count: int | None) -> int:
    return NONE if count is None else count


def _milliseconds(moment: datetime | None) -> int:
    return _known(millis(moment))
