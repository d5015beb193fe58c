"""dbt in this process, for commands that need Spark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from entrepot.target import options_of


def run_dbt(place: Mapping[str, Any], *arguments: str) -> Any:
    """Run a dbt command quietly and return its result.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        arguments: the command
    """
    from dbt.cli.main import dbtRunner

    return dbtRunner().invoke([*arguments, "--quiet", *options_of(place)])


def sentence_of(result: Any) -> str:
    """Return what dbt says of a failure, without its headings."""
    said = [str(node.message) for node in getattr(result.result, "results", None) or [] if node.message]
    text = str(result.exception) if result.exception is not None else "\n".join(said)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("> ")]
    return " ".join(
        line for line in lines if not line.endswith("Error") and not line.startswith("Compilation Error in")
    )
