"""What a job does besides the rules: changed SQL and columns, partial selections, failures, other writers, half-applied commits."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.entrepot.impl import EntrepotAdapter
from tests.support.dbt_case import DbtCase, Outcome, delta_models, reads, reads_changes

BASE = "{{ config(delta_rule='join') }} select id, v<more> from {{ source('raw', 't') }} where v > <least>"
TOP = "{{ config(delta_rule='join') }} select base.* from {{ ref('base') }}"
TESTED = "models:\n  - name: top\n    data_tests: [{not_null: {column_name: v}}]\n"


# a property that deltalake is not asked to respect (decision 55)
ONLY_SPARK_WRITES = "tblproperties={'delta.dataSkippingNumIndexedCols': '32'}"


class Project:
    """Two models on one source table: `top` on `base` on `raw.t`."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.raw = case.source("t", "id int, v int", "select id, id * 10 from range(1, 6)")
        case.put("models/top.sql", TOP)
        self.base()

    def base(self, least: int = 0, more: str = "") -> None:
        self.case.put("models/base.sql", BASE.replace("<more>", more).replace("<least>", str(least)))

    def insert(self, *rows: tuple[int, int | None]) -> None:
        values = ", ".join(f"({key}, {'null' if value is None else value})" for key, value in rows)
        self.case.spark.change(f"insert into {self.raw} values {values}")

    def rows(self, model: str) -> list[tuple[Any, ...]]:
        return self.case.rows("marts", model)

    def published(self) -> dict[str, tuple[int, int]]:
        """{model: (newest job that published it, its version)}; without the tables of other programs."""
        found = self.case.spark.answer(
            f"select relation, number, version from {self.case.table('ops', 'published_snapshot')} "
            "where node not like 'source.%'"
        )
        return {name.split(".")[1]: (number, version) for name, number, version in sorted(found, key=itemgetter(1))}


@pytest.fixture
def project(dbt_case: Callable[..., DbtCase]) -> Project:
    return Project(dbt_case(project=delta_models(unique_key="id")))


def reasons(outcome: Outcome) -> dict[str, str]:
    """{model: what its line says before the counts}"""
    return {name: message.split(":")[0] for name, message in outcome.messages.items()}


def test_changed_sql_and_columns(project: Project) -> None:
    case = project.case
    assert reasons(case.build()) == {"base": "create", "top": "create"}
    project.base(least=20)
    outcome = case.build()
    assert outcome.messages == {"base": "join: 2 in +0 ~0 -2", "top": "join: 2 in +0 ~0 -2"}, (
        "only the difference is written"
    )
    assert not [text for text in outcome.statements if "describe query" in text], "its verdict knows the columns"
    project.base(least=20, more=", v * 2 as double")
    assert reasons(case.build()) == {"base": "create", "top": "create"}, (
        "other columns: built anew, and what reads * with it"
    )
    assert project.rows("top") == [(3, 30, 60), (4, 40, 80), (5, 50, 100)]
    assert reasons(case.build()) == {"base": "unchanged", "top": "unchanged"}
    project.insert((6, 60))
    outcome = case.build("--full-refresh", "--select", "base")
    assert reasons(outcome) == {"base": "create"}
    assert case.build().messages == {"base": "unchanged", "top": "join: 1 in +1 ~0 -0"}


def test_partial_selection_and_failures(project: Project) -> None:
    case = project.case
    case.put("models/top.yml", TESTED)
    case.build()
    assert {name: number for name, (number, _) in project.published().items()} == {"base": 1, "top": 1}
    project.insert((7, 70))
    case.build("--select", "base")
    assert {name: number for name, (number, _) in project.published().items()} == {"base": 2, "top": 1}, (
        "top is not current"
    )
    case.build("--select", "top")
    assert {name: number for name, (number, _) in project.published().items()} == {"base": 3, "top": 3}
    project.insert((8, 80))
    case.put("models/top.sql", TOP + " where assert_true(base.v < 80) is null")
    outcome = case.dbt("build")
    assert not outcome.success
    assert "\tat org.apache.spark." in outcome.traces[0] and "\tat " not in outcome.text, "for the log alone"
    assert max(number for number, _ in project.published().values()) == 3, "a failed model publishes nothing"
    case.put("models/top.sql", TOP)
    case.put(
        "models/base.yml",
        "models:\n  - name: base\n    data_tests: [{not_null: {column_name: v, config: {where: 'id = 8'}}}]\n",
    )
    assert case.build().messages["base"] == "unchanged", "what the failed job has built is not built again"
    assert project.rows("top") == project.rows("base")
    project.insert((9, -1))
    case.put(
        "models/base.sql", "{{ config(delta_rule='join') }} select id, nullif(v, -1) as v from {{ source('raw', 't') }}"
    )
    outcome = case.dbt("build")
    assert not outcome.success, "the test on top fails"
    assert max(number for number, _ in project.published().values()) == 5, "a failed test publishes nothing"
    case.spark.change(f"delete from {project.raw} where id = 9")
    case.build()
    assert project.rows("top") == project.rows("base")
    assert {number for number, _ in project.published().values()} == {7}


@pytest.mark.long
def test_another_writer_and_maintenance(project: Project) -> None:
    case = project.case
    case.build()
    base = case.table("marts", "base")
    case.spark.scripts(
        f"optimize {base}", f"alter table {base} set tblproperties ('note' = 'x')", f"optimize {project.raw}"
    )
    outcome = case.build()
    assert outcome.messages == {"base": "unchanged", "top": "unchanged"}, "no row has changed"
    case.spark.change(f"update {base} set v = 0 where id = 1", f"insert into {base} values (99, 99)")
    outcome = case.build()
    assert outcome.messages == {"base": "full: +0 ~1 -1", "top": "unchanged"}, "the strange rows are undone"
    assert project.rows("top") == project.rows("base") == [(number, number * 10) for number in range(1, 6)]
    case.spark.sql(f"restore table {base} to version as of 0")
    assert reasons(case.build())["top"] == "unchanged"


@pytest.mark.long
def test_large_tables_take_changes_by_delete_and_insert(project: Project) -> None:
    case, large = project.case, ("--vars", "entrepot_merge_bytes: 0")
    case.build()
    case.spark.change(
        f"update {project.raw} set v = 7 where id = 1", f"delete from {project.raw} where id in (2, 3)",
        f"insert into {project.raw} values (6, 60), (3, 30)",
    )  # fmt: skip
    outcome = case.build(*large)
    assert outcome.messages == {"base": "join: 4 in +1 ~1 -1", "top": "join: 4 in +1 ~1 -1"}
    assert not [sql for sql in outcome.statements_of("top") if reads_changes(sql)], "the rows of base are handed on"
    assert project.rows("top") == project.rows("base") == [(1, 7), (3, 30), (4, 40), (5, 50), (6, 60)]
    inserted, deleted = case.spark.history(case.table("marts", "base"))[:2]
    assert (deleted["metadata"]["part"], deleted["metadata"]["base"]) == ("first", 0)
    assert (inserted["metadata"]["part"], inserted["metadata"]["reads"]) == ("whole", {project.raw: 4})
    case.spark.change(f"delete from {project.raw} where id = 5")
    assert case.build(*large).messages == {"base": "join: 1 in +0 ~0 -1", "top": "join: 1 in +0 ~0 -1"}
    last = case.spark.history(case.table("marts", "base"))[0]
    assert (last["operation"], last["metadata"]["part"]) == ("DELETE", "whole"), (
        "one commit is enough where nothing comes"
    )
    paths = f"select distinct apply_path from {case.table('ops', 'model_run')} where number > 1"
    assert case.spark.rows(paths) == [("delete+insert",)]


@pytest.mark.parametrize(
    "changed",
    [pytest.param(20, id="few", marks=pytest.mark.long), pytest.param(6_000, id="more than the driver takes")],
)
def test_readers_of_large_tables_are_handed_their_changes(dbt_case: Callable[..., DbtCase], changed: int) -> None:
    """Of a plan that knows them by itself, and of one that compares with the stored rows."""
    settings = {"entrepot_merge_bytes": 0, "entrepot_cost_rows": 30_000}
    case = dbt_case(project=delta_models(unique_key="id") | {"vars": settings})
    raw = case.source("t", "id int, part int, v int", "select id, id div 4, id % 7 from range(0, 20000)")
    models = {
        "plain": "select id, part, v from {{ source('raw', 't') }}",
        "ranked": "select id, part, v, rank() over (partition by part order by v desc) as place from {{ source('raw', 't') }}",
        "of_plain": "select id, v + 1 as more from {{ ref('plain') }}",
        "of_ranked": "select id, place from {{ ref('ranked') }} where place < 3",
    }
    for name, sql in models.items():
        case.put(f"models/{name}.sql", sql)
    case.build()
    case.spark.change(
        f"update {raw} set v = v + 3 where id < {changed}", f"delete from {raw} where id % 10000 = 999",
        f"insert into {raw} values (90001, 3, 1), (90002, 30000, 1)",
    )  # fmt: skip
    outcome = case.build()
    assert {message.split(":")[0] for message in outcome.messages.values()} == {"join", "scope"}, outcome.messages
    own = [case.table("marts", name) for name in ("plain", "ranked")]
    assert not [sql for sql in outcome.statements for name in own if reads_changes(sql, name)]
    paths = case.spark.answer(f"select distinct apply_path from {case.table('ops', 'model_run')} where number > 1")
    assert paths == [("delete+insert",)]
    for name in models:
        assert case.difference_from_recompute("marts", name) == [], name


@pytest.mark.long
def test_net_changes_of_a_large_join_are_known_without_its_stored_rows(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models() | {"vars": {"entrepot_merge_bytes": 0}})
    left = case.source("l", "id int, v int, note string", "select id, id * 10, '' from range(1, 7)")
    right = case.source("r", "id int, w int", "select id, id * 100 from range(1, 6)")
    case.put(
        "models/joined.sql",
        "{{ config(unique_key='id') }} select l.id, l.v, r.w from {{ source('raw', 'l') }} as l "
        "join {{ source('raw', 'r') }} as r on l.id = r.id",
    )
    case.build()
    case.spark.change(f"update {left} set note = 'not in the model' where id < 3")
    outcome = case.build()
    assert outcome.messages == {"joined": "join: 4 in +0 ~0 -0"}
    assert case.head("marts", "joined") == 0, "nothing was written"
    case.spark.change(
        f"update {left} set v = 0 where id in (1, 2, 5)", f"delete from {right} where id in (2, 3)",
        f"insert into {right} values (6, 600)", f"update {right} set w = 1 where id = 5",
    )  # fmt: skip
    outcome = case.build()
    assert outcome.messages == {"joined": "join: 11 in +1 ~2 -2"}
    assert case.rows("marts", "joined") == [(1, 0, 100), (4, 40, 400), (5, 0, 1), (6, 60, 600)]
    read = [sql for sql in outcome.statements_of("joined") if reads(sql, case.table("marts", "joined"))]
    assert read == [], "the stored rows are not compared"


def test_few_rows_are_worked_out_once_and_written_as_their_keys_and_table_allow(
    dbt_case: Callable[..., DbtCase],
) -> None:
    """Without Spark where the table is plain and the keys can be listed; where only Spark writes it, by a list of them, else by a merge."""
    case = dbt_case(project=delta_models())
    raw = case.source(
        "t", "o bigint, l int, at timestamp, v int",
        "select id div 3, cast(id % 3 as int), timestamp_seconds(id), 0 from range(90) union all select null, 0, null, 0",
    )  # fmt: skip
    keys = {"plain": ["o", "l"], "pairs": ["o", "l"], "moments": ["at"], "nulls": ["o", "l"]}
    for name, key in keys.items():
        where = "" if name == "nulls" else " where o is not null"
        config = f"unique_key={key!r}" + (f", {ONLY_SPARK_WRITES}" if name == "pairs" else "")
        case.put(
            f"models/{name}.sql",
            f"{{{{ config({config}) }}}} select * from {{{{ source('raw', 't') }}}}{where}",
        )
    case.build()
    case.spark.change(
        f"update {raw} set v = 1 where o < 10 or o is null", f"delete from {raw} where o = 11 and l > 0",
        f"insert into {raw} values (11, 7, timestamp_seconds(1000), 0)",
    )  # fmt: skip
    outcome = case.build()
    said = "join: 65 in +1 ~30 -2"
    assert outcome.messages == {"plain": said, "pairs": said, "moments": said, "nulls": "join: 65 in +1 ~31 -2"}
    written = {"plain": [], "pairs": ["delete", "insert"], "moments": ["merge", "insert"], "nulls": ["merge", "insert"]}
    for name in keys:
        writes = [
            sql.split(" ", 1)[0]
            for statement in outcome.statements_of(name)
            for sql in re.findall("^(?:delete from|merge into|insert into).*", statement, re.MULTILINE)
        ]
        assert writes == written[name], name
        assert sum(raw in sql for sql in outcome.statements_of(name)) <= 1, "worked out once"
        assert case.difference_from_recompute("marts", name) == []


@pytest.mark.long
@pytest.mark.parametrize("size", ["small", "large"])
def test_keys_that_go_are_listed_where_they_can_be(dbt_case: Callable[..., DbtCase], size: str) -> None:
    settings = {"vars": {"entrepot_merge_bytes": 0, "entrepot_delete_keys": 30}} if size == "large" else {}
    case = dbt_case(project=delta_models() | settings)
    columns = "id bigint, twin bigint, part int, name string, day date, price decimal(9, 2), v int"
    names = "array('it\\'s', '\\\\', '-- a', '/* b', 'ü\\n', '', '{{ x }}', '007')"
    raw = case.source(
        "t", columns,
        f"select id, -id, cast(id % 3 as int), element_at({names}, cast(1 + id % 8 as int)), date'2024-02-29' + cast(id div 8 as int), id + 0.5, 0 "
        "from range(1, 101) union all select null, null, 1, null, null, null, 0",
    )  # fmt: skip
    keys = {
        "texts": ["name", "day"],
        "many": ["day", "part", "id"],
        "pairs": ["id", "twin"],
        "exact": "price",
        "nulls": "id",
    }
    for name, key in keys.items():
        where = "" if name == "nulls" else " where id is not null"
        case.put(
            f"models/{name}.sql",
            f"{{{{ config(unique_key={key!r}, {ONLY_SPARK_WRITES}) }}}} select * from {{{{ source('raw', 't') }}}}{where}",
        )
    case.build()

    def operations(change: str) -> dict[str, str]:
        case.spark.change(change)
        outcome = case.build()
        for name in keys:
            assert case.difference_from_recompute("marts", name) == []
        written = {name: "\n".join(outcome.statements_of(name)) for name in keys}
        return {
            name: found[0]
            for name, sql in written.items()
            if (found := re.findall("^(delete|merge)(?= )", sql, re.MULTILINE))
        }

    listed = {"texts": "delete", "many": "delete", "pairs": "delete", "exact": "merge", "nulls": "delete"}
    case.spark.change(f"delete from {raw} where id between 11 and 18")
    assert operations(f"update {raw} set v = v + 1 where id <= 10") == listed
    merged = {"nulls": "merge"}  # a null among the keys
    assert operations(f"update {raw} set v = v + 1 where id is null or id <= 24 or id > 92") == listed | merged
    more_than_thirty = dict.fromkeys(keys, "merge") if size == "large" else listed
    assert operations(f"update {raw} set v = v + 1 where id > 24") == more_than_thirty


@pytest.mark.long
@pytest.mark.parametrize("size", ["small", "large"])
def test_keys_of_every_type(project: Project, size: str) -> None:
    case, large = project.case, ("--vars", "entrepot_merge_bytes: 0") if size == "large" else ()
    types = "a tinyint, b smallint, c int, d bigint, e date, f string, g struct<x: int>, h boolean, i decimal(5, 2), j double, k timestamp"
    least = "-128, -32768, -2147483648, -9223372036854775808, date'0001-01-01', '', struct(-1), false, -999.99, double('-infinity')"
    some = "0, 0, 0, 0, date'2020-02-29', 'it\\'s \\\\ 007', struct(0), true, 0, -0.0"
    most = "127, 32767, 2147483647, 9223372036854775807, date'9999-12-31', '~', struct(1), true, 999.99, double('NaN')"
    none = ", ".join(["null"] * 10)
    keys = case.source(
        "keys", f"{types}, v int", f"values ({least}, null, 1), ({some}, timestamp'2020-01-01', 2), ({most}, null, 3)"
    )
    case.put(
        "models/keyed.sql",
        f"{{{{ config(unique_key={list('abcdefghijk')}) }}}} select * from {{{{ source('raw', 'keys') }}}}",
    )
    case.build()
    for change in (
        f"update {keys} set v = v + 10",
        f"delete from {keys} where v = 12",
        f"insert into {keys} values ({none}, null, 4)",
        f"update {keys} set v = v + 10",
    ):
        case.spark.change(change)
        assert case.build(*large).messages["keyed"].startswith("join: ")
        assert not case.difference_from_recompute("marts", "keyed"), change


def half_apply(project: Project) -> None:
    """Leave `base` as a job does that was killed between its delete and its insert."""
    base = project.case.table("marts", "base")
    metadata = {
        "entrepot": 1, "relation": base, "job": "killed", "reads": {project.raw: 9}, "sql_hash": "x", "part": "first", "base": 0,
    }  # fmt: skip
    project.case.spark.scripts(
        f"set spark.databricks.delta.commitInfo.userMetadata = {json.dumps(metadata)}",
        f"delete from {base} where id < 4",
        "reset spark.databricks.delta.commitInfo.userMetadata",
    )


@pytest.mark.long
def test_half_applied_commit_is_undone(project: Project) -> None:
    case = project.case
    case.build()
    half_apply(project)
    project.insert((6, 60))
    outcome = case.build()
    assert "Undoing the half-applied commit 1" in outcome.text
    assert outcome.messages["base"] == "join: 1 in +1 ~0 -0"
    assert project.rows("top") == project.rows("base") == [(number, number * 10) for number in range(1, 7)]


def test_half_applied_commit_is_undone_before_anything_reads_it(project: Project) -> None:
    case = project.case
    case.put("models/copy.sql", "{{ config(materialized='table') }} select * from {{ ref('base') }}")
    case.build()
    base = case.table("marts", "base")
    half_apply(project)
    case.spark.change(
        f"insert into {case.table('ops', 'job_event')} values ('killed', 2, 'started', 'me', 'build', current_timestamp(), null)"
    )
    outcome = case.dbt("run", "--select", "copy")
    assert outcome.success and f"Undoing the half-applied commit 1 of {base}" in outcome.text, outcome.text
    assert project.rows("copy") == project.rows("base") == [(number, number * 10) for number in range(1, 6)]
    project.insert((6, 60))
    assert case.build().messages["base"] == "join: 1 in +1 ~0 -0"


def test_the_job_of_somebody_else_is_waited_for(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a metastore that several processes share. What the other one has made meanwhile is there."""
    case, events = project.case, project.case.table("ops", "job_event")
    case.put("models/late.sql", "{{ config(unique_key='id') }} select id, v from {{ ref('base') }}")
    case.dbt("build", "--exclude", "late")
    monkeypatch.setattr(EntrepotAdapter, "is_alone", lambda _: False)
    number = max(row[1] for row in case.rows("ops", "job_event")) + 1

    def happens(event: str) -> None:
        case.spark.change(
            f"insert into {events} values ('other', {number}, '{event}', 'ann', 'build', current_timestamp(), null)"
        )

    def ends(_: float) -> None:
        case.spark.sql(f"create table {case.table('marts', 'late')} using delta as select 1 as id, 7 as v")
        happens("finished")

    happens("started")
    refused = case.dbt("build")
    assert not refused.success and f"Job {number} of ann is running on this warehouse" in refused.text
    monkeypatch.setattr("entrepot.patience.time", SimpleNamespace(monotonic=time.monotonic, sleep=ends))
    monkeypatch.setenv("ENTREPOT_WAIT", "1m")
    assert case.build().messages["late"].startswith("full")
    assert project.rows("late") == project.rows("base")


def leave_unregistered(case: DbtCase, layer: str, name: str, committed: bool) -> None:
    """Leave in the folder of a table what a SIGKILL during its creation leaves: a file on its way, or a commit without the catalog."""
    folder = Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{case.schema}_{layer}.db" / name
    if not committed:
        (folder / "_delta_log").mkdir(parents=True)
        (folder / "_delta_log" / ".00000000000000000000.json.1b.tmp").write_text('{"commitInfo":')
        return
    made = case.table("raw", f"made_{name}")
    case.spark.sql(f"create table {made} using delta as select 1 as other")
    shutil.copytree(Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{made.replace('.', '.db/')}", folder)


@pytest.mark.parametrize("first", [True, pytest.param(False, marks=pytest.mark.long)])
def test_leftovers_of_tables_killed_while_they_were_created(project: Project, first: bool) -> None:
    """Every second one with a commit; in the long run the others."""
    case = project.case
    tables = (
        ("ops", "job_event"), ("ops", "model_run"), ("ops", "published_snapshot"), ("marts", "base"),
        ("marts", "top"), ("seeds", "price"), ("seeds", "rate"),
    )  # fmt: skip
    for name in ("price", "rate"):
        case.put(f"seeds/{name}.csv", "item,price\n1,2\n")
    for place, (layer, name) in enumerate(tables):
        leave_unregistered(case, layer, name, committed=(place % 2 == 0) == first)
    case.build()
    assert project.rows("top") == [(number, number * 10) for number in range(1, 6)]
    assert case.rows("seeds", "price") == case.rows("seeds", "rate") == [(1, 2)]
    assert project.published()["top"][0] == 1


def test_rows_that_go_are_told_by_the_key_that_the_model_carries(project: Project) -> None:
    case = project.case
    case.put("models/other.sql", "{{ config(unique_key='twice') }} select id, id * 2 as twice from {{ ref('base') }}")
    case.build()
    case.spark.change(f"delete from {project.raw} where id = 2")
    outcome = case.build()
    assert outcome.messages["top"] == outcome.messages["other"] == "join: 1 in +0 ~0 -1"
    differences = {
        name: sql for name in ("top", "other") for sql in outcome.statements_of(name) if "true as _is_stored" in sql
    }
    assert "select id as id from (select * except (_delta)" in differences["top"], (
        "the deleted rows have the model's own key"
    )
    assert "as _gone on _row.id <=> _gone.id" in differences["other"], (
        "the stored rows say which of them stem from these"
    )
    for difference in differences.values():
        assert not reads(difference, case.table("marts", "base"))
    assert project.rows("top") == [(number, number * 10) for number in (1, 3, 4, 5)]


def test_cost_is_asked_before_the_changes_are_read(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id") | {"vars": {"entrepot_cost_rows": 5}})
    raw = case.source("t", "id int, v int", "select id, id * 10 from range(1, 6)")
    case.put("models/priced.sql", "select id, v from {{ source('raw', 't') }} where v > 0")
    case.put("models/top.sql", "select * from {{ ref('priced') }}")
    case.build()
    runs = f"select rows_read from {case.table('ops', 'model_run')} where number = {{}} order by position"
    assert case.spark.rows(runs.format(1)) == [(5,), (5,)], "a run of all rows records how many there were"

    case.spark.change(f"update {raw} set v = v + 1")
    outcome = case.build()
    assert outcome.messages == {"priced": "full: +0 ~5 -0", "top": "full: +5 ~0 -0"}, "what is last is overwritten"
    assert [sql for sql in outcome.statements if reads_changes(sql)] == [], "the commits say how many rows changed"
    run = case.spark.sql(
        f"select * from {case.table('ops', 'model_run')} where number = 2 and relation like '%priced'"
    )[0]
    assert (run.reason, run.rows_read) == ("10 changed rows, 5 in all", 5)

    case.spark.change(f"insert into {raw} select id, id * 10 from range(6, 10)")
    assert set(case.build().messages.values()) == {"join: 4 in +4 ~0 -0"}
    case.spark.sql(f"insert overwrite {raw} select id, if(id = 1, 1, v) from {raw}")
    assert set(case.build().messages.values()) == {"join: 2 in +0 ~1 -0"}, "nine rows written, one of them another"
    kinds = f"select number, bool_and(appends), bool_or(appends) from {case.table('ops', 'model_run')} group by number"
    assert case.spark.rows(kinds) == [(1, None, None), (2, None, None), (3, True, True), (4, False, False)]


@pytest.mark.long
def test_what_others_are_built_on_is_overwritten_where_these_are_computed_in_full_as_well(
    dbt_case: Callable[..., DbtCase],
) -> None:
    case = dbt_case(project=delta_models(unique_key="id") | {"vars": {"entrepot_cost_rows": 2}})
    raw = case.source("t", "id int, v int", "select id, id * 10 from range(1, 21)")
    case.put("models/priced.sql", "select id, v from {{ source('raw', 't') }} where v > 0")
    case.put("models/seen.sql", "{{ config(materialized='view') }} select * from {{ ref('priced') }}")
    case.put("models/top.sql", "select * from {{ ref('seen') }}")

    def seconds(by_rule: float) -> None:
        case.spark.sql(f"update {case.table('ops', 'model_run')} set seconds = {by_rule} where rule = 'join'")

    def change() -> Outcome:
        case.spark.sql(f"update {raw} set v = v + 1 where id > 17")
        outcome = case.build()
        assert case.rows("marts", "top") == case.rows("marts", "priced") == case.rows("raw", "t")
        return outcome

    case.build()
    for _ in range(2):  # one run alone does not say that the rule is dear
        assert set(change().messages.values()) == {"unchanged", "join: 6 in +0 ~3 -0"}
    seconds(1000)
    outcome = change()
    assert set(outcome.messages.values()) == {"unchanged", "full: +20 ~0 -0"}, "both are overwritten"
    read = [sql for sql in outcome.statements if reads_changes(sql) or "_sign from" in sql]
    assert read == [], "nobody reads which rows are other ones"
    assert [sql for sql in outcome.statements if "model_run" in sql] == [], "what runs cost is in the books"
    seconds(0)
    assert set(change().messages.values()) == {"unchanged", "join: 6 in +0 ~3 -0"}, "changes are followed again"

    case.put("models/forced.sql", "{{ config(delta_rule='join') }} select * from {{ ref('priced') }}")
    case.build()
    seconds(1000)
    assert change().messages["forced"] == "join: 6 in +0 ~3 -0", "one that keeps its rule is told what has changed"
    assert case.rows("marts", "forced") == case.rows("raw", "t")


def test_bookkeeping(project: Project) -> None:
    case = project.case
    case.build()
    project.insert((6, 60))
    outcome = case.build()
    commit = case.spark.history(case.table("marts", "base"))[0]
    assert commit["metadata"]["reads"] == {project.raw: 2}
    assert commit["metadata"]["relation"] == case.table("marts", "base")
    runs = case.spark.sql(f"select * from {case.table('ops', 'model_run')} where number = 2 order by position")
    found = [(run.relation.split(".")[1], run.rule, run.rows_read, run.rows_inserted, run.apply_path) for run in runs]
    assert found == [("base", "join", 1, 1, "insert"), ("top", "join", 1, 1, "insert")]
    assert runs[0].statements == len(outcome.statements_of("base"))
    assert [sql for sql in outcome.statements_of("base", "top") if "except all" in sql] == [], (
        "the change feeds are read"
    )
    fed = [sql for sql in outcome.statements_of("base", "top") if reads_changes(sql)]
    assert len(fed) == 1 and reads_changes(fed[0], project.raw), "the rows of base are handed on"
    rows = case.spark.history(case.table("ops", "published_snapshot"))
    assert [row["operation"] for row in rows if row["operation"] == "WRITE"] == ["WRITE", "WRITE"], "one commit a job"
    outcome = case.build()
    assert outcome.statements_of("base", "top") == []


@pytest.mark.long
def test_sizes_are_known_from_commits(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id") | {"vars": {"entrepot_merge_bytes": 100}})
    raw = case.source("t", "id int, v int", "select id, id * 10 from range(1, 6)")
    case.put("models/base.sql", "select id, v from {{ source('raw', 't') }} where v > 0")

    def published() -> tuple[int | None, int | None]:
        rows = case.spark.answer(
            f"select max_by(row_count, number), max_by(bytes, number) from {case.table('ops', 'published_snapshot')} "
            f"where relation = '{case.table('marts', 'base')}' having max(number) is not null"
        )
        return rows[0]  # type: ignore[return-value]

    def stored() -> tuple[int, int]:
        detail = case.spark.sql(f"describe detail {case.table('marts', 'base')}")[0]
        return len(case.rows("marts", "base")), detail.sizeInBytes

    case.build()
    assert published() == stored()
    case.spark.change(f"insert into {raw} values (7, 70), (8, 80)")
    case.build()
    assert published() == stored()
    case.spark.sql(
        f"merge into {raw} using (select explode(array(2, 7, 9, 10, 11, 12)) as key) on id = key "
        "when matched and id = 2 then delete when matched then update set v = 71 when not matched then insert (id, v) values (key, 90)"
    )
    outcome = case.build()
    assert outcome.messages["base"] == "join: 7 in +4 ~1 -1", "rows for each task: one without writes an empty file"
    assert [sql for sql in outcome.statements if "describe detail" in sql] == [], (
        "in two commits, without asking how large it is"
    )
    assert published() == stored()
    case.spark.change(f"insert into {case.table('marts', 'base')} values (100, 1)")
    assert case.build().messages["base"].startswith("full: +0 ~0 -1"), "somebody else has written"
    assert published() == (None, None)
    case.spark.change(f"update {raw} set v = v + 1 where id = 1")
    outcome = case.build()
    assert [sql for sql in outcome.statements if "describe detail" in sql] == [], "unknown again: its log says it"
    assert published()[1] is not None
