"""Owners: folders beside the files of the seeds, each with files of the same names of its own, which are united with them (decision 37)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from entrepot.errors import EntrepotError

# what --owner says for the three files themselves
NOBODY = "."
IGNORED = ".dbtignore"
TEXTS = ".md"
# up to how many bytes a first line is looked at
LONGEST = 10_000
NAME = re.compile(r"\w[\w.-]*")


def owned(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the owners that have a file of a seed, by name, with this file.

    Args:
        path: the seed's own file, beside which the owners' folders are
    """
    for folder in _folders(path.parent):
        if (file := folder / path.name).is_file():
            yield folder.name, file


def strangers(folder: Path, seeds: Mapping[str, Iterable[str]]) -> list[tuple[Path, str, str]]:
    """Return what lies in owners' folders and is no file of a seed, so that nothing is overlooked: (its path, what it is, what to do).

    An owner's folder is one that has a file with the name of a seed, or with the columns of one. Texts (*.md) and hidden files are left alone.

    Args:
        folder: where the seeds' own files lie
        seeds: {seed: its columns}
    """
    names = [f"{name}.csv" for name in seeds]
    found: list[tuple[Path, str, str]] = []
    for owner in _folders(folder):
        entries = [entry for entry in sorted(owner.iterdir()) if not entry.name.startswith(".")]
        named = any(entry.name in names for entry in entries)
        for entry in entries:
            if entry.is_dir():
                found += [
                    (file, "it lies too deep", f"Owners' folders lie in {folder}: put it into one of them.")
                    for file in sorted(entry.rglob("*.csv"))
                    if named or file.name in names
                ]
            elif entry.name not in names and entry.suffix != TEXTS and (named or _has_columns(entry, seeds)):
                way_out = f"An owner's folder holds {', '.join(names)}, and texts (*{TEXTS})."
                found.append((entry, "it is no seed of the mapping", way_out))
    return found


def owner_named(text: str | None) -> str | None:
    """Return the owner that --owner names: empty for the three files themselves; none where nothing is said.

    >>> owner_named("plant"), owner_named("."), owner_named(None)
    ('plant', '', None)

    Raises:
        EntrepotError: it can be no folder's name
    """
    if text is None or NAME.fullmatch(text):
        return text
    if text == NOBODY:
        return ""
    raise EntrepotError(
        f"--owner {text} is no name of a folder beside the seeds.",
        f"Say a name such as plant; {NOBODY} means the three files themselves.",
    )


def ignoring(ignored: str, folder: str) -> str:
    """Return what .dbtignore has to be so that dbt does not see the folders in a folder: it takes a seed of one name from one file.

    >>> ignoring("drafts/", "seeds/mapping"), ignoring("seeds/mapping/*/\\n", "seeds/mapping")
    ('drafts/\\nseeds/mapping/*/\\n', 'seeds/mapping/*/\\n')

    Args:
        ignored: what it is
        folder: where the seeds' own files lie, within the project
    """
    line = f"{folder}/*/"
    if line in (one.strip() for one in ignored.splitlines()):
        return ignored
    return ignored + ("\n" if ignored and not ignored.endswith("\n") else "") + line + "\n"


def _folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))


def _has_columns(file: Path, seeds: Mapping[str, Iterable[str]]) -> bool:
    """Whether a file begins as one of a seed's, whatever stands between its columns."""
    if not file.is_file():
        return False
    with file.open("rb") as content:
        words = set(re.findall(r"\w+", content.readline(LONGEST).decode(errors="replace")))
    return any(words.issuperset(columns) for columns in seeds.values())
