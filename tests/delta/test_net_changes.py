"""Numbered scenarios of net changes: what happens to a source between two jobs, after which every model equals its full recompute.

Each scenario has a table and two models of its own, so that one `dbt build` runs a step of all of them. That the changes themselves are read
right is tested without jobs, on more tables, in `tests/tables/test_logs.py`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models

FEED = "'delta.enableChangeDataFeed' = 'true'"
NO_FEED = "'delta.enableChangeDataFeed' = 'false'"
MAPPED = f"{FEED}, 'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"
VECTORS = f"{FEED}, 'delta.enableDeletionVectors' = 'true'"
SHORT = f"{FEED}, 'delta.deletedFileRetentionDuration' = 'interval 0 seconds', 'delta.enableDeletionVectors' = 'false'"
SAME = "unchanged"

# Rule join on two occurrences of the table: it needs the changes, NEW, and where rows go OLD.
PAIRED = (
    "{{ config(unique_key='id', delta_rule='join') }} select a.id, a.g, a.v, b.v as of_group "
    "from {{ source('raw', '<t>') }} as a inner join {{ source('raw', '<t>') }} as b on a.g = b.id"
)
# Rule scope: it needs the changes and NEW.
SUMMED = (
    "{{ config(unique_key='g', scope={'raw.<t>': ['g']}) }} select g, count(*) as n, sum(v) as v "
    "from {{ source('raw', '<t>') }} group by g"
)
STAR = "{{ config(unique_key='id', delta_rule='join') }} select * from {{ source('raw', '<t>') }}"


@dataclass
class Scenario:
    """What happens to a table, job by job.

    Attributes:
        name: in words
        steps: the statements before each job; `{t}` is the table
        expected: per job the line of each of its models (regular expressions); empty where any will do
        reasons: per job a part of the reason that `ops.model_run` gives for `paired`
        properties: the table's properties
        paired: the SQL of the first model
        summed: whether there is the second model
        long: whether it is left to `make campaigns`, because a job adds little to what `tests/tables/test_logs.py` says of it
    """

    name: str
    steps: list[list[str]]
    expected: list[tuple[str, ...]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    properties: str = FEED
    paired: str = PAIRED
    summed: bool = False
    long: bool = False

    @property
    def models(self) -> list[str]:
        """The names of its models."""
        return [f"{model}_{key(self)}" for model in ("paired", "summed")[: 1 + self.summed]]


SCENARIOS = [
    Scenario(
        "01 pre-image equal to post-image",
        [["update {t} set v = v"]],
        [(SAME, SAME)],
        summed=True,
        long=True,
    ),
    Scenario(
        "02 insert and delete of one row",
        [["insert into {t} values (9, 1, 90)", "delete from {t} where id = 9"]],
        [(SAME,)],
        long=True,
    ),
    Scenario(
        "03 a key changed five times over three versions",
        [
            [
                "update {t} set v = v + 1 where id = 3",
                "merge into {t} using (select 3 as id) as s on {t}.id = s.id when matched then update set v = v + 1, g = 2",
                "insert into {t} values (3, 1, 77)",
                "delete from {t} where id = 3",
                "insert into {t} values (3, 1, 33)",
            ]
        ],
        [("join: 2 in [+]0 ~1 -0", "scope: 2 in [+]0 ~2 -0")],
        summed=True,
    ),
    Scenario(
        "04 OPTIMIZE, and changes before and after it",
        [["optimize {t}"], ["insert into {t} values (7, 1, 70)", "optimize {t}", "delete from {t} where id = 2"]],
        [(SAME,), ("join: 2 in [+]1 ~0 -4",)],
        long=True,
    ),
    Scenario(
        "05 REORG and deletion-vector purge",
        [["delete from {t} where id = 6"], ["reorg table {t} apply (purge)"], ["insert into {t} values (6, 2, 60)"]],
        [
            ("join: 1 in [+]0 ~0 -1", "scope: 1 in [+]0 ~1 -0"),
            (SAME, SAME),
            ("join: 1 in [+]1 ~0 -0", "scope: 1 in [+]0 ~1 -0"),
        ],
        properties=VECTORS,
        summed=True,
        long=True,
    ),
    Scenario(
        "06 VACUUM within the retention",
        [["update {t} set v = 5 where id = 5", "vacuum {t}"], ["vacuum {t}"]],
        [("join: 2 in [+]0 ~1 -0",), (SAME,)],
        long=True,
    ),
    Scenario(
        "07 INSERT OVERWRITE",
        [["insert overwrite {t} select id, g, if(id = 4, 0, v) from {t}"]],
        [("join: 2 in [+]0 ~1 -0",)],
        long=True,
    ),
    Scenario(
        "08 TRUNCATE",
        [["truncate table {t}"], ["insert into {t} values (1, 1, 1)"]],
        [("join: 6 in [+]0 ~0 -6",)],
        long=True,
    ),
    Scenario(
        "09 RESTORE",
        [
            ["delete from {t} where id = 6", "update {t} set v = 0"],
            ["restore table {t} to version as of 1"],
            ["restore table {t} to version as of 2"],
        ],
        [(), ("join: 11 in [+]1 ~5 -0",), ("join: 1 in [+]0 ~0 -1",)],
        long=True,
    ),
    Scenario(
        "10 RESTORE to what was consumed",
        [["update {t} set v = 0", "restore table {t} to version as of 1"]],
        [(SAME,)],
        long=True,
    ),
    Scenario(
        "11 CREATE OR REPLACE with the same columns",
        [
            [
                "create or replace table {t} using delta tblproperties ({p}) as select id, g, if(id = 4, 0, v) as v from {t}"
            ]
        ],
        [("join: 2 in [+]0 ~1 -0",)],
        long=True,
    ),
    Scenario(
        "12 CREATE OR REPLACE that loses the change feed",
        [
            ["create or replace table {t} using delta as select id, g, if(id = 4, 0, v) as v from {t}"],
            ["insert into {t} values (7, 1, 70)"],
        ],
        [("join: 2 in [+]0 ~1 -0", "scope: 2 in [+]0 ~1 -0"), ("join: 1 in [+]1 ~0 -0", "scope: 1 in [+]0 ~1 -0")],
        summed=True,
        long=True,
    ),
    Scenario(
        "13 CREATE OR REPLACE with other columns",
        [["create or replace table {t} using delta tblproperties ({p}) as select id, g, v, v as w from {t}"]],
        [("full: [+]0 ~0 -0",)],
        ["the columns of raw.{t} changed"],
        long=True,
    ),
    Scenario(
        "14 change feed switched on late",
        [
            [
                "insert into {t} values (7, 1, 70)",
                "alter table {t} set tblproperties ({on})",
                "delete from {t} where id = 6",
            ],
            ["update {t} set v = 1 where id = 1"],
        ],
        [("join: 2 in [+]1 ~0 -1", "scope: 2 in [+]0 ~1 -0"), ("join: 2 in [+]0 ~4 -0", "scope: 2 in [+]0 ~1 -0")],
        properties=NO_FEED,
        summed=True,
        long=True,
    ),
    Scenario(
        "15 change feed off in between",
        [
            [
                "alter table {t} set tblproperties ({off})",
                "insert into {t} values (7, 1, 70)",
                "alter table {t} set tblproperties ({on})",
            ],
            ["update {t} set v = 1 where id = 1"],
            [
                "alter table {t} unset tblproperties ('delta.enableChangeDataFeed')",
                "delete from {t} where id = 7",
                "insert into {t} values (8, 1, 80)",
            ],
        ],
        [
            ("join: 1 in [+]1 ~0 -0",),
            ("join: 2 in [+]0 ~5 -0",),
            ("join: 2 in [+]1 ~0 -1",),
        ],
        long=True,
    ),
    Scenario(
        "16 no change feed at all",
        [
            [
                "insert into {t} values (7, 1, 70), (7, 1, 70)",
                "delete from {t} where id = 7",
                "update {t} set v = 3 where id = 3",
            ]
        ],
        [("join: 2 in [+]0 ~1 -0",)],
        properties=NO_FEED,
        long=True,
    ),
    Scenario(
        "17 added column",
        [
            ["alter table {t} add columns (w int)", "insert into {t} values (7, 1, 70, 7)"],
            ["insert into {t} values (8, 1, 80, 8)"],
        ],
        [("full: [+]1 ~0 -0", "full: [+]0 ~1 -0"), ("join: 1 in [+]1 ~0 -0", "scope: 1 in [+]0 ~1 -0")],
        ["the columns of raw.{t} changed", "changed"],
        summed=True,
    ),
    Scenario(
        "18 renamed column",
        [
            ["alter table {t} rename column u to x", "insert into {t} values (7, 1, 70, 7)"],
            ["update {t} set v = 0 where id = 7"],
        ],
        [("full: [+]1 ~0 -0",), ("join: 2 in [+]0 ~1 -0",)],
        ["the columns of raw.{t} changed", "changed"],
        properties=MAPPED,
        long=True,
    ),
    Scenario(
        "19 dropped column",
        [["alter table {t} drop column u", "insert into {t} values (7, 1, 70)"], ["delete from {t} where id = 7"]],
        [("full: [+]1 ~0 -0",), ("join: 1 in [+]0 ~0 -1",)],
        ["the columns of raw.{t} changed", "changed"],
        properties=MAPPED,
        long=True,
    ),
    Scenario(
        "20 widened column",
        [
            [
                "insert into {t} values (7, 1, 70, 7)",
                "alter table {t} alter column u type bigint",
                "delete from {t} where id = 6",
            ]
        ],
        [("full: [+]1 ~0 -1",)],
        ["the columns of raw.{t} changed"],
        properties=MAPPED,
        long=True,
    ),
    Scenario(
        "21 added column by mergeSchema",
        [["insert with schema evolution into {t} by name select 7 as id, 1 as g, 70 as v, 'a' as w"]],
        [("create: .*",)],
        ["the columns of raw.{t} changed"],
        paired=STAR,
        long=True,
    ),
    Scenario(
        "22 dropped column that comes back",
        [
            [
                "alter table {t} drop column u",
                "alter table {t} add columns (u int)",
                "insert into {t} values (7, 1, 70, 7)",
            ]
        ],
        [("join: 13 in [+]1 ~6 -0", "scope: 13 in [+]0 ~1 -0")],
        paired=STAR,
        properties=MAPPED,
        summed=True,
        long=True,
    ),
    Scenario(
        "23 renamed there and back",
        [
            [
                "alter table {t} rename column u to x",
                "insert into {t} values (7, 1, 70, 7)",
                "alter table {t} rename column x to u",
            ]
        ],
        expected=[("join: 1 in [+]1 ~0 -0",)],
        properties=MAPPED,
        long=True,
    ),
    Scenario(
        "24 comment, constraint, clustering",
        [
            [
                "alter table {t} alter column v comment 'x'",
                "comment on table {t} is 'x'",
                "alter table {t} add constraint positive check (id > 0)",
                "alter table {t} cluster by (id)",
            ],
            ["insert into {t} values (7, 1, 70)", "alter table {t} alter column v comment 'y'"],
        ],
        [(SAME,), ("join: 1 in [+]1 ~0 -0",)],
        long=True,
    ),
    Scenario(
        "25 columns in another order",
        [["alter table {t} alter column v first", "insert into {t} values (70, 7, 1)"]],
        [("full: [+]1 ~0 -0",)],
        long=True,
    ),
    Scenario(
        "26 consumed version already vacuumed",
        [
            ["update {t} set v = 0 where id = 3", "delete from {t} where id = 4", "vacuum {t} retain 0 hours"],
            ["insert into {t} values (7, 1, 70)"],
        ],
        [("full: [+]0 ~1 -1", "full: [+]0 ~2 -0"), ("full: [+]1 ~0 -0", "full: [+]0 ~1 -0")],
        ["version 1 of raw.{t} can no longer be read"],
        properties=SHORT,
        summed=True,
    ),
    Scenario(
        "27 consumed version vacuumed, retention made long again",
        [
            [
                "update {t} set v = 0 where id = 3",
                "vacuum {t} retain 0 hours",
                "alter table {t} set tblproperties ('delta.deletedFileRetentionDuration' = 'interval 30 days')",
            ],
            ["insert into {t} values (7, 1, 70)"],
        ],
        [("full: [+]0 ~1 -0",), ("join: 1 in [+]1 ~0 -0",)],
        ["version 1 of raw.{t} can no longer be read"],
        properties=SHORT,
        long=True,
    ),
    Scenario(
        "28 dropped and made again, with as many versions",
        [
            [
                "drop table {t}",
                "create table {t} (id int, g int, v int) using delta tblproperties ({p})",
                "insert into {t} select id, 1, 7 from range(1, 4)",
            ]
        ],
        [("full: [+]0 ~3 -3", "full: [+]0 ~1 -1")],
        summed=True,
    ),
    Scenario(
        "29 dropped and made again, with more versions",
        [
            [
                "drop table {t}",
                "create table {t} (id int, g int, v int) using delta tblproperties ({p})",
                "insert into {t} select id, 1, 7 from range(1, 4)",
                "insert into {t} values (4, 1, 7)",
            ]
        ],
        [("full: [+]0 ~4 -2",)],
        long=True,
    ),
    Scenario(
        "30 rows that are equal",
        [["insert into {t} select * from {t}"], ["delete from {t} where id = 5"]],
        paired="{{ config(unique_key='g', delta_rule='full') }} select g, count(*) as n from {{ source('raw', '<t>') }} group by g",
        long=True,
    ),
]


def key(scenario: Scenario) -> str:
    """The scenario's number, which names its table and models."""
    return "t" + scenario.name[:2]


class Run:
    """All scenarios, run job by job; `outcomes` are the jobs after the first."""

    def __init__(self, case: DbtCase, scenarios: list[Scenario]) -> None:
        self.case, self.scenarios = case, scenarios
        self.differences: dict[tuple[str, int], object] = {}
        case.spark.sql("set spark.databricks.delta.retentionDurationCheck.enabled = false")
        for scenario in scenarios:
            more = ", u int" if scenario.properties == MAPPED else ""
            rows = f"select id, 1 + id % 2, id * 10{', id' if more else ''} from range(1, 7)"
            case.source(key(scenario), f"id int, g int, v int{more}", rows, scenario.properties)
            case.put(f"models/paired_{key(scenario)}.sql", scenario.paired.replace("<t>", key(scenario)))
            if scenario.summed:
                case.put(f"models/summed_{key(scenario)}.sql", SUMMED.replace("<t>", key(scenario)))
        case.build()
        jobs = max(len(scenario.steps) for scenario in scenarios)
        self.outcomes = [self.step(number) for number in range(jobs)]
        self.last = case.dbt("build")
        runs = f"select number, relation, reason from {case.table('ops', 'model_run')}"
        self.reasons = {(number, name.split(".")[1]): reason for number, name, reason in case.spark.rows(runs)}

    def table(self, scenario: Scenario) -> str:
        return f"{self.case.schema}_raw.{key(scenario)}"

    def step(self, number: int) -> Outcome:
        for scenario in self.scenarios:
            words = {"t": self.table(scenario), "p": scenario.properties, "on": FEED, "off": NO_FEED}
            self.case.spark.change(*(sql.format(**words) for sql in (scenario.steps[number:] or [[]])[0]))
        outcome = self.case.dbt("build")
        for scenario in self.scenarios:
            for model in scenario.models if number < len(scenario.steps) else []:
                self.differences[model, number] = self.case.difference_from_recompute("marts", model)
        return outcome


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, module_case: Callable[..., DbtCase]) -> Run:
    """The scenarios that are asked for."""
    items = [item for item in request.session.items if item.originalname == "test_net_changes"]
    return Run(module_case(project=delta_models()), [item.callspec.params["scenario"] for item in items])


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(of, id=of.name, marks=[pytest.mark.long] if of.long else []) for of in SCENARIOS],
)
def test_net_changes(run: Run, scenario: Scenario) -> None:
    models = scenario.models
    for number in range(len(scenario.steps)):
        outcome = run.outcomes[number]
        lines = [str(outcome.messages[model]) for model in models]
        assert {outcome.nodes[model].status for model in models} == {"success"}, lines
        assert [run.differences[model, number] for model in models] == [[]] * len(models), (number, lines)
        expected = dict(enumerate(scenario.expected)).get(number) or (".*",) * len(models)
        for line, pattern in zip(lines, expected, strict=True):
            assert re.fullmatch(pattern, line), (number, lines, pattern)
        reason = dict(enumerate(scenario.reasons)).get(number, "").format(t=key(scenario))
        assert reason in run.reasons[number + 2, models[0]]
    assert {run.last.messages[model] for model in models} == {SAME}, "nothing twice"


@pytest.mark.long
def test_another_writer_in_the_middle_of_a_job(dbt_case: Callable[..., DbtCase]) -> None:
    case = dbt_case(project=delta_models(unique_key="id", delta_rule="join"))
    table = case.source("t", "id int, v int", "values (1, 10), (2, 20)")
    case.put("models/first.sql", "select id, v from {{ source('raw', 't') }}")
    case.put(
        "models/second.sql",
        "select t.*, f.v as w from {{ ref('first') }} as f inner join {{ source('raw', 't') }} as t on f.id = t.id",
    )
    case.build()
    case.spark.change(f"insert into {table} values (3, 30)")
    writes = [
        f"update {table} set v = 31 where id = 3",
        f"alter table {table} add columns (x int)",
        f"delete from {table} where id = 1",
    ]

    def write(event: Any) -> None:
        if event.info.name == "LogModelResult" and writes:
            while writes:
                case.spark.sql(writes.pop(0))

    case.watch = write
    assert case.build().messages == {"first": "join: 1 in +1 ~0 -0", "second": "join: 2 in +1 ~0 -0"}
    assert not writes
    assert case.rows("marts", "second") == [(1, 10, 10), (2, 20, 20), (3, 30, 30)], (
        "all of the job reads the version it began with"
    )
    assert case.build().messages == {"first": "full: +0 ~1 -1", "second": "create: +2 ~0 -0"}
    assert case.rows("marts", "second") == [(2, 20, None, 20), (3, 31, None, 31)]


@pytest.mark.long
def test_a_consumed_version_older_than_the_retention(dbt_case: Callable[..., DbtCase]) -> None:
    """A table that nobody has written for months changes: its version before is complete, though older than the retention."""
    case = dbt_case(project=delta_models(unique_key="id", delta_rule="join"))
    table = case.source("t", "id int, g int, v int", "select id, 1 + id % 2, id * 10 from range(1, 7)")
    case.put("models/base.sql", "select * from {{ source('raw', 't') }}")
    case.put("models/paired.sql", PAIRED.replace("{{ source('raw', '<t>') }}", "{{ ref('base') }}"))
    case.build()
    warehouse = Path(os.environ["ENTREPOT_WAREHOUSE"])
    folders = (warehouse / f"{case.schema}_raw.db/t", warehouse / f"{case.schema}_marts.db/base")
    for folder in folders:
        for commit in (folder / "_delta_log").glob("*.json"):
            os.utime(commit, (time.time() - 60 * 86400,) * 2)
    case.spark.forget_logs(*folders)
    case.spark.change(f"delete from {table} where id = 2")
    assert case.build().messages == {"base": "join: 1 in +0 ~0 -1", "paired": "join: 1 in +0 ~0 -4"}
    assert not case.difference_from_recompute("marts", "paired")
