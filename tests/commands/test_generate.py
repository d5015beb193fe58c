"""What `entrepot generate` says and asks, from landed tables that no Spark has written; and that it starts none, nor imports dbt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from arro3.core import Array, DataType, Table
from click.testing import CliRunner, Result
from deltalake import write_deltalake

from entrepot.cli import main
from entrepot.ledger import PublishedRelation
from entrepot.mapping import catalogue
from tests.support.books import NOON, PROFILE, Shop

DISCOVERED = (
    ("shop.public.note", 1, "id", "integer", 1, True), ("shop.public.note", 1, "text", "text", 2, False),
    ("shop.public.plain", 1, "id", None, 1, True), ("shop.public.plain", 1, "at", None, 2, False),
)  # fmt: skip
NAMES = ("schema", "version", "attribute", "data_type", "position", "is_key")
KINDS = {"version": DataType.int32(), "position": DataType.int32(), "is_key": DataType.bool()}


def land(project: Path) -> None:
    """Write what landing would have written."""
    columns = dict(zip(NAMES, map(list, zip(*DISCOVERED, strict=True)), strict=True))
    put(project / "warehouse/landing.db/discovered_schema_attribute", columns)
    images = [json.dumps({"id": number, "at": "2026-01-05T08:00:00Z"}) for number in range(600)]
    put(
        project / "warehouse/landing.db/change_event",
        {"schema_name": ["shop.public.plain"] * 601, "after": [None, *images]},
    )


def put(folder: Path, columns: dict[str, list[object]]) -> None:
    arrays = {name: Array(values, type=KINDS.get(name, DataType.utf8())) for name, values in columns.items()}
    write_deltalake(str(folder), Table.from_pydict(arrays))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "dbt_project.yml").write_text("name: entrepot\nprofile: shop\n")
    (tmp_path / "profiles.yml").write_text(PROFILE)
    land(tmp_path)
    return tmp_path


def generate(project: Path, *options: str, answer: str | None = None) -> Result:
    place = ["--project-dir", str(project), "--profiles-dir", str(project)]
    return CliRunner().invoke(main, [*place, "generate", *options], input=answer)


def said(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def written(project: Path) -> list[str]:
    return sorted(path.name for folder in ("models", "seeds", "snapshots") for path in (project / folder).rglob("*.*"))


def test_the_plan_is_shown_first(project: Path) -> None:
    shown = said(generate(project))
    assert "shop.public.note │ 1 │ note │ 2 │ id │ records" in shown
    assert "shop.public.plain │ 1 │ plain │ 2 │ id │ values of 500 events" in shown
    assert "4 new files in models/mapped" in shown and "2 new files in snapshots" in shown
    assert "4 rows to seeds/mapping/schema_attribute.csv" in shown
    assert shown.endswith("Nothing has been written: say --yes.")
    assert said(generate(project, "--plan", "--yes")).endswith("2 entities to variable entities in dbt_project.yml")
    assert written(project) == []


@pytest.mark.parametrize(("answer", "writes"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_it_asks(project: Path, monkeypatch: pytest.MonkeyPatch, answer: str, writes: bool) -> None:
    monkeypatch.setattr("entrepot.commands.console._can_answer", lambda: True)
    shown = said(generate(project, answer=answer))
    assert "Write this? [y/N]" in shown and ("Written. See `git diff`" in shown) == writes
    assert bool(written(project)) == writes


def test_written_and_again(project: Path) -> None:
    assert said(generate(project, "--yes")).endswith("Written. See `git diff`, then run `dbt build`.")
    assert (
        "plain,1,at,timestamp,false,Column at of shop.public.plain (type from values)"
        in (project / "seeds/mapping/entity_attribute.csv").read_text()
    )
    assert said(generate(project, "--yes")) == "Nothing to write: everything asked for that can be mapped is mapped."
    assert "shop.public.note is mapped already" in said(generate(project, "shop.public.note"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("x.*",), "x.* names no source schema. There are shop.public.note, shop.public.plain."),
        (("--entity", "note"), "--entity note does not say shop.sales.customer and what it is."),
        (("--entity", "shop.public.note=My Note"), "For example: --entity shop.public.note=my_note"),
        (("--key", "shop.public.note=x"), "it has no x. It has id, text."),
        (("--key", "shop.public.note="), "does not say"),
    ],
)
def test_what_is_refused(project: Path, options: tuple[str, ...], sentence: str) -> None:
    result = generate(project, *options)
    assert (result.exit_code, sentence in " ".join(result.output.split())) == (2, True), result.output


def test_nothing_has_landed(project: Path) -> None:
    (project / "profiles.yml").write_text(PROFILE.replace("'warehouse'", "'elsewhere'"))
    result = generate(project)
    assert (result.exit_code, "has landed in" in result.output, "Run `dbt build`" in result.output) == (2, True, True)


def test_landing_in_a_schema_of_another_name(project: Path) -> None:
    """A project's own generate_schema_name decides; what has been published says where it is."""
    (project / "warehouse/landing.db").rename(project / "warehouse/default_landing.db")
    assert generate(project).exit_code == 2
    published = [
        PublishedRelation("j", 1, f"default_landing.{name}", 0, location=f"file:{project}/warehouse/default_landing.db/{name}", published_at=NOON)
        for name in ("discovered_schema_attribute", "change_event")
    ]  # fmt: skip
    Shop(project).job(1, *published)
    assert "shop.public.plain │ 1 │ plain │ 2 │ id │ values of 500 events" in said(generate(project))


def test_a_table_that_cannot_be_read(project: Path) -> None:
    for file in (project / "warehouse/landing.db/discovered_schema_attribute/_delta_log").iterdir():
        file.write_text("broken")
    result = generate(project)
    assert (result.exit_code, "cannot be read" in result.output) == (3, True), result.output


def test_no_driver(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> None:
        raise ImportError

    monkeypatch.setattr(catalogue.importlib, "import_module", missing)
    result = generate(project, "--dsn", "postgresql://x")
    assert (
        result.exit_code,
        "psycopg is not installed. Say `pip install 'entrepot[catalogue]'`" in " ".join(result.output.split()),
    ) == (3, True)


def test_a_database_of_no_system_or_of_several(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = catalogue.tables_of([("crm", "visit", "", None, "id", "integer", 1, True, "")])
    monkeypatch.setattr("entrepot.commands.generate.catalogue_tables", lambda _dsn: tables)
    for patterns, sentence in (
        ((), "none is named"),
        (("a.crm.*", "b.crm.*"), "a, b are several"),
        (("*",), "none is named"),
    ):
        result = generate(project, *patterns, "--dsn", "x")
        assert (result.exit_code, sentence in " ".join(result.output.split())) == (2, True), result.output
    assert "crm.crm.visit │ 1 │ visit │ 1 │ id │ catalogue" in said(generate(project, "crm.*", "--dsn", "x"))


def test_it_needs_neither_spark_nor_dbt(project: Path) -> None:
    program = (
        "import sys; from entrepot.cli import main; "
        "main(['--project-dir', sys.argv[1], '--profiles-dir', sys.argv[1], 'generate', '--plan'], standalone_mode=False); "
        "sys.exit(any(name in sys.modules for name in ('pyspark', 'dbt.config', 'psycopg')))"
    )
    assert (
        subprocess.run([sys.executable, "-c", program, str(project)], check=False, capture_output=True).returncode == 0
    )
