"""By which columns a change cuts the result."""

from __future__ import annotations

from entrepot.analysis.rows import Bridge, Occurrence
from entrepot.analysis.scopes import Cut, mentions_of, scope_cut, scope_follows
from entrepot.analysis.verdict import Settings, Verdict

OCCURRENCES = (Occurrence("0", "shop.orders", "orders"), Occurrence("1", "shop.line", "line"))
SETTINGS = Settings("amounts", ("Order_Id",))
VERDICT = Verdict(
    "scope",
    "uses an outer join",
    OCCURRENCES,
    ("0", "1"),
    scopes={"order_id": {"0": "order_id"}, "customer": {"0": "customer"}},
    stems={"order_id": "0"},
    bridges=(Bridge("1", "0", {"order_number": "order_id"}),),
)


def test_the_columns_of_the_key_that_follow() -> None:
    assert scope_cut(SETTINGS, VERDICT, "0") == Cut(("order_id",), "0")


def test_a_bridge_leads_to_a_mention_with_columns() -> None:
    assert scope_cut(SETTINGS, VERDICT, "1") == Cut(("order_id",), "0", VERDICT.bridges)


def test_nothing_follows() -> None:
    assert scope_cut(SETTINGS, Verdict("scope", "", OCCURRENCES, ("0", "1")), "1") is None


def test_one_column_more_for_an_occurrence_that_the_key_leaves_whole() -> None:
    scopes = {"order_id": {"0": "order_id"}, "day": {"0": "day", "1": "day"}}
    verdict = Verdict("scope", "", OCCURRENCES, ("0", "1"), scopes)
    assert scope_cut(SETTINGS, verdict, "0") == Cut(("order_id", "day"), "0")
    assert scope_cut(SETTINGS, verdict, "1") == Cut(("day",), "1")


def test_configured_columns_cut_only_what_they_all_follow() -> None:
    scopes = {"order_id": {"0": "order_id"}}
    verdict = Verdict("scope", "", OCCURRENCES, ("0", "1"), scopes, scope_key=("order_id",))
    assert scope_cut(SETTINGS, verdict, "0") == Cut(("order_id",), "0")
    assert scope_cut(SETTINGS, verdict, "1") is None


def test_mentions_that_differ_are_not_followed() -> None:
    scopes = {"a": {"0/3": "x", "0/5": "y"}, "b": {"0/3": "z", "0/5": "z"}}
    verdict = Verdict("scope", "", OCCURRENCES, ("0/3", "0/5", "1"), scopes)
    assert scope_follows(verdict, ["a"], "0") == {}
    assert scope_follows(verdict, ["b"], "0") == {"b": "z"}
    assert mentions_of(verdict, "shop.orders") == ["0/3", "0/5"]
