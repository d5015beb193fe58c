"""What the tests of the registry share: a project to pull into, and schemas as people register them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from entrepot.cli import main
from tests.support.books import PROFILE

SEED = "seeds/mapping/schema_attribute.csv"
ENVELOPE = "schema,version,attribute,data_type,position,is_key,renamed_from"


def project_in(folder: Path) -> Path:
    """A project without seeds, in which nothing has landed."""
    (folder / "dbt_project.yml").write_text("name: entrepot\nprofile: shop\n")
    (folder / "profiles.yml").write_text(PROFILE)
    return folder


def pull(project: Path, url: str, *arguments: str, **environment: str) -> Result:
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    own = {"ENTREPOT_REGISTRY_USER": "", "ENTREPOT_REGISTRY_PASSWORD": "", "ENTREPOT_REGISTRY_TOKEN": "", **environment}
    return CliRunner().invoke(main, [*place, "registry", "pull", "--url", url, *arguments], env=own)


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return " ".join(result.output.replace("│", " ").replace("┃", " ").split())


def refused(result: Result) -> str:
    assert result.exit_code in (2, 3), result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def seed(project: Path) -> list[str]:
    """The rows of schema_attribute."""
    path = project / SEED
    return path.read_text().splitlines()[1:] if path.exists() else []


def files(project: Path) -> dict[str, bytes]:
    """All that a pull may have written."""
    return {
        str(path.relative_to(project)): path.read_bytes()
        for folder in ("seeds", "registry")
        for path in sorted((project / folder).rglob("*"))
        if path.is_file()
    }


def record(name: str, *fields: dict[str, Any], **more: Any) -> str:
    """An Avro record."""
    space, _, short = name.rpartition(".")
    return json.dumps({"type": "record", "name": short, "namespace": space, "fields": list(fields), **more})


def field(name: str, type_: Any, **more: Any) -> dict[str, Any]:
    """A field of an Avro record."""
    return {"name": name, "type": type_, **more}
