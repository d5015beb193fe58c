"""What waits for a person: which views are counted by a job, which figures are taken over; no Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from entrepot.errors import EntrepotError
from entrepot.jobs import Catalogued, Engine, Job, JobOptions, Node, Project
from entrepot.jobs.concerns import concern_of, count_early, counted
from entrepot.jobs.counts import Counted
from entrepot.jobs.project import Concern
from entrepot.ledger import PublishedRelation
from entrepot.ledger.concerns import Figures
from entrepot.tables.log import Head

LATE = Concern("late orders", "country", "pieces")
NODES = (
    Node("m.orders", "model", "orders", "s", "orders", "table", is_delta=True),
    Node("m.lines", "model", "lines", "s", "lines", "table", is_delta=True),
    Node("m.stage", "model", "stage", "s", "stage", "view", reads=("m.orders",)),
    Node("m.late", "model", "late", "s", "late", "view", reads=("m.stage",), concern=LATE),
    Node("m.lost", "model", "lost", "s", "lost", "view", reads=("m.lines",), concern=Concern("lost lines")),
    Node("m.odd", "model", "odd", "s", "odd", "view", concern=Concern("odd", "why")),
)
LATE_VIEW, LOST_VIEW, ODD_VIEW = NODES[3:]
TEXTS = {
    "s.stage": "select * from s.orders",
    "s.late": "select * from s.stage",
    "s.lost": "select 1",
    "s.odd": "select 2",
}
ROWS = [
    {"relation": "s.late", "reason": "FR", "amount": 2},
    {"relation": "s.late", "reason": "DE", "amount": 3},
    {"relation": "s.lost", "reason": None, "amount": 7},
]


class Spark:
    """Stands for Spark: texts of views, rows for what is counted; refuses what names a view in `broken`, reads files of tables in `small`."""

    def __init__(self, texts: Mapping[str, str], broken: tuple[str, ...] = (), small: tuple[str, ...] = ()) -> None:
        self.texts, self.broken, self.small = texts, broken, small
        self.sent: list[str] = []
        self.told: list[str] = []

    def catalogued(self, relation: str) -> Catalogued | None:
        text = self.texts.get(relation)
        return Catalogued(True) if text is None else Catalogued(False, f"View Text: {text}\nView Original Text: \n")

    def read_files(self, view: str, relation: str, version: int) -> bool:
        return relation in self.small

    def attempt(self, sql: str) -> tuple[list[dict[str, Any]], str | None]:
        self.sent.append(sql)
        if any(f" from {name}\n" in sql for name in self.broken):
            return [], "no such column"
        return [row for row in ROWS if f" from {row['relation']}\n" in sql], None

    def tell(self, text: str) -> None:
        self.told.append(text)


def job_of(
    spark: Spark, versions: Mapping[str, Head], before: Mapping[str, Counted] | None = None, number: int = 1
) -> Job:
    """A job in which all tables are as published."""
    job = Job("j", cast("Engine", spark), Project(NODES), JobOptions())
    rows = {
        relation: PublishedRelation(
            "i", number, relation, definition=spark.texts[relation], sql_hash=found.sql_hash,
            reads=None if found.reads is None else json.dumps(dict(found.reads)),
            read_at=json.dumps(dict(found.read_at)), concern=found.figures.render(),
        )
        for relation, found in (before or {}).items()
    }  # fmt: skip
    rows |= {name: PublishedRelation("i", number, name, head.version) for name, head in versions.items()}
    job.relations.begin(rows, versions)
    return job


HEADS = {"s.orders": Head(4, 1000), "s.lines": Head(9, 1000)}


def test_all_that_is_left_is_counted_by_one_statement() -> None:
    spark = Spark(TEXTS)
    found = counted(job_of(spark, HEADS), [LATE_VIEW, LOST_VIEW, ODD_VIEW])
    assert {relation: one.figures for relation, one in found.items()} == {
        "s.late": Figures("late orders", 5, (("DE", 3), ("FR", 2))),
        "s.lost": Figures("lost lines", 7, ((None, 7),)),
        "s.odd": Figures("odd", 0),
    }
    assert [found[name].reads for name in ("s.late", "s.lost", "s.odd")] == [{"s.orders": 4}, {"s.lines": 9}, None]
    assert len(spark.sent) == 1
    assert spark.sent[0].splitlines() == [
        "-- entrepot: what waits for a person",
        "select relation, reason, coalesce(sum(amount), 0) as amount from (",
        "select 's.late' as relation, cast(country as string) as reason, cast(pieces as bigint) as amount from s.late",
        "union all",
        "select 's.lost' as relation, cast(null as string) as reason, cast(1 as bigint) as amount from s.lost",
        "union all",
        "select 's.odd' as relation, cast(why as string) as reason, cast(1 as bigint) as amount from s.odd",
        ") group by relation, reason",
    ]


def test_small_tables_are_read_by_their_files() -> None:
    spark = Spark(TEXTS, small=("s.orders",))
    counted(job_of(spark, HEADS), [LATE_VIEW, LOST_VIEW])
    view = r"global_temp\.files_s_orders_4_[0-9a-f]{8}"
    assert re.search(
        rf"from \(\nselect \* from \(\nselect \* from {view} as orders\n\) as stage\n\) as late\n", spark.sent[0]
    )
    assert " from s.lost\n)" in spark.sent[0], "of the other view nothing is at hand"


def test_a_project_without_concerns_asks_nothing() -> None:
    spark = Spark(TEXTS)
    assert counted(job_of(spark, HEADS), []) == {}
    assert spark.sent == []


VIEWS = [LATE_VIEW, LOST_VIEW]


def second(
    heads: Mapping[str, Head] = HEADS, texts: Mapping[str, str] = TEXTS, views: list[Node] = VIEWS
) -> tuple[dict[str, Counted], list[str]]:
    """What the job after says, and the statements that it sends."""
    first = counted(job_of(Spark(TEXTS), HEADS), VIEWS)
    spark = Spark(texts)
    before = {name: replace(one, figures=Figures("before", 1)) for name, one in first.items()}
    return counted(job_of(spark, heads, before), views), spark.sent


def test_nothing_has_changed() -> None:
    found, sent = second()
    assert sent == []
    assert {name: (one.figures, one.reads) for name, one in found.items()} == {
        "s.late": (Figures("late orders", 1), {"s.orders": 4}),
        "s.lost": (Figures("lost lines", 1), {"s.lines": 9}),
    }, "the figures of before, in the words of now"


@pytest.mark.parametrize("age", ["current_date - day", "price(day)", "cast('now' as timestamp) - day"])
def test_what_waits_by_the_moment_is_counted_in_each_job(age: str) -> None:
    views = [replace(LATE_VIEW, concern=replace(LATE, reason=age)), LOST_VIEW]
    first = counted(job_of(Spark(TEXTS), HEADS), views)
    assert first["s.late"].reads is None
    spark = Spark(TEXTS)
    assert counted(job_of(spark, HEADS, first), views)["s.late"].figures.total == 5
    assert len(spark.sent) == 1 and "s.lost" not in spark.sent[0]


@pytest.mark.parametrize(
    ("heads", "texts", "views"),
    [
        (HEADS | {"s.orders": Head(5, 2000)}, TEXTS, VIEWS),
        (HEADS | {"s.orders": Head(4, 2000)}, TEXTS, VIEWS),
        (HEADS, TEXTS | {"s.stage": "select * from s.orders where open"}, VIEWS),
        (HEADS, TEXTS | {"s.late": "select * from s.stage where late"}, VIEWS),
        (HEADS, TEXTS, [replace(LATE_VIEW, concern=replace(LATE, amount="1")), LOST_VIEW]),
    ],
    ids=["a new version", "another table of that version", "a view that it reads", "its own text", "what is counted"],
)
def test_only_what_has_changed_is_counted(
    heads: Mapping[str, Head], texts: Mapping[str, str], views: list[Node]
) -> None:
    found, sent = second(heads, texts, views)
    assert len(sent) == 1 and " from s.late\n" in sent[0] and "s.lost" not in sent[0]
    assert (found["s.late"].figures.total, found["s.lost"].figures.total) == (5, 1)


def test_what_spark_refuses_is_said_and_counted_again() -> None:
    spark = Spark(TEXTS, broken=("s.late",))
    found = counted(job_of(spark, HEADS), VIEWS)
    assert len(spark.sent) == 3, "together, then each alone"
    assert spark.told == ["s.late could not be counted: no such column"]
    assert (found["s.late"].figures, found["s.late"].reads) == (Figures("late orders", problem="no such column"), None)
    assert found["s.lost"].figures.total == 7
    again = Spark(TEXTS)
    assert counted(job_of(again, HEADS, found), VIEWS)["s.late"].figures.total == 5
    assert len(again.sent) == 1 and "s.lost" not in again.sent[0]


def early_job(spark: Spark, publishes: bool = True) -> Job:
    """A job that has counted two concerns as they were done, and before them a view that is none."""
    job = job_of(spark, HEADS)
    job.publishes = publishes
    for view in (NODES[2], *VIEWS):
        count_early(job, view)
    return job


def test_each_concern_is_counted_when_it_is_done() -> None:
    spark = Spark(TEXTS)
    job = early_job(spark)
    assert [[name for name in ("s.late", "s.lost") if name in sql] for sql in spark.sent] == [["s.late"], ["s.lost"]]
    found = counted(job, [LATE_VIEW, LOST_VIEW, ODD_VIEW])
    assert len(spark.sent) == 3 and "s.late" not in spark.sent[2] and "s.lost" not in spark.sent[2]
    assert [found[name].figures.total for name in ("s.late", "s.lost", "s.odd")] == [5, 7, 0]


def test_what_a_later_model_has_changed_is_counted_once_more() -> None:
    spark = Spark(TEXTS)
    job = early_job(spark)
    job.views.note("s.late", "select * from s.stage where late")
    found = counted(job, VIEWS)
    assert len(spark.sent) == 3 and " from s.late\n" in spark.sent[2] and "s.lost" not in spark.sent[2]
    assert found["s.late"].sql_hash != counted(job_of(Spark(TEXTS), HEADS), VIEWS)["s.late"].sql_hash


def test_what_spark_has_refused_early_is_said_once() -> None:
    spark = Spark(TEXTS, broken=("s.late",))
    job = early_job(spark)
    assert counted(job, VIEWS)["s.late"].figures == Figures("late orders", problem="no such column")
    assert spark.told == ["s.late could not be counted: no such column"]


def test_a_job_that_publishes_nothing_counts_nothing() -> None:
    spark = Spark(TEXTS)
    early_job(spark, publishes=False)
    assert spark.sent == []


def test_a_view_whose_reads_are_unknown_is_counted_by_each_job() -> None:
    first = counted(job_of(Spark(TEXTS), HEADS), [ODD_VIEW])
    spark = Spark(TEXTS)
    counted(job_of(spark, HEADS, first), [ODD_VIEW])
    assert len(spark.sent) == 1


def test_figures_survive_the_books() -> None:
    for figures in (
        Figures("a", 0),
        Figures.of("a", {None: 1, "x": 5, "": 2, "ä": 9, "y": 1}),
        Figures("a", problem="no"),
    ):
        assert Figures.told(figures.render()) == figures


def test_meta() -> None:
    assert concern_of("a", False, {"owner": "ann"}) is None
    assert concern_of("a", True, {"entrepot": {"concern": "late"}}) == Concern("late", "null", "1")
    assert concern_of("a", True, {"entrepot": {"concern": "late", "amount": 2}}) == Concern("late", "null", "2")


@pytest.mark.parametrize(
    ("is_view", "meta", "sentence"),
    [
        (True, {"reason": "why"}, "accepted are concern, and beside it reason and amount"),
        (True, {"concern": "late", "reasn": "why"}, "'reasn': 'why'"),
        (True, {"concern": ["late"]}, "For example: meta: {entrepot: {concern: late orders"),
        (True, "late", "Model a has meta.entrepot 'late'"),
        (False, {"concern": "late"}, "only a view can be a concern"),
    ],
)
def test_meta_that_nobody_understands(is_view: bool, meta: object, sentence: str) -> None:
    with pytest.raises(EntrepotError, match=sentence):
        concern_of("a", is_view, {"entrepot": meta})
