"""Errors that a person can act on: one sentence, exit code 2, no stack trace."""

from __future__ import annotations

import click


class RecordError(click.ClickException):
    """What went wrong and the way out, in one sentence; click prints it and exits with code 2."""

    exit_code = 2
