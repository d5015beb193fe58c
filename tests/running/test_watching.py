"""Which files end the pause after a failed job: all that dbt reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from entrepot.running.watching import project_listing

FILES = (
    "project/dbt_project.yml", "project/packages.yml", "project/selectors.yml", "project/models/a.sql", "project/words/b.md",
    "project/analyses/c.sql", "project/tests/generic/d.sql", "profiles/profiles.yml", "package/macros/e.sql",
)  # fmt: skip


@pytest.mark.parametrize("changed", FILES)
def test_a_changed_file_is_seen(tmp_path: Path, changed: str) -> None:
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("docs-paths: [words]\n")
    (tmp_path / "project/dbt_packages").mkdir()
    # as `dbt deps` has a package of this machine
    (tmp_path / "project/dbt_packages/package").symlink_to(tmp_path / "package")
    (tmp_path / "project/target").mkdir()

    def listed() -> object:
        return project_listing(tmp_path / "project", tmp_path / "profiles")

    before = listed()
    (tmp_path / "project/target/manifest.json").write_text("{}")
    assert listed() == before
    (tmp_path / changed).write_text("docs-paths: [words] # changed\n")
    assert listed() != before
