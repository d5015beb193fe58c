"""The seeds as a commit of git has them, without a checkout."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.seeds import COLUMNS, Seed, Seeds, read_seed


def seeds_at(seeds: Seeds, reference: str) -> Seeds:
    """Return the seeds of the same place at a commit, with the owners that it has there; a file that was not there has no rows.

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
    """A seed at a commit; its paths are said as git says them."""
    listed = _git(path.parent, "ls-tree", "-r", "-z", "--name-only", commit, "--", ".")
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for one in filter(None, listed.stdout.decode().split("\0")):
            if Path(one).name == path.name:
                (folder / one).parent.mkdir(parents=True, exist_ok=True)
                (folder / one).write_bytes(_git(path.parent, "show", f"{commit}:./{one}").stdout)
        try:
            seed = read_seed(name, folder / path.name)
        except EntrepotError as error:
            said = error.problem.replace(f"{folder}/", f"{reference}:{path.parent}/")
            raise EntrepotError(said, error.way_out) from error
    return Seed(tuple(replace(file, path=Path(f"{reference}:{path.parent / file.name}")) for file in seed.files))


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise EnvironmentProblemError(
            "There is no git here.", "Compare two folders: entrepot mapping diff BEFORE AFTER"
        ) from error
