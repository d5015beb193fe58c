"""A page that a command writes."""

from __future__ import annotations

from pathlib import Path

from entrepot.commands.console import console
from entrepot.errors import EnvironmentProblemError
from entrepot.mapping.writing import replace


def write_page(file: Path, text: str) -> None:
    """Write a page whole, and say how large it is.

    Raises:
        EnvironmentProblemError: the file cannot be written
    """
    page = text.encode()
    try:
        replace(file, page)
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename or file} cannot be written: {error.strerror}.", "Say another file: --out FILE"
        ) from error
    console().print(f"{len(page):,} bytes in {file}", highlight=False)
