"""`persist_docs`: one statement for all columns, and only where a description differs from the stored comment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.overrides.support import NO_JOB, statements
from tests.support.dbt_case import DbtCase, delta_models

Cases = Callable[..., DbtCase]

MODELS = r"""
models:
  - name: part
    description: "A 'part' in C:\\new"
    config: {materialized: incremental, persist_docs: {relation: true, columns: true}}
    columns:
      - {name: NUMBER, description: "It's \"the\" number in \\new"}
      - {name: name, description: "plain; two\nlines"}
      - {name: silent}
  - name: part_view
    description: "A 'view' in C:\\new"
    config: {materialized: view, persist_docs: {relation: true, columns: true}}
    columns: [{name: number, description: "It's \\new"}]
  - name: part_table
    description: not stored
    config: {materialized: table, persist_docs: {columns: true}}
    columns: [{name: number, description: its number}, {name: missing, description: no such column}]
"""
ALL = "A 'part' in C:\\new", {"number": 'It\'s "the" number in \\new', "name": "plain; two\nlines", "silent": ""}


def project(case: DbtCase) -> DbtCase:
    for name in ("part", "part_view", "part_table"):
        case.put(f"models/{name}.sql", "select 1 as number, 'a' as name, true as silent")
    return case.put("models/models.yml", MODELS)


def comments(case: DbtCase, name: str) -> tuple[str, dict[str, str]]:
    rows: list[Any] = case.spark.sql(f"describe extended {case.table('marts', name)}")
    names = [row.col_name for row in rows]
    columns = {row.col_name: row.comment or "" for row in rows[: names.index("")]}
    return next((row.data_type for row in rows if row.col_name == "Comment"), ""), columns


def alters(outcome: Any, name: str) -> list[str]:
    return [sql for sql in statements(outcome, f"model.entrepot.{name}") if sql.startswith(("alter", "comment"))]


def test_only_changed_comments_are_written_and_in_one_statement(dbt_case: Cases) -> None:
    case = project(dbt_case(project=NO_JOB))
    outcome = case.build()
    assert comments(case, "part") == ALL
    assert len(alters(outcome, "part")) == 1
    assert comments(case, "part_view") == ("A 'view' in C:\\new", {"number": "It's \\new", "name": "", "silent": ""})
    assert comments(case, "part_table") == ("", {"number": "its number", "name": "", "silent": ""})
    assert "missing" in outcome.text  # dbt's own warning about a description without a column

    outcome = case.build("--select", "part")
    assert alters(outcome, "part") == []
    assert [commit["operation"] for commit in case.spark.history(case.table("marts", "part"))] == [
        "WRITE", "CHANGE COLUMNS", "CREATE TABLE AS SELECT",
    ]  # fmt: skip

    case.put("models/models.yml", MODELS.replace("A 'part' in C:\\\\new", "New").replace("plain; two\\nlines", ""))
    outcome = case.build("--select", "part")
    table = case.table("marts", "part")
    assert alters(outcome, "part") == [
        f"comment on table {table} is 'New'",
        f"alter table {table} alter column `name` comment ''",
    ]
    assert comments(case, "part") == ("New", ALL[1] | {"name": ""})
    history = case.spark.history(case.table("marts", "part"))
    assert [commit["operation"] for commit in history[:2]] == ["CHANGE COLUMN", "SET TBLPROPERTIES"]


def test_what_is_described_and_granted_does_not_wait_for_changed_rows(dbt_case: Cases) -> None:
    """Of a model of strategy delta that is unchanged: it was skipped, also where the job before had failed at it."""
    case = dbt_case(project=delta_models(unique_key="id", persist_docs={"relation": True, "columns": True}))
    case.put("models/kept.sql", "select 1 as id, named_struct('a', 1) as part")
    described = "models: [{name: kept, description: %s, columns: [{name: id, description: its number}, {name: part}]}]"
    case.put("models/models.yml", described % "old")
    case.build()
    case.put("models/models.yml", described % "new")
    outcome = case.build()
    assert outcome.messages == {"kept": "unchanged"}
    assert alters(outcome, "kept") == [f"comment on table {case.table('marts', 'kept')} is 'new'"]
    assert comments(case, "kept") == ("new", {"id": "its number", "part": ""})
    assert case.build().statements == []
    case.put("models/kept.sql", "{{ config(grants={'select': ['bob']}) }} select 1 as id, named_struct('a', 1) as part")
    for _ in range(2):
        assert "GRANT" in case.dbt("build").messages["kept"].upper(), "Spark's own catalogue has no grants"


@pytest.mark.long
def test_stock_writes_every_column_on_every_run(dbt_case: Cases) -> None:
    case = project(dbt_case(macros=False))
    case.build()
    case.put("models/models.yml", MODELS.replace("A 'part' in C:\\\\new", "New"))
    outcome = case.build("--select", "part")
    assert len(alters(outcome, "part")) == 3
    relation, columns = comments(case, "part")
    assert relation != "New"
    assert columns["number"] != ALL[1]["number"]
