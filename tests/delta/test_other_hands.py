"""Numbered scenarios of what happens around jobs: tables dropped and made again, other writers, failures, other ways of running dbt.

Each has a project of its own. Afterwards every model equals its full recompute, and readers have seen nothing that no whole job has published.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from entrepot.jobs.relations import NEWEST_COMMITS, Relations
from entrepot.spark.reader import Reader
from entrepot.target import load_target
from tests.support.dbt_case import THREADS, DbtCase, delta_models, reads_changes

Make = Callable[..., DbtCase]
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"


@pytest.fixture
def shop(dbt_case: Make) -> DbtCase:
    """Model `base` on source `raw.t`, `top` on `base`, and `other` on nothing of these; built once."""
    case = dbt_case(project=delta_models(unique_key="id"))
    case.source("t", "id int, v int", "values (1, 10), (2, 20)")
    case.source("o", "id int, v int", "values (1, 1)")
    case.put("models/base.sql", "select id, v from {{ source('raw', 't') }}")
    case.put("models/top.sql", "select id, v from {{ ref('base') }}")
    case.put("models/other.sql", "select id, v from {{ source('raw', 'o') }}")
    case.build()
    return case


def raw(case: DbtCase) -> str:
    return f"{case.schema}_raw.t"


def compare(case: DbtCase, *models: str) -> None:
    for name in models or ("base", "top"):
        assert not case.difference_from_recompute("marts", name), name


def published(case: DbtCase, model: str) -> tuple[int, int]:
    """The newest job that has published a model, and the version."""
    return case.spark.answer(
        f"select max(number), max_by(version, number) from {case.table('ops', 'published_snapshot')} "
        f"where relation = '{case.table('marts', model)}'"
    )[0]  # type: ignore[return-value]


# how the query of few new rows begins, which are written without Spark then (decision 55)
WORKED_OUT = "select true as _upsert"


def before(case: DbtCase, text: str, action: Callable[[], Any]) -> None:
    """Do something once in the middle of the next job, before a statement with this text is sent."""

    def watch(event: Any) -> None:
        if event.info.name == "SQLQuery" and text in event.data.sql:
            case.watch = lambda event: None
            action()

    case.watch = watch


@pytest.mark.long
def test_1_a_model_dropped_and_built_without_being_published(shop: DbtCase) -> None:
    shop.spark.change(f"insert into {raw(shop)} values (3, 30)")
    shop.spark.sql(f"drop table {shop.table('marts', 'base')}")
    assert shop.dbt("run", "--select", "base").success, "it has version 0 again"
    assert shop.build().messages["base"] == "unchanged", "it has these rows already"
    compare(shop)


@pytest.mark.long
def test_2_a_source_made_again_before_a_job_without_its_readers(shop: DbtCase) -> None:
    shop.spark.scripts(
        f"drop table {raw(shop)}",
        f"create table {raw(shop)} (id int, v int) {FEED}",
        f"insert into {raw(shop)} values (1, 11), (4, 40)",
    )
    shop.build("--select", "other")
    assert published(shop, "base")[0] == 1, "it has rows of the table that is no more"
    outcome = shop.build()
    assert outcome.messages["base"] == "full: +1 ~1 -1", outcome.messages
    compare(shop)


@pytest.mark.long
def test_3_somebody_else_writes_between_the_beginning_of_a_job_and_a_model(shop: DbtCase) -> None:
    base = shop.table("marts", "base")
    shop.spark.change(f"insert into {raw(shop)} values (3, 30)")
    stranger = shop.spark.session.newSession()
    before(shop, WORKED_OUT, lambda: stranger.sql(f"delete from {base} where id = 1"))
    outcome = shop.build()
    assert not shop.difference_from_recompute("marts", "top"), outcome.messages
    assert published(shop, "base")[0] == 1, "what somebody else has done is in it"
    assert shop.build().messages["base"] == "full: +1 ~0 -0"
    compare(shop)


def test_4_a_failure_between_two_commits_in_the_same_session(shop: DbtCase) -> None:
    base = shop.table("marts", "base")
    shop.spark.change(f"update {raw(shop)} set v = v + 1")
    shop.spark.change(f"insert into {raw(shop)} values (5, 50)")
    forbid = f"alter table {base} add constraint none_left check (id < 0)"
    before(shop, f"insert into {base}", lambda: shop.spark.sql(forbid))
    assert not shop.dbt("build", "--vars", "entrepot_merge_bytes: 0").success
    assert shop.spark.sql("set spark.databricks.delta.commitInfo.userMetadata")[0]["value"] == "<undefined>"
    shop.spark.sql(f"alter table {base} drop constraint none_left")
    shop.build()
    compare(shop)


@pytest.mark.long
def test_5_what_failed_its_tests_is_not_published_by_a_job_that_leaves_it_out(shop: DbtCase) -> None:
    shop.put("models/tests.yml", "models: [{name: base, columns: [{name: v, data_tests: [not_null]}]}]")
    shop.spark.change(f"insert into {raw(shop)} values (6, null)")
    assert not shop.dbt("build").success
    shop.build("--select", "other")
    assert [published(shop, name)[0] for name in ("base", "top", "other")] == [1, 1, 3]
    shop.spark.change(f"delete from {raw(shop)} where v is null")
    shop.build()
    assert {published(shop, name)[0] for name in ("base", "top", "other")} == {4}


@pytest.mark.long
def test_6_a_retry_completes_the_job_that_it_repeats(shop: DbtCase, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.spark.change(f"insert into {raw(shop)} values (6, 60)")
    shop.put("models/top.sql", "select id, v from {{ ref('base') }} where assert_true(id < 6) is null")
    shop.artifacts = True
    assert not shop.dbt("build").success
    shop.put("models/top.sql", "select id, v from {{ ref('base') }}")
    monkeypatch.setattr("sys.argv", ["dbt", "retry"])  # dbt itself tells a retry from a build by the command line only
    outcome = shop.dbt("retry")
    assert outcome.success and "base" not in outcome.messages, outcome.text
    assert {published(shop, name)[0] for name in ("base", "top", "other")} == {3}


def test_7_reading_commands_undo_nothing(shop: DbtCase) -> None:
    base = shop.table("marts", "base")
    before = shop.spark.history(base)[0]
    metadata = (
        '{"entrepot": 1, "relation": "%s", "job": "x", "reads": {}, "sql_hash": null, "part": "first", "base": %d}'
    )
    shop.spark.scripts(
        "set spark.databricks.delta.commitInfo.userMetadata = " + metadata % (base, before["version"]),
        f"delete from {base} where id = 1",
        "reset spark.databricks.delta.commitInfo.userMetadata",
    )
    shop.put("models/tests.yml", "models: [{name: base, data_tests: [incremental_equals_full]}]")
    assert shop.dbt("test").success, "the version before is right"
    assert shop.spark.history(base)[0]["operation"] == "DELETE", "a job may be at work on it"


@pytest.mark.long
def test_8_models_side_by_side_share_what_has_changed(shop: DbtCase) -> None:
    """Eight readers of one table, in four threads: its changes are read once, and each commit carries its own contents."""
    names = [f"reader_{number}" for number in range(8)]
    for number, name in enumerate(names):
        shop.put(f"models/{name}.sql", f"select id, v + {number} as v from {{{{ ref('base') }}}}")
    profile = shop.path / "profiles.yml"
    profile.write_text(profile.read_text().replace(f"threads: {THREADS}", "threads: 4"))
    shop.build()
    shop.spark.change(f"insert into {shop.table('raw', 't')} values (8, 8)")
    shop.build("--select", "base")
    outcome = shop.build()
    assert {outcome.messages[name] for name in names} == {"join: 1 in +1 ~0 -0"}
    of_base = [sql for sql in outcome.statements if reads_changes(sql, shop.table("marts", "base"))]
    assert len(of_base) == 1, of_base
    for number, name in enumerate(names):
        assert sorted(shop.rows("marts", name))[-1] == (8, 8 + number)
        assert json.loads(shop.spark.history(shop.table("marts", name))[0]["userMetadata"])["relation"].endswith(name)


@pytest.mark.long
def test_9_a_view_that_becomes_a_delta_model(shop: DbtCase) -> None:
    shop.put("models/base.sql", "{{ config(materialized='view') }} select id, v from {{ source('raw', 't') }}")
    shop.spark.sql(f"drop table {shop.table('marts', 'base')}")
    shop.build()
    shop.put("models/base.sql", "select id, v from {{ source('raw', 't') }}")
    assert shop.build().messages["base"].startswith("create: "), "a view has no rows to compare with"
    compare(shop)


@pytest.mark.long
def test_10_a_view_built_without_its_readers(shop: DbtCase) -> None:
    shop.put(
        "models/base.sql", "-- a remark\n{{ config(materialized='view') }} select id, v from {{ source('raw', 't') }}"
    )
    shop.spark.sql(f"drop table {shop.table('marts', 'base')}")
    shop.build()
    assert shop.build("--select", "top").messages["top"] == "unchanged", (
        "the view's text is the one that it was built from"
    )
    shop.put("models/base.sql", "{{ config(materialized='view') }} select id, v + 1 as v from {{ source('raw', 't') }}")
    shop.build("--select", "base")
    assert [published(shop, name)[0] for name in ("base", "top")] == [4, 3], "top is made from the view as it was"
    shop.build()
    assert {published(shop, name)[0] for name in ("base", "top")} == {5}
    compare(shop, "top")


def test_11_parts_of_the_rows_are_not_published(shop: DbtCase) -> None:
    shop.put("models/fresh.sql", "{{ config(materialized='table') }} select 1 as id")
    stock = "{% snapshot versions %}{{ config(unique_key='id', strategy='check', check_cols='all', hard_deletes='invalidate') }} "
    shop.put("snapshots/versions.sql", stock + "select * from {{ ref('base') }} {% endsnapshot %}")
    shop.build("--select", "versions")
    before = shop.rows("history", "versions")
    for option in (("--empty",), ("--sample", "1 day")):
        outcome = shop.dbt("build", *option, "--select", "base")
        assert not outcome.success and "is built with --empty or --sample" in outcome.messages["base"], outcome.text
        outcome = shop.dbt("build", *option, "--select", "versions")
        assert not outcome.success and "is built with --empty or --sample" in outcome.messages["versions"], outcome.text
        shop.dbt("build", *option, "--select", "fresh")
        assert published(shop, "fresh") == (None, None)
    assert shop.rows("history", "versions") == before
    shop.put("models/new.sql", "select id from {{ source('raw', 't') }}")
    assert "uses limit" not in shop.build("--empty", "--select", "new").text, "it is dbt's own"
    for file in ("snapshots/versions.sql", "models/new.sql"):
        (shop.path / file).unlink()
    assert shop.build().messages["base"] == "unchanged"


@pytest.mark.long
def test_12_schemas_merged_automatically(shop: DbtCase) -> None:
    shop.spark.sql("set spark.databricks.delta.schema.autoMerge.enabled = true")
    try:
        shop.spark.change(f"update {raw(shop)} set v = v + 1")
        shop.build()
    finally:
        shop.spark.sql("reset spark.databricks.delta.schema.autoMerge.enabled")
    assert shop.spark.session.table(shop.table("marts", "base")).columns == ["id", "v"]
    compare(shop)


@pytest.mark.long
def test_13_all_readers_of_a_source_read_one_version(shop: DbtCase) -> None:
    """A source that is written all the time: what one model reads in a job, the next one reads too."""
    shop.put("models/twin.sql", "select id, v from {{ source('raw', 't') }}")
    shop.build()
    shop.spark.change(f"insert into {raw(shop)} values (7, 70)")
    before(shop, WORKED_OUT, lambda: shop.spark.change(f"insert into {raw(shop)} values (8, 80)"))
    outcome = shop.build()
    assert (outcome.messages["base"], outcome.messages["twin"]) == ("join: 1 in +1 ~0 -0", "join: 1 in +1 ~0 -0")
    assert published(shop, "base")[0] == published(shop, "twin")[0] == 3
    outcome = shop.build()
    assert (outcome.messages["base"], outcome.messages["twin"]) == ("join: 1 in +1 ~0 -0", "join: 1 in +1 ~0 -0")


def test_14_readers_see_published_versions(shop: DbtCase, tmp_path: Any) -> None:
    shop.spark.change(f"insert into {raw(shop)} values (9, 90)")
    assert shop.dbt("run").success
    reader = Reader.start(load_target(shop.path, shop.path), tmp_path / "spark.log")
    newest = reader.snapshots()[0]
    # and tables of other programs as the job has read them
    for name in ("base", raw(shop), "T"):
        assert [row[0] for row in reader.run(f"select count(*) from {name}", newest).collect()] == [2], name
    assert newest.relations[raw(shop)].holds_through is not None
    assert raw(shop) not in {row.relation for row in load_target(shop.path, shop.path).ledger().published_tables()}


@pytest.mark.long
def test_15_relations_whose_names_read_the_same_with_underscores(dbt_case: Make) -> None:
    case = dbt_case(project=delta_models(unique_key="id"))
    one, other = f"{case.schema}_raw.o_t", f"{case.schema}_raw_o.t"
    sources = []
    for name in (one, other):
        schema, table = name.split(".")
        sources.append(f"{{name: {table}_in, schema: {schema}, tables: [{{name: {table}}}]}}")
        case.spark.scripts(
            f"create schema {schema}",
            f"create table {name} (id int, v int) {FEED}",
            f"insert into {name} values (1, 10), (2, 20)",
        )
    case.put("models/sources.yml", f"sources: [{', '.join(sources)}]")
    case.put(
        "models/joined.sql",
        "select x.id, x.v, y.v as w from {{ source('o_t_in', 'o_t') }} as x inner join {{ source('t_in', 't') }} as y on x.id = y.id",
    )
    case.build()
    case.spark.change(f"update {one} set v = 11 where id = 1", f"update {other} set v = 22 where id = 2")
    case.build()
    compare(case, "joined")


@pytest.mark.long
def test_16_places_that_look_like_addresses(dbt_case: Make, tmp_path: Any) -> None:
    """Folders with a blank, and with what stands for one in an address: a job reads and writes them, and a query finds what it has published."""
    case = dbt_case(project=delta_models(unique_key="id"))
    name = f"{case.schema}_raw.t"
    case.put("models/sources.yml", f"sources: [{{name: raw, schema: {case.schema}_raw, tables: [{{name: t}}]}}]")
    case.spark.scripts(
        f"create schema {case.schema}_raw",
        f"create table {name} (id int, v int) using delta location '{tmp_path}/50%25 of%20all/t'",
        f"insert into {name} values (1, 10), (2, 20)",
    )
    for model, config in (
        ("blank", f"location_root='{tmp_path}/a blank'"),
        ("sign", f"location_root='{tmp_path}/a%20b'"),
    ):
        case.put(
            f"models/{model}.sql",
            f"{{{{ config({config}, partition_by='v') }}}} select id, v from {{{{ source('raw', 't') }}}}",
        )
    case.put("models/top.sql", "select id, v from {{ ref('sign') }}")
    case.build()
    models = ("blank", "sign", "top")
    for change in (f"insert into {name} values (3, 10)", f"update {name} set v = 11 where id = 1"):
        case.spark.sql(change)
        assert case.build().success
        compare(case, *models)
    reader = Reader.start(load_target(case.path, case.path), tmp_path / "spark.log")
    newest = reader.snapshots()[0]
    for model in models:
        assert [row[0] for row in reader.run(f"select sum(v) from {model}", newest).collect()] == [41], model


def test_17_values_that_cannot_be_compared(dbt_case: Make) -> None:
    """A source with a variant in it is no reason to fail, with a change feed or without: models on it are computed in full."""
    case = dbt_case(project=delta_models(unique_key="id"))
    sources = []
    for name, feed in (("told", "true"), ("untold", "false")):
        columns = "id int, v int, body struct<a: array<variant>>"
        sources.append(case.source(name, columns, properties=f"'delta.enableChangeDataFeed' = '{feed}'"))
        case.spark.sql(f"insert into {sources[-1]} select id, id, struct(array(parse_json('{{}}'))) from range(1, 3)")
        case.put(f"models/narrow_{name}.sql", f"select id, v from {{{{ source('raw', '{name}') }}}}")
    case.put("models/wide.sql", "select id, v, body.a[0] as body from {{ source('raw', 'untold') }}")
    case.put("models/on_wide.sql", "select id, v from {{ ref('wide') }}")
    case.build()
    for v in (7, 8):
        case.spark.scripts(*(f"update {source} set v = {v} where id = 1" for source in sources))
        messages = case.build().messages
        assert {messages[f"narrow_{name}"] for name in ("told", "untold")} == {"full: +0 ~1 -0"}
        for name in messages:
            assert sorted(case.spark.answer(f"select id, v from {case.table('marts', name)}")) == [(1, v), (2, 2)]
    case.spark.sql(f"insert into {sources[0]} values (3, 3, null)")
    messages = case.build().messages
    assert messages["narrow_told"] == "join: 1 in +1 ~0 -0", "appended rows are not compared"
    assert {messages[name] for name in messages if name != "narrow_told"} == {"unchanged"}


def test_18_a_row_that_somebody_has_written_twice(shop: DbtCase) -> None:
    """The same row once more, and another one of a stored key: neither stays, here or above."""
    base = shop.table("marts", "base")
    for statement in (f"insert into {base} values (1, 10)", f"insert into {base} values (2, 20), (2, 21)"):
        shop.spark.change(statement)
        shop.build()
        for model in ("base", "top"):
            assert sorted(shop.spark.answer(f"select id, v from {shop.table('marts', model)}")) == [(1, 10), (2, 20)]
    assert set(shop.build().messages.values()) == {"unchanged"}


def test_19_somebody_else_commits_often_right_behind_a_model(shop: DbtCase, monkeypatch: pytest.MonkeyPatch) -> None:
    """More commits than the job looks at first stand on its own: it finds that, and publishes it."""
    base, note = shop.table("marts", "base"), Relations.note_written

    def noted(relations: Relations, relation: str, *arguments: Any) -> Any:
        if relation == base:
            for _ in range(NEWEST_COMMITS + 2):
                shop.spark.change(f"insert into {base} values (9, 90)")
        return note(relations, relation, *arguments)

    shop.spark.change(f"insert into {raw(shop)} values (3, 30)")
    before_it = published(shop, "base")[1]
    with monkeypatch.context() as patched:
        patched.setattr(Relations, "note_written", noted)
        assert shop.build().messages["base"].endswith("+1 ~0 -0")
    assert published(shop, "base") == (2, before_it + 1)
    assert sorted(shop.rows("marts", "top")) == [(1, 10), (2, 20), (3, 30)], "it reads what the job has written"
    assert shop.build().messages["base"].startswith("full: ")
    compare(shop)
