"""Names of relations by pattern, as commands take them."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase


def is_pattern(text: str) -> bool:
    """Return whether a text stands for several names.

    >>> is_pattern("marts.fct_*"), is_pattern("marts.fct_payment")
    (True, False)
    """
    return any(mark in text for mark in "*?[")


def matching(relations: Iterable[str], pattern: str) -> list[str]:
    """Return the relations, `schema.name`, that a pattern stands for: of the whole name where it has a dot, else of the name in the schema.

    >>> matching(["marts.fct_a", "marts.dim_b", "ops.fct_c"], "marts.*"), matching(["marts.fct_a", "ops.fct_c"], "fct_*")
    (['marts.fct_a', 'marts.dim_b'], ['marts.fct_a', 'ops.fct_c'])
    """
    wanted = pattern.lower()
    return [
        one for one in relations if fnmatchcase((one if "." in pattern else one.rpartition(".")[2]).lower(), wanted)
    ]
