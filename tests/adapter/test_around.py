"""Programs around dbt that make its adapter to look things up, as dagster-dbt does beside the process that runs the job."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import Any

import click
import pytest
from dbt.config.project import PartialProject
from dbt.config.renderer import DbtProjectYamlRenderer
from dbt.config.runtime import RuntimeConfig, load_profile
from dbt.flags import get_flags, set_from_args
from dbt.mp_context import get_mp_context
from dbt_common.context import set_invocation_context

from dbt.adapters.entrepot.connections import EntrepotConnectionManager
from dbt.adapters.entrepot.impl import EntrepotAdapter
from tests.support.books import Shop


def test_spark_starts_for_a_command_of_dbt_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop, started = Shop(tmp_path), list[Any]()
    monkeypatch.setattr(EntrepotConnectionManager, "expect", started.append)
    set_from_args(Namespace(profiles_dir=str(shop.path), project_dir=str(shop.path)), None)
    assert get_flags().WHICH == "run", "so dbt has it where nobody says a command"
    set_invocation_context(os.environ)
    profile = load_profile(str(shop.path), {})
    partial = PartialProject.from_project_root(str(shop.path))
    config = RuntimeConfig.from_parts(partial.render(DbtProjectYamlRenderer(profile, {})), profile, get_flags())
    EntrepotAdapter(config, get_mp_context())
    with click.Context(click.Command("materialize")):
        EntrepotAdapter(config, get_mp_context())
    assert started == []
    with click.Context(click.Command("run")):
        EntrepotAdapter(config, get_mp_context())
    assert len(started) == 1
