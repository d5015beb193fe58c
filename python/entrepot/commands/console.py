"""Where commands print and ask."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

# rich would cut lines and columns to 80 characters where nobody reads them on a screen
UNBOUNDED = 4000


def console(**settings: Any) -> Console:
    """Return rich's console on standard output; in a pipe or file, which has no width, nothing is cut or wrapped.

    Texts are printed as they stand, in tables too: rich would take `weight [kg]` for a style and `:id:` for an emoji.
    """
    has_width = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if has_width else UNBOUNDED, markup=False, emoji=False, **settings)


def yes_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --yes, which answers what `agreed` asks."""
    return click.option("--yes", is_flag=True, help="Write without asking.")(command)


def agreed(out: Console) -> bool:
    """Ask whether to write; where nobody can answer, say how to go on."""
    if not _can_answer():
        out.print("\nNothing has been written: say --yes.")
        return False
    return click.confirm("\nWrite this?")


def _can_answer() -> bool:
    return sys.stdin.isatty()
