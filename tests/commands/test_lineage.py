"""What `entrepot lineage` says: dbt's graph, written by hand here, with what the books say of each relation; no Spark, and no dbt."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from entrepot.ledger import ModelRun, PublishedRelation, SourceCut
from tests.support.books import NOON, Shop


def node(kind: str, relation: str, *parents: str, materialized: str = "incremental") -> dict[str, Any]:
    schema, _, name = relation.partition(".")
    return {
        "unique_id": f"{kind}.shop.{name}", "resource_type": kind, "schema": schema, "name": name, "alias": name,
        "config": {"materialized": materialized}, "depends_on": {"nodes": list(parents)},
    }  # fmt: skip


SOURCE = {"unique_id": "source.shop.till.sale", "resource_type": "source", "source_name": "till", "name": "sale"}
NODES = [
    node("model", "landing.event"),
    node("model", "mapped.sale", "source.shop.till.sale", "model.shop.event", "seed.shop.block"),
    node("seed", "mapping.block"),
    node("snapshot", "history.sale_history", "model.shop.sale"),
    node("model", "intermediate.sale_now", "snapshot.shop.sale_history", materialized="view"),
    node("model", "marts.pieces", "model.shop.sale_now", "model.shop.sale", materialized="ephemeral"),
    node("model", "marts.fct_sale", "model.shop.sale_now", "model.shop.pieces"),
    node("test", "tests.not_null", "model.shop.fct_sale"),
]


def published(number: int, relation: str, version: int | None, node: str | None) -> PublishedRelation:
    hours = timedelta(hours=number)
    return PublishedRelation(
        "j", number, relation, version, committed_at=None if version is None else NOON, published_at=NOON, node=node,
        location=None if version is None else "file:/x", definition="select 1" if version is None else None,
        holds_through=NOON - timedelta(days=1) + hours,
    )  # fmt: skip


def run(number: int, relation: str, rule: str, written: int = 1, status: str = "success") -> ModelRun:
    return ModelRun(
        "j", number, 1, relation, "model", status, rule, rows_inserted=written, rows_updated=0, rows_deleted=0
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    shop = Shop(tmp_path_factory.mktemp("lineage"))
    manifest = {"nodes": {one["unique_id"]: one for one in NODES}, "sources": {SOURCE["unique_id"]: SOURCE}}
    (shop.path / "target").mkdir()
    (shop.path / "target/manifest.json").write_text(json.dumps(manifest))

    def relations(number: int, fct_version: int) -> list[PublishedRelation]:
        return [
            published(number, "landing.event", 2, "model.shop.event"),
            published(number, "mapped.sale", 4, "model.shop.sale"),
            published(number, "mapping.block", 0, "seed.shop.block"),
            published(number, "history.sale_history", 4, "snapshot.shop.sale_history"),
            published(number, "intermediate.sale_now", None, "model.shop.sale_now"),
            # as an older entrepot has published it
            published(number, "marts.fct_sale", fct_version, None),
            published(number, "marts.gone", 1, "model.shop.gone"),
        ]

    shop.job(1, *relations(1, 5), runs=[run(1, "marts.fct_sale", "create"), run(1, "mapped.sale", "create")])
    runs = [run(2, "marts.fct_sale", "join"), run(2, "mapped.sale", "join", written=0)]
    shop.job(2, *relations(2, 6), runs=[*runs, run(2, "history.sale_history", "skip")])
    shop.job(3, ended="failed", runs=[run(3, "marts.fct_sale", "join"), run(3, "mapped.sale", "join", status="error")])
    shop.ledger.write(
        [SourceCut("j", number, "till", heard_at=NOON - timedelta(days=number), at=NOON) for number in (1, 2)]
    )
    return shop


def told(shop: Shop, *command: str) -> dict[str, dict[str, Any]]:
    result = shop.run("lineage", *command, "--json")
    assert result.exit_code == 0, result.output
    return {one["relation"]: one for one in json.loads(result.output)["relations"]}


def test_the_tree_goes_to_the_sources_and_follows_what_comes_twice_once(shop: Shop) -> None:
    text = shop.run("lineage", "MARTS.fct_sale").output
    names = [line.split("─ ", 1)[1].split()[0] for line in text.splitlines() if "─ " in line]
    sale = ["mapped.sale", "till.sale", "landing.event", "mapping.block"]
    assert names == ["intermediate.sale_now", "history.sale_history", *sale, "marts.pieces", "intermediate.sale_now", "mapped.sale"]  # fmt: skip
    assert text.count("(above)") == 2


def test_versions_jobs_rules_and_ages_are_those_of_the_snapshot(shop: Shop) -> None:
    newest, first = told(shop, "fct_sale"), told(shop, "fct_sale", "--snapshot", "1")
    facts = ("made_by", "version", "job", "rule", "is_published")
    # job 3 has failed, and published nothing
    assert [newest["marts.fct_sale"][name] for name in facts] == ["incremental", 6, 2, "join", True]
    assert [first["marts.fct_sale"][name] for name in facts] == ["incremental", 5, 1, "create", True]
    assert [newest["mapped.sale"][name] for name in facts] == ["incremental", 4, 1, "create", True], (
        "job 2 wrote no row"
    )
    assert [newest["history.sale_history"][name] for name in facts] == ["snapshot", 4, None, None, True]
    assert [newest["intermediate.sale_now"][name] for name in facts] == ["view", None, None, None, True]
    assert [newest["marts.pieces"][name] for name in facts] == ["ephemeral", None, None, None, False]
    assert [newest["till.sale"][name] for name in facts] == ["source", None, None, None, False]
    assert newest["till.sale"]["holds_through"] == (NOON - timedelta(days=2)).isoformat()
    assert first["till.sale"]["holds_through"] == (NOON - timedelta(days=1)).isoformat()
    assert newest["marts.fct_sale"]["reads"] == ["intermediate.sale_now", "marts.pieces"]
    assert newest["mapped.sale"]["holds_through"] == (NOON - timedelta(hours=22)).isoformat()


def test_what_cannot_be_said_is_said_so(shop: Shop, tmp_path: Path) -> None:
    def refused(*command: str) -> str:
        result = shop.run("lineage", *command)
        assert result.exit_code == 2
        return " ".join(result.output.split())

    assert "Did you mean fct_sale" in refused("fct_sael")
    assert "Job 3 has published no snapshot." in refused("fct_sale", "--snapshot", "3")
    assert "marts.gone is in the snapshot of job 2, and not in dbt's manifest of this project. Run `dbt parse`." in refused("gone")  # fmt: skip
    manifest = shop.path / "target/manifest.json"
    before = manifest.read_text()
    manifest.write_text("{")
    assert "manifest.json cannot be read: JSONDecodeError" in refused("fct_sale")
    manifest.unlink()
    assert "dbt has not read this project yet. Run `dbt parse`." in refused("fct_sale")
    manifest.write_text(before)
    empty = Shop(tmp_path).run("lineage", "fct_sale")
    assert empty.exit_code == 2 and "Nothing has been published on this warehouse yet." in empty.output
