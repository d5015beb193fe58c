"""What SQL becomes that reads what is at hand; no Spark."""

from __future__ import annotations

import re
from typing import cast

import pytest

from entrepot.jobs import Catalogued, Engine, Job, JobOptions, Node, Project, read_at_hand
from entrepot.ledger import PublishedRelation
from entrepot.tables.log import Head

SMALL = Node("m.small", "model", "small", "s", "small", "table", is_delta=True)
LARGE = Node("m.large", "model", "large", "s", "large", "table", is_delta=True)
GONE = Node("m.gone", "model", "gone", "s", "gone", "table", is_delta=True)
STAGE = Node("m.stage", "model", "stage", "s", "stage", "view", reads=("m.small",))
OTHER = Node("m.other", "model", "other", "s", "other", "view", reads=("m.small",))
TEST = Node("t.late", "test", "late", "", "", reads=("m.stage", "m.large", "m.gone"))
HEADS = {"s.small": Head(4, 1000), "s.large": Head(9, 1000)}
STAGE_TEXT = "select * from s.small where late > 3"


class Spark:
    """Stands for Spark: two tables, of which one is small, and a view."""

    def catalogued(self, relation: str) -> Catalogued | None:
        if relation == "s.stage":
            return Catalogued(False, f"View Text: {STAGE_TEXT}\nView Original Text: \n")
        return Catalogued(True) if relation in HEADS else None

    def read_files(self, view: str, relation: str, version: int) -> bool:
        assert version == HEADS[relation].version
        return relation == "s.small"


def at_hand(sql: str) -> str:
    """What a test's SQL becomes; views on files are `FILES`."""
    job = Job("j", cast("Engine", Spark()), Project((SMALL, LARGE, GONE, STAGE, OTHER)), JobOptions())
    rows = {name: PublishedRelation("i", 1, name, head.version) for name, head in HEADS.items()}
    job.relations.begin(rows, HEADS)
    return re.sub(r"global_temp\.files_s_small_4_[0-9a-f]{8}", "FILES", read_at_hand(job, TEST, sql))


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("select * from s.small", "select * from FILES as small"),
        ("select small.k from S.Small join s.large using (k)", "select small.k from FILES as Small join s.large using (k)"),
        ("with small as (select 1 as k) select * from small join s.small as t", "with small as (select 1 as k) select * from small join FILES as t"),
        ("select * from s.small as t join s.large version as of 2", "select * from FILES as t join s.large version as of 2"),
        ("select 's.small' from s.small as t -- s.small", "select 's.small' from FILES as t -- s.small"),
    ],
)  # fmt: skip
def test_small_tables_stand_as_views_on_their_files(sql: str, read: str) -> None:
    assert at_hand(sql).casefold() == read.casefold()


def test_views_stand_as_their_texts() -> None:
    assert at_hand("select * from s.stage") == (
        "select * from (\nselect * from FILES as small where late > 3\n) as stage"
    )


@pytest.mark.parametrize(
    "sql",
    [
        "select * from s.large",
        "select * from s.gone",
        "select * from s.unknown join elsewhere.small",
        "select * from s.other",  # a view that is none of the test's
        "select * from s.small version as of 3",
        "select * from s.small where v = 'no end",
        "select _metadata.file_path from s.small",
        "select * from s.small join s.small version as of 3 as before",
    ],
)
def test_what_stays_as_it_is(sql: str) -> None:
    assert at_hand(sql) == sql
