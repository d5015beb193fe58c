"""dbt's graph as jobs see it: what reads what, over views and ephemeral models; sources, keys, feeds."""

from __future__ import annotations

from typing import Any

import pytest

from dbt.adapters.entrepot.graph import project_of
from entrepot.errors import EntrepotError
from entrepot.jobs import Project
from entrepot.jobs.project import Concern
from entrepot.jobs.published_views import viewed

FEED = {"delta.enableChangeDataFeed": "true"}


def node(name: str, reads: list[str] | None = None, kind: str = "model", **config: Any) -> dict[str, Any]:
    """A node as dbt's graph has it."""
    given = {"materialized": "table", "file_format": "delta", "enabled": True} | config
    return {
        "unique_id": f"{kind}.shop.{name}", "resource_type": kind, "name": name, "alias": name, "schema": "marts", "config": given,
        "depends_on": {"nodes": reads or []},
    }  # fmt: skip


def project(*nodes: dict[str, Any], selected: tuple[str, ...] = (), **sources: dict[str, Any]) -> Project:
    """A project of nodes and sources."""
    declared = {
        f"source.shop.raw.{name}": {
            "unique_id": f"source.shop.raw.{name}", "resource_type": "source", "source_name": "raw", "name": name, "schema": "raw",
        } | about
        for name, about in sources.items()
    }  # fmt: skip
    return project_of({"nodes": {one["unique_id"]: one for one in nodes}, "sources": declared}, selected, FEED)


def test_upstreams_are_read_through_views_and_ephemeral_models() -> None:
    found = project(
        node("stage", ["source.shop.raw.orders"], materialized="view"),
        node("inner", ["model.shop.stage", "model.shop.dim"], materialized="ephemeral"),
        node("dim"),
        node("fact", ["model.shop.inner", "model.shop.stage"], materialized="incremental", incremental_strategy="delta", unique_key="id"),
        node("mart", ["model.shop.fact"]),
        orders={"meta": {"unique_key": ["id", "line"]}},
    )  # fmt: skip
    fact = found.named("fact")
    assert fact is not None and fact.is_maintained and fact.unique_key == ("id",) and fact.has_feed
    assert [(one.name, one.relation, one.unique_key) for one in found.upstreams(fact)] == [
        ("raw.orders", "raw.orders", ("id", "line")),
        ("dim", "marts.dim", ()),
    ]
    assert [view.name for view in found.views(fact)] == ["stage"]
    dim, stage = found.named("dim"), found.named("stage")
    assert dim is not None and stage is not None
    assert [one.name for one in found.built_on(dim)] == ["fact"]
    assert [one.name for one in found.built_on(stage)] == ["fact"]
    assert found.is_source("raw.orders") and not found.is_source("marts.dim")


def test_a_source_that_a_node_writes_is_no_source() -> None:
    found = project(
        node("orders", kind="seed"), node("top", ["source.shop.raw.orders"]), orders={"schema": "marts"}
    )  # fmt: skip
    assert not found.is_source("marts.orders")
    assert found.of_relation("marts.orders") is not None


def test_what_others_write_in_this_job_is_looked_up_afterwards() -> None:
    own = node("own", materialized="incremental", incremental_strategy="delta", unique_key="id")
    stock, unselected = node("stock"), node("unselected")
    history = node("history", kind="snapshot", materialized="snapshot", strategy="commit_order")
    found = project(
        own, stock, unselected, history, selected=("model.shop.own", "model.shop.stock", "snapshot.shop.history")
    )
    assert found.rewritten == {"marts.stock"}
    assert [one.name for one in found.maintained] == ["own", "history"]
    assert [one.name for one in found.selected] == ["own", "stock", "history"]
    versions = found.named("history")
    assert versions is not None and versions.unique_key == ("dbt_scd_id",)


def test_properties_of_its_own_decide_on_the_feed() -> None:
    found = project(node("off", tblproperties={"delta.enableChangeDataFeed": False}), node("csv", file_format="csv"))
    assert [(one.name, one.has_feed, one.is_delta) for one in found.written] == [
        ("off", False, True),
        ("csv", False, False),
    ]


def test_a_concern_is_said_by_meta() -> None:
    meta = {"entrepot": {"concern": "late orders", "reason": "country"}}
    found = project(node("late", materialized="view", meta=meta), node("early", materialized="view", meta={"a": 1}))
    late, early = found.named("late"), found.named("early")
    assert late and late.concern == Concern("late orders", "country", "1")
    assert early and early.concern is None
    with pytest.raises(EntrepotError, match=r"orders has .*, but only a view can be a concern"):
        project(node("orders", meta=meta))


def test_names_that_differ_in_capitals_only_are_one_table() -> None:
    with pytest.raises(EntrepotError, match="are one table to Spark"):
        project(node("sale"), node("Sale", materialized="view"))
    other = node("SALE") | {"schema": "staging"}
    assert project(node("sale"), node("Sale", materialized="ephemeral"), other).named("SALE") is not None


def test_views_are_of_schemas_names_and_all_versions_of_a_name() -> None:
    one, two = (
        {**node(f"dim.v{number}"), "name": "dim", "version": number, "alias": f"dim_v{number}"} for number in (1, 2)
    )
    found = project(one, two, node("fact"))
    assert [view.name for view in viewed(found.written, ["dim"])] == ["dim.v1", "dim.v2"]
    assert [view.name for view in viewed(found.written, ["dim.v2", "fact"])] == ["dim.v2", "fact"]
    assert len(viewed(found.written, ["marts"])) == 3
    assert viewed(found.written, [""]) == [], "an empty variable names none"
