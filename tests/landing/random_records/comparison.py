"""What has landed against the plain landing: every disagreement as a sentence, with the line it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from typing import Any

from tests.landing.random_records.deliveries import Delivery
from tests.landing.random_records.plain_landing import Event, PlainLanding
from tests.landing.random_records.plain_values import Misfit, is_placeholder, value_of
from tests.landing.random_records.strict_json import Broken, Object, dumped, normal, only_value
from tests.landing.random_records.valid_records import COLUMNS, SETTINGS, envelope_schema
from tests.support.dbt_case import DbtCase

NAME = "regexp_extract(landed_from, '([^/]*)$', 1)"
POSITION = ("log_commit", "log_position", "log_serial")
COMPARED = (
    "source_system",
    "source_database",
    "schema_name",
    "op",
    "committed_at",
    "transaction_id",
    *POSITION,
    "is_typed",
)
NAMES = frozenset(column.name for column in COLUMNS)
FIELDS = frozenset(dumped(field) for field in envelope_schema("thing")["fields"][1]["fields"])


@dataclass
class Comparison:
    """The tables of a project after its jobs, and what should be in them."""

    case: DbtCase
    plain: PlainLanding
    delivery: Delivery

    def disagreements(self) -> list[str]:
        """All of them."""
        return [*self.changes(), *self.lines(), *self.order(), *self.versions()]

    def table(self, name: str) -> str:
        return self.case.table("landing", name)

    def about(self, line: bytes | None) -> str:
        """A line and what has been done to it."""
        if line is None:
            return ""
        done = "; ".join(self.delivery.done.get(line, ("?",)))
        return f"\n    {done}\n    {line[:1500]!r}"

    def line_at(self, place: tuple[str, int]) -> bytes | None:
        """The line at a place of a file."""
        for state in reversed(self.delivery.states):
            lines = state.get(place[0], b"").removeprefix(b"\xef\xbb\xbf").split(b"\n")
            if place[1] <= len(lines):
                return lines[place[1] - 1].rstrip(b"\r")
        return None

    def changes(self) -> Iterator[str]:
        """Every change is there once, and says what it said."""
        waiting = dict.fromkeys(self.plain.changes)
        self.found: dict[str, Event] = {}
        for row in self.case.spark.sql(f"select *, {NAME} as file from {self.table('change_event')}"):
            landed = row.asDict(recursive=True)
            place = (landed["file"], landed["landed_offset"])
            identities = [one for one in self.plain.places.get(place, ()) if one in waiting]
            if not identities:
                known = place in self.plain.places
                yield f"{place}: a change {'twice' if known else 'that is none'}{self.about(self.line_at(place))}"
                continue
            told = self.plain.places[place]
            differences = {one: list(self.differences(landed, told[one])) for one in identities}
            best = min(identities, key=lambda one: len(differences[one]))
            del waiting[best]
            self.found[landed["event_id"]] = told[best]
            for difference in differences[best]:
                yield f"{place}: {difference}{self.about(self.line_at(place))}"
        for identity in waiting:
            places = [place for place, found in self.plain.places.items() if identity in found]
            yield f"{places}: a change is lost{self.about(self.line_at(places[0]))}"

    def differences(self, landed: dict[str, Any], event: Event) -> Iterator[str]:
        """In what a landed change differs from what it should be."""
        said = landed | {name: landed["commit_position"][name] for name in POSITION}
        for name in COMPARED:
            # of a torn source.sequence the SQL may read the first element, plain Python reads none
            if said[name] != getattr(event, name) and not (
                name == "log_commit" and event.log_commit == event.log_position
            ):
                yield f"{name} is {said[name]!r} and should be {getattr(event, name)!r}"
        for name in ("event_key", "before", "after"):
            if normal(said[name]) != normal(getattr(event, name)):
                yield f"{name} is {str(said[name])[:300]!r} and should be {str(getattr(event, name))[:300]!r}"

    def lines(self) -> Iterator[str]:
        """Every other line is there once, as it came, with its reason."""
        waiting = {(name, key[1], key[2]): key for key, names in self.plain.files.items() for name in names}
        found: set[tuple[str, int, bytes]] = set()
        for kind in ("control", "rejected"):
            rows = self.case.spark.answer(
                f"select {NAME}, landed_offset, if(line like 'hex:%', substr(line, 5), hex(line)), reason from {self.table(f'{kind}_event')}"
            )
            for file, offset, text, reason in rows:
                line = bytes.fromhex(text).rstrip(b"\r")  # behind half a character the reader keeps it
                key = waiting.get((file, offset, line))
                if key is None or key in found:
                    yield f"{file} {offset}: {kind}, {reason}, {'none' if key is None else 'twice'}{self.about(line)}"
                    continue
                found.add(key)
                should = self.plain.lines[key]
                if kind != should.kind or reason not in should.reasons:
                    yield f"{file} {offset}: {reason} and should be {' or '.join(sorted(should.reasons))}{self.about(line)}"
        for key in self.plain.lines.keys() - found:
            yield f"{sorted(self.plain.files[key])} {key[1]}: lost, {sorted(self.plain.lines[key].reasons)}{self.about(key[2])}"

    def counts(self, expected: dict[str, Counter[str]]) -> Iterator[str]:
        """What `landed_file` says of the files as they are now."""
        kinds = ("change", "rejected", "waiting")
        rows = self.case.spark.answer(
            f"select {NAME}, records, changes, rejected, waiting from {self.table('landed_file')} "
            "qualify row_number() over (partition by landed_from order by landed_at desc, file_size desc) = 1"
        )
        found = {name: tuple(counts) for name, *counts in rows}
        for name, counts in expected.items():
            should = (sum(counts.values()), *(counts[kind] for kind in kinds))
            if found.get(name) != should:
                last = self.delivery.states[0].get(name, b"").rpartition(b"\n")[2]
                yield f"{name}: records, {', '.join(kinds)} are {found.get(name)} and should be {should}{self.about(last)}"

    def order(self) -> Iterator[str]:
        """The order of a source's changes is that of its log, and commit times do not go back in it, within each of its epochs."""
        logs: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        # damaged positions can look like a server that was restored (tests/landing/test_epochs.py)
        began: dict[tuple[str, str | None], list[datetime]] = {}
        for row in self.case.spark.sql(f"select * from {self.table('source_log')} where epoch_began_at is not null"):
            began.setdefault((row.source_system, row.source_database), []).append(row.epoch_began_at)
        for row in self.case.spark.sql(
            f"select source_system, source_database, commit_position, committed_at from {self.table('change_event')} "
            "where committed_at <= landed_at + interval 1 day"
        ):
            position = row.commit_position.asDict()
            log = tuple(position[name] for name in POSITION)
            source = (row.source_system, row.source_database)
            epoch = sum(at <= row.committed_at for at in began.get(source, ()))
            logs.setdefault((*source, epoch), []).append((log[:2], position["committed_at"], log))
        for system, log in logs.items():
            times = [at for _, at, _ in sorted(log)]
            if times != sorted(times):
                yield f"{system}: commit times go back in the log"

    def versions(self) -> Iterator[str]:
        """An attribute is once in a version, and what has all columns of a registered version is one of it."""
        twice = f"select schema, version, attribute from {self.table('discovered_schema_attribute')} group by all having count(*) > 1"
        for row in self.case.spark.rows(twice):
            yield f"{row}: an attribute twice in a version"
        for event_id, version in self.case.spark.answer(
            f"select event_id, schema_version from {self.table('change_event')}"
        ):
            event = self.found.get(event_id)
            if event is not None and is_mapped(event) and version != 1:
                yield f"{event.schema_name}: version {version} and should be 1\n    {event.after or event.before}"

    def mapped(self) -> Iterator[str]:
        """Values of mapped changes are what was sent, or null with a `mapping_error`."""
        shown = ", ".join(show(column.name, column.canonical) for column in COLUMNS)
        rows = self.case.spark.sql(
            f"select event_id, mapping_error, after is null as nothing, {shown} from {self.case.table('mapped', 'thing')}"
        )
        seen = set()
        for row in rows:
            event = self.found.get(row.event_id)
            if event is None or not is_mapped(event) or event.after is None:
                continue
            seen.add(row.event_id)
            for difference in mapped_differences(event, row.asDict()):
                yield f"{event.schema_name}: {difference}\n    typed: {event.is_typed}, {event.after[:1500]}"
        for event_id, event in self.found.items():
            if is_mapped(event) and event.after is not None and event_id not in seen:
                yield f"{event.schema_name}: not mapped\n    {event.after[:1500]}"


def is_mapped(event: Event) -> bool:
    """Whether an event is of the registered version of the table that is mapped, as far as its embedded schema tells."""
    name = event.schema_name or ""
    return (
        event.attributes == NAMES
        and event.told <= FIELDS
        and name.endswith(".public.thing")
        and name.removesuffix(".public.thing") in SETTINGS
    )


def show(name: str, canonical: str) -> str:
    """SQL of a mapped value as a text."""
    if canonical.startswith("array"):
        return f"to_json(after.{name}) as {name}"
    return f"hex(after.{name}) as {name}" if canonical == "binary" else f"cast(after.{name} as string) as {name}"


def mapped_differences(event: Event, row: dict[str, Any]) -> Iterator[str]:
    """In what a mapped row differs from what plain Python reads; the error has to be there where a value is not."""
    image = only_value(event.after or "{}")
    settings = SETTINGS[event.source_system]
    misfits = []
    for column in COLUMNS:
        value = image[column.name]
        if column.data_type in ("text", "uuid") and isinstance(value, (Object, list)):
            continue  # no such column has one; numbers in it become texts
        try:
            should = value_of(column.data_type, value, settings, event.is_typed)
        except Misfit:
            misfits.append(column.name)
            should = None
        if (
            not same(column.canonical, row[column.name], should)
            and not (column.name in misfits and column.canonical.startswith("array"))
            and not (column.name in misfits and is_rounded(column.canonical, row[column.name], value))
        ):
            yield f"{column.name} is {row[column.name]!r} and should be {should!r}, of {value!r}"[:500]
    if misfits and row["mapping_error"] is None:
        yield f"no mapping_error of {misfits}, {[image[name] for name in misfits]}"
    # what stands for a value that did not change is none of most types
    is_clear = event.before is None and not any(is_placeholder(value) for value in image.values())
    if not misfits and row["mapping_error"] is not None and is_clear:
        yield f"a mapping_error of nothing: {row['mapping_error']}"


def is_rounded(canonical: str, text: str | None, value: Any) -> bool:
    """Whether a mapped decimal is what was sent, rounded to the digits that its type keeps: that may be beside a mapping error (docs/mapping.md)."""
    if text is None or not canonical.startswith("decimal") or not isinstance(value, str):
        return False
    scale = int(canonical.rstrip(")").rpartition(",")[2])
    with localcontext() as context:
        context.prec, context.rounding = 3000, ROUND_HALF_UP
        try:
            return Decimal(text) == Decimal(value).quantize(Decimal(1).scaleb(-scale))
        except InvalidOperation:
            return False


def same(canonical: str, text: str | None, should: Any) -> bool:
    """Whether a mapped value is the one that it should be."""
    if text is None or should is None:
        return text is None and should is None
    if isinstance(should, Decimal):
        return Decimal(text) == should
    if isinstance(should, float):
        return repr(float(text)) == repr(should)
    if isinstance(should, bool):
        return text == str(should).lower()
    if isinstance(should, bytes):
        return text == should.hex().upper()
    if isinstance(should, datetime):
        on = f"{should.year:04}-{should:%m-%d %H:%M:%S}"
        return text == (f"{on}.{should.microsecond:06}".rstrip("0") if should.microsecond else on)
    if isinstance(should, list):
        elements = only_value(text)
        return [None if one is None else str(one) for one in elements] == [
            None if one is None else str(one) for one in should
        ]
    if canonical in ("text", "json"):
        return json_or_text(text) == json_or_text(str(should))
    return text == str(should)


def json_or_text(text: str) -> str | None:
    """A text, or what it says where it is an object or a list of JSON."""
    try:
        return normal(text) if isinstance(only_value(text), (Object, list)) else text
    except Broken:
        return text
