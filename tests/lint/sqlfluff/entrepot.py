"""`entrepot` for sqlfluff's jinja templater: the package's macros, which call one another as `entrepot.<macro>()`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.support.render import Renderer

_renderer = Renderer()


def __getattr__(name: str) -> Any:
    """Return a macro as a function that renders it."""
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *arguments, **named: _renderer.call(name, *arguments, **named)
