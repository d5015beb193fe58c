"""`adapter` for sqlfluff's jinja templater: what macros that write SQL ask of it, answered as by the renderer of the golden tests."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a method of the adapter."""
    if name.startswith("__"):
        raise AttributeError(name)
    from tests.support.render import TextAdapter  # `entrepot`, its neighbour, has to be in its place first

    return getattr(TextAdapter(), name)
