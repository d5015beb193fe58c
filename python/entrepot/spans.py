"""Spans of time, as a person says them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone


def age(moment: datetime) -> timedelta:
    """Return how long ago a moment was."""
    return datetime.now(timezone.utc) - moment


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
