"""Numbered traps of the analyzer and the rules: SELECTs whose plan, text or values look like something else.

Each trap has tables and a model of its own, so that one `dbt build` runs a step of all of them. After every job each model equals its
full recompute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest

from tests.support.dbt_case import DbtCase, Outcome, delta_models


@dataclass
class Trap:
    """What is easily misread.

    Attributes:
        name: in words
        sql: the model; `{a}` is the source table a
        key: its unique_key
        tables: {table: (columns, rows as VALUES or SELECT)}
        steps: per job, the statements before it; `{a}` is the table
        rules: per job after the first build a regular expression of dbt's line; empty where any will do
        long: whether it is left to `make campaigns`, because another trap is much like it
    """

    name: str
    sql: str
    key: list[str]
    tables: dict[str, tuple[str, str]]
    steps: list[list[str]]
    rules: list[str] = field(default_factory=list)
    long: bool = False


TWO = {
    "a": ("id int, g int, v int", "values (1, 1, 10), (2, 1, 20), (3, 2, 30)"),
    "b": ("id int, v int", "values (1, 7), (2, 8)"),
}
INSERTED = ["insert into {a} values (4, 1, 40)"]
DELETED = ["delete from {a} where id = 1"]

TRAPS = [
    Trap(
        "a WITH clause behind a comment, over a union",
        "with -- imports\n o as (select id from {a}) select 'o' as side, id from o union all select 'l', id from {b}",
        ["side", "id"],
        TWO,
        [DELETED, INSERTED],
    ),
    Trap(
        "a CTE behind a comment, used twice",
        "with -- once\n d as (select * from {a}) select x.id as one, y.id as two from d as x inner join d as y on x.g = y.g",
        ["one", "two"],
        TWO,
        [INSERTED, DELETED],
        long=True,
    ),
    Trap(
        "a recursive CTE's keyword, and a name in backticks",
        "with recursive `my-d` as (select * from {a}) select x.id as one, y.id as two from `my-d` as x inner join `my-d` as y on x.g = y.g",
        ["one", "two"],
        TWO,
        [INSERTED, DELETED],
        long=True,
    ),
    Trap(
        "a CTE that nobody reads, named like a column",
        "with v as (select * from {b}) select id, v from {a}",
        ["id"],
        TWO,
        [["insert into {b} values (9, 9)"], ["delete from {b} where id = 9"], INSERTED],
        long=True,
    ),
    Trap(
        "a sum's type after the upstream's has changed",
        "select g, sum(v) as total, count(v) as n, max(v) as top from {a} group by g",
        ["g"],
        TWO,
        [
            ["create or replace table {a} (id int, g int, v decimal(10,2)) using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"],
            ["insert into {a} values (1, 1, 10.5)"],
            ["insert into {a} values (2, 1, 2.25)"],
        ],
        ["", "", "aggregate"],
    ),
    Trap(
        "a text with a comma in a union",
        "select 'plain' as label, g, v from {a} union select 'north, east' as label, id, v from {b}",
        ["label", "g", "v"],
        TWO,
        [["insert into {b} values (7, 100)"], ["update {b} set v = 101 where id = 7"], INSERTED],
        long=True,
    ),
    Trap(
        "a text with a parenthesis in a union",
        "select 'a)' as label, g, v from {a} union select 'b, (' as label, id, v from {b}",
        ["label", "g", "v"],
        TWO,
        [["insert into {b} values (7, 100)"], INSERTED],
        long=True,
    ),
    Trap(
        "a union of unlike types",
        "select code as id, name from {a} union all select number, name from {b}",
        ["id"],
        {
            "a": ("code string, name string", "values ('007', 'bond'), ('x', 'ray')"),
            "b": ("number int, name string", "values (7, 'seven'), (8, 'eight')"),
        },
        [
            ["update {b} set name = 'sept' where number = 7"],
            ["insert into {b} values (null, 'none')"],
            ["delete from {b} where number is null or number = 7"],
        ],
        ["join", "join", "join"],
        long=True,
    ),
    Trap(
        "a key that is cast to a narrower type",
        "select cast(big as int) as id, v from {a}",
        ["id"],
        {"a": ("big bigint, v int", "values (4294967297, 1), (4294967298, 2), (5, 3)")},
        [["delete from {a} where big = 4294967297"], ["update {a} set v = 9 where big = 4294967298"]],
    ),
    Trap(
        "a scope that is cast to a narrower type",
        "select cast(big as int) as id, count(*) as n, count(distinct v) as kinds from {a} group by 1",
        ["id"],
        {"a": ("big bigint, v int", "values (4294967297, 1), (1, 1), (5, 3)")},
        [["delete from {a} where big = 4294967297"], ["insert into {a} values (8589934593, 4)"]],
        long=True,
    ),
    Trap(
        "a group that is not shown behind one that is shown twice",
        "select g, g as again, max(id) as id, count(*) as n from {a} group by g, v",
        ["g", "id"],
        {"a": ("id int, g int, v string", "values (1, 1, 'x'), (2, 1, 'y')")},
        [["insert into {a} values (3, 1, 'z')"], ["delete from {a} where id = 2"]],
        long=True,
    ),
    Trap(
        "a column of type map",
        "select id, map('v', v) as m from {a}",
        ["id"],
        TWO,
        [["update {a} set v = 11 where id = 1"], INSERTED, DELETED],
        ["full", "full", "full"],
    ),
    Trap(
        "EXISTS in the condition of a left join, on the side that may be missing",
        "select a.id, b.id as b_id from {a} as a left join {b} as b on a.g = b.id and exists (select 1 from {o} as o where o.id = b.id)",
        ["id", "b_id"],
        TWO | {"o": ("id int", "values (1), (2)")},
        [["delete from {o} where id = 1"], ["insert into {o} values (1)", "delete from {o} where id = 2"]],
        long=True,
    ),
    Trap(
        "a sort over a union",
        "select id, v from {a} union all select id + 100 as id_b, v from {b} order by id",
        ["id"],
        TWO,
        [["insert into {b} values (9, 9)"], DELETED],
        long=True,
    ),
    Trap(
        "NaN among changed rows, which Spark skips in memory",
        "select id, w from {a} where w > -2.25",
        ["id"],
        {"a": ("id int, w double", "values (1, 1.0)")},
        [["insert into {a} values (2, double('NaN'))"], ["update {a} set w = double('NaN') where id = 1"]],
        ["join: 1 in [+]1", "join"],
    ),
    Trap(
        "the latest date of a whole table, which Delta would take from its statistics, in Java's older type",
        "select id, d from {a} where d = (select max(d) from {a})",
        ["id"],
        {"a": ("id int, d date", "values (1, date'2024-02-29'), (2, date'2020-01-01')")},
        [["insert into {a} values (3, date'2024-03-01')"], ["delete from {a} where id = 3"]],
    ),
]  # fmt: skip


class Run:
    """Traps as one project, one build a step."""

    def __init__(self, case: DbtCase, numbers: list[int]) -> None:
        self.case = case
        traps = {number: TRAPS[number - 1] for number in numbers}
        tables: dict[int, dict[str, str]] = {}
        for number, trap in traps.items():
            names = {}
            for table, (columns, rows) in trap.tables.items():
                names[table] = case.source(f"t{number}_{table}", columns, rows)
            tables[number] = names
            sql = trap.sql
            for table in trap.tables:
                sql = sql.replace(f"{{{table}}}", f"{{{{ source('raw', 't{number}_{table}') }}}}")
            case.put(f"models/trap_{number}.sql", f"{{{{ config(unique_key={trap.key}) }}}}\n{sql}")
        self.outcomes: list[Outcome] = [case.dbt("build")]
        self.differences: list[dict[str, list[tuple[object, ...]]]] = [self.compared(traps)]
        for step in range(max(len(trap.steps) for trap in traps.values())):
            changed = [number for number, trap in traps.items() if step < len(trap.steps)]
            for number in changed:
                for statement in traps[number].steps[step]:
                    case.spark.change(statement.format(**tables[number]))
            self.outcomes.append(case.dbt("build"))
            self.differences.append(self.compared(changed))

    def compared(self, numbers: Iterable[int]) -> dict[str, list[tuple[object, ...]]]:
        """The rows in which models differ from their recompute, by the models' names."""
        names = [f"trap_{number}" for number in numbers]
        return {name: self.case.difference_from_recompute("marts", name) for name in names}


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, module_case: Callable[..., DbtCase]) -> Run:
    """The traps that are asked for."""
    items = [item for item in request.session.items if item.originalname == "test_traps"]
    return Run(module_case(project=delta_models()), [item.callspec.params["number"] for item in items])


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, id=f"{number}-{of.name}", marks=[pytest.mark.long] if of.long else [])
        for number, of in enumerate(TRAPS, 1)
    ],
)
def test_traps(run: Run, number: int) -> None:
    name, trap = f"trap_{number}", TRAPS[number - 1]
    for job, (outcome, differences) in enumerate(zip(run.outcomes, run.differences, strict=True)):
        assert outcome.nodes[name].status == "success", f"job {job}: {outcome.messages[name]}"
        assert not differences.get(name), f"job {job} ({outcome.messages[name]}): {differences[name]}"
        rule = trap.rules[job - 1] if 0 < job <= len(trap.rules) else "unchanged" if job > len(trap.steps) else ""
        assert re.match(rule, outcome.messages[name]), f"job {job}: {outcome.messages[name]}"
