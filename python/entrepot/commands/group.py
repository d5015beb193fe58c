"""Groups of commands, each a module that is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Commands that are modules of a package, named as the module and its function are, `_` written `-`: some need no Spark and no dbt."""

    def __init__(self, *arguments: Any, package: str = "", modules: Sequence[str] = (), **settings: Any) -> None:
        """Say the package and its commands, in the order of the help."""
        super().__init__(*arguments, **settings)
        self.package, self.modules = package, tuple(modules)

    def list_commands(self, _context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.modules)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Return a command; None where there is none of that name."""
        if name not in self.modules:
            return None
        module = name.replace("-", "_")
        found = getattr(import_module(f"{self.package}.{module}"), module)
        assert isinstance(found, click.Command)
        return found
