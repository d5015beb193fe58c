"""A project of another name takes landing and mapping from packages.yml, and generates its own entities; no Spark."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from dbt.cli.main import dbtRunner

from entrepot.cli import main
from entrepot.mapping.catalogue import tables_of
from tests.conftest import ROOT

SILENT = "PackageNodeDependsOnRootProjectNode"
TABLES = tables_of([
    ("public", "customer", "", None, "id", "integer", 1, True, "Number"),
    ("public", "client", "", None, "id", "integer", 1, True, ""),
])  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What docs/mapping.md says to write."""
    settings = re.findall(r"```yaml\n# dbt_project.yml\n(.*?)```", (ROOT / "docs/mapping.md").read_text(), re.DOTALL)[
        -1
    ]
    (tmp_path / "dbt_project.yml").write_text(f"name: my_shop\nversion: 1.0.0\nprofile: entrepot\n{settings}")
    (tmp_path / "packages.yml").write_text(f"packages: [{{local: {ROOT}}}]\n")
    (tmp_path / "profiles.yml").write_text((ROOT / "profiles.yml").read_text())
    (tmp_path / "seeds/mapping").mkdir(parents=True)
    for seed in (ROOT / "seeds/mapping").glob("*.csv"):
        (tmp_path / "seeds/mapping" / seed.name).write_text(seed.read_text().splitlines()[0] + "\n")
    dbt(tmp_path, "deps")
    return tmp_path


def dbt(project: Path, *arguments: str) -> Any:
    result = dbtRunner().invoke([*arguments, "--project-dir", str(project), "--profiles-dir", str(project), "--quiet"])
    assert result.success, result.exception
    return result.result


def test_it_generates_its_own_entities(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SILENT in (project / "dbt_project.yml").read_text()
    dbt(project, "parse")
    monkeypatch.setattr("entrepot.commands.generate.catalogue_tables", lambda _dsn: TABLES)
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    result = CliRunner().invoke(main, [*place, "generate", "shop.public.*", "--dsn", "x", "--owner", "shop", "--yes"])
    assert result.exit_code == 0, result.output
    assert (
        "shop.public.customer: an installed package describes a model mapped_customer, and dbt takes that for the one of this project. "
        "Say --entity shop.public.customer=public_customer."
    ) in " ".join(result.output.split())
    assert "{{ entrepot.map_to_entity('client') }}" in (project / "models/mapped/mapped_client.sql").read_text()
    assert "  entities:\n    - client\n" in (project / "dbt_project.yml").read_text()
    manifest = dbt(
        project,
        "parse",
        "--warn-error-options",
        json.dumps({"error": "all", "silence": [SILENT, "DeprecationsSummary"]}),
    )
    unmapped = manifest.nodes["model.entrepot.ops_unmapped_event"]
    assert "model.my_shop.mapped_client" in unmapped.depends_on.nodes
    assert "seed.my_shop.schema_attribute" in manifest.nodes["model.entrepot.schema_tree"].depends_on.nodes
    # the rows are an owner's: out of dbt's sight, and part of the seed
    assert (project / ".dbtignore").read_text() == "seeds/mapping/*/\n"
    header, *rows = (project / "seeds/mapping/shop/unique_block.csv").read_text().splitlines()
    assert rows and (project / "seeds/mapping/unique_block.csv").read_text() == f"{header}\n"
    united = "".join(f"{row}\n" for row in [header, *sorted(rows)])
    assert manifest.nodes["seed.my_shop.unique_block"].checksum.checksum == hashlib.sha256(united.encode()).hexdigest()
