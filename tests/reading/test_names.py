"""What a name of a query means in a snapshot, and what stands in its place; no Spark."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from entrepot.errors import QueryError
from entrepot.pinned import pinned
from entrepot.promises import kept_promises
from entrepot.snapshots import PublishedRelation, Snapshot

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
TABLES = {
    "marts.FCT_Sale": PublishedRelation("marts.FCT_Sale", 3, "s3://w/sale", None),
    "seeds.country": PublishedRelation("seeds.country", 0, "s3://w/country", None),
    "other.country": PublishedRelation("other.country", 7, "s3://w/other", None),
    "marts.seen": PublishedRelation(
        "marts.seen", None, None, "select * from marts.fct_sale join SEEDS.Country using (id)"
    ),
    "marts.odd": PublishedRelation("marts.odd", None, None, "select * from raw.line"),
}
SNAPSHOT = Snapshot(4, "j", NOON, None, TABLES)
SALE, COUNTRY = "delta.`s3://w/sale` version as of 3", "delta.`s3://w/country` version as of 0"


@pytest.mark.parametrize("name", ["fct_sale", "FCT_SALE", "Marts.Fct_Sale", "marts.FCT_Sale"])
def test_names_mean_the_same_in_any_capitals(name: str) -> None:
    assert pinned(f"select 1 from {name} as x", SNAPSHOT) == f"select 1 from {SALE} as x"


def test_a_name_that_several_have_means_none_of_them() -> None:
    assert SNAPSHOT.resolve("country") is None
    assert pinned("select * from country", SNAPSHOT) == "select * from country"


def test_of_two_of_one_name_the_projects_own_is_meant() -> None:
    source = replace(TABLES["other.country"], node="source.shop.other.country")
    snapshot = Snapshot(4, "j", NOON, None, TABLES | {source.name: source})
    for name, found in (("country", "seeds.country"), ("other.country", "other.country")):
        assert (relation := snapshot.resolve(name)) and relation.name == found
    only = Snapshot(4, "j", NOON, None, {source.name: source})
    assert only.resolve("Country") is source


def test_a_view_is_its_text_over_versions() -> None:
    found = pinned("select * from seen", SNAPSHOT)
    assert found == f"select * from (\nselect * from {SALE} as fct_sale join {COUNTRY} as Country using (id)\n) as seen"
    with pytest.raises(QueryError, match=r"View marts\.odd reads raw\.line, which no job publishes"):
        pinned("select * from odd", SNAPSHOT)
    elsewhere = pinned("select * from odd", SNAPSHOT, lambda table: f"kept_{table.identifier}")
    assert elsewhere == "select * from (\nselect * from kept_line as line\n) as odd"


def test_a_promise_is_as_good_as_its_oldest_relation() -> None:
    def one(name: str, minutes: float | None, promises: str | None) -> PublishedRelation:
        through = None if minutes is None else NOON - timedelta(minutes=minutes)
        return PublishedRelation(name, 1, "x", None, holds_through=through, promises=promises)

    rows = [
        one("a", 5, '{"e": 600, "model a": 60}'),
        one("b", 9, '{"e": 600, "f": 1e9}'),
        one("c", None, '{"f": 1e9}'),
        one("d", 99, None),
    ]
    found = {one.name: (one.relation, one.is_kept) for one in kept_promises(rows, NOON)}
    assert found == {"e": ("b", True), "model a": ("a", False), "f": ("c", False)}
    broken = next(one for one in kept_promises(rows, NOON) if one.name == "f")
    assert broken.sentence(NOON).endswith("c is of an age that nobody can say")
