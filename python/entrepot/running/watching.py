"""What has changed since a job began: files that have arrived or grown, and files of the project."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from entrepot.errors import EntrepotError
from entrepot.landing import Arrival, Pattern, arrivals

VARIABLE = "landing_path"
# dbt's own names of the keys that say where the parts of a project lie, and what they are where nobody says it
PARTS = {
    "model-paths": ["models"],
    "seed-paths": ["seeds"],
    "macro-paths": ["macros"],
    "snapshot-paths": ["snapshots"],
    "test-paths": ["tests"],
    "analysis-paths": ["analyses"],
    "function-paths": ["functions"],
    "docs-paths": [],
    "packages-install-path": "dbt_packages",
}
PROFILES = "profiles.yml"
FILES = (
    "dbt_project.yml", "packages.yml", "dependencies.yml", "package-lock.yml", "selectors.yml", "catalogs.yml", ".dbtignore",
)  # fmt: skip
Listing = dict[Path, tuple[int, int]]


def landing_pattern(project: Path, variables: Mapping[str, Any]) -> Pattern | None:
    """Return where changes arrive: variable landing_path of the command line or of dbt_project.yml, as dbt reads it; None where it is not set.

    Args:
        project: the dbt project's folder
        variables: those of the command line
    """
    settings = _settings(project)
    told = settings.get("vars") or {}
    scopes = (variables, told.get(settings.get("name")) or {}, told, told.get("entrepot") or {})
    found = next((scope[VARIABLE] for scope in scopes if VARIABLE in scope), None)
    return None if found is None else Pattern(str(found))


def arrived(pattern: Pattern) -> list[Arrival]:
    """List the files that have arrived; none where their folder does not exist yet."""
    try:
        return arrivals(pattern)
    except EntrepotError:
        return []


def listing_of(found: list[Arrival]) -> Listing:
    """Return files with their sizes and times, so that one can be compared with another."""
    return {one.path: (one.size, one.modified) for one in found}


def behind(now: Listing, before: Listing) -> int:
    """Return how many files are new or have changed.

    >>> behind({Path("a"): (1, 1), Path("b"): (2, 9), Path("c"): (1, 1)}, {Path("b"): (1, 5), Path("c"): (1, 1), Path("d"): (1, 1)})
    2
    """
    return sum(before.get(path) != state for path, state in now.items())


def project_listing(project: Path, profiles: Path) -> Listing:
    """List the files that say what a job does: dbt_project.yml and others beside it, the profile, models, seeds, macros, tests and packages.

    Args:
        project: the project's folder
        profiles: the folder of its profiles.yml
    """
    settings = _settings(project)
    said = [settings.get(key) or usual for key, usual in PARTS.items()]
    folders = [project / folder for one in said for folder in ([one] if isinstance(one, str) else one)]
    files = [profiles / PROFILES, *(project / name for name in FILES)]
    for folder in folders:
        # a package that lies on this machine is a link
        files += [Path(where) / name for where, _, names in os.walk(folder, followlinks=True) for name in names]
    found: Listing = {}
    for file in files:
        try:
            told = file.stat()
        except OSError:
            continue
        found[file] = (told.st_size, told.st_mtime_ns)
    return found


def _settings(project: Path) -> dict[str, Any]:
    """Return dbt_project.yml; nothing where it cannot be read, which dbt will say."""
    try:
        found = yaml.safe_load((project / "dbt_project.yml").read_text())
    except (OSError, UnicodeError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}
