"""Which change feeds are read by their files, without asking Delta; that their rows are right, `test_logs.py` says of each scenario, too."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from entrepot.spark.files import frame_of
from entrepot.tables.feed import FeedFiles, feed_of
from entrepot.tables.table import Table
from tests.support.dbt_case import DbtCase, delta_models, reads, reads_changes
from tests.support.spark import Spark

FEED = "'delta.enableChangeDataFeed' = 'true'"
ROWS = "insert into {t} select /*+ coalesce(1) */ id, array(struct(id as n)), id / 3 from range(1, 6)"


class Fed:
    """A table with a change feed."""

    def __init__(self, spark: Spark, name: str, properties: str = FEED, rest: str = "") -> None:
        self.spark = spark
        schema = f"feed_{os.getpid()}"
        spark.sql(f"create schema if not exists {schema}")
        self.table = Table((schema, name), f"file:{os.environ['ENTREPOT_WAREHOUSE']}/{schema}.db/{name}")
        spark.sql(f"drop table if exists {self.table.quoted}")
        columns = "id bigint not null, tags array<struct<n: bigint>>, price decimal(12, 2) comment 'in euros'"
        spark.sql(f"create table {self.table.quoted} ({columns}) using delta {rest} tblproperties ({properties})")

    @property
    def log(self) -> Path:
        return Path(str(self.table.folder), "_delta_log")

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.spark.sql(statement.format(t=self.table.quoted))

    def agree(self, from_version: int, to_version: int) -> FeedFiles:
        """Insist that the changes after a version up to another are read by files, and are those that Delta tells."""
        feed = feed_of(self.table, from_version, to_version)
        assert feed is not None
        frame = frame_of(self.spark.session, feed)
        told = self.spark.session.sql(
            f"select * from table_changes('{self.table.quoted}', {from_version + 1}, {to_version})"
        ).drop("_commit_version", "_commit_timestamp")
        assert sorted(frame.dtypes) == sorted(told.dtypes)
        rows = frame.select(*told.columns).collect()
        assert Counter(map(str, rows)) == Counter(map(str, told.collect()))
        return feed


def kinds(feed: FeedFiles) -> tuple[int, int, int]:
    return len(feed.inserted), len(feed.deleted), len(feed.told)


def test_each_kind_of_commit(spark: Spark) -> None:
    fed = Fed(spark, "changed")
    fed.run(
        ROWS,
        "update {t} set price = price + 1 where id < 3",
        "delete from {t} where id = 2",
        ROWS,
        "optimize {t}",
        "merge into {t} t using (select 4L as id union all select 40L) s on t.id = s.id when matched then delete "
        "when not matched then insert (id) values (s.id)",
        "insert overwrite {t} values (7, null, 7)",
        "alter table {t} set tblproperties ('of' = 'us')",
        "delete from {t}",
    )
    for version in range(1, 10):
        if version not in (5, 8):
            fed.agree(version - 1, version)
    assert kinds(fed.agree(0, 1)) == (1, 0, 0)
    assert kinds(fed.agree(1, 3)) == (0, 0, 2)
    assert kinds(fed.agree(8, 9)) == (0, 1, 0)
    fed.agree(0, 9)
    assert feed_of(fed.table, 4, 5) is None, "no rows have changed: nobody asks"


def test_rows_marked_as_deleted(spark: Spark) -> None:
    """What an update has changed is told by files of changes, what a delete has marked is not."""
    fed = Fed(spark, "marked", f"{FEED}, 'delta.enableDeletionVectors' = 'true'")
    fed.run(ROWS, "update {t} set price = price + 1 where id < 3", "insert into {t} values (8, null, 8)")
    fed.run("delete from {t} where id = 4", "insert into {t} values (9, null, 9)")
    fed.agree(0, 3)
    assert kinds(fed.agree(1, 2)) == (0, 0, 1)
    assert feed_of(fed.table, 3, 4) is None
    assert feed_of(fed.table, 2, 5) is None
    fed.agree(4, 5)


@pytest.mark.parametrize(
    ("properties", "rest"),
    [
        (f"{FEED}, 'delta.columnMapping.mode' = 'name'", ""),
        (f"{FEED}, 'delta.enableTypeWidening' = 'true'", ""),
        (FEED, "partitioned by (id)"),
    ],
    ids=["mapped columns", "widened types", "partitions"],
)
def test_what_files_alone_do_not_tell(spark: Spark, properties: str, rest: str) -> None:
    fed = Fed(spark, "more_than_files", properties, rest)
    fed.run(ROWS)
    assert feed_of(fed.table, 0, 1) is None


def test_what_is_not_there_or_too_much(spark: Spark) -> None:
    fed = Fed(spark, "there")
    assert feed_of(fed.table, 0, 1) is None, "no such version"
    assert feed_of(Table(fed.table.name, "s3://bucket/there"), 0, 1) is None
    assert feed_of(Table(fed.table.name), 0, 1) is None
    fed.run(*[ROWS] * 17)
    assert sum(kinds(fed.agree(0, 16))) == 16
    assert feed_of(fed.table, 0, 17) is None, "many files"
    commit = fed.log / f"{17:020}.json"
    text = commit.read_text()
    commit.write_text(text[:-20])
    assert feed_of(fed.table, 15, 17) is None, "damaged"
    commit.write_text(text)
    added = next(action["add"] for action in map(json.loads, text.splitlines()) if "add" in action)
    fed.agree(15, 17)
    (fed.log / f"{18:020}.json").write_text(json.dumps({"add": added}) + "\n")
    fed.spark.forget_logs(fed.log.parent)
    fed.agree(17, 18)
    assert feed_of(fed.table, 15, 18) is None, "a file comes twice"
    Path(str(fed.table.folder), added["path"]).unlink()
    assert feed_of(fed.table, 15, 17) is None, "a file is gone"
    assert feed_of(fed.table, 15, 16) is not None


def test_a_job_reads_changes_by_their_files(dbt_case: Callable[..., DbtCase]) -> None:
    """Without a change feed the two versions are read by their files; where rows are marked as deleted, Delta reads the feed."""
    case = dbt_case(project=delta_models(unique_key="id"))
    fed = case.source(
        "fed", "id int, v int, text string", "select id, id * 10, cast(x'ff41' as string) from range(1, 60)"
    )
    bare = case.source("bare", "id int, w int", "select id, id * 100 from range(1, 60)")
    case.spark.sql(f"alter table {bare} unset tblproperties ('delta.enableChangeDataFeed')")
    for name, column in (("fed", "v"), ("bare", "w")):
        case.put(f"models/of_{name}.sql", f"select id, {column} * 2 as x from {{{{ source('raw', '{name}') }}}}")
    case.put("models/of_text.sql", "select id, v, hex(text) as bytes from {{ source('raw', 'fed') }}")
    case.build()
    case.spark.sql(f"update {fed} set v = v + 1 where id = 3")
    case.spark.sql(f"update {bare} set w = w + 1 where id = 3")
    outcome = case.build()
    for name in ("of_fed", "of_bare"):
        assert outcome.messages[name] == "join: 2 in +0 ~1 -0"
        assert not case.difference_from_recompute("marts", name)
    assert case.spark.rows(f"select v, bytes from {case.table('marts', 'of_text')} where id = 3") == [(31, "FF41")]
    sent = "".join(outcome.statements)
    assert reads_changes(sent, fed) and reads(sent, bare)
    assert "table_changes" not in sent and "version as of" not in sent
    case.spark.sql(f"alter table {fed} set tblproperties ('delta.enableDeletionVectors' = 'true')")
    case.spark.sql(f"delete from {fed} where id = 4")
    outcome = case.build()
    assert outcome.messages["of_fed"] == "join: 1 in +0 ~0 -1"
    assert f"table_changes('{fed}'" in "".join(outcome.statements)
    assert not case.difference_from_recompute("marts", "of_fed")
    left_over = case.spark.sql(f"show views in global_temp like 'feed_files_{case.schema}*'")
    assert left_over == [], "none outlives the job"
