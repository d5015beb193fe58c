"""`entrepot` for sqlfluff's jinja templater: the package's macros, which call one another as `entrepot.<macro>()`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# sqlfluff has put this module in the place of the Python package of the same name, which the renderer needs
sys.modules.pop(__name__, None)
sys.path[:0] = [str(Path(__file__).resolve().parents[3] / folder) for folder in (".", "python")]

# sqlfluff executes this module anew for each file
from tests.support.render import plain_renderer  # noqa: E402


def __getattr__(name: str) -> Any:
    """Return a macro as a function that renders it."""
    if name.startswith("__"):
        raise AttributeError(name)
    return lambda *arguments, **named: plain_renderer().call(name, *arguments, **named)
