"""Views and tests that stand as an earlier job has left them: nothing is sent for them, and nothing stands that should not.

What their checksums are made of is in tests/jobs/test_states.py; here are the jobs. Each test begins where the one before has ended.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from tests.support.dbt_case import DbtCase, Outcome, delta_models

NOT_NULL, POSITIVE, ON_VIEW, TODAY = "not_null_base_v", "positive", "on_view", "today"
TESTS = (NOT_NULL, POSITIVE, ON_VIEW, TODAY)
VIEWS = ("seen", "again")


class Standing:
    """A table on a source, a view on it and a view on that, and four tests, one of them by the moment."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.raw = case.source("t", "id int, v int", "values (1, 10), (2, 20)")
        case.put("models/base.sql", "select * from {{ source('raw', 't') }}")
        view = "{{ config(materialized='view') }} select * from {{ ref('base') }}"
        case.put("models/seen.sql", view).put("models/again.sql", view.replace("base", "seen"))
        self.describe()
        self.singular(POSITIVE, "select * from {{ ref('base') }} where v < 0")
        self.singular(ON_VIEW, "select * from {{ ref('again') }} where v is null")
        self.singular(TODAY, "select * from {{ ref('base') }} where current_date < date '2000-01-01'")
        case.build()

    def describe(self, text: str = "as it is", severity: str = "error") -> None:
        """Write the descriptions, and the generic test."""
        test = {"not_null": {"config": {"severity": severity}}}
        models = [
            {"name": "base", "columns": [{"name": "v", "data_tests": [test]}]},
            {"name": "seen", "description": text, "config": {"persist_docs": {"relation": True}}},
        ]
        self.case.put("models/all.yml", yaml.safe_dump({"models": models}))

    def singular(self, name: str, sql: str) -> None:
        self.case.put(f"tests/{name}.sql", sql)

    def change(self, *statements: str) -> None:
        """Run statements on the source, `{t}`."""
        self.case.spark.change(*(statement.format(t=self.raw) for statement in statements))

    def standing(self, outcome: Outcome) -> set[str]:
        """The views and tests that no statement was sent for."""
        assert {*VIEWS, *TESTS} <= outcome.nodes.keys()
        return {name for name in (*VIEWS, *TESTS) if not outcome.statements_of(name)}


@pytest.fixture(scope="module")
def standing(module_case: Callable[..., DbtCase]) -> Standing:
    return Standing(module_case(project=delta_models(unique_key="id", on_schema_change="append_new_columns")))


def test_without_news_nothing_is_made_or_run(standing: Standing) -> None:
    outcome = standing.case.build()
    assert standing.standing(outcome) == {*VIEWS, *TESTS} - {TODAY}
    assert {str(outcome.nodes[name].status) for name in TESTS} == {"pass"}
    assert [outcome.messages[name] for name in VIEWS] == ["unchanged", "unchanged"]
    assert outcome.nodes[NOT_NULL].adapter_response["code"] == "as in job 1"
    assert "5 views and tests stand as earlier jobs left them." in outcome.text
    assert outcome.statements == outcome.statements_of(TODAY), "what dbt lists is known without a statement"


def test_a_failure_is_found_and_found_again(standing: Standing) -> None:
    standing.change("insert into {t} values (4, -1)")
    outcome = standing.case.dbt("build")
    assert not outcome.success and str(outcome.nodes[POSITIVE].status) == "fail"
    outcome = standing.case.dbt("build")
    assert not outcome.success and str(outcome.nodes[POSITIVE].status) == "fail"
    assert not outcome.statements_of(NOT_NULL), "what passed in a job that failed has passed"
    standing.change("delete from {t} where id = 4")
    assert standing.standing(standing.case.build()) == set(VIEWS), "the rows are others, the columns are not"


def test_a_warning_stands_and_another_description_is_stored(standing: Standing) -> None:
    standing.change("insert into {t} values (5, null)")
    standing.describe("something else", "warn")
    standing.singular(ON_VIEW, "select * from {{ ref('again') }} where v is null and id > 5")
    outcome = standing.case.build()
    assert standing.standing(outcome) == {"again"} and str(outcome.nodes[NOT_NULL].status) == "warn"
    rows = standing.case.spark.rows(f"describe extended {standing.case.table('marts', 'seen')}")
    assert "something else" in str(rows)
    again = standing.case.build()
    assert standing.standing(again) == {*VIEWS, NOT_NULL, ON_VIEW, POSITIVE}
    found = [(str(one.nodes[NOT_NULL].status), one.messages[NOT_NULL]) for one in (outcome, again)]
    assert found == [("warn", "Got 1 result, configured to warn if != 0")] * 2
    standing.change("delete from {t} where id = 5")


def test_another_column_of_a_table_is_one_of_its_views(standing: Standing) -> None:
    standing.change("alter table {t} add columns (w int)", "insert into {t} values (6, 60, 600)")
    assert standing.standing(standing.case.build()) == set()
    assert [row[-1] for row in standing.case.rows("marts", "again") if row[0] == 6] == [600]


def test_another_text_of_a_view_with_the_same_columns_is_nothing_to_its_views(standing: Standing) -> None:
    seen = standing.case.path / "models/seen.sql"
    text = seen.read_text()
    seen.write_text(f"{text} where id < 7")
    assert standing.standing(standing.case.build()) == {*VIEWS, NOT_NULL, POSITIVE} - {"seen"}
    assert {row[0] for row in standing.case.rows("marts", "again")} == {1, 2, 6}
    seen.write_text(text.replace("*", "id, cast(v as bigint) as v, w"))
    assert not set(VIEWS) & standing.standing(standing.case.build())
    types = standing.case.spark.rows(f"describe {standing.case.table('marts', 'again')}")
    assert [row[1] for row in types] == ["int", "bigint", "int"]
    seen.write_text(text)
    standing.case.build()


def test_views_that_somebody_else_has_changed_are_made_again(standing: Standing) -> None:
    before = standing.case.rows("marts", "again")
    seen, again = (standing.case.table("marts", name) for name in VIEWS)
    standing.case.spark.scripts(
        f"create or replace view {seen} as select 1 as id, 2 as v, 3 as w", f"drop view {again}"
    )
    assert not set(VIEWS) & standing.standing(standing.case.build())
    assert standing.case.rows("marts", "again") == before


def test_a_table_that_is_made_again_is_tested(standing: Standing) -> None:
    """Its versions count from 0 again: the number alone does not tell the two apart."""
    table = standing.case.table("marts", "base")
    standing.case.spark.sql(f"drop table {table}")
    standing.case.build()
    assert standing.case.head("marts", "base") == 0
    standing.change("update {t} set v = -5 where id = 1")
    standing.case.spark.sql(f"drop table {table}")
    outcome = standing.case.dbt("build")
    assert standing.case.head("marts", "base") == 0 and str(outcome.nodes[POSITIVE].status) == "fail"
    standing.change("update {t} set v = 10 where id = 1")


def test_tests_read_small_tables_by_their_files(standing: Standing) -> None:
    standing.change("insert into {t} values (8, 80, 800)")
    outcome, table = standing.case.build(), standing.case.table("marts", "base")
    for name in (NOT_NULL, POSITIVE, ON_VIEW):
        (asked,) = [sql for sql in outcome.statements_of(name) if "should_error" in sql]
        assert "global_temp.files_" in asked and table not in asked, asked
    (asked,) = outcome.statements_of(TODAY)
    assert table in asked, "what it reads is not all that it depends on"
    (asked,) = standing.case.dbt("test", "--select", POSITIVE).statements_of(POSITIVE)
    assert table in asked, "outside a job"


def test_errors_of_a_test_name_the_table(standing: Standing) -> None:
    standing.singular(POSITIVE, "select * from {{ ref('base') }} wher v < 0")
    outcome, table = standing.case.dbt("build"), standing.case.table("marts", "base")
    assert str(outcome.nodes[POSITIVE].status) == "error"
    assert (
        f"from {table} version as of" in outcome.messages[POSITIVE] and "global_temp" not in outcome.messages[POSITIVE]
    )
    standing.singular(POSITIVE, "table {{ ref('base') }} |> where v < 0")
    standing.case.build()


@pytest.mark.parametrize("arguments", [("build", "--full-refresh"), ("build", "--store-failures"), ("test",)])
def test_who_asks_for_it_gets_all_tests(standing: Standing, arguments: tuple[str, ...]) -> None:
    outcome = standing.case.dbt(*arguments)
    assert outcome.success, outcome.text
    assert not [name for name in TESTS if not outcome.statements_of(name)]


def test_what_a_job_does_not_know_is_asked_in_each_job(standing: Standing) -> None:
    """A table that dbt does not know is read, a function that is not Spark's own is called, a view has a hook."""
    other = f"{standing.case.schema}_raw.other"
    standing.change(f"create table {other} (id int) using delta")
    standing.change("create or replace function whole(v int) returns boolean return v is null or v = cast(v as int)")
    standing.singular(POSITIVE, f"select * from {{{{ ref('base') }}}} where id in (select id from {other})")
    standing.singular(ON_VIEW, "select * from {{ ref('again') }} where not whole(v)")
    view = standing.case.path / "models/again.sql"
    view.write_text(view.read_text().replace("='view'", "='view', post_hook='select 1'"))
    standing.case.build()
    assert standing.standing(standing.case.build()) == {"seen", NOT_NULL}
    standing.change(f"insert into {other} values (1)")
    outcome = standing.case.dbt("build")
    assert str(outcome.nodes[POSITIVE].status) == "fail"
    standing.case.spark.sql("drop function whole")


class Units:
    """A model with two unit tests, of which one asks for the moment."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.raw = case.source("t", "id int, v int", "values (1, 10)")
        self.model = "select id, v * 2 as v{more} from {{{{ source('raw', 't') }}}}"
        case.put("models/twice.sql", self.model.format(more=""))
        case.put(
            "models/dated.sql", "select id, current_date > date '2000-01-01' as is_late from {{ source('raw', 't') }}"
        )
        self.expect(4)

    def expect(self, v: int) -> None:
        """Write the unit tests."""
        given = [{"input": "source('raw', 't')", "rows": [{"id": 1, "v": 2}]}]
        tests = [
            {"name": "doubles", "model": "twice", "given": given, "expect": {"rows": [{"id": 1, "v": v}]}},
            {"name": "dates", "model": "dated", "given": given, "expect": {"rows": [{"id": 1, "is_late": True}]}},
        ]
        self.case.put("models/units.yml", yaml.safe_dump({"unit_tests": tests}))

    def runs(self, *options: str) -> tuple[str, bool]:
        """How a build found the first test, and whether it was run for that; the second one always is."""
        outcome = self.case.dbt("build", *options)
        assert [sql for sql in outcome.statements_of("dates") if "dbt_internal_unit_test_actual" in sql]
        return str(outcome.nodes["doubles"].status), bool(outcome.statements_of("doubles"))


def test_a_unit_test_that_has_passed_stands(dbt_case: Callable[..., DbtCase]) -> None:
    units = Units(dbt_case(project=delta_models(unique_key="id")))
    assert [units.runs(), units.runs()] == [("pass", True), ("pass", False)]
    units.case.spark.change(f"insert into {units.raw} values (2, 20)")
    assert units.runs() == ("pass", False), "rows of its inputs are none of its own"

    units.expect(5)
    assert [units.runs(), units.runs()] == [("fail", True), ("fail", True)]
    units.expect(4)
    assert units.runs() == ("pass", False), "as it was when it passed"

    units.case.put("models/twice.sql", units.model.format(more=", 1 as w"))
    assert [units.runs(), units.runs()] == [("pass", True), ("pass", False)]
    units.case.spark.scripts(
        f"alter table {units.raw} set tblproperties ('delta.enableTypeWidening' = 'true')",
        f"alter table {units.raw} alter column v type bigint",
    )
    assert [units.runs(), units.runs()] == [("pass", True), ("pass", False)], "its rows have the types of its inputs"
    assert units.runs("--full-refresh") == ("pass", True)
    assert units.case.dbt("test").statements_of("doubles")
