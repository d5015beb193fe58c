"""The seeds as a commit of git has them, without a checkout."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.seeds import COLUMNS, Seed, Seeds, read_seed


def seeds_at(seeds: Seeds, reference: str) -> Seeds:
    """Return the seeds of the same files at a commit; a file that was not there has no rows.

    Args:
        seeds: the seeds as they are
        reference: what git takes for a commit, such as `origin/main` or `HEAD~1`

    Raises:
        EntrepotError: git knows no such commit, or a seed of that commit cannot be read
        EnvironmentProblemError: there is no git, or the seeds are in no repository
    """
    commit = _commit(seeds.unique_block.path.parent, reference)
    return Seeds(**{name: _seed_at(name, getattr(seeds, name).path, commit, reference) for name in COLUMNS})


def _commit(folder: Path, reference: str) -> str:
    if _git(folder, "rev-parse", "--git-dir").returncode:
        raise EnvironmentProblemError(
            f"{folder} is in no git repository.", "Compare two folders: entrepot mapping diff BEFORE AFTER"
        )
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    if found.returncode:
        raise EntrepotError(f"git knows no commit {reference}.", "Name a branch, tag or commit that has been fetched.")
    return found.stdout.decode().strip()


def _seed_at(name: str, path: Path, commit: str, reference: str) -> Seed:
    """A seed at a commit; its path is said as git says it."""
    said = Path(f"{reference}:{path}")
    listed = _git(path.parent, "ls-tree", "--name-only", commit, "--", path.name)
    with TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        if listed.stdout.strip():
            file.write_bytes(_git(path.parent, "show", f"{commit}:./{path.name}").stdout)
        try:
            return replace(read_seed(name, file), path=said)
        except EntrepotError as error:
            raise EntrepotError(error.problem.replace(str(file), str(said)), error.way_out) from error


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise EnvironmentProblemError(
            "There is no git here.", "Compare two folders: entrepot mapping diff BEFORE AFTER"
        ) from error
