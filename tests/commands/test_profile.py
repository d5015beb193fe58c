"""Profiles that are read without dbt mean what they mean in dbt; whatever is not plain is left to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from entrepot.errors import ProfileError
from entrepot.profile import PlainTarget, plain_target
from entrepot.target import Place, dbts_target, load_target, open_ledger
from tests.conftest import ROOT

ENVIRONMENT = {"PLACE": "of/old", "SIZE": "7", "EMPTY": "", "DBT_ENV_SECRET_PLACE": "hidden"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def project(folder: Path, profile: str = "shop", target: str = "here", **output: Any) -> Path:
    """A project with one profile; `warehouse` is the warehouse's folder."""
    settings = {"spark.sql.warehouse.dir": output.pop("warehouse", "warehouse"), "spark.sql.shuffle.partitions": "2"}
    given = {"type": "entrepot", "method": "session", "host": "h", "schema": "s", "server_side_parameters": settings}
    profiles = {"shop": {"target": target, "outputs": {"here": given | output, "there": given | {"schema": "there"}}}}
    (folder / "dbt_project.yml").write_text(json.dumps({"name": "shop", "profile": profile}))
    (folder / "profiles.yml").write_text(yaml.safe_dump(profiles))
    return folder


PLAIN: list[dict[str, Any]] = [
    {"warehouse": "a/b"},
    {"warehouse": "file:/a/b"},
    {"warehouse": "7"},
    {"warehouse": "with a line end\n"},
    {"warehouse": "{{ env_var('PLACE') }}"},
    {"warehouse": "{{ env_var('PLACE', 'x') }}/{{ env_var('NOT_SET', 'deep') }}/{{ env_var(\"SIZE\") }}"},
    {"warehouse": "{{- env_var('SIZE') -}}"},
    {"warehouse": "a{# a note #}b"},
    {"warehouse": "{% raw %}{{ as it is }}{% endraw %}"},
    {"schema": "{{ env_var('SIZE') }}"},
    {"schema": "default", "type": "spark"},
    {"target": "{{ env_var('WHERE', 'there') }}"},
    {"profile": "{{ env_var('WHOSE', 'shop') }}"},
    {"threads": "{{ env_var('SIZE') | int }}", "ansi": True},
]


@pytest.mark.parametrize("given", PLAIN, ids=str)
def test_a_plain_profile(tmp_path: Path, given: dict[str, Any]) -> None:
    folder = project(tmp_path, **given)
    found = plain_target(folder, folder, None)
    by_dbt = dbts_target(folder, folder, None)
    settings = by_dbt.settings if given.get("type") != "spark" else None
    assert found == PlainTarget(by_dbt.name, by_dbt.schema, by_dbt.settings["spark.sql.warehouse.dir"], settings)
    assert load_target(folder, folder) == by_dbt


@pytest.mark.parametrize(
    "warehouse",
    [
        "{{ env_var('PLACE') | upper }}",
        "{{ 'a' ~ 'b' }}",
        "{{ env_var('NOT' ~ '_SET', 'x') }}",
        "{{ env_var(var='PLACE') }}",
        "{{ env_var('DBT_ENV_SECRET_PLACE') }}",
        "{% if true %}a{% endif %}",
        "{{ var('place', 'a') }}",
        "{{ target_path }}a",
    ],
)
def test_what_is_not_plain_is_left_to_dbt(tmp_path: Path, warehouse: str) -> None:
    folder = project(tmp_path, warehouse=warehouse)
    assert plain_target(folder, folder, None) is None
    assert load_target(folder, folder).warehouse.is_relative_to(folder)
    assert open_ledger(folder, folder).jobs(1) == [], "by way of dbt"


@pytest.mark.parametrize(
    ("given", "target", "sentence"),
    [
        ({"warehouse": "{{ env_var('NOT_SET') }}"}, None, "NOT_SET"),
        ({"warehouse": "{{ broken"}, None, "broken"),
        ({"profile": "other"}, None, "Could not find profile named 'other'"),
        ({}, "nowhere", "does not have a target named 'nowhere'"),
        ({"type": "postgres"}, None, "postgres"),
        ({"schema": 7}, None, "7 is not"),
        ({"server_side_parameters": {}}, None, "does not say where its warehouse lies"),
    ],
)
def test_errors_are_dbts(tmp_path: Path, given: dict[str, Any], target: str | None, sentence: str) -> None:
    folder = project(tmp_path, **given)
    with pytest.raises(ProfileError, match=sentence):
        open_ledger(folder, folder, target)


@pytest.mark.parametrize("broken", ["dbt_project.yml", "profiles.yml"])
def test_yaml_that_cannot_be_read_is_left_to_dbt(tmp_path: Path, broken: str) -> None:
    folder = project(tmp_path)
    (folder / broken).write_text("a: [")
    assert plain_target(folder, folder, None) is None
    with pytest.raises(ProfileError):
        open_ledger(folder, folder)


def test_the_target_that_is_named(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = plain_target(folder, folder, "there")
    assert found is not None and (found.name, found.schema, found.warehouse) == ("there", "there", "warehouse")


def test_the_repositorys_own_profile_is_plain() -> None:
    found = plain_target(ROOT, ROOT, None)
    by_dbt = dbts_target(ROOT, ROOT, None)
    assert found is not None and found.settings == by_dbt.settings
    assert Place(found.schema, ROOT / found.warehouse) == Place(by_dbt.schema, by_dbt.warehouse)


def test_settings_that_are_not_plain_are_left_to_dbt(tmp_path: Path) -> None:
    settings = {"spark.sql.warehouse.dir": "warehouse", "spark.driver.memory": "{{ '3' ~ 'g' }}"}
    folder = project(tmp_path, server_side_parameters=settings)
    found = plain_target(folder, folder, None)
    assert found is not None and (found.warehouse, found.settings) == ("warehouse", None)
    assert load_target(folder, folder).settings["spark.driver.memory"] == "3g"


def test_how_another_spark_is_reached_is_left_to_dbt(tmp_path: Path) -> None:
    """`entrepot run` keeps a Spark of its own process warm, and refuses others."""
    found = plain_target(project(tmp_path, method="thrift"), tmp_path, None)
    assert isinstance(found, PlainTarget) and found.settings is None
