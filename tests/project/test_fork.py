"""What a fork replaces is in folders of its own, and nothing else needs it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

from tests.conftest import ROOT
from tests.support.dbt_case import DbtCase

OURS = ("models/landing", "models/mapping")


def test_the_rest_of_the_project_does_not_need_it(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(parts=(*OURS, "seeds/mapping"))
    shutil.rmtree(case.path / "docs/dbt/entities")
    outcome = case.dbt("parse")
    assert outcome.success, outcome.text


def test_the_readme_names_every_folder_of_models() -> None:
    steps = (
        (ROOT / "README.md").read_text().partition("## Use it for your own data")[2].partition("**From nothing.**")[0]
    )
    named = set(re.findall(r"`(models/\w+)`", steps))
    assert named == {f"models/{folder.name}" for folder in (ROOT / "models").iterdir()}
    replaced, kept = steps.split("Nothing else needs these files")
    assert set(re.findall(r"`(models/\w+)`", kept)) == set(OURS)
    assert not [name for name in OURS if name in replaced]
