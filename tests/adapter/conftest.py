"""dbt's fixture `project` on this suite's Spark: our adapter, method `session`, the settings of profiles.yml."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.tests.fixtures.project import *  # noqa: F403
from dbt.tests.fixtures.project import dbt_project_yml as _stock_dbt_project_yml
from dbt.tests.util import write_file

from tests.conftest import ROOT
from tests.support.spark import Spark


@pytest.fixture(scope="class")
def dbt_profile_target(spark: Spark) -> dict[str, Any]:
    """The target that all of these tests use. `user` is for what they expect of a catalog."""
    target: dict[str, Any] = yaml.safe_load((ROOT / "profiles.yml").read_text())["entrepot"]["outputs"]["local"]
    return target | {"user": spark.session.sparkContext.sparkUser()}


@pytest.fixture(scope="class")
def profiles_yml(profiles_root: Path, dbt_profile_data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """As dbt's fixture, but what the rest of the suite has set comes back afterwards."""
    write_file(yaml.safe_dump(dbt_profile_data), profiles_root, "profiles.yml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_PROFILES_DIR", str(profiles_root))
        yield dbt_profile_data


@pytest.fixture(scope="class")
def logs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """As dbt's fixture, but not in this repository."""
    folder = str(tmp_path_factory.mktemp("logs"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", folder)
        yield folder


@pytest.fixture(scope="class")
def hooks() -> bool:
    """Whether the adapter's own hooks run and its models and sources are there; these tests count all, and know of neither."""
    return False


@pytest.fixture(scope="class")
def dbt_project_yml(project_root: Path, project_config_update: Any, hooks: bool) -> dict[str, Any]:
    """As dbt's fixture, without our hooks and models (see `hooks`)."""
    update = yaml.safe_load(project_config_update) if isinstance(project_config_update, str) else project_config_update
    ours = {"dbt_entrepot": {"+enabled": hooks}}
    settings = {key: ours | (update or {}).get(key, {}) for key in ("models", "sources")}
    result: dict[str, Any] = _stock_dbt_project_yml.__wrapped__(project_root, (update or {}) | settings)
    return result
