"""dbt in this process, for commands that need Spark."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from typing import Any

from entrepot.errors import EntrepotError
from entrepot.target import options_of

# what has a relation
STORED = ("model", "snapshot", "seed")


def run_dbt(place: Mapping[str, Any], *arguments: str) -> Any:
    """Run a dbt command quietly and return its result.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        arguments: the command
    """
    from dbt.cli.main import dbtRunner

    return dbtRunner().invoke([*arguments, "--quiet", *options_of(place)])


def listed_nodes(place: Mapping[str, Any], keys: str, *arguments: str) -> list[dict[str, Any]]:
    """Return the models, seeds and snapshots of the project, as `dbt ls` tells them.

    Args:
        place: project_dir, profiles_dir and target, as the command line has them
        keys: what is wanted of each, such as `schema alias`
        arguments: of `dbt ls`, such as a selection

    Raises:
        EntrepotError: the project cannot be read, or dbt does not know such a selection
    """
    # dbt prints what it lists, quiet or not
    with redirect_stdout(io.StringIO()):
        listed = run_dbt(
            place, "ls", "--output", "json", "--output-keys", keys, "--resource-types", *STORED, *arguments
        )
    if not listed.success:
        raise EntrepotError(sentence_of(listed), "")
    return [json.loads(node) for node in listed.result]


def relation_of(node: Mapping[str, Any]) -> str:
    """Return the relation of a node that has `schema` and `alias`, in small letters as the catalogue has it."""
    return f"{node['schema']}.{node['alias']}".lower()


def words_of(said: Iterable[str]) -> list[str]:
    """Return the words of options: a selection of several words is several.

    >>> words_of(("tag:daily +sale", "shop"))
    ['tag:daily', '+sale', 'shop']
    """
    return [word for text in said for word in text.split()]


def selection(option: str, said: Iterable[str]) -> list[str]:
    """Return what is said to dbt, nothing where nothing is.

    >>> selection("--select", ("tag:daily +sale", "shop")), selection("--exclude", ())
    (['--select', 'tag:daily', '+sale', 'shop'], [])
    """
    words = words_of(said)
    return [option, *words] if words else []


def sentence_of(result: Any) -> str:
    """Return what dbt says of a failure, without its headings."""
    said = [str(node.message) for node in getattr(result.result, "results", None) or [] if node.message]
    text = str(result.exception) if result.exception is not None else "\n".join(said)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("> ")]
    return " ".join(
        line for line in lines if not line.endswith("Error") and not line.startswith("Compilation Error in")
    )
