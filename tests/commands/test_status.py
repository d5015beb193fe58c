"""What `entrepot status` and `explain` say, from books that no Spark has written; and that they start none, nor import dbt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from arro3.core import Array, DataType, Table
from click.testing import CliRunner
from deltalake import write_deltalake

from entrepot.cli import COMMANDS, main
from entrepot.ledger import JobEvent, ModelRun, PublishedRelation, SourceCut
from entrepot.ledger.concerns import NO_CONCERN, Figures
from entrepot.ledger.lock import this_process
from tests.support.books import NOON, Shop

UNMAPPED = Figures("unmapped events", 12, (("no block", 9), ("broken [1] price", 2), ("", 1)), 4)


def view(number: int, name: str, concern: str | None) -> PublishedRelation:
    return PublishedRelation("j", number, name, definition="select 1", published_at=NOON, concern=concern)


def append(folder: Path, row: dict[str, Any]) -> None:
    """Append a row to a table as an older version would have done: only with the columns that it knew."""
    known = {name: value for name, value in row.items() if value is not None}
    arrays = {
        name: Array([round(value.timestamp() * 1_000_000)], type=DataType.int64()).cast(
            DataType.timestamp("us", tz="UTC")
        )
        if isinstance(value, datetime)
        else Array([value], type=DataType.utf8() if isinstance(value, str) else DataType.int64())
        for name, value in known.items()
    }
    write_deltalake(str(folder), Table.from_pydict(arrays), mode="append", schema_mode="merge")


def table(number: int, name: str) -> PublishedRelation:
    return PublishedRelation("j", number, name, 3, location="file:/x", published_at=NOON)


def test_concerns_are_those_of_the_newest_job(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1, view(1, "ops.a", UNMAPPED.render()), view(1, "ops.b", Figures("late", 1).render()))
    shop.job(2, view(2, "ops.a", UNMAPPED.render()), view(2, "ops.b", Figures("late", 0).render()), table(2, "marts.t"))
    said = shop.says("status")
    assert "Published: job 2, 2 d ago, 3 relations" in said
    assert "12 unmapped events: 9 no block; 2 broken [1] price; 1 without a reason … 0 late" in said
    assert "(job" not in said


def test_a_killed_job_and_a_failed_one_leave_the_last_figures(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1, view(1, "ops.a", UNMAPPED.render()))
    shop.job(2, ended="failed").job(3, ended="")
    said = shop.says("status")
    assert "running" in said and "failed" in said and "12 unmapped events" in said
    machine = this_process().partition(":")[0]
    shop.store.append([JobEvent("j", 4, "started", "ann", "build", NOON, f"{machine}:{2**30}:1")])
    assert "running" not in (said := shop.says("status")) and said.count("killed") == 2


def test_a_view_that_the_newest_job_could_not_publish(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1, view(1, "ops.a", UNMAPPED.render())).job(2, view(2, "ops.b", NO_CONCERN))
    assert "1 without a reason … (job 1)" in shop.says("status")


def test_a_view_that_is_no_concern_any_more(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1, view(1, "ops.a", UNMAPPED.render())).job(2, view(2, "ops.a", NO_CONCERN))
    assert "unmapped" not in shop.says("status")


def test_a_view_that_could_not_be_counted(tmp_path: Path) -> None:
    problem = Figures("late", problem="there is no column reasn")
    assert "? late: could not be counted: there is no column reasn" in Shop(tmp_path).job(
        1, view(1, "ops.a", problem.render())
    ).says("status")


def test_a_project_without_concerns_is_told_nothing(tmp_path: Path) -> None:
    said = Shop(tmp_path).job(1, view(1, "ops.a", NO_CONCERN), table(1, "marts.t")).says("status", "--relations")
    assert "waits" not in said
    assert said.endswith(" 2 relations relation ┃ version ━━━━━━━━━╇━━━━━━━━ marts.t │ 3 ops.a │ view"), said


def test_the_environment_says_what_it_says_to_dbt(tmp_path: Path) -> None:
    Shop(tmp_path).job(1)
    places = {"DBT_PROJECT_DIR": str(tmp_path), "DBT_PROFILES_DIR": str(tmp_path)}
    assert "finished" in CliRunner(env=places).invoke(main, ["status"]).output
    result = CliRunner(env=places | {"DBT_TARGET": "elsewhere"}).invoke(main, ["status"])
    assert result.exit_code == 2 and "does not have a target named 'elsewhere'" in result.output + result.stderr


def test_nothing_is_cut_where_there_is_no_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    reason = "changed: " + ", ".join(f"marts.a_rather_long_name_{number}" for number in range(30))
    shop = Shop(tmp_path).job(1)
    shop.ledger.write([ModelRun("j", 1, 2, "marts.t", "model", "success", "join", reason, seconds=1.0)])
    assert reason in shop.says("explain", "marts.t")


def test_what_dbt_left_out_is_no_run(tmp_path: Path) -> None:
    shop = Shop(tmp_path).job(1)
    shop.ledger.write([ModelRun("j", 2, 1, "marts.late", "model", "skipped", "incremental", seconds=0.0)])
    said = shop.says("explain", "marts.late")
    assert "2 │ skipped" in said and "1 │ full" in said
    assert "2 │" not in shop.says("explain", "marts.late", "--last")
    assert "It did not run: something before it had failed." in shop.says("explain", "marts.late", "--job", "2")


def test_books_of_the_version_before(tmp_path: Path) -> None:
    shop = Shop(tmp_path, layout=1).job(1)
    row = view(1, "ops.a", None).values()
    del row["concern"]
    append(tmp_path / "warehouse/ops.db/published_snapshot", row)
    assert "What waits for somebody is counted by the next `dbt build`." in shop.says("status")
    shop.ledger.bring_forward()
    shop.job(2, ended="failed")
    assert "What waits for somebody is counted by the next `dbt build`." in shop.says("status")
    shop.job(3, view(3, "ops.a", UNMAPPED.render()))
    assert "12 unmapped events" in shop.says("status")


COLD = """
import sys
from entrepot.cli import main
before = {name.partition(".")[0] for name in sys.modules}
assert not before & {"pyspark", "py4j", "dbt", "sqlglot", "deltalake"}, before
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
after = {name.partition(".")[0] for name in sys.modules}
assert not after & {"pyspark", "py4j", "dbt", "dbt_common", "sqlglot"}, after
"""


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["status"], "12 unmapped events"),
        (["explain", "late"], "marts.late"),
        (["explain", "late", "--last"], "Its SQL is not recorded"),
        (["timeline"], "bytes in"),
        (["maintain"], "Nothing to remove"),
        (["--version"], "version 0."),
    ],
)
def test_no_java_no_dbt(tmp_path: Path, command: list[str], sentence: str) -> None:
    shop = Shop(tmp_path).job(1, view(1, "ops.a", UNMAPPED.render()))
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    java.chmod(0o755)
    environment = os.environ | {"JAVA_HOME": str(java.parent.parent), "PATH": f"{java.parent}:{os.environ['PATH']}"}
    found = subprocess.run(
        [sys.executable, "-c", COLD, *command], cwd=shop.path, env=environment | {"DBT_PROFILES_DIR": str(shop.path)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert sentence in " ".join(found.stdout.split()), found.stdout
    assert not (tmp_path / "started").exists(), "nobody has started Java"


def test_every_command_can_be_imported() -> None:
    said = CliRunner().invoke(main, ["--help"]).output
    assert [name for name in COMMANDS if f"  {name} " not in said] == []
    result = CliRunner().invoke(main, ["statu"])
    assert result.exit_code == 2 and "No such command" in result.output


def test_all_of_it_as_json(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    assert json.loads(shop.run("status", "--json").output) == {
        "jobs": [], "published": None, "sources": {}, "waiting": [], "promises": [],
    }  # fmt: skip
    promised = replace(view(1, "ops.a", UNMAPPED.render()), promises='{"exposure weekly": 60}', holds_through=NOON)
    shop.job(1, promised, table(1, "marts.t")).job(2, ended="failed", detail="sale").job(3, ended="")
    shop.ledger.write([SourceCut("j", 1, "till", heard_at=NOON, at=NOON), SourceCut("j", 1, "plant", at=NOON)])
    told = json.loads(shop.run("status", "--json").output)
    assert [(job["number"], job["state"], job["is_published"], job["failed"]) for job in told["jobs"]] == [
        (3, "running", False, None), (2, "failed", False, "sale"), (1, "finished", True, None),
    ]  # fmt: skip
    assert told["published"] == {
        "job": 1,
        "published_at": NOON.isoformat(),
        "landed_through": None,
        "relations": {
            "marts.t": {"version": 3, "holds_through": None},
            "ops.a": {"version": None, "holds_through": NOON.isoformat()},
        },
    }
    assert told["sources"] == {"till": NOON.isoformat(), "plant": None}
    assert [(one["says"], one["total"], one["counted_by"]) for one in told["waiting"]] == [("unmapped events", 12, 1)]
    assert told["waiting"][0]["reasons"][0] == {"reason": "no block", "amount": 9}
    assert [(one["of"], one["is_kept"]) for one in told["promises"]] == [("exposure weekly", False)]
    assert shop.run("status", "--json", "--check").exit_code == 1
