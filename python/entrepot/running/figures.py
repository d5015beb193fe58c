"""What a running process tells about itself: metrics for Prometheus, its health, and a page. Values in, text out."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from entrepot.running.outcomes import Outcome
from entrepot.spans import as_json_moment, humanized

Sample = tuple[Mapping[str, str], float | None]


@dataclass(frozen=True, slots=True)
class Figures:
    """How a running process stands.

    Attributes:
        at: the time, UTC
        version: of entrepot
        plan: when jobs begin, in words
        history: the last jobs, newest first
        jobs: how many have ended, {state: count}
        job_seconds: what they took together
        rows_read: rows that they have read
        rows_written: rows that they have inserted, updated and deleted
        last_success: when the last one that passed ended, UTC; none before the first
        failures: how many in a row have failed
        running_since: since when one runs, UTC
        progress: where that one is, in words; empty where nobody knows
        is_stopping: whether no further one begins
        backlog: files that wait for a job; none where nobody knows
        heard: up to when each source has been heard, UTC, {source: moment}
        queries: how many queries were {answered, refused, failed: count}
        query_seconds: what they took together
    """

    at: datetime
    version: str
    plan: str
    history: tuple[Outcome, ...]
    jobs: Mapping[str, int]
    job_seconds: float
    rows_read: int
    rows_written: int
    last_success: datetime | None
    failures: int
    running_since: datetime | None
    progress: str
    is_stopping: bool
    backlog: int | None
    heard: Mapping[str, datetime | None]
    queries: Mapping[str, int]
    query_seconds: float

    @property
    def status(self) -> str:
        """`stopping`, `failing` (the last job did not pass), `starting` (none has ended yet) or `ok`."""
        if self.is_stopping:
            return "stopping"
        if self.failures:
            return "failing"
        return "ok" if self.history else "starting"

    @property
    def is_healthy(self) -> bool:
        """Whether nobody has to look."""
        return self.status in ("ok", "starting")


def as_metrics(figures: Figures) -> str:
    """Return figures in Prometheus' text format."""
    count = sum(figures.jobs.values())
    ages = {name: None if at is None else (figures.at - at).total_seconds() for name, at in figures.heard.items()}
    families: list[tuple[str, str, str, Iterable[Sample]]] = [
        ("entrepot_info", "gauge", "The version of entrepot.", [({"version": figures.version}, 1)]),
        ("entrepot_jobs_total", "counter", "Jobs that have ended.", [({"state": s}, n) for s, n in figures.jobs.items()]),
        ("entrepot_job_seconds_sum", "counter", "Seconds that jobs took together.", [({}, figures.job_seconds)]),
        ("entrepot_job_seconds_count", "counter", "Jobs in that sum.", [({}, count)]),
        (
            "entrepot_last_job_seconds", "gauge", "Seconds that the last job took.",
            [({}, figures.history[0].report.seconds)] if figures.history else [],
        ),
        ("entrepot_rows_read_total", "counter", "Changed rows that jobs have read.", [({}, figures.rows_read)]),
        (
            "entrepot_rows_written_total", "counter", "Rows that jobs have inserted, updated and deleted.",
            [({}, figures.rows_written)],
        ),
        ("entrepot_job_running", "gauge", "Whether a job is running.", [({}, figures.running_since is not None)]),
        ("entrepot_consecutive_failures", "gauge", "Jobs in a row that have failed.", [({}, figures.failures)]),
        (
            "entrepot_last_success_timestamp_seconds", "gauge", "When the last job that passed ended.",
            [({}, figures.last_success.timestamp() if figures.last_success else None)],
        ),
        (
            "entrepot_source_age_seconds", "gauge", "Seconds since the source was last heard.",
            [({"source": name}, seconds) for name, seconds in ages.items()],
        ),
        ("entrepot_backlog_files", "gauge", "Files that have arrived or grown since the last job.", [({}, figures.backlog)]),
        ("entrepot_queries_total", "counter", "Queries.", [({"result": r}, n) for r, n in figures.queries.items()]),
        ("entrepot_query_seconds_sum", "counter", "Seconds that queries took together.", [({}, figures.query_seconds)]),
    ]  # fmt: skip
    lines: list[str] = []
    for name, kind, says, samples in families:
        known = [(labels, value) for labels, value in samples if value is not None]
        if known:
            lines += [f"# HELP {name} {says}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{_labels(labels)} {float(value):.15g}" for labels, value in known]
    return "\n".join(lines) + "\n"


def as_health(figures: Figures) -> dict[str, Any]:
    """Return how a process stands, as values that JSON has."""
    last = figures.history[0] if figures.history else None
    return {
        "status": figures.status,
        "running_since": as_json_moment(figures.running_since),
        "progress": figures.progress or None,
        "last_success": as_json_moment(figures.last_success),
        "failures": figures.failures,
        "next_try_seconds": last.pause.total_seconds() if last and figures.failures else None,
        "problems": last.report.problems if last and figures.failures else [],
        "backlog_files": figures.backlog,
        "sources": {name: as_json_moment(at) for name, at in figures.heard.items()},
        "version": figures.version,
    }


def as_page(figures: Figures) -> str:
    """Return a page for people: one file, without scripts."""
    jobs = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in _cells(outcome)) + "</tr>\n"
        for outcome in figures.history
    )
    sources = ", ".join(
        f"{name} {f'{humanized(figures.at - at)} ago' if at else 'never'}" for name, at in figures.heard.items()
    )
    facts = [
        f"Status: {figures.status}",
        f"Jobs: {figures.plan}",
        f"A job is running: {figures.progress or 'it begins'}" if figures.running_since else "No job is running",
        f"Files that wait: {'not known' if figures.backlog is None else figures.backlog}",
        f"Sources last heard: {sources or 'none'}",
        f"Queries: {', '.join(f'{count} {result}' for result, count in figures.queries.items())}",
    ]
    items = "".join(f"<li>{html.escape(fact)}</li>\n" for fact in facts)
    head = "".join(
        f"<th>{name}</th>" for name in ("job", "ended (UTC)", "state", "why", "seconds", "read", "written", "problems")
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="10"><title>entrepot: {figures.status}</title>
<style>:root {{ color-scheme: light dark }} body {{ font: 15px system-ui; margin: 2em }}
td, th {{ padding: .2em .8em; text-align: left }}</style></head>
<body><h1>entrepot run</h1>
<ul>
{items}</ul>
<table><thead><tr>{head}</tr></thead><tbody>
{jobs}</tbody></table>
<p><a href="timeline">the chain of jobs</a> <a href="metrics">metrics</a> <a href="health">health</a></p></body></html>
"""


def _cells(outcome: Outcome) -> list[object]:
    report = outcome.report
    return [
        "" if report.number is None else report.number,
        f"{outcome.ended_at:%Y-%m-%d %H:%M:%S}",
        outcome.state,
        outcome.why,
        f"{report.seconds:.1f}",
        report.rows_read,
        report.rows_written,
        " | ".join(report.problems),
    ]


def _labels(labels: Mapping[str, str]) -> str:
    def escaped(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items()) + "}" if labels else ""
