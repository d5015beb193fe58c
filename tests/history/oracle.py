"""The versions of every key, by walking over its events in plain Python; written from DESIGN 6, not from the SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TRACKED = ("name", "price")
UNTRACKED = ("note",)
ATTRIBUTES = TRACKED + UNTRACKED
# where systems have an order: who wins, of each attribute
SYSTEMS = ("plant", "shop")
ORDERS = {"name": ("plant", "shop", "other"), "price": ("shop", "plant", "other"), "note": ("plant", "shop", "other")}


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
    def system(self) -> str:
        """The source system: the last part of the schema's name without its number; `other` is one that no config names."""
        return self.schema.rpartition(".")[2].rstrip("0123456789")

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


def versions(events: Iterable[Event], by_system: bool = False) -> list[Version]:
    """The history that these events come to; `by_system` where systems have an order."""
    placed = [event for event in events if event.at is not None]
    log = sorted(set_of(placed), key=place)
    events_of: dict[tuple[str, str], list[Event]] = {}
    for event in log:
        if event.op != "t" and event.error is None and event.area is not None and event.key is not None:
            events_of.setdefault((event.area, event.key), []).append(event)
    truncates = [event for event in log if event.op == "t"]
    found = []
    for (area, key), of_key in events_of.items():
        # of an earlier one the key was none of the schema's yet
        begins = {event.schema: event for event in reversed(of_key)}
        life = of_key + [one for one in truncates if one.schema in begins and place(one) > place(begins[one.schema])]
        states = states_by_system if by_system else states_together
        found += walk(area, key, states(sorted(life, key=place)))
    return found


def place(event: Event) -> tuple[int, str]:
    """Where an event that has a place stands in the log."""
    assert event.at is not None
    return event.at, event.event_id


def set_of(events: Iterable[Event]) -> list[Event]:
    """Every event once."""
    return list({event.event_id: event for event in events}.values())


State = dict[str, Any] | None


def states_together(life: list[Event]) -> Iterator[tuple[int, State]]:
    """After each event the values that a key has; None where it is not there."""
    state: State = None
    for event in life:
        gone = event.op in ("d", "t")
        state = None if gone else dict.fromkeys(ATTRIBUTES) | (state or {}) | event.values
        assert event.at is not None
        yield event.at, state


def states_by_system(life: list[Event]) -> Iterator[tuple[int, State]]:
    """The same where each system has a life of the key of its own, and the first one that has a value wins."""
    states: dict[str, State] = {}
    lives: dict[str, list[Event]] = {}
    for event in life:
        lives.setdefault(event.system, []).append(event)
        *_, (at, states[event.system]) = states_together(lives[event.system])
        there = {system: state for system, state in states.items() if state is not None}
        known = {name: [there[one][name] for one in ORDERS[name] if one in there] for name in ATTRIBUTES}
        firsts = {name: next((value for value in known[name] if value is not None), None) for name in ATTRIBUTES}
        yield at, firsts if there else None


def walk(area: str, key: str, states: Iterable[tuple[int, State]]) -> list[Version]:
    """The versions of one key from what it is after each of its events."""
    found: list[Version] = []
    before: State = None
    for at, state in states:
        if tracked(state) != tracked(before):
            if before is not None:
                found[-1] = found[-1]._replace(valid_to=at)
            if state is not None:
                found.append(Version(area, key, *state.values(), at, None, not found))
        before = state
    return found


def tracked(state: dict[str, Any] | None) -> list[Any] | None:
    """The values that make a version; None where there is no row."""
    return None if state is None else [state[name] for name in TRACKED]
