"""What the states of views and tests are made of: what changes them, and what has none; no Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from entrepot.jobs import Catalogued, Engine, Job, JobOptions, Node, Project, State
from entrepot.ledger import Ledger, NodeState, PublishedRelation
from entrepot.tables.columns import Column
from entrepot.tables.log import Head, LogError
from entrepot.tables.table import Table

ORDERS = Node("m.orders", "model", "orders", "s", "orders", "table", is_delta=True, reads=("m.log",))
LINES = Node("m.lines", "model", "lines", "s", "lines", "table", is_delta=True)
LOG = Node("m.log", "model", "log", "s", "log", "table", is_delta=True)
STAGE = Node("m.stage", "model", "stage", "s", "stage", "view", reads=("m.orders",))
TOP = Node("m.top", "model", "top", "s", "top", "view", reads=("m.stage",))
TEST = Node("t.late", "test", "late", "", "", reads=("m.stage",))
SQL = "select * from s.stage where late > 3"
SHAPE = {"config": {"error_if": "!= 0"}}
VERSIONS = {"s.orders": 4, "s.lines": 9, "s.log": 2}
COLUMNS = (Column("id", "int"), Column("late", "int"))


@dataclass
class Books:
    """Stand for the books."""

    stored: Mapping[str, NodeState]

    def states(self, number: int) -> Mapping[str, NodeState]:
        assert number == 8
        return self.stored


@dataclass
class World:
    """What a job finds: versions, columns, texts of views; stands for Spark and for the logs of all tables."""

    heads: Mapping[str, Head] = field(
        default_factory=lambda: {name: Head(version, 1000) for name, version in VERSIONS.items()}
    )
    columns: Mapping[tuple[str, int], tuple[Column, ...]] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=lambda: {"s.stage": "select * from s.orders"})
    schemas: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, NodeState] = field(default_factory=dict)
    written: Mapping[str, Head] = field(default_factory=dict)
    selected: tuple[str, ...] = ("m.stage", "m.top")
    after_kill: bool = False
    asked: list[str] = field(default_factory=list)

    def catalogued(self, relation: str) -> Catalogued | None:
        if relation in self.views:
            return Catalogued(False, f"View Text: {self.views[relation]}\nView Original Text: \n")
        return Catalogued(True, "Type: EXTERNAL") if relation in self.heads else None

    def table(self, relation: str) -> Table:
        return Table(tuple(relation.split(".")))

    def log_of(self, table: Table) -> World:
        return self

    def newest(self, tables: list[Table]) -> Mapping[Table, Head]:
        heads = {**self.heads, **self.written}
        return {table: heads[table.relation] for table in tables if table.relation in heads}

    def columns_at(self, table: Table, version: int) -> tuple[Column, ...]:
        if table.relation == "s.lines":
            raise LogError("There is no log.", "Write one.")
        return self.columns.get((table.relation, version), COLUMNS)

    def columns_of_view(self, relation: str) -> str | None:
        self.asked.append(relation)
        return self.schemas.get(relation)

    def published(self) -> dict[str, PublishedRelation]:
        return {name: PublishedRelation("i", 1, name, head.version) for name, head in self.heads.items()}

    def job(self) -> Job:
        project = Project([LOG, ORDERS, LINES, STAGE, TOP, TEST], self.selected)
        job = Job("j", cast("Engine", self), project, JobOptions())
        job.relations.begin(self.published(), self.heads)

        job.states.open(cast("Ledger", Books(self.states)), 8, self.after_kill)
        return job

    def after(self, state: State | None) -> World:
        """The same when a job has left that state."""
        assert state is not None
        job = self.job()
        job.states.note_done(state)
        return replace(self, states={row.node: row for row in job.states.found("i", 7)})


def of_test(world: World, sql: str = SQL, shape: Mapping[str, Any] = SHAPE) -> State | None:
    return world.job().states.of_test(TEST, sql, shape)


def of_view(world: World, sql: str | None = None, shape: Mapping[str, Any] = SHAPE) -> State | None:
    return world.job().states.of_view(STAGE, sql or world.views["s.stage"], shape)


def test_the_same_stands() -> None:
    world = World()
    assert (of_test(world), of_view(world)) != (None, None)
    for state_of in (of_test, of_view):
        first = state_of(world)
        assert first is not None and first.job is None
        assert state_of(world.after(first)) == replace(first, job=7)


@pytest.mark.parametrize(
    ("world", "sql", "shape"),
    [
        (World(heads={"s.orders": Head(5, 1000)}), SQL, SHAPE),
        (World(heads={"s.orders": Head(4, 2000)}), SQL, SHAPE),
        (World(views={"s.stage": "select * from s.orders where open"}), SQL, SHAPE),
        (World(), "select * from s.stage where late > 4", SHAPE),
        (World(), SQL, {"config": {"error_if": "> 10"}}),
    ],
    ids=[
        "a new version",
        "another table of that version",
        "a view that it reads",
        "its SQL",
        "what it is compared with",
    ],
)
def test_what_changes_a_test(world: World, sql: str, shape: Mapping[str, Any]) -> None:
    before = World().after(of_test(World()))
    found = of_test(replace(world, states=before.states), sql, shape)
    assert found is not None and found.job is None


@pytest.mark.parametrize(
    "sql",
    [
        "select * from s.stage where day < current_date",
        "select * from s.stage where day < 'today'",
        "select * from s.stage where rand() < 2",
        "select * from s.stage where price(late) > 3",
        "select count_if(day < current_date) from (select * from s.stage) where n > (select max(n) from s.lines)",
        "select transform(late) using 'cat' from s.stage",
        "select * from s.lines",
        "select * from s.stage tablesample (10 percent)",
        "select * from s.stage join elsewhere.t",
        "select * from s.stage join global_temp.t",
        "select * from parquet.`/some/file`",
        "select * from s.stage where 'this has no end",
    ],
)
def test_what_a_job_cannot_know(sql: str) -> None:
    assert of_test(World(), sql) is None


def test_what_a_table_is_made_of_may_be_named_too() -> None:
    """As tests of histories name the log: it is written before the history is."""
    sql = f"{SQL} and id not in (select id from s.log)"
    first = of_test(World(), sql)
    assert first is not None and of_test(World().after(first), sql) == replace(first, job=7)
    newer = World(heads={"s.orders": Head(4, 1000), "s.log": Head(3, 1000)})
    found = of_test(replace(newer, states=World().after(first).states), sql)
    assert found is not None and found.job is None


def test_rows_that_a_hook_has_written_since_are_tested() -> None:
    world = World().after(of_test(World()))
    assert of_test(replace(world, written={"s.orders": Head(5, 2000)})) is None


def test_a_view_over_one_that_is_not_run_is_made() -> None:
    """Spark fixes the columns of a view when it is made: that one's may be older than its text says."""
    text = "select * from s.stage"
    world = World(views={"s.stage": "select * from s.orders", "s.top": text})

    def of_top(world: World) -> State | None:
        return world.job().states.of_view(TOP, text, SHAPE)

    world = world.after(of_top(world))
    state = of_top(world)
    assert state is not None and state.job == 7
    assert of_top(replace(world, selected=("m.top",))) is None
    job = world.job()
    job.states.note_made(TOP)
    (row,) = job.states.found("j", 8)
    state = of_top(replace(world, states={row.node: row}))
    assert state is not None and state.job is None, "what it was made of then, nobody knows"


def test_a_view_reads_the_columns_of_another_one() -> None:
    """Another text of that one with the same columns is nothing to it. They are stored with that one, and asked for where it is made."""
    text, other = "select * from s.stage", "select id, late from s.orders"

    def world(stage: str, columns: str | None, states: Mapping[str, NodeState] | None = None) -> World:
        schemas = {"s.stage": columns} if columns is not None else {}
        return World(views={"s.stage": stage, "s.top": text}, schemas=schemas, states=states or {})

    def built(world: World) -> tuple[State, State, Mapping[str, NodeState]]:
        """A job's two views, and what it has stored."""
        job = world.job()
        found = []
        for node in (STAGE, TOP):
            state = job.states.of_view(node, world.views[node.relation], SHAPE)
            assert state is not None
            note = job.states.note_standing if state.job is not None else job.states.note_done
            note(state)
            found.append(state)
        return found[0], found[1], {**world.states, **{row.node: row for row in job.states.found("i", 7)}}

    _, _, states = built(world("select * from s.orders", "id, late"))
    assert states["m.stage"].result == "id, late" and states["m.top"].result is None
    same = world("select * from s.orders", "id, late", states)
    stage, top, _ = built(same)
    assert (stage.job, top.job, same.asked) == (7, 7, [])

    changed = world(other, "id, late", states)
    stage, top, after = built(changed)
    assert (stage.job, top.job, changed.asked) == (None, 7, ["s.stage"])
    assert after["m.stage"].result == "id, late"

    stage, top, _ = built(world(other, "id, late, more", states))
    assert (stage.job, top.job) == (None, None)

    _, _, states = built(world("select * from s.orders", None))
    stage, top, _ = built(world("select * from s.orders", None, states))
    assert (stage.job, top.job) == (7, 7)
    stage, top, _ = built(world(other, None, states))
    assert (stage.job, top.job) == (None, None), "where nobody can tell its columns its text counts"


def test_nothing_stands_after_a_kill() -> None:
    world = replace(World().after(of_view(World())), after_kill=True)
    state = of_view(world)
    assert state is not None and state.job is None
    assert [row.node for row in world.job().states.found("j", 8)] == ["*"]


def test_yaml_may_have_keys_of_several_types() -> None:
    assert of_view(World(), shape={"config": {"meta": {True: "anna", "x": 1, 3: None}}}) is not None


def test_functions_in_a_view_are_spark_s_own() -> None:
    for text in ("select price(late) from s.orders", "select * from identifier('s.orders')", "select * from s.lines"):
        assert of_view(World(views={"s.stage": text})) is None
    for text in (
        "select current_date, late from s.orders",
        "select try_cast(late as int), timestampadd(day, 1, at) from s.orders qualify (row_number() over (order by late)) = 1",
    ):
        assert of_view(World(views={"s.stage": text})) is not None


@pytest.mark.parametrize(
    ("files", "stands"),
    [
        ("text.`/landing/*.jsonl`", True),
        ("BinaryFile.`landing/{a,b}/*.jsonl`", True),
        ("text.`/landing`", False),  # its folders may be columns
        ("text.`/landing` with (lineSep = '\n', recursiveFileLookup = 'true')", True),  # they are none then
        ("binaryFile.`/landing` with (recursiveFileLookup true) as file", True),
        ("text.`/landing` with (lineSep = '\n', recursiveFileLookup = 'false')", False),
        ("text.`/landing` as file, text.`/landing` with (recursiveFileLookup = 'true') as other", False),
        ("json.`/landing/*.jsonl`", False),
        ("text.`lines*`", False),
    ],
)
def test_a_view_on_files_stands_where_their_columns_are_fixed(files: str, stands: bool) -> None:
    text = f"select value, _metadata.file_path from {files}"
    world = World(views={"s.stage": text})
    state = of_view(world, text)
    assert (state is not None) == stands
    if state is not None:
        again = of_view(world.after(state), text)
        assert again is not None and again.job == 7
    assert of_test(world) is None, "files may be others in each job"


def test_a_view_that_is_not_there() -> None:
    assert of_test(World(views={})) is None, "the test will say so"
    world = World().after(of_view(World()))
    state = of_view(replace(world, views={}), "select * from s.orders")
    assert state is not None and state.job is None


def test_a_table_without_versions() -> None:
    without = World(heads={})
    assert of_test(without) is None
    assert of_view(without) is None


def test_columns_make_a_view_and_rows_do_not() -> None:
    world = World().after(of_view(World()))
    state = of_view(replace(world, heads={"s.orders": Head(5, 2000)}))
    assert state is not None and state.job == 7
    others = {("s.orders", 4): (*COLUMNS, Column("more", "string"))}
    state = of_view(replace(world, columns=others))
    assert state is not None and state.job is None
    assert of_view(world, shape={"config": {}, "description": "another one"}) != state
    assert of_view(replace(world, views={"s.stage": "select * from s.lines"})) is None, "nobody knows the columns"


def test_a_test_without_tables_depends_on_its_text() -> None:
    world = World().after(of_test(World(), "select 1 where false"))
    state = of_test(world, "select 1 where false")
    assert state is not None and state.job == 7


@pytest.mark.parametrize(
    "sql",
    [
        "with t as (select 1 as n) select n + now() from t",
        "select price(1)",
        "select * from s.orders",
        "select 'no end",
    ],
)
def test_a_unit_test_that_runs_in_each_job(sql: str) -> None:
    assert World().job().states.of_unit_test("u.t", sql, SHAPE) is None


def test_a_unit_test_depends_on_its_text_and_on_what_it_expects() -> None:
    sql = "with given as (select cast(1 as int) as n) select n * 2 as n from given"

    def of_unit_test(world: World, sql: str = sql, shape: Mapping[str, Any] = SHAPE) -> State | None:
        return world.job().states.of_unit_test("u.t", sql, shape)

    first = of_unit_test(World())
    assert first is not None and first.job is None
    world = World(heads={}).after(first)
    assert of_unit_test(world) == replace(first, job=7)
    for other in (of_unit_test(world, sql.replace("int", "bigint")), of_unit_test(world, shape={"expects": 3})):
        assert other is not None and other.job is None
