"""Which seeds a command of the group reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from entrepot.errors import EntrepotError
from entrepot.mapping.checks import Named, failures_of, sentence_of
from entrepot.mapping.matrix.seeded import seeds_of, state_of
from entrepot.mapping.matrix.state import State
from entrepot.mapping.owners import owner_named
from entrepot.mapping.project import read_project
from entrepot.mapping.seeds import COLUMNS, Seeds
from entrepot.mapping.trees import Version
from entrepot.target import project_folder


@dataclass(frozen=True, slots=True)
class Given:
    """What a command works on.

    Attributes:
        seeds: the three seeds
        discovered: schema versions that events have shown; none where only a folder is read
        root: the dbt project that the seeds are part of; none where only a folder is read
    """

    seeds: Seeds
    discovered: tuple[Version, ...] = ()
    root: Path | None = None

    def state(self) -> State:
        """Return the state that they make.

        Raises:
            EntrepotError: the seeds contradict each other; those of a project have rows that `dbt build` would refuse
        """
        state = state_of(self.seeds, self.discovered)
        if self.root and (failures := failures_of(self._named(self.root), any_name=True)):
            raise EntrepotError(sentence_of(failures), "")
        return state

    def _named(self, root: Path) -> dict[str, Named]:
        """The files of the seeds, as the project names them."""
        paths = {name: getattr(self.seeds, name).path for name in COLUMNS}
        there = {name: path for name, path in paths.items() if path.is_file()}
        return {name: (path, ",", os.path.relpath(path, root)) for name, path in there.items()}


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


def given(place: dict[str, Any], folder: Path | None) -> Given:
    """Return the seeds of a folder; without one those of the project, and the versions that landing has discovered.

    Raises:
        EntrepotError: a seed cannot be read, or there is no project
        EnvironmentProblemError: the warehouse's table of discovered versions cannot be read here
    """
    if folder:
        return Given(seeds_of(folder))
    return Given(project_seeds(place, None), tuple(discovered(place)), project_folder(place["project_dir"]))


def project_seeds(place: dict[str, Any], folder: Path | None) -> Seeds:
    """Return the seeds of a folder; without one those of the project.

    Raises:
        EntrepotError: a seed cannot be read, or there is no project
    """
    return seeds_of(folder) if folder else read_project(project_folder(place["project_dir"])).seeds


def discovered(place: dict[str, Any]) -> list[Version]:
    """Return the schema versions that landing has discovered; none where nothing has landed."""
    from entrepot.commands.landed import table_folder
    from entrepot.mapping.landed import landed_versions
    from entrepot.target import open_place

    return landed_versions(table_folder(open_place(**place), "discovered_schema_attribute")) or []
