"""The versions of every key, by walking over its events in plain Python; written from DESIGN 6, not from the SQL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

ATTRIBUTES = ("name", "price")


@dataclass(frozen=True)
class Event:
    """One event of the mapped log. `values` is what the after image carries; events order by `at`, then `event_id`."""

    job: int
    at: int
    op: str
    schema: str
    area: str | None
    key: str | None
    values: dict[str, Any] = field(default_factory=dict)
    error: str | None = None

    @property
    def event_id(self) -> str:
        """The same for the same event, however often it is delivered."""
        return f"{self.schema} {self.at:06} {self.op} {self.area} {self.key}"


class Version(NamedTuple):
    """A row of the history."""

    area: str
    key: str
    name: Any
    price: Any
    valid_from: int
    valid_to: int | None
    is_first: bool


def versions(events: Iterable[Event]) -> list[Version]:
    """The history that these events come to."""
    log = sorted(set_of(events), key=lambda event: (event.at, event.event_id))
    fed = {}
    for event in log:
        if event.op != "t" and event.error is None and event.area is not None and event.key is not None:
            fed.setdefault((event.area, event.key), set()).add(event.schema)
    found = []
    for (area, key), schemas in fed.items():
        life = [
            event for event in log
            if event.error is None and (
                (event.area, event.key) == (area, key) or (event.op == "t" and event.schema in schemas)
            )
        ]  # fmt: skip
        found += walk(area, key, life)
    return found


def set_of(events: Iterable[Event]) -> list[Event]:
    """Every event once."""
    return list({event.event_id: event for event in events}.values())


def walk(area: str, key: str, life: list[Event]) -> list[Version]:
    """The versions of one key from its events in order."""
    found: list[Version] = []
    state: dict[str, Any] | None = None
    for event in life:
        gone = event.op in ("d", "t")
        after = None if gone else dict.fromkeys(ATTRIBUTES) | (state or {}) | event.values
        if after == state:
            continue
        if state is not None:
            found[-1] = found[-1]._replace(valid_to=event.at)
        if after is not None:
            found.append(Version(area, key, after["name"], after["price"], event.at, None, not found))
        state = after
    return found
