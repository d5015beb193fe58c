"""Which source system wins where several feed one entity: config `survivorship` of a history."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from entrepot.errors import ModelError

EXAMPLE = "survivorship: {systems: [plant, shop], attributes: {price: [shop]}}"


@dataclass(frozen=True, slots=True)
class Survivorship:
    """The order in which systems win.

    Attributes:
        systems: those that the config names, in their order; all others together come after them
        orders: {attribute: the systems in its order}
    """

    systems: tuple[str, ...]
    orders: Mapping[str, tuple[str, ...]]


def survivorship_of(model: str, config: object, attributes: Collection[str]) -> Survivorship | None:
    """Return the order in which systems win; none where a history does not say one.

    >>> survivorship_of("h", {"systems": ["a", "b"], "attributes": {"price": ["b"]}}, ["name", "price"]).orders
    {'name': ('a', 'b'), 'price': ('b', 'a')}

    Args:
        model: the history's name, for the message
        config: its config `survivorship`
        attributes: the attributes that it has

    Raises:
        ModelError: the config is something else, or names an attribute or a system that is not there
    """
    if config is None:
        return None
    if not isinstance(config, Mapping) or not set(config) <= {"systems", "attributes"} or "systems" not in config:
        raise _refused(model, f"has survivorship {config!r}", "its fields are systems and attributes")
    systems, orders = _names(model, config["systems"]), config.get("attributes") or {}
    if not isinstance(orders, Mapping):
        raise _refused(model, f"has survivorship of attributes {orders!r}", "it says the systems of each attribute")
    if unknown := sorted(set(orders) - set(attributes)):
        raise _refused(
            model, f"has survivorship of {', '.join(unknown)}", f"its attributes are {', '.join(attributes)}"
        )
    return Survivorship(systems, {name: _order(model, systems, orders.get(name) or ()) for name in attributes})


def _order(model: str, systems: tuple[str, ...], first: object) -> tuple[str, ...]:
    """The systems, those of an attribute before the others."""
    names = _names(model, first) if first else ()
    if unknown := [name for name in names if name not in systems]:
        accepted = f"its systems are {', '.join(systems)}; add {', '.join(unknown)} to systems, which name all that win for any attribute"
        raise _refused(model, f"has survivorship by {', '.join(unknown)}", accepted)
    return (*names, *(name for name in systems if name not in names))


def _names(model: str, value: object) -> tuple[str, ...]:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    names: list[Any] = list(value) if is_list else []  # type: ignore[call-overload]
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise _refused(model, f"has survivorship by {value!r}", "systems are a list of names, each once")
    return tuple(names)


def _refused(model: str, given: str, accepted: str) -> ModelError:
    return ModelError(model, given, accepted, EXAMPLE, page="history")
