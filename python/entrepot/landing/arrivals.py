"""Which files have arrived, and which of them cannot be read: one listing, which opens files but does not read them."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from entrepot.errors import EntrepotError
from entrepot.landing.pattern import EXAMPLE, Pattern, is_wild, matcher

# what Java's URI leaves as it is in a path
PLAIN = "/_-!.~'()*,;:$&+=@"
LOOP = "it is a loop of links"
NOT_A_FILE = "it is no file but a pipe, a socket or a device"
FOLDER = "it is a folder within the landing folder; add a part to var landing_path, such as */*.jsonl, to have its files read"


@dataclass(frozen=True, slots=True)
class Arrival:
    """One file, as it was when it was listed.

    Attributes:
        path: where it lies
        size: its bytes
        modified: when it was last changed, in milliseconds since 1970
        problem: why it cannot be read; None where nothing speaks against it
    """

    path: Path
    size: int
    modified: int
    problem: str | None = None

    @property
    def landed_from(self) -> str:
        """Where it lies, as Spark writes it: an URI in which all that Unicode calls a letter stays.

        >>> Arrival(Path("/srv/ü a:b%.jsonl"), 0, 0).landed_from
        'file:/srv/ü%20a:b%25.jsonl'
        """
        return "file:" + "".join(map(_written, str(self.path)))

    @property
    def is_there(self) -> bool:
        """Whether it still lies there."""
        return _is_there(self.path)


def arrivals(pattern: Pattern) -> list[Arrival]:
    """List the files that a pattern means, those in folders that match it included, by their paths.

    Raises:
        EntrepotError: the folder in which all of them would lie does not exist, or the pattern is none
    """
    if not _is_there(Path(pattern.base)):
        raise EntrepotError(
            f"Var landing_path is {pattern.text}, and there is no {pattern.base}. Create the folder, or correct the variable "
            "(dbt_project.yml; relative paths begin at the folder in which dbt was started).",
            EXAMPLE,
        )
    found: dict[Path, Arrival] = {}
    for parts in pattern.parts():
        for arrival in _matching(Path("/"), parts):
            found[arrival.path] = arrival
    return [found[path] for path in sorted(found)]


def _matching(folder: Path, parts: list[str]) -> Iterator[Arrival]:
    """Yield the files below a folder that the remaining parts of a pattern mean."""
    part, *rest = parts
    if is_wild(part):
        name = matcher(part)
        paths, problem = _listed(folder)
        if problem:
            yield problem
        paths = [path for path in paths if name.fullmatch(path.name)]
    else:
        paths = [folder / part] if _is_there(folder / part) else []
    for path in paths:
        is_folder = _is_folder(path)
        if rest and is_folder:
            yield from _matching(path, rest)
        elif is_folder:
            inside, problem = _listed(path)
            if problem:
                yield problem
            # Spark reads the files of a folder that matches, too
            yield from map(_arrival, inside)
        elif not rest:
            yield _arrival(path)


def _listed(folder: Path) -> tuple[list[Path], Arrival | None]:
    """What lies in a folder; or why nobody can say."""
    try:
        return sorted(folder.iterdir()), None
    except OSError as error:
        return [], Arrival(folder, 0, 0, f"the folder cannot be read: {error.strerror}")


def _is_there(path: Path) -> bool:
    """Whether there is anything of a name, if only a link to nothing."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _arrival(path: Path) -> Arrival:
    try:
        told = path.stat()
    except OSError as error:
        return Arrival(path, 0, 0, LOOP if error.errno == errno.ELOOP else f"it cannot be found: {error.strerror}")
    size, modified = told.st_size, told.st_mtime_ns // 1_000_000
    if stat.S_ISDIR(told.st_mode):
        return Arrival(path, 0, modified, FOLDER)
    if not stat.S_ISREG(told.st_mode):
        return Arrival(path, size, modified, NOT_A_FILE)
    try:
        with path.open("rb"):
            return Arrival(path, size, modified)
    except OSError as error:
        return Arrival(path, size, modified, f"it cannot be opened: {error.strerror}")


def _written(character: str) -> str:
    """A character of a path in an URI, as Java writes it."""
    if character.isascii():
        return quote(character, safe=PLAIN)
    is_other = unicodedata.category(character) not in ("Cc", "Cs", "Zs", "Zl", "Zp")
    return character if is_other else quote(os.fsencode(character))
