"""Dates and times: from the texts of PostgreSQL and DuckDB to the counts and texts that Debezium sends.

Python's own types end at the year 9999 and at microseconds; these functions do not. A text that is none raises ValueError.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_DATE = r"(?P<year>\d{4,})-(?P<month>\d\d)-(?P<day>\d\d)"
_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
_ZONE = r"(?P<zone>Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)"
_ERA = r"(?P<era> \(?BC\)?)?"
_DATE_TEXT = re.compile(f"{_DATE}{_ERA}")
_TIME_TEXT = re.compile(_TIME)
_MOMENT_TEXT = re.compile(f"{_DATE}(?:[T ]{_TIME})? ?{_ZONE}?{_ERA}")

DAY = 86_400
NANOS = 1_000_000_000


class Moment(NamedTuple):
    """Nanoseconds since 1970 as the text has them, and by how many seconds its time zone is ahead of UTC (None: no zone)."""

    nanos: int
    ahead: int | None


def days_since_1970(text: str) -> int:
    """The day of a date such as ``2026-03-01`` or ``0044-03-15 BC``, in the proleptic Gregorian calendar."""
    return _days(_matched(_DATE_TEXT, text))


def nanos_of_day(text: str) -> int:
    """Nanoseconds since midnight of a time such as ``10:11:12.5``; ``24:00:00`` is a whole day."""
    return _nanos(_matched(_TIME_TEXT, text))


def moment(text: str) -> Moment:
    """A date with a time (``T`` or a blank between them), and perhaps a time zone; without a time it is midnight."""
    found = _matched(_MOMENT_TEXT, text)
    nanos = _days(found) * DAY * NANOS + (_nanos(found) if found["hour"] else 0)
    zone = found["zone"]
    if not zone:
        return Moment(nanos, None)
    digits = zone[1:].replace(":", "").ljust(6, "0")
    ahead = 0 if zone == "Z" else int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:])
    return Moment(nanos, -ahead if zone[0] == "-" else ahead)


def count(nanos: int, digits: int) -> int:
    """Nanoseconds as a count of units with so many decimal digits of a second: 3 are milliseconds.

    :raises ValueError: the count would lose digits.
    """
    unit = 10 ** (9 - digits)
    if nanos % unit:
        raise ValueError(f"more than {digits} digits of a second")
    return nanos // unit


def utc_text(nanos: int, digits: int) -> str:
    """Nanoseconds since 1970 in UTC as ISO text, as Debezium sends it: ``2026-03-01T10:11:12.120000Z``."""
    days, rest = divmod(nanos, DAY * NANOS)
    year, month, day = _civil(days)
    seconds, fraction = divmod(rest, NANOS)
    shown = f"+{year}" if year > 9999 else f"-{-year:04d}" if year < 0 else f"{year:04d}"
    text = f"{shown}-{month:02d}-{day:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{count(fraction, digits):0{digits}d}Z" if digits else f"{text}Z"


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"not written as {'2026-03-01' if pattern is _DATE_TEXT else '2026-03-01 10:11:12'}")
    return found


def _days(found: re.Match[str]) -> int:
    """Days since 1970; months are counted from March, so that a leap day is the last day of a year."""
    year, month, day = int(found["year"]), int(found["month"]), int(found["day"])
    if found["era"]:
        year = 1 - year
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= month <= 12 and 1 <= day <= lengths[month - 1]):
        raise ValueError("no day of the calendar")
    if month <= 2:
        year -= 1
    in_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + in_year - 719_468


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970: the other way round."""
    days += 719_468
    era, of_era = divmod(days, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return era * 400 + year + (month <= 2), month, day


def _nanos(found: re.Match[str]) -> int:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    nanos = (hour * 3600 + minute * 60 + second) * NANOS + int((found["fraction"] or "").ljust(9, "0"))
    if minute > 59 or second > 59 or nanos > DAY * NANOS:
        raise ValueError("no time of a day")
    return nanos
