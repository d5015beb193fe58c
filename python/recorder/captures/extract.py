"""Capture by extracts: each file is all of one table, and what it has otherwise than the one before is what has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from recorder.captures.differences import Differences, TwiceError
from recorder.captures.envelope import Origin, Table, record_of
from recorder.captures.files import CsvFormat, Extract, open_extract
from recorder.captures.journal import Journal
from recorder.captures.shape import Shape
from recorder.captures.unsent import Unsent
from recorder.errors import RecordError

CONNECTOR = "entrepot-extract"


@dataclass(frozen=True)
class ExtractSettings:
    """One file: all rows of ``table`` at a moment, by default that of the file's last change.

    Without a ``key`` rows are told apart by all of their values. ``most_deletes`` is the share of rows that may be missing.
    """

    file: Path
    prefix: str
    table: str
    out: Path
    state: Path
    key: tuple[str, ...] = ()
    form: CsvFormat = field(default_factory=CsvFormat)
    at: datetime | None = None
    most_deletes: float = 0.5

    def __post_init__(self) -> None:
        """Fail early.

        :raises RecordError: a table without a schema.
        """
        if not all(self.table.partition(".")):
            raise RecordError(
                f"The table {self.table!r} has no schema: write schema.table, for example public.{self.table}."
            )

    @property
    def source_table(self) -> Table:
        """The table by the names that records carry."""
        schema, _, name = self.table.partition(".")
        return Table(schema, name)


def run_extract(settings: ExtractSettings, say: Callable[[str], None]) -> int:
    """Compare the file with the one before, and write what differs. Returns the number of records.

    :raises RecordError: the file cannot be read, is older than the one before, or lacks too many rows; nothing is written.
    """
    identity = {
        "connector": CONNECTOR, "prefix": settings.prefix, "table": settings.table, "key": json.dumps(settings.key),
    }  # fmt: skip
    with open_extract(settings.file, settings.form) as extract:
        at_us = _moment(settings)
        with Journal(settings.out, settings.state, identity) as journal:
            _check_order(settings, journal, at_us)
            unsent = Unsent()
            with journal.batch():
                count = _compare(settings, journal, extract, at_us, unsent)
            unsent.tell(say)
            return count


def _compare(settings: ExtractSettings, journal: Journal, extract: Extract, at_us: int, unsent: Unsent) -> int:
    differences, table = Differences(journal), settings.source_table
    before = differences.count(table)
    _read(settings, differences, extract, at_us)
    gone = differences.remove_absent(table, at_us)
    if gone > settings.most_deletes * before:
        raise RecordError(
            f"{settings.file} lacks {gone} of the {before} rows of the extract before: if that is right, and the file complete, run this again "
            "with --most-deletes 1."
        )
    differences.know(table)
    origin = Origin(CONNECTOR, settings.prefix, None)
    position = max(at_us, int(journal.fact("position") or 0))
    count = journal.append(
        record_of(
            origin, table, found.shape, unsent.noted(table, replace(found.change, position=position, serial=serial))
        )
        for serial, found in enumerate(differences.in_order(), start=1)
    )
    journal.remember("position", str(position + 1))
    journal.remember("extracted at", str(at_us))
    return count


def _read(settings: ExtractSettings, differences: Differences, extract: Extract, at_us: int) -> None:
    table = settings.source_table
    names = [column.name for column in extract.columns]
    unknown = [name for name in settings.key if name not in names]
    if unknown:
        raise RecordError(
            f"{settings.file} has no column {unknown[0]!r}, which is in --key: its columns are {', '.join(names)}."
        )
    shape = differences.as_before(table, Shape(extract.columns, settings.key))
    first = not differences.is_known(table)
    for number, texts in enumerate(extract.rows, start=1):
        try:
            image = shape.image(texts)
            key = shape.key_of(texts) or differences.numbered(shape, image)
            differences.present(table, key)
        except ValueError as error:
            raise RecordError(f"Row {number} of {settings.file} cannot be taken: {error}.") from error
        except TwiceError as error:
            raise RecordError(
                f"Row {number} of {settings.file} has the key {error}, as a row before it: give another --key."
            ) from error
        differences.row(table, shape, key, image, at_us, first)


def _moment(settings: ExtractSettings) -> int:
    """When the extract was made, in microseconds since 1970."""
    if settings.at is not None:
        at = settings.at if settings.at.tzinfo else settings.at.replace(tzinfo=timezone.utc)
        return round(at.timestamp() * 1_000_000)
    return settings.file.stat().st_mtime_ns // 1000


def _check_order(settings: ExtractSettings, journal: Journal, at_us: int) -> None:
    before = int(journal.fact("extracted at") or 0)
    if at_us < before:
        told = [datetime.fromtimestamp(us / 1e6, timezone.utc).isoformat(timespec="seconds") for us in (at_us, before)]
        raise RecordError(
            f"{settings.file} is of {told[0]}, and the extract before of {told[1]}: extracts have to come in their order. If the file's time is "
            "not that of its rows, give that with --at."
        )
