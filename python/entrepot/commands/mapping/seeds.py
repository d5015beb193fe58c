"""Which seeds a command of the group reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from entrepot.errors import EntrepotError
from entrepot.mapping.checks import failures_in, sentence_of
from entrepot.mapping.matrix.seeded import refuse_missing, seeds_of, state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.owners import owner_named
from entrepot.mapping.project import Project, read_project
from entrepot.mapping.seeds import COLUMNS, Seeds
from entrepot.mapping.trees import Version
from entrepot.target import project_folder


@dataclass(frozen=True, slots=True)
class Given:
    """What a command works on.

    Attributes:
        seeds: the three seeds
        discovered: schema versions that events have shown; none where only a folder is read
        project: the dbt project that the seeds are part of; none where only a folder is read
    """

    seeds: Seeds
    discovered: tuple[Version, ...] = ()
    project: Project | None = None

    @property
    def root(self) -> Path | None:
        """Where that project lies."""
        return self.project.path if self.project else None

    def state(self) -> State:
        """Return the state that they make.

        Raises:
            EntrepotError: they have rows that `dbt build` would refuse, or contradict each other
        """
        refuse_failures(self.seeds, self.root)
        return self.state_as_it_is()

    def state_as_it_is(self) -> State:
        """Return the state that they make, also of rows that `dbt build` would refuse: as a commit of the past may have them.

        Raises:
            EntrepotError: the seeds contradict each other
        """
        return state_of(self.seeds, self.discovered)


def refuse_failures(seeds: Seeds, root: Path | None) -> None:
    """Refuse seeds that `dbt build` would refuse; a seed that a project does not have is not asked of.

    Args:
        seeds: the seeds
        root: the dbt project that they are part of; none where only a folder is read

    Raises:
        EntrepotError: with all that is wrong, each with its file and line
    """
    if failures := failures_in(seeds, said_in(seeds, root), any_name=True):
        raise EntrepotError(sentence_of(failures), "")


def said_in(seeds: Seeds, root: Path | None) -> dict[str, str]:
    """Return the own files of the seeds that are there, as a person reads them: within the project, else as the folder was named."""
    there = {name: getattr(seeds, name) for name in COLUMNS}
    return {
        name: os.path.relpath(seed.path, root) if root else str(seed.path)
        for name, seed in there.items()
        if any(file.rows or file.path.is_file() for file in seed.files)
    }


def seeds_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --seeds."""
    return click.option(
        "--seeds", "folder", type=click.Path(path_type=Path),
        help="Read the three seeds of this folder alone, and no warehouse [default: the project's seeds, and what landing has discovered].",
    )(command)  # fmt: skip


def owner_option(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --owner; its value is empty for the three files, and none where nothing is said."""
    return click.option(
        "--owner",
        metavar="NAME",
        callback=lambda context, parameter, text: owner_named(text),
        help="Whose new schemas, entities and blocks are: the name of a folder beside the seeds, or . for the three files themselves.",
    )(command)


def given(place: dict[str, Any], folder: Path | None, *, may_lack: bool = False) -> Given:
    """Return the seeds of a folder; without one those of the project, and the versions that landing has discovered.

    Args:
        place: the project and its profile
        folder: where the seeds lie; None in the project
        may_lack: whether a project may lack a seed, as one does in which nothing is mapped yet

    Raises:
        EntrepotError: a seed is not there or cannot be read, or there is no project
        EnvironmentProblemError: the warehouse's table of discovered versions cannot be read here
    """
    if folder:
        return Given(seeds_of(folder))
    project = _project(place, may_lack)
    return Given(project.seeds, tuple(discovered(place)), project)


def project_seeds(place: dict[str, Any], folder: Path | None, *, may_lack: bool = False) -> Seeds:
    """Return the seeds of a folder; without one those of the project; takes what `given` does.

    Raises:
        EntrepotError: a seed is not there or cannot be read, or there is no project
    """
    return seeds_of(folder) if folder else _project(place, may_lack).seeds


def _project(place: dict[str, Any], may_lack: bool) -> Project:
    project = read_project(project_folder(place["project_dir"]))
    if not may_lack:
        refuse_missing({name: getattr(project.seeds, name).path for name in COLUMNS}, "The project")
    return project


def discovered(place: dict[str, Any]) -> list[Version]:
    """Return the schema versions that landing has discovered; none where nothing has landed."""
    from entrepot.commands.landed import table_folder
    from entrepot.mapping.landed import landed_versions
    from entrepot.target import open_place

    return landed_versions(table_folder(open_place(**place), "discovered_schema_attribute")) or []
