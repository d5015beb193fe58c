"""What a job of `entrepot run` came to, and its line in the log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from entrepot.running.job import JobReport
from entrepot.spans import humanized


@dataclass(frozen=True, slots=True)
class Outcome:
    """One job that has ended.

    Attributes:
        why: what it was started for: `every 5m`, `arrival`, `query`, `start`, `retry` or `change`
        began_at: when, UTC
        ended_at: when, UTC
        report: what dbt did
        failures: how many jobs in a row have failed by now
        pause: how long no job is tried again by itself; nothing after one that passed
    """

    why: str
    began_at: datetime
    ended_at: datetime
    report: JobReport
    failures: int = 0
    pause: timedelta = timedelta()

    @property
    def state(self) -> str:
        """`finished` or `failed`."""
        return "finished" if self.report.success else "failed"


def as_text(outcome: Outcome) -> str:
    """Return the line of a job for people."""
    report = outcome.report
    job = "a job" if report.number is None else f"job {report.number}"
    line = (
        f"{outcome.ended_at:%Y-%m-%d %H:%M:%S} UTC {job} {outcome.state} in {report.seconds:.1f} s ({outcome.why}): {report.summary}; "
        f"{report.rows_read} rows read, {report.rows_written} written"
    )
    if report.success:
        return line
    return f"{line}; next try in {humanized(outcome.pause)}; {' | '.join(report.problems)}"


def as_json_line(outcome: Outcome) -> str:
    """Return the line of a job for programs."""
    report = outcome.report
    return json.dumps(
        {
            "at": outcome.ended_at.isoformat(),
            "event": "job",
            "job": report.number,
            "state": outcome.state,
            "why": outcome.why,
            "began_at": outcome.began_at.isoformat(),
            "seconds": round(report.seconds, 3),
            "relations": report.relations,
            "tests": report.tests,
            "rows_read": report.rows_read,
            "rows_written": report.rows_written,
            "failures": outcome.failures,
            "next_try_seconds": outcome.pause.total_seconds() if outcome.failures else None,
            "problems": report.problems,
        },
        ensure_ascii=False,
    )
