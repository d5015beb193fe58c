"""What a run has found: the tables of docs/benchmarks.md, and a picture, beside what OD-ETL 3.6 has found."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from benchmarks.picture import draw_bars

COLOURS = {"here": "#2a6f97", "OD-ETL 3.6": "#e09f3e"}
# seconds of 210 jobs, and queries a second (figures 3.9a to 3.9c)
PIPELINED, SEQUENTIAL, AT_ONCE = 399, 650, 370
QUERIES = {
    "read-heavy": {"snapshot": 2.22, "as they are": 2.30},
    "update-heavy": {"snapshot": 0.82, "as they are": 0.93},
}


def full_job(record: dict[str, Any]) -> dict[str, float]:
    """Return the mean figures of a job that makes everything anew, over those before the chain and after it."""
    full = record["maintenance"]["full"]
    jobs = full["before"] + full["after"]
    return {
        what: statistics.mean(job[what] for job in jobs)
        for what in ("seconds", "cpu_seconds", "statements", "spark_jobs")
    }


def ratios(record: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return {what: {here, OD-ETL 3.6}}: of jobs first, then of queries a second.

    Of jobs CPU seconds here, which other work on the machine changes less, and seconds there.
    """
    chain, batch = record["maintenance"]["chain"], record["maintenance"]["batch"]
    found = {
        "all changes in one job, of the chain": (batch["cpu_seconds"] / chain["cpu_seconds"], AT_ONCE / PIPELINED),
        "the chain, of full (there: sequential) jobs": (
            chain["cpu_seconds"] / (full_job(record)["cpu_seconds"] * chain["jobs"]),
            PIPELINED / SEQUENTIAL,
        ),
    }
    for load, ways in record["throughput"].items():
        theirs = QUERIES[load]
        found[f"{load}: consistent, of unchecked queries"] = (
            ways["snapshot"]["per_second"] / ways["as they are"]["per_second"],
            theirs["snapshot"] / theirs["as they are"],
        )
    return {name: dict(zip(COLOURS, pair, strict=True)) for name, pair in found.items()}


def draw(record: dict[str, Any], path: Path) -> None:
    """Write the picture of a run."""
    heading = f"{record['maintenance']['chain']['jobs']} jobs on TPC-DS scale factor {record['scale']:g}, and queries meanwhile"
    draw_bars(heading, ratios(record), COLOURS, path, left=270)


def markdown(record: dict[str, Any]) -> str:
    """Return the tables of docs/benchmarks.md: jobs, models, queries."""
    chain, batch, full = record["maintenance"]["chain"], record["maintenance"]["batch"], full_job(record)
    jobs = chain["jobs"]

    def line(*cells: object) -> str:
        return f"| {' | '.join(map(str, cells))} |"

    def row(name: str, figures: dict[str, Any], times: int, theirs: str) -> str:
        seconds, cpu = figures["seconds"] * times, figures["cpu_seconds"] * times
        counts = (f"{figures[what] * times:,.0f}" for what in ("statements", "spark_jobs"))
        return line(
            name,
            f"{seconds:,.0f}",
            f"{seconds / chain['seconds']:.2f}",
            f"{cpu:,.0f}",
            f"{cpu / chain['cpu_seconds']:.2f}",
            *counts,
            theirs,
        )

    lines = [
        line(f"{jobs} parts", "seconds", "of the chain's", "CPU seconds", "of the chain's", "statements", "Spark jobs", "OD-ETL 3.6, seconds"),
        line(*["---"] * 8),
        row(f"a chain of {jobs} jobs, each published", chain, 1, f"pipelined {PIPELINED}; sequential {SEQUENTIAL}, 1.63"),
        row("all in one job", batch, 1, f"{AT_ONCE}, 0.93"),
        row(f"{jobs} jobs that make everything anew, by extrapolation", full, jobs, ""),
        "",
        line("model", "rows at the end", "seconds in the chain", "commits", "rows written", "files written, left", "in one job: seconds",
             "rows written", "files written, left"),
        line(*["---"] * 9),
    ]  # fmt: skip
    for name, count in record["maintenance"]["rows"].items():
        cells: list[str] = []
        for mode, seconds in (
            (chain, sum(job["models"][name][0] for job in chain["each"])),
            (batch, batch["models"][name][0]),
        ):
            written = mode["written"][name]
            cells += [f"{seconds:,.1f}"] + ([f"{written['commits']:,}"] if mode is chain else [])
            cells += [f"{written['rows_written']:,}", f"{written['files_written']:,}, {mode['files'][name]:,}"]
        lines.append(line(f"`{name}`", f"{count:,}", *cells))
    lines += [
        "",
        line(
            "load",
            "queries",
            "a second",
            "OD-ETL 3.6",
            "median, slowest tenth",
            "CPU seconds",
            "jobs, median",
            "inconsistent answers",
        ),
        line(*["---"] * 8),
    ]
    for load, ways in record["throughput"].items():
        for way, found in ways.items():
            lines.append(
                line(
                    load, "of a snapshot" if way == "snapshot" else way, f"{found['per_second']:.2f}", f"{QUERIES[load][way]:.2f}",
                    f"{found['median']:.2f}, {found['slow']:.2f} s", f"{found['cpu_seconds']:,.0f}",
                    f"{found['jobs']}, {found['job_median']:.1f} s", f"{found['inconsistent']} of {found['queries']}",
                )
            )  # fmt: skip
    return "\n".join(lines) + "\n"
