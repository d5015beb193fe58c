"""`entrepot mapping format`: the seeds in the one layout that keeps diffs small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from entrepot.commands.console import console
from entrepot.commands.mapping.seeds import project_seeds, seeds_option
from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.layout import laid_out
from entrepot.mapping.writing import replace


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; end with 1 where a seed is laid out otherwise.")
@seeds_option
@click.pass_context
def format(context: click.Context, check: bool, folder: Path | None) -> None:
    """Lay the seeds out, those of owners too: rows sorted, line ends and quotes always the same, so that the same rows are the same file.

    The mapping stays as it is: the order of lines never matters. Exit codes: 0; 1 with --check where a seed is laid out otherwise.
    """
    place: dict[str, Any] = context.obj
    seeds, out = project_seeds(place, folder), console(highlight=False)
    files = {file.path: (file.content, laid_out(file.path.stem, file)) for file in seeds.files}
    other = {path: wanted for path, (content, wanted) in files.items() if content != wanted and path.exists()}
    try:
        for path, wanted in other.items():
            if not check:
                replace(path, wanted)
            out.print(f"{path} {'is laid out otherwise' if check else 'has been laid out'}.")
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename} cannot be written: {error.strerror}.", "Give yourself the right to it."
        ) from error
    if not other:
        out.print("All seeds are laid out.")
    context.exit(1 if check and other else 0)
