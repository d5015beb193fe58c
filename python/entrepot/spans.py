"""Spans of time, as a person says them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone


def age(moment: datetime) -> timedelta:
    """Return how long ago a moment was."""
    return datetime.now(timezone.utc) - moment


def before(moment: datetime, span: timedelta) -> datetime:
    """Return the moment that was a span before another, the first that there is where that would be before year 1.

    >>> before(datetime(2026, 1, 2), timedelta(days=1)), before(datetime(2026, 1, 2), timedelta(days=999999))
    (datetime.datetime(2026, 1, 1, 0, 0), datetime.datetime(1, 1, 1, 0, 0))
    """
    first = datetime.min.replace(tzinfo=moment.tzinfo)
    return moment - span if span <= moment - first else first


def as_json_moment(moment: datetime | None) -> str | None:
    """Return a moment as JSON has it, in UTC; none for none.

    >>> as_json_moment(datetime(2026, 1, 2, tzinfo=timezone.utc))
    '2026-01-02T00:00:00+00:00'
    """
    return None if moment is None else moment.astimezone(timezone.utc).isoformat()


UNITS = {
    timedelta(seconds=1): ("s", "sec", "secs", "second", "seconds"),
    timedelta(minutes=1): ("m", "min", "mins", "minute", "minutes"),
    timedelta(hours=1): ("h", "hour", "hours"),
    timedelta(days=1): ("d", "day", "days"),
}


def span_told(text: str) -> timedelta | None:
    """Return the span that a text says, a number and a unit; none where it says none.

    >>> span_told("10m"), span_told("1.5 Hours"), span_told("soon")
    (datetime.timedelta(seconds=600), datetime.timedelta(seconds=5400), None)
    """
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*([a-z]+)\s*", text.lower())
    unit = next((size for size, words in UNITS.items() if found and found[2] in words), None)
    return None if found is None or unit is None else float(found[1]) * unit


def humanized(span: timedelta) -> str:
    """Return a span as a person says it, such as `2 min 5 s`.

    >>> humanized(timedelta(seconds=125))
    '2 min 5 s'
    """
    seconds = int(span.total_seconds())
    for unit, size, rest_unit, rest_size in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if seconds >= size:
            rest = seconds % size // rest_size
            return f"{seconds // size} {unit}" + (f" {rest} {rest_unit}" if rest else "")
    return f"{seconds} s"
