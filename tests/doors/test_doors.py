"""Bad input at every door: a sentence that says what is wrong and how to go on, an exit code, and no stack trace."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from entrepot.cli import main
from entrepot.errors import EnvironmentProblemError
from entrepot.patience import Patience
from entrepot.spark.embedded import PLACE
from tests.conftest import ROOT
from tests.support.dbt_case import DbtCase

# what a copy of this project needs
COPIED = ("dbt_project.yml", "profiles.yml", "docs", "macros", "models", "seeds", "snapshots")


Dbt = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def dbt(tmp_path_factory: pytest.TempPathFactory) -> Dbt:
    """Runs dbt on a new project as a user does: a process of its own."""
    project = tmp_path_factory.mktemp("doors") / "shop"
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(project.parent)
        begun = CliRunner().invoke(main, ["init", project.name])
    assert begun.exit_code == 0, begun.output
    own = ("ENTREPOT_WAREHOUSE", "DBT_PROFILES_DIR")

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        kept = {key: value for key, value in os.environ.items() if key not in own}
        return subprocess.run(
            [str(Path(sys.executable).with_name("dbt")), *arguments], cwd=project, env=kept | environment,
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    return run


def refused(process: subprocess.CompletedProcess[str], *sentences: str) -> None:
    """Insist on the exit code, the sentences, and on nothing that only a programmer can read."""
    said = " ".join((process.stdout + process.stderr).split())
    assert process.returncode == 2, said
    for sentence in sentences:
        assert sentence in said, said
    assert "Traceback" not in said and "at org.apache" not in said, said


@pytest.mark.long
def test_a_target_that_does_not_exist(dbt: Dbt) -> None:
    refused(dbt("build", "--target", "nope"), "does not have a target named 'nope'", "local")


@pytest.mark.long
def test_a_profile_that_does_not_exist(dbt: Dbt) -> None:
    refused(dbt("build", "--profile", "nope"), "Could not find profile named 'nope'")


def test_no_java(dbt: Dbt, tmp_path: Path) -> None:
    process = dbt("build", JAVA_HOME=str(tmp_path), ENTREPOT_WAREHOUSE=str(tmp_path / "warehouse"))
    refused(
        process, "Spark needs Java 17 or 21, but JAVA_HOME is", "Install Java 17 or 21, or let `make setup` install one"
    )


@pytest.mark.long
def test_a_java_that_is_too_old(dbt: Dbt, tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    process = dbt("build", JAVA_HOME=str(tmp_path), ENTREPOT_WAREHOUSE=str(tmp_path / "warehouse"))
    refused(process, "is version 11")


def test_a_folder_that_cannot_be_written(dbt: Dbt, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = dbt("build", ENTREPOT_WAREHOUSE=str(tmp_path / "file" / "warehouse"))
    refused(process, "The warehouse cannot be written", "ENTREPOT_WAREHOUSE to another folder")


@pytest.mark.parametrize("wait", ["1s", pytest.param("", marks=pytest.mark.long)])
def test_a_warehouse_in_use_by_another_process(dbt: Dbt, tmp_path: Path, wait: str) -> None:
    with (tmp_path / PLACE).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = dbt("build", ENTREPOT_WAREHOUSE=str(tmp_path), **({"ENTREPOT_WAIT": wait} if wait else {}))
    assert ("It is waited for, up to 1 s (ENTREPOT_WAIT)." in process.stderr) == bool(wait)
    refused(process, "is in use by another process", "Wait until it has ended")


def test_a_span_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_WAIT", "soon")
    with pytest.raises(EnvironmentProblemError, match=r"ENTREPOT_WAIT is 'soon'.*such as 30s or 5m"):
        Patience.told()


@pytest.mark.long
def test_a_registry_that_cannot_be_reached(dbt: Dbt, tmp_path: Path) -> None:
    nowhere = f"-Duser.home={tmp_path} -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=9 -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9"
    process = dbt(
        "build", "--log-path", str(tmp_path / "logs"),
        HOME=str(tmp_path), JAVA_TOOL_OPTIONS=nowhere, ENTREPOT_WAREHOUSE=str(tmp_path / "warehouse"),
    )  # fmt: skip
    refused(process, "the package registry (Maven) is not reachable from here")


def entrepot(case: DbtCase, *arguments: str) -> Result:
    """Run the entrepot command on a case, in this process."""
    return CliRunner().invoke(main, ["--project-dir", str(case.path), "--profiles-dir", str(case.path), *arguments])


@pytest.fixture(scope="module")
def published(module_case: Callable[..., DbtCase]) -> DbtCase:
    """A project with one published table, and a view over a table of Parquet files, which has no versions to publish."""
    case = module_case()
    case.spark.sql(f"create schema {case.schema}_raw")
    case.spark.sql(f"create table {case.schema}_raw.t (id int) using parquet")
    case.put("models/raw.yml", f"sources: [{{name: raw, schema: {case.schema}_raw, tables: [{{name: t}}]}}]")
    case.put("models/over.sql", "{{ config(materialized='view') }} select * from {{ source('raw', 't') }}")
    case.put("models/numbers.sql", "{{ config(materialized='table') }} select 1 as n union all select 2")
    case.build()
    return case


def test_a_query_before_anything_is_published(dbt_case: Callable[..., DbtCase]) -> None:
    result = entrepot(dbt_case(), "query", "select * from numbers")
    assert (result.exit_code, "Nothing has been published on this warehouse yet. Run `dbt build`" in result.output) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("select * from number", "No published snapshot has number. Did you mean numbers?"),
        ("select * from marts.numberz", "No published snapshot has marts.numberz."),
        ("selec 1 frm numbers", "The query cannot be read"),
        ("delete from numbers", "One SELECT is answered at a time"),
        ("select 1; select 2", "this is 2 statements"),
        ("select m from numbers", "Spark refuses the query"),
        ("select * from over", "over reads "),
        ("select * from over", "raw.t, which no job publishes"),
        ("select * from numbers version as of 0", "numbers is read at a version of its own (line 1, column 22)"),
    ],
)
def test_a_query_that_cannot_be_answered(published: DbtCase, sql: str, sentence: str) -> None:
    result = entrepot(published, "query", sql)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split()), result.output
    assert "Traceback" not in result.output and "QueryContextLogger" not in result.output


def test_a_model_that_reads_a_version_of_its_own(published: DbtCase) -> None:
    published.put(
        "models/pinned.sql",
        "{{ config(materialized='incremental', incremental_strategy='delta', unique_key='n') }}\n"
        "select n from {{ ref('numbers') }} version as of 0",
    )
    outcome = published.dbt("build", "--select", "pinned")
    (published.path / "models/pinned.sql").unlink()
    assert not outcome.success
    for sentence in (
        "Compilation Error in model pinned (models/pinned.sql)",
        "is read at a version of its own",
        "Leave the version out",
    ):
        assert sentence in outcome.text, outcome.text
    assert "Traceback" not in outcome.text


def test_a_folder_that_is_no_project(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--project-dir", str(tmp_path), "status"])
    assert (result.exit_code, "is no dbt project" in result.output) == (2, True)


def test_a_landing_path_where_nothing_lies(dbt_case: Callable[..., DbtCase], tmp_path: Path) -> None:
    case = dbt_case(
        parts=("models/landing", "seeds/mapping/schema_attribute.csv", "seeds/mapping/schema_attribute.yml")
    )
    outcome = case.dbt("run", "--select", "raw_line", "--vars", f"landing_path: {tmp_path}/nowhere/*.jsonl")
    assert not outcome.success
    said = " ".join(outcome.text.split())
    assert f"Path does not exist: file:{tmp_path}/nowhere" in said and "correct it in dbt_project.yml" in said, said
    assert "at org.apache" not in said, said


@pytest.mark.long
def test_seeds_that_cannot_be_used(dbt: Dbt, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(
        ROOT,
        project,
        ignore=lambda folder, names: [name for name in names if name not in COPIED and folder == str(ROOT)],
    )
    blocks = project / "seeds/mapping/unique_block.csv"
    line = len(blocks.read_text().splitlines()) + 1
    blocks.write_text(blocks.read_text() + "shop.sales.item,1,item,1,colour,name\n")
    # no Java: Spark is not started
    process = dbt(
        "build", "--project-dir", str(project), "--profiles-dir", str(project),
        JAVA_HOME=str(tmp_path), ENTREPOT_WAREHOUSE=str(tmp_path / "warehouse"),
    )  # fmt: skip
    refused(
        process, "The seeds of the mapping cannot be used as they are, 2 failures",
        f"seeds/mapping/unique_block.csv:{line}: shop.sales.item version 1 to item version 1: the schema has no attribute colour",
        "Correct them and build again",
    )  # fmt: skip
    assert not (tmp_path / "warehouse").exists()


@pytest.mark.slow
@pytest.mark.long
def test_a_mapping_that_its_tests_refuse(dbt_case: Callable[..., DbtCase]) -> None:
    """What files alone do not tell: version 9 may have been discovered, an attribute is mapped to a wrong one, a type narrows."""
    mapped = ("models/mapped/mapped_customer.sql", "models/mapped/mapped_customer.yml", "models/mapped/_shop.yml")
    case = dbt_case(parts=("models/landing", "models/mapping", *mapped, "seeds"))
    case.put("landing/nothing.jsonl", "")
    landing = ("--vars", f"landing_path: {case.path}/landing/*.jsonl")
    blocks, entities = (case.path / f"seeds/mapping/{name}.csv" for name in ("unique_block", "entity_attribute"))
    right = blocks.read_text()
    blocks.write_text(right + "shop.sales.item,9,item,1,colour,name\n")
    outcome = case.dbt("build", *landing)
    assert not outcome.success
    for sentence in (
        "The mapping seeds contradict each other:",
        "unique_block: shop.sales.item version 9 to item version 1: the schema has no attribute colour in this version",
        "Correct seeds/mapping/unique_block.csv",
    ):
        assert sentence in outcome.text, outcome.text

    blocks.write_text(right.replace("customer,1,customer,1,email,email", "customer,1,customer,1,city,email").replace(
        "customer,1,customer,1,city,city", "customer,1,customer,1,email,city"
    ))  # fmt: skip
    entities.write_text(entities.read_text().replace('credit_limit,"decimal(14,2)"', 'credit_limit,"decimal(6,2)"'))
    outcome = case.dbt("build", *landing)
    statuses = {name: str(result.status) for name, result in outcome.nodes.items()}
    assert (statuses["customers_of_every_version"], statuses["mapped_customer"]) == ("fail", "skipped")
    line = next(number for number, text in enumerate(right.splitlines(), 1) if "1,customer,1,credit_limit" in text)
    for sentence in (
        "actual differs from expected",
        f"seeds/mapping/unique_block.csv:{line}: shop.sales.customer version 1 to customer: credit_limit is numeric(12,2), "
        "and not every value of it fits credit_limit, which is decimal(6,2)",
    ):
        assert sentence in re.sub(r"\x1b\[[0-9;]*m", "", outcome.text), outcome.text
    assert case.spark.rows(f"select * from {case.table('ops', 'published_snapshot')}") == []
