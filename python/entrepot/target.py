"""The dbt target that a command works on: Spark settings and where the warehouse lies."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entrepot.errors import ProfileError
from entrepot.ledger import Ledger
from entrepot.ledger.files import FileStore
from entrepot.ledger.records import RECORDS
from entrepot.profile import TYPES, WAREHOUSE, plain_target


@dataclass(frozen=True)
class Place:
    """Where the tables of a target lie.

    Attributes:
        schema: the profile's schema; `default` gives the layers their plain names
        warehouse: absolute path of the folder that holds the layers' tables
    """

    schema: str
    warehouse: Path

    def layer(self, name: str) -> str:
        """Return the schema of a layer (`ops`, `marts`, ...), as the macro generate_schema_name has it."""
        return name if self.schema == "default" else f"{self.schema}_{name}"

    def ledger(self) -> Ledger:
        """Return the books of the warehouse, read from their files.

        Raises:
            LayoutError: a newer entrepot has written them
        """
        store = FileStore({record.table: str(self.table_path("ops", record.table)) for record in RECORDS})
        store.layout()
        return Ledger(store)

    def table_path(self, layer: str, table: str) -> Path:
        """Return the folder of one of the warehouse's own tables."""
        return self.warehouse / f"{self.layer(layer)}.db" / table


@dataclass(frozen=True)
class Target(Place):
    """A target of profiles.yml.

    Attributes:
        name: the target's name
        settings: Spark settings (`server_side_parameters`)
        method: how dbt connects: `session` for a Spark in its own process
    """

    name: str
    settings: dict[str, str]
    method: str = "session"


def open_ledger(project_dir: Path | None = None, profiles_dir: Path | None = None, target: str | None = None) -> Ledger:
    """Return the books of a target.

    Takes and raises what `open_place` does, and raises LayoutError where a newer entrepot has written the books.
    """
    return open_place(project_dir, profiles_dir, target).ledger()


def open_place(project_dir: Path | None = None, profiles_dir: Path | None = None, target: str | None = None) -> Place:
    """Return where a target's tables lie, without importing dbt where the profile is plain (see `entrepot.profile`).

    Takes and raises what `load_target` does.
    """
    project = project_folder(project_dir)
    found = plain_target(project, profiles_folder(project, profiles_dir), target)
    if found is None:
        return load_target(project_dir, profiles_dir, target)
    return Place(found.schema, _warehouse(project, found.warehouse))


def options_of(place: Mapping[str, Any]) -> list[str]:
    """Return dbt's options for a place: project_dir, profiles_dir and target, those that are said.

    >>> options_of({"project_dir": Path("shop"), "profiles_dir": None, "target": "large"})
    ['--project-dir', 'shop', '--target', 'large']
    """
    return [part for name, value in place.items() if value for part in (f"--{name.replace('_', '-')}", str(value))]


def load_target(project_dir: Path | None = None, profiles_dir: Path | None = None, target: str | None = None) -> Target:
    """Read the target, through dbt where the profile is not plain, so that profiles.yml means here what it means there.

    Args:
        project_dir: the dbt project's folder; the current one when None
        profiles_dir: the folder of profiles.yml; dbt's own search when None
        target: the target's name; the profile's default when None

    Raises:
        ProfileError: no project, no profile, or one that is not Spark's
    """
    project = project_folder(project_dir)
    folder = profiles_folder(project, profiles_dir)
    plain = plain_target(project, folder, target)
    if plain is not None and plain.settings is not None:
        return Target(plain.schema, _warehouse(project, plain.warehouse), plain.name, dict(plain.settings))
    return dbts_target(project, folder, target)


def dbts_target(project: Path, folder: Path, target: str | None) -> Target:
    """Read the target through dbt; takes and raises what `load_target` does."""
    from dbt.config.runtime import load_profile
    from dbt.flags import set_from_args
    from dbt_common.context import set_invocation_context
    from dbt_common.exceptions import DbtBaseException

    set_from_args(Namespace(PROFILES_DIR=str(folder), PROJECT_DIR=str(project), TARGET=target), None)
    set_invocation_context(os.environ)
    try:
        profile = load_profile(str(project), {}, target_override=target)
    except DbtBaseException as error:
        sentence = " ".join(str(error).split())
        raise ProfileError(
            f"The profile cannot be read: {sentence}.", "Correct profiles.yml, or say --target."
        ) from error
    credentials = profile.credentials
    settings = dict(getattr(credentials, "server_side_parameters", {}) or {})
    if credentials.type not in TYPES or WAREHOUSE not in settings:
        raise ProfileError(
            f"Target {profile.target_name} of profile {profile.profile_name} does not say where its warehouse lies.",
            "Set spark.sql.warehouse.dir in its server_side_parameters (see profiles.yml of entrepot).",
        )
    return Target(
        credentials.schema,
        _warehouse(project, settings[WAREHOUSE]),
        profile.target_name,
        settings,
        getattr(credentials.method, "value", credentials.method),
    )


def project_folder(project_dir: Path | None) -> Path:
    """Return the dbt project's folder; the current one when None.

    Raises:
        ProfileError: it is none
    """
    project = Path(project_dir or Path.cwd()).resolve()
    if not (project / "dbt_project.yml").exists():
        raise ProfileError(
            f"{project} is no dbt project: it has no dbt_project.yml.", "Go there, or say --project-dir."
        )
    return project


def profiles_folder(project: Path, profiles_dir: Path | None) -> Path:
    """Return the folder where dbt looks for profiles.yml."""
    found = profiles_dir or os.environ.get("DBT_PROFILES_DIR")
    return Path(found) if found else project if (project / "profiles.yml").exists() else Path.home() / ".dbt"


def _warehouse(project: Path, told: str) -> Path:
    """Return the warehouse's folder from what the profile tells."""
    return project / told.removeprefix("file:")
