"""The versions of every key, by walking over its events in plain Python; written from DESIGN 6, not from the SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TRACKED = ("name", "price")
UNTRACKED = ("note",)
ATTRIBUTES = TRACKED + UNTRACKED


@dataclass(frozen=True)
class Event:
    """One event of the mapped log. `values` is what the after image carries; events order by `at`, then `event_id`; one without `at` has no place."""

    job: int
    at: int | None
    op: str
    schema: str
    area: str | None
    key: str | None
    values: dict[str, Any] = field(default_factory=dict)
    error: str | None = None

    @property
    def event_id(self) -> str:
        """The same for the same event, however often it is delivered."""
        return f"{self.schema} {-1 if self.at is None else self.at:06} {self.op} {self.area} {self.key}"


class Version(NamedTuple):
    """A row of the history."""

    area: str
    key: str
    name: Any
    price: Any
    note: Any
    valid_from: int
    valid_to: int | None
    is_first: bool


def versions(events: Iterable[Event]) -> list[Version]:
    """The history that these events come to."""
    placed = [event for event in events if event.at is not None]
    log = sorted(set_of(placed), key=lambda event: (event.at, event.event_id))
    events_of: dict[tuple[str, str], list[Event]] = {}
    for event in log:
        if event.op != "t" and event.error is None and event.area is not None and event.key is not None:
            events_of.setdefault((event.area, event.key), []).append(event)
    truncates = [event for event in log if event.op == "t"]
    found = []
    for (area, key), of_key in events_of.items():
        schemas = {event.schema for event in of_key}
        life = of_key + [event for event in truncates if event.schema in schemas]
        found += walk(area, key, sorted(life, key=lambda event: (event.at, event.event_id)))
    return found


def set_of(events: Iterable[Event]) -> list[Event]:
    """Every event once."""
    return list({event.event_id: event for event in events}.values())


def walk(area: str, key: str, life: list[Event]) -> list[Version]:
    """The versions of one key from its events in order."""
    found: list[Version] = []
    state: dict[str, Any] | None = None
    for event in life:
        assert event.at is not None
        before, gone = state, event.op in ("d", "t")
        state = None if gone else dict.fromkeys(ATTRIBUTES) | (before or {}) | event.values
        if tracked(state) == tracked(before):
            continue
        if before is not None:
            found[-1] = found[-1]._replace(valid_to=event.at)
        if state is not None:
            found.append(Version(area, key, *state.values(), event.at, None, not found))
    return found


def tracked(state: dict[str, Any] | None) -> list[Any] | None:
    """The values that make a version; None where there is no row."""
    return None if state is None else [state[name] for name in TRACKED]
