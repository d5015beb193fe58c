"""What can happen to a Delta table, as tables that both readers of logs are compared on."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Outside:
    """A statement that deltalake runs, which also writes some of a job's tables."""

    statement: str


Step = str | Outside | Callable[[Path], None]
FEED = "'delta.enableChangeDataFeed' = 'true'"
PLAIN = f"create table {{t}} (id int, g int, v int) using delta tblproperties ({FEED})"
ROWS = "insert into {t} select cast(id as int), cast(id % 2 as int), cast(id * 10 as int) from range(1, 7)"
TOUCH = "update {t} set v = v + 1 where id = 1"
TOUCH_OUTSIDE = Outside(TOUCH)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A table and what happens to it.

    Attributes:
        name: in words; the table's name, too
        steps: statements, in which `{t}` is the table, or what is done to its folder
        long: whether it is left to `make campaigns`, because it is much like another one
    """

    name: str
    steps: tuple[Step, ...]
    long: bool = False

    @property
    def table(self) -> str:
        return re.sub(r"\W+", "_", self.name)


def log_of(table: Path) -> Path:
    return table / "_delta_log"


def newest(table: Path) -> int:
    return max(int(path.stem) for path in log_of(table).glob("*.json") if re.fullmatch(r"\d{20}", path.stem))


def commit(*actions: dict[str, Any]) -> Callable[[Path], None]:
    """A commit of a foreign writer."""

    def write(table: Path) -> None:
        path = log_of(table) / f"{newest(table) + 1:020}.json"
        path.write_text("".join(json.dumps(action) + "\n" for action in actions))

    return write


def append_file(*more: dict[str, Any]) -> Callable[[Path], None]:
    """A foreign writer appends the rows of a file once more, as delta-rs does: what it says of itself comes last, or not at all."""

    def write(table: Path) -> None:
        for path in sorted(log_of(table).glob("*.json")):
            for line in path.read_text().splitlines():
                action = json.loads(line)
                if "add" in action:
                    file = table / action["add"]["path"]
                    copied = file.with_name("copy-" + file.name)
                    copied.write_bytes(file.read_bytes())
                    action["add"]["path"] = copied.name
                    commit(action, *more)(table)
                    return

    return write


def older(seconds: float, step: float = 0) -> Callable[[Path], None]:
    """The log's files become older; later ones by less, if `step` is positive, and younger than later ones if negative."""

    def touch(table: Path) -> None:
        now = time.time() - seconds
        for number, path in enumerate(sorted(log_of(table).iterdir())):
            os.utime(path, (now + number * step,) * 2)

    return touch


def forget(below: int) -> Callable[[Path], None]:
    """The log is cleaned up, as Delta does after the log's retention."""

    def remove(table: Path) -> None:
        for path in log_of(table).iterdir():
            if re.match(r"\d{20}\.", path.name) and int(path.name[:20]) < below:
                path.unlink()

    return remove


def without_checksums(table: Path) -> None:
    for path in log_of(table).glob("*.crc"):
        path.unlink()


def compacted(table: Path) -> None:
    """A compacted log file over all commits, as delta-rs writes them."""
    last = newest(table)
    lines = [
        line for version in range(last + 1) for line in (log_of(table) / f"{version:020}.json").read_text().splitlines()
    ]
    removed = {json.loads(line)["remove"]["path"] for line in lines if line.startswith('{"remove"')}
    kept = [
        line
        for line in lines
        if not line.startswith(('{"commitInfo"', '{"cdc"'))
        and not (line.startswith('{"add"') and json.loads(line)["add"]["path"] in removed)
    ]
    (log_of(table) / f"{0:020}.{last:020}.compacted.json").write_text("\n".join(kept) + "\n")


def ours(text: str) -> str:
    return f"set spark.databricks.delta.commitInfo.userMetadata = {text}"


RESET = "reset spark.databricks.delta.commitInfo.userMetadata"
METADATA = json.dumps(
    {
        "entrepot": 1,
        "relation": "tables.rows",
        "job": "a",
        "reads": {"x.y": 3},
        "read_at": {"x.y": 5},
        "sql_hash": "q",
        "part": "whole",
        "base": None,
    }
)

SCENARIOS = (
    Scenario("created", (PLAIN,)),
    Scenario("inserted", (PLAIN, ROWS, ROWS)),
    Scenario(
        "changed rows",
        (
            PLAIN,
            ROWS,
            "merge into {t} using (select 1 as id union all select 9) as s on {t}.id = s.id "
            "when matched then update set v = 0 when not matched then insert (id, g, v) values (s.id, 0, 0)",
            TOUCH,
            "delete from {t} where id = 2",
            "delete from {t} where id in (3, 4)",
            "truncate table {t}",
        ),
    ),
    Scenario(
        "overwritten",
        (
            PLAIN,
            ROWS,
            "insert overwrite {t} select id, g, v + 1 from {t}",
            "insert into {t} replace where g = 1 select id, g, v + 1 from {t} where g = 1",
            "create or replace table {t} using delta as select 1 as id, 'a' as name",
            "insert with schema evolution into {t} by name select 2 as id, 'b' as name, 1.5 as more",
        ),
        long=True,
    ),
    Scenario(
        "restored",
        (PLAIN, ROWS, TOUCH, "delete from {t}", "restore table {t} to version as of 1", TOUCH),
        long=True,
    ),
    Scenario(
        "maintained",
        (
            f"{PLAIN[:-1]}, 'delta.enableDeletionVectors' = 'true')",
            ROWS,
            ROWS,
            TOUCH,
            "optimize {t}",
            "delete from {t} where id = 3",
            "reorg table {t} apply (purge)",
            "vacuum {t}",
        ),
    ),
    Scenario(
        "clustered",
        (PLAIN, ROWS, "alter table {t} cluster by (id)", TOUCH, "optimize {t}"),
        long=True,
    ),
    Scenario(
        "altered",
        (
            PLAIN,
            "alter table {t} add columns (w int comment 'of {t}')",
            "alter table {t} alter column v comment 'x'",
            "comment on table {t} is 'x'",
            "alter table {t} set tblproperties ('mine.Own' = 'Some Text', 'delta.appendOnly' = 'false')",
            "alter table {t} unset tblproperties ('delta.appendOnly')",
            "alter table {t} add constraint positive check (id > 0)",
            "alter table {t} drop constraint positive",
            "alter table {t} alter column v first",
            "alter table {t} alter column v after id",
            "alter table {t} set tblproperties ('delta.enableTypeWidening' = 'true')",
            "alter table {t} alter column v type bigint",
            TOUCH,
        ),
    ),
    Scenario(
        "mapped columns",
        (
            PLAIN,
            ROWS,
            "alter table {t} set tblproperties ('delta.columnMapping.mode' = 'name')",
            "alter table {t} rename column v to `a b, c:int`",
            "alter table {t} drop column g",
            "alter table {t} add columns (s struct<a: int, `b c`: array<map<string, decimal(10, 2)>>>)",
        ),
    ),
    Scenario(
        "types",
        (
            "create table {t} (a tinyint, b smallint, c int, d bigint, e float, f double, g decimal(38, 18), h boolean, "
            "i string, j varchar(5), k char(3), l binary, m date, n timestamp, o timestamp_ntz, p variant, "
            "q map<string, array<int>>, r struct<a: int, b: struct<c: string not null>>, s int not null, "
            "t bigint generated always as identity, u int generated always as (c + 1)) using delta",
            "create or replace table {t} (x struct<"
            + ", ".join(f"f{n}: int" for n in range(30))
            + ">, y void, z array<varchar(3)>) using delta",
        ),
    ),
    Scenario("copied", ("create table {t} shallow clone {first}", TOUCH)),
    Scenario(
        "partitioned",
        ("create table {t} (id int, g int, v int) using delta partitioned by (g)", ROWS, TOUCH),
        long=True,
    ),
    Scenario(
        "in commit timestamps",
        (
            f"{PLAIN[:-1]}, 'delta.enableInCommitTimestamps' = 'true')",
            ROWS,
            TOUCH,
            older(9000, -5),
        ),
        long=True,
    ),
    Scenario(
        "in commit timestamps late",
        (
            PLAIN,
            ROWS,
            older(9000, 5),
            "alter table {t} set tblproperties ('delta.enableInCommitTimestamps' = 'true')",
            ROWS,
            "alter table {t} set tblproperties ('delta.enableInCommitTimestamps' = 'false')",
            TOUCH,
            "alter table {t} set tblproperties ('delta.enableInCommitTimestamps' = 'true')",
            TOUCH,
        ),
        long=True,
    ),
    Scenario("times out of order", (PLAIN, ROWS, ROWS, TOUCH_OUTSIDE, older(9000, -5))),
    Scenario("times that are equal", (PLAIN, ROWS, ROWS, TOUCH, older(9000)), long=True),
    Scenario(
        "checkpoints",
        (f"{PLAIN[:-1]}, 'delta.checkpointInterval' = '2')", ROWS, ROWS, TOUCH, TOUCH, TOUCH, ROWS),
        long=True,
    ),
    Scenario(
        "new checkpoints",
        (
            f"{PLAIN[:-1]}, 'delta.checkpointInterval' = '2', 'delta.checkpointPolicy' = 'v2')",
            ROWS,
            ROWS,
            TOUCH,
            TOUCH,
            "alter table {t} add columns (w int)",
            TOUCH,
        ),
        long=True,
    ),
    Scenario(
        "log cleaned up",
        (
            f"{PLAIN[:-1]}, 'delta.checkpointInterval' = '2')",
            ROWS,
            ROWS,
            TOUCH_OUTSIDE,
            "alter table {t} add columns (w int)",
            TOUCH_OUTSIDE,
            TOUCH,
            forget(6),
            TOUCH_OUTSIDE,
            "alter table {t} alter column v comment 'x'",
        ),
    ),
    Scenario(
        "log cleaned up without checksums",
        (
            f"{PLAIN[:-1]}, 'delta.checkpointInterval' = '2', 'delta.checkpointPolicy' = 'v2')",
            ROWS,
            ROWS,
            TOUCH,
            "alter table {t} add columns (w int)",
            TOUCH,
            TOUCH,
            forget(6),
            without_checksums,
            TOUCH,
            without_checksums,
        ),
        long=True,
    ),
    Scenario("log compacted", (PLAIN, ROWS, TOUCH, compacted, TOUCH), long=True),
    Scenario(
        "foreign writers",
        (
            PLAIN,
            ROWS,
            commit({"txn": {"appId": "stream", "version": 1}}),
            append_file(),
            append_file(
                {"commitInfo": {"timestamp": 1, "operation": "WRITE", "operationParameters": {"mode": "Append"}}}
            ),
            append_file({"commitInfo": {"timestamp": 1, "engineInfo": "x", "userMetadata": "by hand"}}),
        ),
    ),
    Scenario(
        "a stream",
        (
            PLAIN,
            ROWS,
            append_file(
                {"txn": {"appId": "stream", "version": 1}},
                {
                    "commitInfo": {
                        "timestamp": 1,
                        "operation": "STREAMING UPDATE",
                        "operationParameters": {
                            "outputMode": "Append",
                            "epochId": "0",
                            "flag": True,
                            "number": 3,
                            "nothing": None,
                        },
                        "operationMetrics": {"numOutputRows": "3"},
                    }
                },
            ),
            TOUCH,
        ),
        long=True,
    ),
    Scenario(
        "metadata",
        (
            PLAIN,
            ours("not JSON"),
            ROWS,
            ours("[1, 2]"),
            ROWS,
            ours('{{"relation": "other.table", "job": "x"}}'),
            ROWS,
            ours(METADATA.replace("{", "{{").replace("}", "}}").replace("tables.rows", "{t}")),
            ROWS,
            ours(""),
            RESET,
            ROWS,
        ),
    ),
    Scenario(
        "row tracking",
        (
            f"{PLAIN[:-1]}, 'delta.enableRowTracking' = 'true')",
            ROWS,
            TOUCH,
            "alter table {t} set tblproperties ('delta.enableRowTracking' = 'false')",
        ),
        long=True,
    ),
    Scenario(
        "features dropped",
        (
            f"{PLAIN[:-1]}, 'delta.enableDeletionVectors' = 'true')",
            ROWS,
            TOUCH,
            "alter table {t} drop feature deletionVectors",
            "alter table {t} set tblproperties ('delta.minWriterVersion' = '7', 'delta.minReaderVersion' = '3')",
        ),
        long=True,
    ),
)
