"""Errors that a person reads: what was given, what is accepted, how to go on. No stack trace gets out."""

from __future__ import annotations

from collections.abc import Iterable

import click


class EntrepotError(click.ClickException):
    """An expected failure with a sentence and an exit code.

    Attributes:
        exit_code: 2 for a request that cannot be met as it stands, 3 for something missing around it
    """

    exit_code = 2

    def __init__(self, problem: str, way_out: str) -> None:
        """Say what is wrong and how to go on."""
        self.problem, self.way_out = problem, way_out
        super().__init__(f"{problem} {way_out}")


class ProfileError(EntrepotError):
    """The dbt profile does not lead to a warehouse."""


class NothingPublishedError(EntrepotError):
    """There is no published snapshot to answer from."""


class NotInSnapshotError(EntrepotError):
    """A query names relations that no published snapshot has."""


class TooOldError(EntrepotError):
    """No snapshot is as fresh as a query asks, and none can be made."""


class QueryError(EntrepotError):
    """The text is not a query that can be answered."""


class EnvironmentProblemError(EntrepotError):
    """Java, jars, disk or another process stand in the way."""

    exit_code = 3


class ModelError(EntrepotError):
    """A model's configuration or SQL cannot be maintained as it stands."""

    def __init__(self, model: str, given: str, accepted: str, example: str, page: str = "delta-rules") -> None:
        """Say what the model has, what is accepted, and how to go on; `page` of the documentation has the rest."""
        super().__init__(f"Model {model} {given}: {accepted}.", f"For example: {example}. See docs/{page}.md.")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that goes behind a sentence about a name that is not there; empty where no known one is like it.

    >>> did_you_mean("colr", ["color", "size"]), did_you_mean("x", ["color", "size"])
    (' Did you mean color?', '')
    """
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(known), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
