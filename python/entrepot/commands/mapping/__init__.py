"""`entrepot mapping`: the commands of mapping owners, from the seeds alone: no warehouse, no Spark, no dbt."""

from __future__ import annotations

import click

from entrepot.commands.group import LazyGroup

COMMANDS = (
    "review", "search", "progression", "path", "diff", "confirm", "new", "propose", "register", "delete", "elevate", "retire", "report",
    "schema", "page", "format",
)  # fmt: skip


@click.group(cls=LazyGroup, package="entrepot.commands.mapping", modules=COMMANDS)
def mapping() -> None:
    """Look at the mapping and change its seeds: what feeds what, what waits for a review, what a change would do.

    Reads the project's seeds, and the schema versions that have been discovered where the warehouse lies here; --seeds reads those of a
    folder alone. Starts no Spark.
    """
