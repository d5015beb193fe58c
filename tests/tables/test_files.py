"""Which versions of which tables are read by their files, without asking Delta; that their rows are right, `test_logs.py` says of each."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pyarrow
import pytest

from entrepot.tables.files import files_of, rows_in_arrow
from entrepot.tables.table import Table
from tests.support.dbt_case import DbtCase, delta_models, reads
from tests.support.spark import Spark
from tests.tables.by_files import agree

COLUMNS = "id int comment 'the key', tags array<struct<name: string, at: timestamp>>, price decimal(12, 2), day date"
ROWS = (
    "insert into {t} select id, array(struct(cast(id as string) as name, timestamp'1850-01-01 00:00:01' as at)), id / 3, date'1000-01-01' "
    "from range(1, 6)"
)


class Tables:
    """Makes tables in a schema of their own."""

    def __init__(self, spark: Spark, schema: str) -> None:
        self.spark, self.schema = spark, schema
        spark.sql(f"create schema if not exists {schema}")

    def make(self, name: str, rest: str = "", columns: str = COLUMNS, rows: str | None = ROWS) -> Table:
        relation = f"{self.schema}.{name}"
        self.spark.sql(f"drop table if exists {relation}")
        self.spark.sql(f"create table {relation} ({columns}) using delta {rest}")
        if rows:
            self.spark.sql(rows.format(t=relation))
        return Table((self.schema, name), f"file:{os.environ['ENTREPOT_WAREHOUSE']}/{self.schema}.db/{name}")

    def agree(self, table: Table, version: int) -> None:
        """Insist that the files of a version are read, and give what Delta gives."""
        files = files_of(table, version)
        assert files is not None
        agree(self.spark, table, version, files)


@pytest.fixture(scope="module")
def tables(spark: Spark) -> Tables:
    return Tables(spark, f"files_{os.getpid()}")


def test_each_version_of_a_small_table(tables: Tables) -> None:
    table = tables.make("changed")
    for statement in (
        "delete from {t} where id = 2",
        "alter table {t} add columns (note string comment 'added')",
        "insert into {t} values (9, null, null, date'2024-02-29', 'x')",
        "optimize {t}",
        "restore table {t} to version as of 2",
    ):
        tables.spark.sql(statement.format(t=table.quoted))
    for version in range(1, 7):
        tables.agree(table, version)


def test_rows_marked_as_deleted(tables: Tables) -> None:
    """A table may have deletion vectors, and mostly has none: a version is Delta's only where it has."""
    table = tables.make("marked", "tblproperties ('delta.enableDeletionVectors' = 'true')")
    for statement in (
        "insert into {t} select * from {t}",
        "delete from {t} where id = 2",
        "reorg table {t} apply (purge)",
    ):
        tables.spark.sql(statement.format(t=table.quoted))
    for version in (1, 2, 4):
        tables.agree(table, version)
    assert files_of(table, 3) is None


def test_a_place_with_a_space(tables: Tables, tmp_path: Path) -> None:
    place = tmp_path / "a place, it's"
    table = tables.make("placed", f'location "{place}"')
    tables.agree(Table(table.name, str(place)), 1)


def test_timestamps_without_a_zone(tables: Tables) -> None:
    table = tables.make(
        "unzoned", columns="at timestamp_ntz", rows="insert into {t} values (timestamp_ntz'2024-01-01 02:03:04')"
    )
    tables.agree(table, 1)


@pytest.mark.parametrize("form", ["INT96", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS"])
def test_moments_far_away_are_never_others(tables: Tables, form: str) -> None:
    """Those of INT96, which Spark writes by itself, were read as others: 9999 as 1816."""
    moments = ["0001-01-01T00:00:00.123+00:00", "1582-10-04T12:00:00+00:00", "9999-12-31T23:59:59.999+00:00"]
    rows = ", ".join(f"(array(timestamp'{moment}'))" for moment in moments)
    kept = tables.spark.session.conf.get("spark.sql.parquet.outputTimestampType")
    tables.spark.sql(f"set spark.sql.parquet.outputTimestampType = {form}")
    try:
        table = tables.make("far_away", columns="moments array<timestamp>", rows=f"insert into {{t}} values {rows}")
    finally:
        tables.spark.sql(f"set spark.sql.parquet.outputTimestampType = {kept}")
    found = rows_in_arrow(table, 1)
    assert (found is None) == (form == "INT96")
    if found is not None:
        read = pyarrow.table(found[0]).cast(pyarrow.schema(found[1])).column("moments").to_pylist()
        assert sorted(one.isoformat(timespec="milliseconds") for (one,) in read) == sorted(
            datetime.fromisoformat(moment).isoformat(timespec="milliseconds") for moment in moments
        )


@pytest.mark.parametrize(
    ("rest", "columns"),
    [
        ("tblproperties ('delta.columnMapping.mode' = 'name')", COLUMNS),
        ("tblproperties ('delta.enableTypeWidening' = 'true')", COLUMNS),
        ("partitioned by (id)", COLUMNS),
        ("", COLUMNS.replace("id int", "id int, code char(3)").replace(", day date", "")),
    ],
    ids=["mapped columns", "widened types", "partitions", "text of fixed length"],
)
def test_what_files_alone_do_not_tell(tables: Tables, rest: str, columns: str) -> None:
    rows = ROWS if "char(3)" not in columns else "insert into {t} values (1, 'a', null, 1)"
    assert files_of(tables.make("more_than_files", rest, columns, rows), 1) is None


def test_texts_that_are_no_utf_8_are_read_by_spark(tables: Tables) -> None:
    """deltalake refuses them, by a plain Exception."""
    table = tables.make(
        "texts", columns="id int, text string", rows="insert into {t} values (1, cast(x'ff41' as string))"
    )
    assert rows_in_arrow(table, 1) is None
    tables.agree(table, 1)


def test_what_is_not_there_or_too_much(tables: Tables) -> None:
    table = tables.make("there", rows=None)
    assert files_of(table, 0) is None, "no file"
    assert files_of(table, 7) is None, "no such version"
    assert files_of(Table(table.name, "s3://bucket/there"), 0) is None
    assert files_of(Table(table.name), 0) is None
    assert files_of(Table(table.name, f"{table.folder}-not"), 0) is None
    for _ in range(17):
        tables.spark.sql(ROWS.format(t=table.quoted).replace("range(1, 6)", "range(1, 6, 1, 1)"))
    tables.agree(table, 16)
    assert files_of(table, 17) is None, "many files"
    tables.spark.sql(f"optimize {table.quoted}")
    tables.spark.sql("set spark.databricks.delta.retentionDurationCheck.enabled = false")
    tables.spark.sql(f"vacuum {table.quoted} retain 0 hours")
    assert files_of(table, 16) is None, "taken away"
    tables.agree(table, 18)


def test_jobs_read_small_tables_by_their_files(dbt_case: Callable[..., DbtCase]) -> None:
    """Both upstreams and stored rows; not where a model wants what only Delta's scan has."""
    case = dbt_case(project=delta_models(unique_key="id"))
    left = case.source("l", "id int, v int", "select id, id * 10 from range(1, 6)")
    right = case.source("r", "id int, w int", "select id, id * 100 from range(1, 6)")
    case.put(
        "models/joined.sql",
        "select l.id, l.v, r.w from {{ source('raw', 'l') }} as l left join {{ source('raw', 'r') }} as r on l.id = r.id",
    )
    case.put(
        "models/traced.sql",
        "{{ config(delta_rule='full') }} select id, _metadata.file_size > 0 as is_there from {{ source('raw', 'l') }}",
    )
    first = case.build()
    for name, table in (("joined", left), ("joined", right)):
        sent = first.statements_of(name)
        assert any(reads(sql, table) for sql in sent) and not any(f"{table} version as of" in sql for sql in sent)
    assert any(f"{left} version as of" in sql for sql in first.statements_of("traced"))
    case.spark.sql(f"update {right} set w = 0 where id = 2")
    second = case.build()
    assert second.messages["joined"] == "scope: 2 in +0 ~1 -0"
    stored = case.table("marts", "joined")
    assert any(reads(sql, stored) for sql in second.statements) and f"{stored} version as of" not in "".join(
        second.statements
    )
    assert not case.difference_from_recompute("marts", "joined")
    left_over = case.spark.sql(f"show views in global_temp like 'files_{case.schema}*'")
    assert left_over == [], "none outlives the job"
