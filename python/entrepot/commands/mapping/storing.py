"""How rows are appended to the seeds: they are shown first, then what they would do, then a question; the review is the git diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from entrepot.commands.console import agreed
from entrepot.commands.mapping.differences import print_difference
from entrepot.commands.mapping.seeds import Given, said_in
from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.checks import failures_in
from entrepot.mapping.failures import said_of
from entrepot.mapping.matrix.difference import difference
from entrepot.mapping.matrix.elements import One
from entrepot.mapping.matrix.registering import registration, unregistered
from entrepot.mapping.matrix.restating import changes, seeds_after
from entrepot.mapping.matrix.seeded import state_of
from entrepot.mapping.matrix.storing import Pair, rows_of
from entrepot.mapping.matrix.update import Update
from entrepot.mapping.placing import with_rows
from entrepot.mapping.seeds import COLUMNS, SeedFile, Seeds
from entrepot.mapping.trees import Version
from entrepot.mapping.writing import appended, replace_all, rewritten


def store(
    out: Console,
    given: Given,
    ones: Sequence[One],
    *,
    owner: str | None = None,
    yes: bool,
    written: Mapping[Pair, str] | None = None,
) -> None:
    """Store blocks: rows of unique_block.csv, and of schema_attribute.csv for versions that are not registered yet.

    Args:
        out: the screen
        given: what the command works on
        ones: the blocks
        owner: whose new ones are; None where nobody has said it
        yes: whether to write without a question
        written: {element: where somebody has written it}, for elements of a file

    Raises:
        EntrepotError: `dbt build` would refuse the rows, nobody knows whose they are, or somebody has changed a seed in the meantime
        EnvironmentProblemError: a seed cannot be written
    """
    named = {one[:2] for one in ones}
    versions = [one for one in unregistered(given.seeds, given.discovered) if (one.schema, one.number) in named]
    append_rows(out, given, versions, ones, owner=owner, yes=yes, written=written)


def append_rows(
    out: Console,
    given: Given,
    versions: Sequence[Version],
    ones: Sequence[One],
    *,
    owner: str | None,
    yes: bool,
    written: Mapping[Pair, str] | None = None,
) -> None:
    """Show rows of both seeds, each with the file that takes it, and what they do, ask, and append them; takes and raises what `store` does."""
    rows = {"schema_attribute": registration(versions), "unique_block": rows_of(ones)}
    after = with_rows(given.seeds, rows, owner)
    before = given.state()
    refuse_appended(after, given.root, written or {})
    found = difference(before, state_of(after, given.discovered))
    for file in after.files:
        print_rows(out, file)
    out.print("What they do:")
    print_difference(out, found)
    if yes or agreed(out):
        with _written(out):
            replace_all(rewritten(appended(after.schema_attribute, after.unique_block), given.root))


def refuse_appended(after: Seeds, root: Path | None, written: Mapping[Pair, str]) -> None:
    """Refuse rows that `dbt build` would refuse if they were written.

    Args:
        after: the seeds with rows that are to be appended
        root: the dbt project that they are part of; none where only a folder is read
        written: {element: where somebody has written it}

    Raises:
        EntrepotError: with the rows, each as a line of its file, or where it was written
    """
    whole = after.as_written()
    own = said_in(whole, root)
    origins: dict[tuple[str, int], str] = {}
    for before, file in zip(after.unique_block.files, whole.unique_block.files, strict=True):
        for row, line in list(file.numbered())[len(before.lines) :]:
            if place := written.get((row["attribute"], row["entity_attribute"])):
                origins[said_of(file, own["unique_block"]), line] = place
    _refuse(whole, own, origins)


def _refuse(whole: Seeds, own: Mapping[str, str], origins: Mapping[tuple[str, int], str]) -> None:
    """Refuse seeds as they would be; `own` are their files as a person reads them, `origins` where a line of one comes from."""
    if failures := failures_in(whole, own, any_name=True):
        told = "\n  ".join(
            f"{origins.get((one.file, one.line), f'{one.file}:{one.line}')}: {one.given}. {one.instead}"
            for one in failures
        )
        raise EntrepotError(
            f"These rows cannot be stored, `dbt build` would refuse them:\n  {told}\n",
            "Nothing has been written (docs/mapping.md, Refused seeds).",
        )


def print_rows(out: Console, file: SeedFile) -> None:
    """Print the rows that are to be appended to a file; nothing where there are none."""
    if not file.added:
        return
    columns = COLUMNS[file.path.stem]
    table = Table(*columns, show_edge=False, pad_edge=False)
    for row in file.added:
        table.add_row(*(row[column] for column in columns))
    out.print(f"Rows for {file.path}:")
    out.print(table)
    out.print()


def restate(out: Console, given: Given, update: Update, *, yes: bool) -> None:
    """Show what a trigger of algorithm 5 makes of the seeds and of the mapping, ask, and write it.

    Raises:
        EntrepotError: `dbt build` would refuse the rows, or somebody has changed a seed in the meantime
        EnvironmentProblemError: a seed cannot be written
    """
    changed = changes(given.seeds, update.state)
    whole = seeds_after(changed)
    _refuse(whole, said_in(whole, given.root), {})
    files = [one for one in changed if not one.is_empty]
    for one in files:
        if one.removed:
            out.print(f"{len(one.removed)} rows of {one.file.path} go.\n")
        print_rows(out, one.file)
    for lost in update.lost:
        place = f"{lost.schema} version {lost.version} to {lost.entity}"
        out.print(f"Not copied: {place}, {lost.attribute} → {lost.entity_attribute}.")
    out.print("What this does:")
    print_difference(out, difference(given.state(), update.state))
    if yes or agreed(out):
        with _written(out):
            replace_all(rewritten([(one.file, one.content()) for one in files], given.root))


@contextmanager
def _written(out: Console) -> Iterator[None]:
    """What is written within is told; a seed that cannot be written is an error."""
    try:
        yield
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename} cannot be written: {error.strerror}.",
            "Nothing has been written. Make room, or give yourself the right to it.",
        ) from error
    out.print("Written. See `git diff`.")
