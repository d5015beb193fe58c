"""`entrepot init`: the project that it starts, names and folders that it refuses, and that the project builds as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from dbt.contracts.util import Identifier

from entrepot.cli import main
from entrepot.commands.init import PLACEHOLDER, STARTER, check_name, suggested
from tests.conftest import ROOT
from tests.support.dbt_case import DbtCase
from tests.support.spark import Spark

SETTINGS = (STARTER / "profiles.yml").read_text()


def init(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Run `entrepot init` in a folder."""
    monkeypatch.chdir(folder)
    return CliRunner().invoke(main, ["init", name])


@pytest.mark.parametrize("is_there", [False, True])
def test_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    if is_there:
        (tmp_path / "shop_2").mkdir()
    result = init(tmp_path, "shop_2", monkeypatch)
    assert result.exit_code == 0, result.output
    assert result.output.endswith("Now:\n\n  cd shop_2\n  dbt build\n")
    files = {str(path.relative_to(tmp_path / "shop_2")): path for path in tmp_path.rglob("*") if path.is_file()}
    assert set(files) == {
        ".gitignore", "README.md", "dbt_project.yml", "profiles.yml", "landing/2026-01-05.jsonl",
        "models/models.yml", "models/revenue_by_customer.sql", "models/sale.sql",
    }  # fmt: skip
    assert [name for name, path in files.items() if PLACEHOLDER in path.read_text()] == []
    project = yaml.safe_load(files["dbt_project.yml"].read_text())
    profile = yaml.safe_load(files["profiles.yml"].read_text())
    assert (project["name"], project["profile"], list(profile)) == ("shop_2", "shop_2", ["shop_2"])
    assert profile["shop_2"]["outputs"]["local"]["type"] == "entrepot"


def test_the_local_settings_have_one_source() -> None:
    """The starter's profile is the repository's: whoever changes the one changes the other."""
    own = (ROOT / "profiles.yml").read_text()
    assert own.count("entrepot:\n") == 1
    assert own.replace("entrepot:\n", f"{PLACEHOLDER}:\n", 1) == SETTINGS


def test_target_large_is_the_same_warehouse() -> None:
    local, large = (yaml.safe_load(SETTINGS)[PLACEHOLDER]["outputs"][name] for name in ("local", "large"))
    own, other = (target.pop("server_side_parameters") for target in (local, large))
    assert (large, set(other) - {"spark.sql.codegen.hugeMethodLimit"}) == (local, set(own))
    options = "spark.driver.extraJavaOptions"
    assert other.pop(options) == own.pop(options).replace(
        " -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.1", ""
    )
    assert {name for name in own if other[name] != own[name]} == {
        "spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("my-shop", "does not begin with a digit. For example: entrepot init my_shop"),
        ("2shop", "For example: entrepot init _2shop"),
        ("a/b", "For example: entrepot init a_b"),
        (".", "For example: entrepot init my_warehouse"),
        ("", "For example: entrepot init my_warehouse"),
        ("shop\n", "For example: entrepot init shop"),
        ("dbt", "comes with entrepot or dbt. Take another one."),
        ("dbt_entrepot", "comes with entrepot or dbt"),
    ],
)
def test_names_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str) -> None:
    result = init(tmp_path, name, monkeypatch)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split()), result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["shop", "_shop", "Shop_2", "größe"])
def test_names_are_dbts(name: str) -> None:
    assert Identifier.is_valid(name)
    check_name(name)


@pytest.mark.parametrize("name", ["my-shop", "2shop", "a b", ""])
def test_names_that_are_not_dbts(name: str) -> None:
    assert not Identifier.is_valid(name) and Identifier.is_valid(suggested(name))


def test_a_folder_that_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "letter.txt").write_text("dear")
    (tmp_path / "note").write_text("x")
    for name, sentence in (("shop", "shop is not empty; it is left alone."), ("note", "note is a file; it is left")):
        result = init(tmp_path, name, monkeypatch)
        assert (result.exit_code, sentence in " ".join(result.output.split())) == (2, True), result.output
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "note",
        "shop",
        "shop/letter.txt",
    ]


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any, **_named: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    result = init(tmp_path, "shop", monkeypatch)
    assert (result.exit_code, "shop cannot be written: Permission denied." in " ".join(result.output.split())) == (
        3,
        True,
    )


def test_the_wheel_has_the_starter() -> None:
    assert 'entrepot = ["starter/**/*", "analysis/functions.txt", ' in (ROOT / "pyproject.toml").read_text()
    assert [path.name for path in STARTER.rglob("*") if path.name.startswith(".")] == [], "wheels would leave these out"


class Started(DbtCase):
    """The project that `entrepot init` has started, with a schema of its own."""

    name = "my_shop"

    def __init__(self, folder: Path, spark: Spark, schema: str) -> None:
        self.path, self.schema, self.spark = folder, schema, spark
        self.watch: Callable[[Any], None] = lambda event: None
        profile = folder / "profiles.yml"
        profile.write_text(profile.read_text().replace("schema: default", f"schema: {schema}"))


def test_the_project_builds_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Spark) -> None:
    assert init(tmp_path, "my_shop", monkeypatch).exit_code == 0
    shop = Started(tmp_path / "my_shop", spark, "started")
    # Spark runs in the tests' folder, dbt's user runs it in the project's
    place = ("--vars", f"landing_path: {shop.path / 'landing'}")
    first = shop.build(*place)
    assert first.messages["revenue_by_customer"] == "create: +2 ~0 -0"
    assert shop.build(*place).messages["revenue_by_customer"] == "unchanged"
    line = '{"order_id": 4, "customer": "Cecil", "item": "nail", "amount": 1.00, "sold_on": "2026-01-06"}\n'
    shop.put("landing/2026-01-06.jsonl", line)
    assert shop.build(*place).messages["revenue_by_customer"] == "aggregate: 1 in +1 ~0 -0"
    found = spark.rows("select customer, orders, cast(revenue as string) from started.revenue_by_customer")
    assert found == [("Ada", 2, "16.50"), ("Bell", 1, "2.50"), ("Cecil", 1, "1.00")]
