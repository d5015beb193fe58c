"""Writing a plan: every file whole or not at all, and nothing that is there is written over."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.plan import Plan
from entrepot.mapping.project import VARIABLE, Project, with_entities
from entrepot.mapping.seeds import Row, Seed


def write(plan: Plan, project: Project) -> list[str]:
    """Write a plan and return what is left to do by hand, as sentences.

    The blocks come last: with them a schema counts as mapped, so a run that was killed can be repeated.

    Raises:
        EntrepotError: a seed has been changed since it was read
        EnvironmentProblemError: a file cannot be written
    """
    left: list[str] = []
    try:
        for path, text in plan.files.items():
            create(project.path / path, text.encode())
        for name in ("entity_attribute", "schema_attribute"):
            append(getattr(project.seeds, name), plan.rows[name])
        if plan.listed:
            left += list_entities(project.path / "dbt_project.yml", plan.listed)
        append(project.seeds.unique_block, plan.rows["unique_block"])
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename} cannot be written: {error.strerror}.",
            "What had been written before is whole. Make room or give yourself the right to it, and say the same again.",
        ) from error
    return left


def append(seed: Seed, rows: Sequence[Row]) -> None:
    """Append rows to a seed.

    Raises:
        EntrepotError: somebody has changed it since it was read
    """
    if rows:
        rewrite(seed, seed.with_rows(rows))


def rewrite(seed: Seed, content: bytes) -> None:
    """Write a seed anew.

    Raises:
        EntrepotError: somebody has changed it since it was read
    """
    check_unchanged(seed)
    replace(seed.path, content)


def check_unchanged(seed: Seed) -> None:
    """Refuse to go on with a seed that is not as it was read.

    Raises:
        EntrepotError: somebody has changed it since
    """
    now = seed.path.read_bytes() if seed.path.exists() else b""
    if now != seed.content and now:
        raise EntrepotError(f"{seed.path} has been changed in the meantime.", "Say the same again.")


def list_entities(path: Path, entities: tuple[str, ...]) -> list[str]:
    """Add entities to the variable of dbt_project.yml; where its layout does not let them be added, return what to do, as a sentence."""
    changed = with_entities(path.read_bytes().decode(), entities)
    if changed is None:
        return [f"Add {', '.join(entities)} to the list of variable {VARIABLE} in {path.name}."]
    replace(path, changed.encode())
    return []


def create(path: Path, content: bytes) -> None:
    """Write a new file, whole or not at all; a file that has come in the meantime stays as it is."""
    if not path.exists():
        replace(path, content)


def replace(path: Path, content: bytes) -> None:
    """Write a file in the place of another, whole or not at all, with the rights of the other."""
    _beside(path, content).replace(path)


def replace_all(files: Mapping[Path, bytes | None]) -> None:
    """Write several files in the places of others, all of them or none; None takes a file away.

    A machine that stops between two of them leaves each whole.

    Raises:
        OSError: one cannot be written; all are as they were
    """
    before = {path: path.read_bytes() if path.exists() else None for path in files}
    done: list[Path] = []
    beside: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            if content is not None:
                beside[path] = _beside(path, content)
        for path in files:
            beside[path].replace(path) if path in beside else path.unlink(missing_ok=True)
            done.append(path)
    except OSError:
        for path in beside.values():
            path.unlink(missing_ok=True)
        for path in done:
            former = before[path]
            path.unlink() if former is None else replace(path, former)
        raise


def _beside(path: Path, content: bytes) -> Path:
    """Write what shall take a file's place beside it, and return where; nothing stays of what cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")  # a name that dbt does not read
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o7777)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return beside
