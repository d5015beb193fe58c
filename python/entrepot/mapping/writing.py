"""Writing a plan: every file whole or not at all, and nothing that is there is written over."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from entrepot.errors import EntrepotError, EnvironmentProblemError
from entrepot.mapping.owners import IGNORED, ignoring
from entrepot.mapping.plan import Plan
from entrepot.mapping.project import VARIABLE, Project, with_entities
from entrepot.mapping.seeds import Seed, SeedFile


def write(plan: Plan, project: Project) -> list[str]:
    """Write a plan and return what is left to do by hand, as sentences.

    The blocks come last: with them a schema counts as mapped, so a run that was killed can be repeated.

    Raises:
        EntrepotError: a seed has been changed since it was read
        EnvironmentProblemError: a file cannot be written
    """
    seeds, left = plan.seeds, []
    try:
        for name, text in plan.files.items():
            create(project.path / name, text.encode())
        for path, content in rewritten(appended(seeds.entity_attribute, seeds.schema_attribute), project.path).items():
            replace(path, content)
        if plan.listed:
            left += list_entities(project.path / "dbt_project.yml", plan.listed)
        for path, content in rewritten(appended(seeds.unique_block), project.path).items():
            replace(path, content)
    except OSError as error:
        raise EnvironmentProblemError(
            f"{error.filename} cannot be written: {error.strerror}.",
            "What had been written before is whole. Make room or give yourself the right to it, and say the same again.",
        ) from error
    return left


def appended(*seeds: Seed) -> list[tuple[SeedFile, bytes]]:
    """Return the files of seeds to which rows are to be appended, with what shall be in them."""
    return [(file, file.with_rows(file.added)) for seed in seeds for file in seed.files if file.added]


def rewritten(contents: Sequence[tuple[SeedFile, bytes]], root: Path | None) -> dict[Path, bytes]:
    """Return what has to be written so that files of seeds become others, {path: content}.

    Where one of them is an owner's, .dbtignore takes its folder out of dbt's sight.

    Args:
        contents: files as they were read, each with what shall be in it
        root: the dbt project that they are part of; none where they are in none

    Raises:
        EntrepotError: somebody has changed one since it was read
    """
    for file, _ in contents:
        check_unchanged(file)
    owned = [file for file, _ in contents if file.owner]
    return {**(_ignored(root, owned) if root else {}), **{file.path: content for file, content in contents}}


def check_unchanged(file: SeedFile) -> None:
    """Refuse to go on with a file of a seed that is not as it was read.

    Raises:
        EntrepotError: somebody has changed it since
    """
    now = file.path.read_bytes() if file.path.exists() else b""
    if now != file.content and now:
        raise EntrepotError(f"{file.path} has been changed in the meantime.", "Say the same again.")


def _ignored(root: Path, owned: Iterable[SeedFile]) -> dict[Path, bytes]:
    """What .dbtignore has to be because of owners' files, where it is not so."""
    path = root / IGNORED
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    after = before
    for file in owned:
        after = ignoring(after, file.path.parent.parent.relative_to(root).as_posix())
    return {} if after == before else {path: after.encode()}


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
