"""How far sources have been heard: cuts follow each other, and tables hold what the slowest of their sources has said."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import Any

from entrepot.jobs import Node
from entrepot.jobs.heard import Heard, Holding, Told, landed_through
from entrepot.ledger import PublishedRelation, SourceCut
from tests.jobs.test_project import node, project

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)


def minutes(count: float) -> datetime:
    return NOON + timedelta(minutes=count)


def heard(*told: Told) -> Heard:
    found = Heard()
    for one in told:
        found.note(one)
    return found


def test_a_job_has_a_cut_through_each_source_and_none_without_news() -> None:
    first = heard(Told("shop", minutes(1), 10, minutes(1)), Told("shop", None, None, minutes(3))).cuts("a", 1, {})
    assert [(cut.source_system, cut.log_commit, cut.committed_at, cut.heard_at) for cut in first] == [
        ("shop", 10, minutes(1), minutes(3))
    ]
    known = {cut.source_system: cut for cut in first}
    assert heard(Told("shop", minutes(0), 4, minutes(0))).cuts("b", 2, known) == [], "a late change moves no cut"
    second = heard(Told("plant", minutes(2), 7, minutes(2))).cuts("b", 2, known)
    assert [(cut.number, cut.source_system, cut.log_commit, cut.heard_at) for cut in second] == [
        (2, "plant", 7, minutes(2)),
        (2, "shop", 10, minutes(3)),
    ]


def test_a_snapshot_has_changes_up_to_the_newest_that_has_landed_whichever_job_did_it() -> None:
    lands = {"strategy": "land", "materialized": "incremental"}
    changes, files = (Node(f"m.{name}", "model", name, "s", name, **lands) for name in ("change_event", "landed_file"))
    cuts = [SourceCut("failed", 2, "shop", committed_at=minutes(9)), SourceCut("failed", 2, "plant", committed_at=None)]
    before = [PublishedRelation("a", 1, "s.change_event", landed_through=minutes(5)), PublishedRelation("a", 1, "s.x")]
    assert landed_through([files, changes], cuts, before) == minutes(9), (
        "the failed job's changes are in what is published"
    )
    assert landed_through([changes], cuts, []) == minutes(9)
    assert landed_through([files], cuts, before) == minutes(5), "its changes are not published yet"
    assert landed_through([changes], [], before) == minutes(5), "books of before there were cuts"
    assert landed_through([changes], [], []) is None


def test_cuts_of_any_order_and_splitting_end_the_same() -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    draw = random.Random(seed)
    told = [
        Told(draw.choice("ab"), minutes(at), at * 10, minutes(at))
        if draw.random() < 0.6
        else Told(draw.choice("ab"), None, None, minutes(at))
        for at in range(40)
    ]
    ends = []
    for _ in range(20):
        draw.shuffle(told)
        known: dict[str, SourceCut] = {}
        places = sorted(draw.sample(range(1, len(told)), 4))
        for number, (start, end) in enumerate(zip([0, *places], [*places, len(told)], strict=True), 1):
            cuts = heard(*told[start:end]).cuts("j", number, known)
            for cut in cuts:
                before = known.get(cut.source_system)
                assert before is None or (before.heard_at or NOON) <= (cut.heard_at or NOON)
            known |= {cut.source_system: cut for cut in cuts}
        ends.append({name: (cut.log_commit, cut.committed_at, cut.heard_at) for name, cut in known.items()})
    assert all(end == ends[0] for end in ends)


def holding(heard_at: dict[str, datetime | None], **feeds: list[str]) -> dict[str, datetime | None]:
    """Up to when each table of a small project holds what its sources have committed."""
    land: dict[str, Any] = {"materialized": "incremental", "incremental_strategy": "land"}
    found = project(
        node("events", **land),
        node("sale", ["model.shop.events"], materialized="incremental", incremental_strategy="delta"),
        node("machine", ["model.shop.events"], materialized="incremental", incremental_strategy="delta"),
        node("both", ["model.shop.sale", "model.shop.looks"], materialized="incremental", incremental_strategy="delta"),
        node("looks", ["model.shop.machine"], materialized="view"),
        node("outside", ["source.shop.raw.t"]),
        node("fixed"),
        t={},
    )
    given = Holding(found, minutes(60), heard_at, {f"marts.{name}": schemas for name, schemas in feeds.items()})
    return {one.name: given.through(one) for one in found.written}


def test_a_table_holds_what_the_slowest_of_its_sources_has_said() -> None:
    heard_at = {"shop": minutes(10), "plant": minutes(20), "plant.west": minutes(5)}
    found = holding(heard_at, sale=["shop.public.sale"], machine=["plant.mes.machine"])
    assert found == {
        "events": minutes(5),
        "sale": minutes(10),
        "machine": minutes(20),
        "looks": minutes(20),
        "both": minutes(10),
        "outside": minutes(60),
        "fixed": minutes(60),
    }


def test_never_after_the_job_began_and_unknown_where_a_source_was_never_heard() -> None:
    feeds = {"sale": ["shop.public.sale"], "machine": ["plant.mes.machine"]}
    ahead = holding({"shop": minutes(61), "plant": None}, **feeds)
    assert (ahead["sale"], ahead["machine"], ahead["both"], ahead["events"]) == (minutes(60), None, None, None)
    assert holding({}, **feeds)["events"] is None, "nothing has landed"
