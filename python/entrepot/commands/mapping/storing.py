"""How rows are appended to the seeds: they are shown first, then what they would do, then a question; the review is the git diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from entrepot.commands.console import agreed
from entrepot.commands.mapping.differences import print_difference
from entrepot.commands.mapping.seeds import Given
from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.matrix.difference import difference
from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.registering import registration, unregistered
from entrepot.mapping.matrix.restating import changes
from entrepot.mapping.matrix.seeded import state_of
from entrepot.mapping.matrix.storing import rows_of
from entrepot.mapping.matrix.update import Update
from entrepot.mapping.seeds import COLUMNS, Row, Seed
from entrepot.mapping.trees import Version
from entrepot.mapping.writing import append, rewrite


def store(out: Console, given: Given, ones: Sequence[One], *, yes: bool) -> None:
    """Store blocks: rows of unique_block.csv, and of schema_attribute.csv for versions that are not registered yet.

    Raises:
        EntrepotError: the rows contradict the seeds, or somebody has changed a seed in the meantime
        EnvironmentProblemError: a seed cannot be written
    """
    named = {one[:2] for one in ones}
    versions = [one for one in unregistered(given.seeds, given.discovered) if (one.schema, one.number) in named]
    append_rows(out, given, versions, ones, yes=yes)


def append_rows(out: Console, given: Given, versions: Sequence[Version], ones: Sequence[One], *, yes: bool) -> None:
    """Show rows of both seeds and what they do, ask, and append them; takes and raises what `store` does."""
    seeds, trees, blocks = given.seeds, registration(versions), rows_of(ones)
    after = replace(
        seeds,
        schema_attribute=_with(seeds.schema_attribute, trees),
        unique_block=_with(seeds.unique_block, blocks),
    )
    found = difference(given.state(), state_of(after, given.discovered))
    for name, seed, rows in (
        ("schema_attribute", seeds.schema_attribute, trees), ("unique_block", seeds.unique_block, blocks),
    ):  # fmt: skip
        print_rows(out, seed, COLUMNS[name], rows)
    out.print("What they do:")
    print_difference(out, found)
    if yes or agreed(out):
        with _written(out, "Make room, or give yourself the right to it."):
            append(seeds.schema_attribute, trees)
            append(seeds.unique_block, blocks)


def print_rows(out: Console, seed: Seed, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Print rows for a seed; nothing where there are none."""
    if not rows:
        return
    table = Table(*columns, show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    out.print(f"Rows for {seed.path}:", markup=False)
    out.print(table)
    out.print()


def _with(seed: Seed, rows: Sequence[Row]) -> Seed:
    """A seed with rows appended."""
    return replace(seed, rows=(*seed.rows, *rows))


def restate(out: Console, given: Given, update: Update, *, yes: bool) -> None:
    """Show what a trigger of algorithm 5 makes of the seeds and of the mapping, ask, and write it.

    Raises:
        EntrepotError: somebody has changed a seed in the meantime
        EnvironmentProblemError: a seed cannot be written
    """
    files = [one for one in changes(given.seeds, update.state) if not one.is_empty]
    for one in files:
        if one.removed:
            out.print(f"{len(one.removed)} rows of {one.seed.path} go.\n", markup=False)
        print_rows(out, one.seed, one.seed.columns, one.added)
    for lost in update.lost:
        place = f"{lost.schema} version {lost.version} to {lost.entity}"
        out.print(f"Not copied: {place}, {lost.attribute} → {lost.entity_attribute}.", markup=False)
    out.print("What this does:")
    print_difference(out, difference(given.state(), update.state))
    if yes or agreed(out):
        with _written(out, "What had been written before is whole; say the same again."):
            for one in files:
                rewrite(one.seed, one.content())


@contextmanager
def _written(out: Console, way_out: str) -> Iterator[None]:
    """What is written within is told; a seed that cannot be written is an error with this way out."""
    try:
        yield
    except OSError as error:
        raise EnvironmentProblemError(f"{error.filename} cannot be written: {error.strerror}.", way_out) from error
    out.print("Written. See `git diff`.")
