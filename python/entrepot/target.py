"""The dbt target that a command works on: Spark settings and where the warehouse lies."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from entrepot.errors import ProfileError
from entrepot.ledger import Ledger
from entrepot.ledger.files import FileStore
from entrepot.ledger.records import RECORDS


@dataclass(frozen=True)
class Target:
    """A target of profiles.yml.

    Attributes:
        name: the target's name
        schema: the profile's schema; `default` gives the layers their plain names
        settings: Spark settings (`server_side_parameters`)
        warehouse: absolute path of the folder that holds the layers' tables
    """

    name: str
    schema: str
    settings: dict[str, str]
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


def load_target(project_dir: Path | None = None, profiles_dir: Path | None = None, target: str | None = None) -> Target:
    """Read the target through dbt, so that profiles.yml means here what it means there.

    Args:
        project_dir: the dbt project's folder; the current one when None
        profiles_dir: the folder of profiles.yml; dbt's own search when None
        target: the target's name; the profile's default when None

    Raises:
        ProfileError: no project, no profile, or one that is not Spark's
    """
    from dbt.config.runtime import load_profile
    from dbt.flags import set_from_args
    from dbt_common.context import set_invocation_context
    from dbt_common.exceptions import DbtBaseException

    project = Path(project_dir or Path.cwd()).resolve()
    if not (project / "dbt_project.yml").exists():
        raise ProfileError(
            f"{project} is no dbt project: it has no dbt_project.yml.", "Go there, or say --project-dir."
        )
    folder = (
        profiles_dir
        or os.environ.get("DBT_PROFILES_DIR")
        or (project if (project / "profiles.yml").exists() else Path.home() / ".dbt")
    )
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
    if credentials.type not in ("entrepot", "spark") or "spark.sql.warehouse.dir" not in settings:
        raise ProfileError(
            f"Target {profile.target_name} of profile {profile.profile_name} does not say where its warehouse lies.",
            "Set spark.sql.warehouse.dir in its server_side_parameters (see profiles.yml of entrepot).",
        )
    warehouse = Path(settings["spark.sql.warehouse.dir"].removeprefix("file:"))
    return Target(profile.target_name, credentials.schema, settings, project / warehouse)
