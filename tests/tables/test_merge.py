"""Few rows that deltalake writes (decision 55): values, change feed and log are as Spark would have left them, and what is not plain is Spark's."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from deltalake import DeltaTable
from deltalake.table import TableMerger

from entrepot.profile import ALWAYS
from entrepot.tables import merge
from entrepot.tables.commit import Touches
from entrepot.tables.files import opened_at
from entrepot.tables.log_files import LogFiles
from entrepot.tables.merge import FewRows, may_append, may_merge, merged
from entrepot.tables.table import Table
from tests.support.dbt_case import DbtCase, delta_models
from tests.support.spark import Spark

# the least, some odd one and the greatest of each type; all that deltalake writes or copies has to come out of Spark as it went in
VALUES = {
    "b": ["true", "false", "null"],
    "ti": ["cast(-128 as tinyint)", "cast(127 as tinyint)", "null"],
    "si": ["cast(-32768 as smallint)", "cast(32767 as smallint)", "null"],
    "i": ["-2147483648", "2147483647", "0"],
    "l": ["-9223372036854775808L", "9223372036854775807L", "0L"],
    "f": ["cast('NaN' as float)", "cast('-Infinity' as float)", "cast('-0.0' as float)"],
    "d": ["cast('NaN' as double)", "cast('Infinity' as double)", "cast('-0.0' as double)"],
    "small_d": ["4.9E-324D", "1.7976931348623157E308D", "0.1D"],
    "dec38": [f"cast('{'9' * 38}' as decimal(38,0))", f"cast('-{'9' * 38}' as decimal(38,0))", "null"],
    "dec9": ["cast('-9999999.99' as decimal(9,2))", "cast('9999999.99' as decimal(9,2))", "null"],
    "dec18": ["cast('-9999999999999999.99' as decimal(18,2))", "cast('9999999999999999.99' as decimal(18,2))", "null"],
    "dec20": ["cast('-99.999999999999999999' as decimal(20,18))", "cast('0.000000000000000001' as decimal(20,18))", "null"],
    "s": ["''", r"'a\0b'", r"concat('😀ü\n', repeat('z', 100))"],
    "bin": ["x''", "x'00ff80'", "null"],
    "dt": ["date'0001-01-01'", "date'9999-12-31'", "date'1582-10-05'"],
    "far_dt": ["date_from_unix_date(-2000000)", "date_from_unix_date(5000000)", "null"],
    "ts": ["timestamp'0001-01-01 00:00:00.000001Z'", "timestamp'9999-12-31 23:59:59.999999Z'", "timestamp'1900-01-01 00:00:00.123456Z'"],
    "far_ts": ["timestamp_micros(-9223372036854775000L)", "timestamp_micros(9223372036854775000L)", "timestamp'1582-10-06 12:00:00Z'"],
    "ntz": ["timestamp_ntz'0001-01-01 00:00:00.000001'", "timestamp_ntz'9999-12-31 23:59:59.999999'", "null"],
    "Inner": ["named_struct('A', 1, 'b', cast(null as string))", "null", "named_struct('A', cast(null as int), 'b', 'x')"],
    "many": ["array(1, null)", "array()", "null"],
    "größe": ["array(named_struct('x', if(rand() > 2, null, 1.50BD)))", "array(null)", "null"],
}  # fmt: skip
ROWS = " union all ".join(
    f"select '{key}' as k, " + ", ".join(f"{values[number]} as `{name}`" for name, values in VALUES.items())
    for number, key in enumerate("xyz")
)


def numbers(*rows: tuple[int, int | None, bool | None]) -> pyarrow.Table:
    """Rows of `id bigint, v int` with `_upsert`."""
    schema = pyarrow.schema({"id": pyarrow.int64(), "v": pyarrow.int32(), "_upsert": pyarrow.bool_()})
    return pyarrow.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


class Tables:
    """Makes tables in a schema of their own, by a Spark that writes as sessions of jobs do."""

    def __init__(self, spark: Spark, schema: str) -> None:
        self.spark, self.schema = spark, schema
        spark.sql(f"create schema if not exists {schema}")

    def make(self, name: str, rows: str, rest: str = "") -> Table:
        relation = f"{self.schema}.{name}"
        self.spark.sql(
            f"create or replace table {relation} using delta {rest} as select /*+ coalesce(1) */ * from ({rows})"
        )
        return self.table(name)

    def declare(self, name: str, columns: str, rest: str = "") -> Table:
        self.spark.sql(f"drop table if exists {self.schema}.{name}")
        self.spark.sql(f"create table {self.schema}.{name} ({columns}) using delta {rest}")
        return self.table(name)

    def table(self, name: str) -> Table:
        return Table((self.schema, name), f"file:{os.environ['ENTREPOT_WAREHOUSE']}/{self.schema}.db/{name}")

    def merge(self, table: Table, rows: str, *keys: str, comes: bool = True) -> bool:
        """Write rows with `_upsert` into the newest version."""
        frame = self.spark.session.sql(rows)
        return self.write(table, frame.toArrow(), *keys, comes=comes)

    def write(self, table: Table, rows: pyarrow.Table, *keys: str, comes: bool = True) -> bool:
        """Write rows that are there."""
        few = FewRows("", tuple(rows.column_names), self.version(table), keys, comes)
        return merged(table, few, rows, '{"by": "a test"}')

    def version(self, table: Table) -> int:
        return LogFiles().newest([table])[table].version


@pytest.fixture(scope="module")
def tables(spark: Spark) -> Tables:
    session = spark.session.newSession()
    for name, value in ALWAYS.items():
        session.conf.set(name, value)
    return Tables(Spark(session), f"merged_{os.getpid()}")


def test_all_values_are_written_and_copied_as_they_are(tables: Tables) -> None:
    spark, table = tables.spark, tables.make("kinds", ROWS, "tblproperties (delta.enableChangeDataFeed = true)")
    shown = ", ".join(f"hash(`{name}`), cast(`{name}` as string)" for name in VALUES)
    wanted = {row[0]: row[1:] for row in spark.rows(f"select k, {shown} from ({ROWS})")}
    assert may_merge(table, 0)
    gone = f"select 'z' as k, * except (k), cast(null as boolean) as _upsert from ({ROWS}) where k = 'z'"
    assert tables.merge(
        table, f"select concat(k, '2') as k, * except (k), true as _upsert from ({ROWS}) union all {gone}", "k"
    )
    found = {row[0]: row[1:] for row in spark.rows(f"select k, {shown} from {table.quoted}")}
    assert found == {key: wanted[key[0]] for key in ("x", "y", "x2", "y2", "z2")}, (
        "x and y are copied, the others written"
    )
    fed = spark.rows(f"select _change_type, k, {shown} from table_changes('{table.relation}', 1)")
    assert {row[1]: (row[0], row[2:]) for row in fed} == {
        key: ("delete" if key == "z" else "insert", wanted[key[0]]) for key in ("x2", "y2", "z2", "z")
    }
    for condition in ("d > 1", "f < 0", "ts > timestamp'9000-01-01'", "dec38 > 1", "s > 'z'"):
        assert spark.rows(f"select k from {table.quoted} where {condition}") == sorted(
            (key,) for key in found if (key[0],) in spark.rows(f"select k from ({ROWS}) where {condition}")
        ), condition


def test_spark_leaves_out_no_row_by_statistics(tables: Tables) -> None:
    """Those of deltalake leave NaN out, which is the greatest of all for Spark."""
    table = tables.make("numbers", "select 1 as id, 0.0D as d")
    assert tables.merge(table, "select * from values (2, 0.5D, true), (3, double('NaN'), true) as t (id, d, _upsert)")
    assert tables.merge(
        table, "select 1 as id, double('NaN') as d, true as _upsert union all select 4, 0.2D, true", "id"
    )
    assert tables.spark.rows(f"select id from {table.quoted} where d > 1") == [(1,), (3,)]


@pytest.mark.long
@pytest.mark.parametrize("vectors", ["false", "true"])
def test_spark_goes_on_where_deltalake_has_written(tables: Tables, vectors: str) -> None:
    """Thirty commits of both in turn: what the table has, what its change feed and its log say."""
    spark = tables.spark
    properties = f"delta.enableChangeDataFeed = true, delta.enableDeletionVectors = {vectors}"
    table = tables.make(f"turns_{vectors}", "select id, 0 as v from range(20)", f"tblproperties ({properties})")
    wanted = dict.fromkeys(range(20), 0)
    for turn in range(1, 31):
        if turn % 5 == 0:
            spark.sql(f"update {table.quoted} set v = {turn} where id = {turn % 20}")
            wanted[turn % 20] = turn
        elif turn % 5 == 1:
            assert tables.merge(table, f"select id, true as _upsert, {turn} as v from values ({100 + turn}L) as t (id)")
            wanted[100 + turn] = turn
        elif turn % 5 == 2:
            assert tables.merge(
                table, f"select {99 + turn}L as id, cast(null as boolean) as _upsert", "id", comes=False
            )
            del wanted[99 + turn]
        else:
            assert tables.merge(table, f"select {turn % 7}L as id, {turn} as v, true as _upsert", "id")
            wanted[turn % 7] = turn
        if turn % 10 == 1:  # and what it reads from a checkpoint of deltalake's
            spark.forget_logs(Path(str(table.folder)))
        assert spark.rows(f"select id, v from {table.quoted}") == sorted(wanted.items(), key=repr), turn
    told = {commit.version: commit for commit in LogFiles().commits(table)}
    by_history = {row.version: row for row in spark.sql(f"describe history {table.quoted}")}
    for version in range(1, 31):
        rows = spark.rows(f"select count_if(_change_type like 'update_pre%' or _change_type = 'delete'), "
                          f"count_if(_change_type like 'update_post%' or _change_type = 'insert') "
                          f"from table_changes('{table.relation}', {version}, {version})")[0]  # fmt: skip
        assert told[version].changed_rows == sum(rows), version
        assert by_history[version].userMetadata == ('{"by": "a test"}' if version % 5 else None)
    log = Path(str(table.folder), "_delta_log")
    assert [file.name[:20].lstrip("0") for file in sorted(log.glob("*.checkpoint*.parquet"))] == ["10", "20", "30"]
    said = [json.loads((log / f"{version:020}.crc").read_text()) for version in (28, 30)]
    assert said[0]["metadata"] == said[1]["metadata"] and said[0]["protocol"].keys() == said[1]["protocol"].keys()
    detail = spark.sql(f"describe detail {table.quoted}")[0]
    assert (detail.numFiles, detail.sizeInBytes) == (said[1]["numFiles"], said[1]["tableSizeBytes"])


@pytest.mark.parametrize(
    ("properties", "kept"),
    [
        ({}, False),
        ({"delta.logRetentionDuration": "interval 10 days"}, False),
        ({"delta.logRetentionDuration": "interval 365 days"}, True),
        ({"delta.enableExpiredLogCleanup": "false"}, True),
        ({"delta.enableExpiredLogCleanup": "FALSE"}, True),
        ({"delta.logRetentionDuration": "365 days"}, True),
        ({"delta.logRetentionDuration": "INTERVAL 365 DAYS"}, True),
        ({"delta.logRetentionDuration": "interval 1 day 52 weeks"}, True),
    ],
)
def test_a_log_is_kept_as_long_as_its_table_says(tmp_path: Path, properties: dict[str, str], kept: bool) -> None:
    """In words of Spark's that deltalake does not read, too: it would take 30 days for them."""
    table = Table(("a", "b"), f"file:{tmp_path}/b")
    DeltaTable.create(
        f"{tmp_path}/b", numbers().schema.remove(2), configuration={"delta.checkpointInterval": "2", **properties}
    )
    log, long_ago = Path(str(table.folder), "_delta_log"), time.time() - 100 * 86_400
    for number in range(8):
        few = FewRows("", ("id", "v", "_upsert"), number)
        for file in log.iterdir():
            os.utime(file, (long_ago, long_ago))
        assert merged(table, few, numbers((number, 0, True)), "{}")
    assert Path(log, f"{8:020}.checkpoint.parquet").exists()
    assert Path(log, f"{0:020}.json").exists() is kept


@pytest.mark.parametrize("vectors", ["true", pytest.param("false", marks=pytest.mark.long)])
def test_a_table_stays_one_of_few_files(tables: Tables, vectors: str) -> None:
    """Each write adds one; from eight on they are joined first, in a commit that is told apart from one that changes rows."""
    properties = f"delta.enableChangeDataFeed = true, delta.enableDeletionVectors = {vectors}"
    table = tables.make(f"growing_{vectors}", f"select 0L as id, * from ({ROWS})", f"tblproperties ({properties})")
    rows = f"select id, row.*, true as _upsert from ({ROWS}) as row cross join range(1, 25) where k = 'x' order by id"
    written = tables.spark.session.sql(rows).toArrow()
    for place in range(24):
        assert may_merge(table, tables.version(table))
        assert tables.write(table, written.slice(place, 1))
    commits = LogFiles().commits(table)
    joined = [commit for commit in commits if commit.keeps_rows]
    assert [commit.operation for commit in joined] == ["OPTIMIZE"] * 3 and not any(one.user_metadata for one in joined)
    assert not commits[0].keeps_rows and len(commits) == 1 + 24 + 3
    assert tables.spark.rows(f"select count(*), count(distinct id) from {table.quoted}") == [(27, 25)]
    shown = ", ".join(f"cast(`{name}` as string)" for name in VALUES)
    assert len(tables.spark.rows(f"select distinct k, {shown} from {table.quoted}")) == 3, (
        "joined rows are as they were"
    )
    told = tables.spark.rows(f"select _change_type, count(*) from table_changes('{table.relation}', 1) group by 1")
    assert told == [("insert", 24)]


def test_tables_of_many_files_are_merged_too(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Larger ones than those that are read by their files. Only a merge joins files of such a table, and only small ones, to some that are not."""
    spark = tables.spark
    table = tables.make(
        "many", "select id, 0 as v from range(0, 4000)", "tblproperties (delta.enableChangeDataFeed = true)"
    )
    large = max(file.stat().st_size for file in Path(str(table.folder)).glob("*.parquet"))
    for limit in ("MOST_BYTES", "MOST_FILES"):
        monkeypatch.setattr(merge, limit, {"MOST_BYTES": large - 1, "MOST_FILES": 4}[limit])
    wanted = dict.fromkeys(range(4000), 0)
    for number in range(4000, 4012):
        assert tables.write(table, numbers((number, 0, True)))
        wanted[number] = 0
    assert not any(commit.keeps_rows for commit in LogFiles().commits(table)), "appends left all files as they were"
    for number in range(1, 25):
        rows = numbers((number * 160, number, True), (5000 + number, 0, True), (number * 160 + 1, None, None))
        assert may_merge(table, tables.version(table)) and tables.write(table, rows, "id")
        wanted |= {number * 160: number, 5000 + number: 0}
        del wanted[number * 160 + 1]
    assert spark.rows(f"select id, v from {table.quoted}") == sorted(wanted.items(), key=repr)
    assert any(commit.keeps_rows for commit in LogFiles().commits(table))
    assert spark.sql(f"describe detail {table.quoted}")[0].numFiles < 12
    fed = spark.rows(
        f"select sum(if(_change_type in ('insert', 'update_postimage'), 1, -1)) from table_changes('{table.relation}', 1)"
    )
    assert fed == [(len(wanted) - 4000,)]


def test_marks_of_spark_are_minded(tables: Tables) -> None:
    """What is deleted by a deletion vector only stays away where its file is joined with others, or read by a merge."""
    properties = "delta.enableChangeDataFeed = true, delta.enableDeletionVectors = true"
    table = tables.make("marked", "select id, 0 as v from range(4)", f"tblproperties ({properties})")
    wanted = dict.fromkeys(range(4), 0)
    for number in range(4, 24):
        assert tables.write(table, numbers((number, 0, True), (number + 100, 0, True)))
        wanted |= {number: 0, number + 100: 0}
        if number % 6 == 0:
            tables.spark.sql(f"delete from {table.quoted} where id = {number}")
            del wanted[number]
        if number % 5 == 0:
            changed = number + 100 if number % 2 else number + 99
            assert tables.write(table, numbers((changed, number, True)), "id")
            wanted[changed] = number
        if number == 12:
            tables.spark.forget_logs(Path(str(table.folder)))
        if number % 8 == 0 or number == 23:
            assert tables.spark.rows(f"select id, v from {table.quoted}") == sorted(wanted.items(), key=repr), number
    log = [json.loads(line) for file in Path(str(table.folder), "_delta_log").glob("*.json") for line in file.open()]
    assert any((line.get("add") or {}).get("deletionVector") for line in log), "Spark has marked rows"
    assert any(commit.operation == "OPTIMIZE" for commit in LogFiles().commits(table)), "and files were joined"
    fed = tables.spark.rows(
        f"select id, sum(if(_change_type in ('insert', 'update_postimage'), 1, -1)) as n from table_changes('{table.relation}', 1) group by 1"
    )
    assert dict(fed) == {number: int(number in wanted) for number in [*range(4, 24), *range(104, 124)]}


def test_what_somebody_else_has_written_since_is_not_written_over(tables: Tables) -> None:
    table = tables.make("busy", "select id, 0 as v from range(3)")
    frame = tables.spark.session.sql("select 1L as id, 1 as v, true as _upsert")
    few = FewRows("", ("id", "v"), tables.version(table), ("id",))
    tables.spark.sql(f"update {table.quoted} set v = 7 where id = 2")
    assert not merged(table, few, frame.toArrow(), "")
    assert not merged(table, FewRows("", ("id", "v"), few.version), frame.toArrow(), "")
    assert tables.spark.rows(f"select * from {table.quoted}") == [(0, 0), (1, 0), (2, 7)]
    assert tables.version(table) == few.version + 1


def test_what_fails_behind_its_commit_is_not_written_twice(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tables.make("told", "select 1L as id, 0 as v")

    def failing(does: Callable[..., object]) -> Callable[..., None]:
        def fails(*arguments: Any, **named: Any) -> None:
            does(*arguments, **named)
            raise OSError("the log cannot be read")

        return fails

    monkeypatch.setattr(DeltaTable, "create_write_transaction", failing(DeltaTable.create_write_transaction))
    monkeypatch.setattr(TableMerger, "execute", failing(TableMerger.execute))
    assert tables.merge(table, "select 2L as id, 1 as v, true as _upsert")
    assert tables.merge(table, "select * from values (1L, 5, true), (3L, 7, true) as t (id, v, _upsert)", "id")
    assert tables.spark.rows(f"select * from {table.quoted}") == [(1, 5), (2, 1), (3, 7)]
    assert tables.version(table) == 2


@pytest.mark.parametrize(
    ("columns", "rest"),
    [
        ("id int, v int", "partitioned by (v)"),
        ("id int, v int", "cluster by (v)"),
        ("id int not null", ""),
        ("id int, inner struct<a: int not null>", ""),
        ("id int, code char(3)", ""),
        ("id int, by_name map<string, int>", ""),
        ("id int, any variant", ""),
        ("id int, twice int generated always as (id * 2)", ""),
        ("id bigint generated always as identity", ""),
        ("id int default 3", "tblproperties (delta.feature.allowColumnDefaults = 'supported')"),
        ("`a.b` int", ""),
        ("id int", "tblproperties (delta.columnMapping.mode = 'name')"),
        ("id int", "tblproperties (delta.enableRowTracking = true)"),
        ("id int", "tblproperties (delta.enableInCommitTimestamps = true)"),
        ("id int", "tblproperties (delta.enableTypeWidening = true)"),
        ("id int", "tblproperties (delta.appendOnly = true)"),
        ("id int", "tblproperties ('delta.enableChangeDataFeed' = 'TRUE')"),
        ("id int", "tblproperties (delta.autoOptimize.autoCompact = true)"),
    ],
)
def test_what_is_not_plain_is_sparks(tables: Tables, columns: str, rest: str) -> None:
    assert not may_merge(tables.declare("odd", columns, rest), 0)


def test_constraints_places_and_sizes(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tables.declare("plain", "id int, v int", "tblproperties (team = 'somebody')")
    assert may_merge(table, 0), "properties of one's own, and no file yet"
    assert not may_merge(table, 1), "no such version"
    assert not may_merge(Table(table.name, "s3://bucket/plain"), 0)
    for _ in range(2):
        tables.spark.sql(f"insert into {table.quoted} select id, 0 from range(0, 9, 1, 1)")
    assert may_merge(table, 2)
    monkeypatch.setattr(merge, "MOST_FILES", 1)
    monkeypatch.setattr(merge, "MOST_BYTES", 100)
    assert may_merge(table, 2), "larger than what is read by its files"
    monkeypatch.setattr(merge, "MOST_MERGED", 100)
    assert not may_merge(table, 2), "large"
    monkeypatch.undo()
    tables.spark.sql(f"alter table {table.quoted} add constraint positive check (v >= 0)")
    assert not may_merge(table, 3)
    tables.spark.sql(f"create or replace table {tables.schema}.cloned shallow clone {table.quoted}")
    assert not may_merge(tables.table("cloned"), 0)
    tables.spark.sql("set spark.sql.parquet.outputTimestampType = INT96")
    try:
        old = tables.make("old", "select 1 as id, timestamp'9999-12-31' as until")
    finally:
        tables.spark.sql("set spark.sql.parquet.outputTimestampType = TIMESTAMP_MICROS")
    assert not may_merge(old, 0), "copied moments would be others"


@pytest.mark.long
def test_large_tables_are_appended_to(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of all types, in more than 32 columns; and what readers do with the file: its statistics are no more than bounds."""
    spark = tables.spark
    table = tables.make("large", ROWS, "tblproperties (delta.enableChangeDataFeed = true)")
    for limit in ("MOST_BYTES", "MOST_MERGED"):
        monkeypatch.setattr(merge, limit, 100)
    assert may_append(table, 0) and not may_merge(table, 0)
    numbered = [f"{key}{number}" for key in "xyz" for number in range(3)]
    for key in numbered:
        assert tables.merge(
            table, f"select '{key}' as k, * except (k), true as _upsert from ({ROWS}) where k = '{key[0]}'"
        )
    shown = ", ".join(f"hash(`{name}`), cast(`{name}` as string)" for name in VALUES)
    wanted = {row[0]: row[1:] for row in spark.rows(f"select k, {shown} from ({ROWS})")}
    found = {row[0]: row[1:] for row in spark.rows(f"select k, {shown} from {table.quoted}")}
    assert found == {key: wanted[key[0]] for key in ("x", "y", "z", *numbered)}
    fed = spark.rows(f"select _change_type, count(*) from table_changes('{table.relation}', 1) group by 1")
    assert fed == [("insert", 9)]
    for commit in LogFiles().commits(table, from_version=1):
        assert (commit.changed_rows, commit.appends, commit.touches(is_ours=False)) == (1, True, Touches.ROWS)
        assert commit.metric("numOutputBytes") > 1000
    for name, values in VALUES.items():
        operators = ("<=>",) if name in ("many", "größe") else ("<=>", "<", ">")
        conditions = [f"`{name}` {operator} {value}" for operator in operators for value in values[:2]]
        parts = (
            " union all ".join(f"select {number} as n, k from {rows} where {condition}"
            for number, condition in enumerate(conditions)) for rows in (f"({ROWS})", table.quoted)
        )  # fmt: skip
        told, read = (spark.rows(part) for part in parts)
        assert read == sorted((number, key) for number, first in told for key in found if key[0] == first), name
    tables.spark.sql(f"drop table if exists {tables.schema}.cloned_large")
    tables.spark.sql(f"create table {tables.schema}.cloned_large shallow clone {table.quoted}")
    assert not may_append(tables.table("cloned_large"), 0)


def test_statistics_of_what_is_appended_to_large_tables_are_bounds(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random rows, nested and long texts among them. Delta's readers add a millisecond to a moment, as statistics have none smaller."""
    monkeypatch.setattr(merge, "MOST_FILES", -1)
    seed = int(os.environ.get("ENTREPOT_TEST_SEED") or random.randrange(10**6))
    print(f"ENTREPOT_TEST_SEED={seed}")
    chance = random.Random(seed)

    def row(number: int) -> tuple[int, str | None, datetime, Decimal, date]:
        letters = (
            chance.choice("a z\x00\x7fü\ud7ff\uffff\U0010ffff'")
            for _ in range(chance.choice([0, 1, 31, 32, 33, 63, 64, 65, 200]))
        )
        moment = datetime(chance.choice([2, 1582, 1969, 2026, 9998]), 12, 31, 23, 59, 59, tzinfo=timezone.utc)
        return (
            number,
            "".join(letters) if chance.random() < 0.9 else None,
            moment + timedelta(microseconds=chance.randrange(10**6)),
            Decimal(f"{chance.randrange(-(10**38), 10**38)}e-2"),
            moment.date(),
        )

    spark = tables.spark
    columns = {"n": "bigint", "text": "string", "at": "timestamp", "amount": "decimal(38,2)", "day": "date"}
    listed = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    table = tables.declare("bounds", f"{listed}, inner struct<{listed}>")
    written = [[row(10 * file + number) for number in range(chance.choice([1, 3]))] for file in range(12)]
    for rows in written:
        frame = spark.session.createDataFrame(rows, listed)
        few = FewRows("", (*columns, "inner"), tables.version(table))
        assert merged(table, few, frame.selectExpr("*", "struct(*) as inner", "true as _upsert").toArrow(), "{}")
    log = Path(str(table.folder), "_delta_log")
    for version, rows in enumerate(written, 1):
        actions = [json.loads(line) for line in (log / f"{version:020}.json").read_text().splitlines()]
        (stats,) = (json.loads(action["add"]["stats"], parse_float=Decimal) for action in actions if "add" in action)
        assert stats["numRecords"] == len(rows)
        for place in (lambda bounds: bounds, lambda bounds: bounds["inner"]):
            least, most, nulls = (place(stats[kind]) for kind in ("minValues", "maxValues", "nullCount"))
            for number, name in enumerate(columns):
                values = [one[number] for one in rows if one[number] is not None]
                assert nulls[name] == len(rows) - len(values)
                for value in values:
                    if isinstance(value, str):
                        assert least[name].encode() <= value.encode() <= most[name].encode()
                    elif isinstance(value, datetime):
                        first, last = (
                            datetime.fromisoformat(told[name].replace("Z", "+00:00")) for told in (least, most)
                        )
                        assert first <= value <= last + timedelta(milliseconds=1)
                    elif isinstance(value, date):
                        assert least[name] <= value.isoformat() <= most[name]
                    else:
                        assert least[name] <= value <= most[name]
    assert spark.rows(f"select * except (inner) from {table.quoted}") == sorted(
        ((n, text, at.replace(tzinfo=None), *more) for rows in written for n, text, at, *more in rows), key=repr
    )
    # the file of the first rows is gone, and nobody asks for it
    paths = opened_at(str(table.folder), 1).file_uris()  # type: ignore[union-attr]
    Path(paths[0]).unlink()
    spark.sql(f"refresh table {table.quoted}")
    wanted = sorted((one[0],) for rows in written[1:] for one in rows)
    assert sorted(spark.rows(f"select n from {table.quoted} where inner.n >= 10")) == wanted


def test_moments_far_away_are_found_in_what_is_appended_to_large_tables(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge, "MOST_FILES", -1)
    table = tables.declare("far", "id int, at timestamp")
    values = VALUES["far_ts"] + VALUES["ts"]
    for number, value in enumerate(values):
        assert tables.merge(table, f"select {number} as id, {value} as at, true as _upsert")
    for number, value in enumerate(values):
        assert tables.spark.rows(f"select id from {table.quoted} where at = {value}") == [(number,)]
    rows = " union all ".join(f"select {number} as id, {value} as at" for number, value in enumerate(values))
    for condition in ("at > timestamp'9999-01-01'", "at < timestamp'0002-01-01'", "at >= timestamp'1900-01-01'"):
        assert tables.spark.rows(f"select id from {table.quoted} where {condition}") == tables.spark.rows(
            f"select id from ({rows}) where {condition}"
        )


def test_texts_that_are_no_utf_8_are_sparks(tables: Tables) -> None:
    table = tables.make("texts", "select 1 as id, 'a' as text")
    assert not tables.merge(table, "select 2 as id, cast(x'ff41' as string) as text, true as _upsert")
    assert not tables.merge(table, "select 1 as id, cast(x'ff41' as string) as text, true as _upsert", "id")
    assert tables.version(table) == 0 and opened_at(str(table.folder), 0) is not None


def test_a_job_writes_by_spark_what_cannot_be_written_otherwise(
    dbt_case: Callable[..., DbtCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rows, in one commit, that says what it contains: where deltalake refuses, and where it fails."""
    case = dbt_case(project=delta_models(unique_key="id"))
    raw = case.source("t", "id int, v int, text string", "select id, 0, 'a' from range(1, 6)")
    case.put("models/base.sql", "select * from {{ source('raw', 't') }}")
    case.put("models/top.sql", "select id, v from {{ ref('base') }}")
    case.build()
    refused: list[str] = []
    engine = "dbt.adapters.entrepot.engine.merged"
    monkeypatch.setattr(engine, lambda table, few, *rest: refused.append(table.relation) or False)
    case.spark.change(
        f"update {raw} set v = 1 where id = 2",
        f"delete from {raw} where id = 3",
        f"insert into {raw} values (9, 9, 'b')",
    )
    said = {"base": "join: 4 in +1 ~1 -1", "top": "join: 4 in +1 ~1 -1"}
    assert case.build().messages == said
    assert refused == [case.table("marts", "base"), case.table("marts", "top")]
    for model in said:
        assert case.difference_from_recompute("marts", model) == []
        assert (
            case.spark.history(case.table("marts", model))[0]["operation"] == "MERGE" and case.head("marts", model) == 1
        )
    monkeypatch.undo()
    case.spark.change(f"update {raw} set v = 5 where id = 2")
    assert case.build().messages == {"base": "join: 2 in +0 ~1 -0", "top": "join: 2 in +0 ~1 -0"}
    for model in said:
        assert case.difference_from_recompute("marts", model) == []
        commit = case.spark.history(case.table("marts", model))[0]
        assert commit["engineInfo"].startswith("delta-rs") and commit["metadata"]["base"] == 1
    paths = f"select distinct apply_path from {case.table('ops', 'model_run')} where number > 1"
    assert case.spark.answer(paths) == [("merge",)]


def test_values_that_come_to_the_driver_are_as_spark_has_them(dbt_case: Callable[..., DbtCase]) -> None:
    """Texts that are no UTF-8, at any depth, were U+FFFD where Java's texts had carried them; days and moments at the ends."""
    case = dbt_case(project=delta_models(unique_key="id"))
    raw = case.source("t", "id int, v int", "select id, 0 from range(1, 4)")
    text = "cast(unhex(concat('ff', hex(string(v)))) as string)"
    micros = "if(v = 2, -9223372036854775000L, 9223372036854775000L + v)"
    case.put(
        "models/base.sql",
        f"select id, {text} as text, array({text}) as texts, named_struct('Text', {text}) as part, binary(string(v)) as bytes,\n"
        f"date_from_unix_date(-2000000 - v) as day, timestamp_micros({micros}) as at, cast(v / 7 as decimal(38, 18)) as part_of\n"
        "from {{ source('raw', 't') }}",
    )
    case.put("models/next.sql", "select * except (at), hex(text) as bytes_of_text from {{ ref('base') }}")
    case.put(
        "models/sizes.sql",
        "{{ config(unique_key='text') }} select text, count(*) as n from {{ ref('base') }} group by text",
    )
    case.build()
    for change in (
        f"update {raw} set v = 2 where id = 2",
        f"insert into {raw} values (9, 1)",
        f"delete from {raw} where id = 1",
    ):
        case.spark.change(change)
        case.build()
    shown = "id, hex(text), hex(texts[0]), hex(part.text), hex(bytes), unix_date(day), unix_micros(at)"
    assert case.spark.rows(f"select {shown} from {case.table('marts', 'base')}") == [
        (2, "FF32", "FF32", "FF32", "32", -2000002, -9223372036854775000),
        (3, "FF30", "FF30", "FF30", "30", -2000000, 9223372036854775000),
        (9, "FF31", "FF31", "FF31", "31", -2000001, 9223372036854775001),
    ]
    again = f"select * except (at), hex(text) from {case.table('marts', 'base')}"
    assert case.spark.rows(f"(select * from {case.table('marts', 'next')}) minus ({again})") == []
    assert case.spark.rows(f"select hex(text), n from {case.table('marts', 'sizes')}") == [
        ("FF30", 1), ("FF31", 1), ("FF32", 1),
    ]  # fmt: skip


def test_what_a_hook_has_cached_is_read_anew(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id"))
    raw = case.source("t", "id int, v int", "select id, 0 from range(1, 4)")
    select = "select * from {{ source('raw', 't') }}"
    case.put("models/base.sql", select)
    case.build()
    hooks = "pre_hook='cache table {{ this }}', post_hook='create table {{ this }}_seen as select sum(v) as v from {{ this }}'"
    case.put("models/base.sql", f"{{{{ config({hooks}) }}}} {select}")
    case.spark.change(f"update {raw} set v = 5 where id = 2")
    case.build()
    assert case.rows("marts", "base_seen") == [(5,)]
    case.spark.sql(f"uncache table if exists {case.table('marts', 'base')}")


def test_a_comparison_that_finds_nothing_is_kept_in_a_commit_without_spark(dbt_case: Callable[..., DbtCase]) -> None:
    """A model in full whose rows are as before; another fails, and the next job does not compare again."""
    case = dbt_case(project=delta_models(unique_key="id"))
    raw = case.source("t", "id int, v int", "select id, id from range(1, 6)")
    case.put("models/ranked.sql", "select id, rank() over (order by v) as place from {{ source('raw', 't') }}")
    case.put("models/checked.sql", "select id, assert_true(v < 60) as fits from {{ source('raw', 't') }}")
    case.build()
    case.spark.sql(f"update {raw} set v = v * 20")
    outcome = case.dbt("build")
    assert not outcome.success and outcome.messages["ranked"] == "full: +0 ~0 -0"
    assert case.head("marts", "ranked") == 1
    assert not [sql for sql in outcome.statements_of("ranked") if "insert into" in sql or "merge into" in sql]
    (commit,) = LogFiles().commits(
        Table(
            ("marts", "ranked"),
            f"file:{os.environ['ENTREPOT_WAREHOUSE']}/{case.schema}_marts.db/ranked",
        ),
        from_version=1,
    )
    assert (commit.operation, commit.changed_rows) == ("WRITE", 0)
    case.put("models/checked.sql", "select id, v < 60 as fits from {{ source('raw', 't') }}")
    assert case.build().messages["ranked"] == "unchanged"
