"""What dbt_project.yml says, read without dbt."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from entrepot.errors import EntrepotError


def project_settings(project: Path) -> dict[str, Any]:
    """Return dbt_project.yml of a project.

    Raises:
        EntrepotError: it cannot be read, or holds no settings
    """
    file = project / "dbt_project.yml"
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise EntrepotError(f"{file} cannot be read: {' '.join(str(error).split())}.", "Correct it.") from error
    if not isinstance(settings, dict):
        raise EntrepotError(f"{file} holds no settings.", "Its first line is `name: …`.")
    return settings


def target_path(settings: Mapping[str, Any]) -> str:
    """Return the folder that dbt writes its manifest and docs to, as environment and dbt_project.yml say it, relative to the project."""
    return os.environ.get("DBT_TARGET_PATH") or str(settings.get("target-path") or "target")


def variable(settings: Mapping[str, Any], name: str) -> Any:
    """Return what dbt_project.yml says of a variable, the project's own before that of all packages; None where it says nothing.

    >>> variable({"name": "shop", "vars": {"a": 1, "shop": {"a": 2}}}, "a"), variable({"name": "shop"}, "a")
    (2, None)
    """
    told = settings.get("vars") or {}
    own = told.get(settings.get("name")) or {}
    return own[name] if name in own else told.get(name)
