"""What dbt asks of the catalogue is told without a statement, and as Spark's statements tell it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dbt_common.exceptions import DbtRuntimeError
from pyspark.errors import AnalysisException

from dbt.adapters.entrepot.credentials import EntrepotCredentials
from dbt.adapters.entrepot.handles import DEFAULT_CATALOGUE, SESSION_CATALOGUE, SessionHandle
from dbt.adapters.entrepot.sessions import Sessions
from entrepot.tables.table import local_folder
from tests.support.dbt_case import DbtCase
from tests.support.spark import Spark

SCHEMA = "catalogue_told"
COLUMNS = (
    "id bigint not null, name string, price decimal(12,2), at timestamp, day date, wall timestamp_ntz, "
    "tags array<struct<name: string, n: int>>, seen map<string, array<double>>, payload binary, `unit-price` float"
)


@pytest.fixture(scope="module")
def there(spark: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionHandle]:
    """A session, and a schema with a relation of each kind."""
    folder = tmp_path_factory.mktemp("there")
    spark.scripts(
        f"create schema if not exists {SCHEMA}",
        f"create table {SCHEMA}.plain ({COLUMNS}) using delta comment 'of all types'",
        f"create table {SCHEMA}.parted (id int, day date) using delta partitioned by (day) tblproperties ('a' = 'Type: VIEW')",
        f"create table {SCHEMA}.elsewhere (id int) using delta location '{folder}/else where'",
        f"create table {SCHEMA}.files (id int, name string) using parquet",
        f"create table {SCHEMA}.lengths (id int, code char(2)) using delta",
        f"create view {SCHEMA}.seen (id comment 'a key', v) as select id, name from {SCHEMA}.plain -- why",
        f"create view {SCHEMA}.all_types as select * from {SCHEMA}.plain",
        f"create table {SCHEMA}.mapped (id int, `a b` struct<`c d`: int>) using delta tblproperties ('delta.columnMapping.mode' = 'name')",
        f"create table {SCHEMA}.gone (id int) using delta",
        f"create view {SCHEMA}.broken as select id from {SCHEMA}.gone",
        f"drop table {SCHEMA}.gone",
    )
    settings = EntrepotCredentials.from_dict({"method": "session", "host": "localhost", "schema": "x"})
    handle = SessionHandle(Sessions.of(settings.server_side_parameters), Path("spark.log"))
    yield handle
    handle.close()
    spark.sql(f"drop schema {SCHEMA} cascade")


def test_relations_as_show_table_extended_tells_them(there: SessionHandle, spark: Spark) -> None:
    rows = spark.sql(f"show table extended in {SCHEMA} like '*'")
    told = {row.tableName: row.information for row in rows if not row.isTemporary}
    assert there.relations(SCHEMA) == told and len(told) == 9
    assert there.relations("there_is_no_such_schema") == {}


def test_schemas_as_show_databases_tells_them(there: SessionHandle, spark: Spark) -> None:
    """Other processes of the suite make schemas meanwhile: what is told between two equal answers counts."""
    for _ in range(50):
        before = [row[0] for row in spark.sql("show databases")]
        told = there.schemas()
        if before == [row[0] for row in spark.sql("show databases")]:
            break
    assert told == before


def described(spark: Spark, name: str) -> dict[str, str]:
    """The columns of a relation, as Spark describes them."""
    told = {}
    for row in spark.sql(f"describe {SCHEMA}.{name}"):
        if row.col_name.startswith("#"):
            break
        told[row.col_name] = row.data_type
    return told


@pytest.mark.parametrize("name", ["plain", "parted", "elsewhere", "files", "seen", "all_types", "broken"])
def test_columns_as_describe_tells_them(there: SessionHandle, spark: Spark, name: str) -> None:
    assert there.columns_as_told(f"{SCHEMA}.{name}") == described(spark, name)


def test_columns_of_all_relations_as_dbt_asks_for_them(
    there: SessionHandle, spark: Spark, dbt_case: Callable[..., DbtCase]
) -> None:
    """Those of Delta tables come from their logs, unless more than types is said there."""
    names = sorted(there.relations(SCHEMA))
    case = dbt_case().write(
        models__telling_sql=f"""
            {{%- for name in {names} if execute -%}}
              {{%- set columns = {{}} -%}}
              {{%- for column in adapter.get_columns_in_relation(adapter.get_relation(none, '{SCHEMA}', name)) -%}}
                {{%- do columns.update({{column.name: column.dtype}}) -%}}
              {{%- endfor -%}}
              {{{{ log('TOLD ' ~ tojson([name, columns]), info=true) }}}}
            {{%- endfor -%}}
            select 1 as id
        """
    )
    found = [json.loads(line.removeprefix("TOLD ")) for line in case.build().log if line.startswith("TOLD")]
    assert dict(found) == {name: described(spark, name) for name in names}


@pytest.mark.parametrize("comment", ["", "/* not a select */ ", "-- select\n", "/* drop */ /* it * here */ -- now\n"])
def test_a_place_is_asked_for_again_when_it_may_have_changed(
    there: SessionHandle, tmp_path: Path, comment: str
) -> None:
    name, cursor = f"{SCHEMA}.moves", there.cursor()
    assert there.location(name) is None
    for place in ("a", "b"):
        cursor.execute(f"{comment}create table {name} (id int) using delta location '{tmp_path}/{place}'")
        assert there.location(name) == there.location(name.upper()) == f"file:{tmp_path}/{place}"
        cursor.execute(f"{comment}drop table {name} -- select")
        assert there.location(name) is None


def test_a_place_is_known_behind_what_moves_no_table(there: SessionHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{SCHEMA}.plain"
    told = there.location(name)
    there.cursor().execute("-- drop\n/* create */ Select 1")
    monkeypatch.setattr(there._taken.root, "catalogue", None)
    assert there.location(name) == told


def test_what_is_left_to_spark(there: SessionHandle) -> None:
    assert there.columns_as_told(f"{SCHEMA}.nothing") is None
    assert there.columns_as_told(f"{SCHEMA}.lengths") is None


def test_columns_with_which_a_view_is_kept(there: SessionHandle, spark: Spark) -> None:
    kept = there.columns_of_view(f"{SCHEMA}.seen")
    assert kept is not None and [one["name"] for one in json.loads(kept)["fields"]] == list(described(spark, "seen"))
    assert [there.columns_of_view(f"{SCHEMA}.{name}") for name in ("plain", "nothing")] == [None, None]


@pytest.mark.parametrize(
    "settings", [{SESSION_CATALOGUE: "org.apache.iceberg.spark.SparkSessionCatalog"}, {DEFAULT_CATALOGUE: "unity"}]
)
def test_another_catalogue_is_asked_by_statements(
    there: SessionHandle, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    assert there.has_one_catalogue
    usual = there.setting
    monkeypatch.setattr(there, "setting", lambda key: settings.get(key, usual(key)))
    del there.has_one_catalogue
    assert not there.has_one_catalogue
    assert there.columns_of_view(f"{SCHEMA}.seen") is None
    del there.has_one_catalogue


def test_a_build_lists_nothing_by_statements(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case().write(
        models__a_sql="select 1 as id, 'x' as name",
        models__b_sql="{{ config(materialized='table') }} select id from {{ ref('a') }}",
        models__units_yml="""
            unit_tests:
              - name: ids
                model: b
                given: [{input: ref('a'), rows: [{id: 7}]}]
                expect: {rows: [{id: 7}]}
        """,
    )
    case.build()
    statements = case.build("--full-refresh").statements
    assert statements and not [sql for sql in statements if "show " in sql or "describe " in sql]


def test_a_store_that_does_not_answer_has_not_nothing(there: SessionHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty list would let dbt make all tables anew."""

    class Silent:
        def databaseExists(self, schema: str) -> bool:  # noqa: N802
            raise AnalysisException("The metastore does not answer.")

    monkeypatch.setattr(there._taken.root, "catalogue", Silent())
    with pytest.raises(DbtRuntimeError, match="does not answer"):
        there.relations(SCHEMA)


def test_a_table_will_lie_where_spark_puts_it(there: SessionHandle, spark: Spark, tmp_path: Path) -> None:
    schema = f"{SCHEMA}_elsewhere"
    spark.sql(f"create schema {schema} location '{tmp_path}/else where'")
    try:
        for name in (f"{schema}.`Made`", f"{SCHEMA}.made"):
            expected = there.default_location(name)
            spark.sql(f"create table {name} (id int) using delta")
            (row,) = spark.sql(f"describe detail {name}")
            assert local_folder(expected) == local_folder(row.location)
    finally:
        spark.scripts(f"drop schema {schema} cascade", f"drop table if exists {SCHEMA}.made")


def test_a_first_build_replaces_nothing_and_later_ones_do(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case()
    case.put("models/new.sql", "{{ config(materialized='table') }} select 1 as id")
    delta = "materialized='incremental', incremental_strategy='delta', unique_key='id'"
    case.put("models/kept.sql", f"{{{{ config({delta}) }}}} select id from {{{{ ref('new') }}}}")
    for arguments, begins in (((), "create table "), (("--full-refresh",), "create or replace table ")):
        outcome = case.build(*arguments)
        for name in ("new", "kept"):
            (made,) = [sql for sql in outcome.statements_of(name) if "using delta" in sql]
            assert begins in made.split("using delta")[0], made
