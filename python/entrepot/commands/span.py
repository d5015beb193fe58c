"""Spans of time on the command line, such as `10m`."""

from __future__ import annotations

from datetime import timedelta

import click

from entrepot.spans import span_told


class Span(click.ParamType):
    """A span of time: a number and a unit."""

    name = "span"

    def convert(self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Read the text that was given."""
        found = value if isinstance(value, timedelta) else span_told(value)
        if found is None:
            self.fail(f"{value!r} is no span of time: write a number and s, m, h or d, such as 10m.", param, ctx)
        return found


SPAN = Span()
