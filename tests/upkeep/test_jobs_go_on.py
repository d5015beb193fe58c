"""After a maintenance queries are answered and jobs go on as if there had been none: by the changes, and with the rows of a full recompute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.spark.keeper import Keeper, KeeperError
from entrepot.upkeep import plan
from entrepot.warehouse import Warehouse
from tests.support.dbt_case import DbtCase, delta_models
from tests.upkeep.ageing import age

SALES = """{{ config(unique_key='id') }}
select sale.id, sale.amount, town.region
from {{ source('raw', 'sale') }} as sale inner join {{ source('raw', 'town') }} as town on sale.city = town.city
"""
BY_REGION = """{{ config(unique_key='region') }}
select region, count(*) as n, sum(amount) as amount from {{ ref('sales') }} group by region
"""
# only Spark leaves marks, and the third property makes it write what deltalake else would (decision 55)
SLOW = """{{ config(unique_key='id', tblproperties={
    'delta.enableDeletionVectors': true, 'delta.enableChangeDataFeed': true, 'delta.dataSkippingNumIndexedCols': '32'
}) }}
select id, region from {{ ref('sales') }}
"""


class Shop:
    """Sales that come day by day; model `slow` is built by the first job only."""

    def __init__(self, case: DbtCase) -> None:
        self.case = case
        self.sale = case.source(
            "sale",
            "id int, city string, amount int",
            "select id, if(id % 2 = 0, 'Linz', 'Graz'), 10 from range(0, 8) as t(id)",
        )
        case.source("town", "city string, region string", "values ('Linz', 'north'), ('Graz', 'south')")
        case.write(models__sales_sql=SALES, models__by_region_sql=BY_REGION, models__slow_sql=SLOW)

    def change(self, number: int) -> None:
        self.case.spark.change(f"insert into {self.sale} values ({number}, 'Linz', 1)")
        self.case.spark.change(f"update {self.sale} set amount = amount + 1 where id = {number % 8}")

    def entrepot(self, *arguments: str, code: int = 0) -> str:
        place = ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]
        result = CliRunner().invoke(main, [*place, *arguments])
        assert result.exit_code == code, result.output + str(result.exception)
        return " ".join(result.output.split())

    def rows(self, job: int) -> list[dict[str, Any]]:
        return self.asked(job).rows()

    def asked(self, job: int) -> Any:
        sql = f"select * from {self.case.table('marts', 'sales')} order by id"
        return Warehouse(self.case.path, self.case.path).query(sql, snapshot=job)

    def same_as_recompute(self) -> None:
        for model in ("sales", "by_region", "slow"):
            assert self.case.difference_from_recompute("marts", model) == [], model


@pytest.fixture(scope="module")
def shop(module_case: Callable[..., DbtCase]) -> Shop:
    # tables that Spark writes: deltalake joins files by itself (decision 55)
    properties = {"delta.enableChangeDataFeed": True, "delta.dataSkippingNumIndexedCols": "32"}
    found = Shop(module_case(project=delta_models(tblproperties=properties)))
    found.case.build()
    for number in (101, 102):
        found.change(number)
        found.case.build("--exclude", "slow")
    age(found.case, 3)
    found.change(103)
    found.case.build("--exclude", "slow")
    return found


def until_it_vacuums(keeper: Keeper, sql: str) -> list[dict[str, Any]]:
    """Run a statement, as Spark would that is gone when it has to vacuum."""
    if sql.startswith("vacuum"):
        raise KeeperError("Spark has gone.", "Say it again.")
    return [row.asDict() for row in keeper.session.sql(sql).collect()]


def test_what_somebody_needs_stays_and_jobs_read_changes(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MERGEABLE", 2)
    monkeypatch.setattr(plan, "STATEMENT", 0)
    sales, before = shop.case.table("marts", "sales"), {job: shop.rows(job) for job in (3, 4)}
    running, by_region = shop.asked(3), shop.case.table("marts", "by_region")
    said = shop.entrepot("maintain", "--retain", "1d", "--cluster")
    assert f"{sales} │ compact │" in said and "laid out by `id`" in said
    assert f"{by_region} │ vacuum │" in said
    assert (
        f"Kept of {sales}:" in said
        and f"for {shop.case.table('marts', 'slow')}, which has read it up to version 0." in said
    )
    with monkeypatch.context() as patched:
        patched.setattr(Keeper, "ask", until_it_vacuums)
        assert "Spark has gone" in shop.entrepot("maintain", "--retain", "1d", "--cluster", "--apply", code=3)
    assert "failed" in shop.entrepot("status", "--jobs", "1")
    applied = shop.entrepot("maintain", "--retain", "1d", "--cluster", "--apply")
    assert applied.endswith("Done.") and f"vacuum {by_region}" in applied and f"compact {by_region}" not in applied, (
        "the rest is done"
    )
    assert "Nothing to remove" in shop.entrepot("maintain", "--retain", "1d")
    assert {job: shop.rows(job) for job in (3, 4)} == before, "of the last day, and what was the newest until then"
    assert running.rows() == before[3], "of a query that had begun before"
    refused = shop.entrepot("query", "--snapshot", "1", f"select * from {by_region}", code=2)
    assert "by_region version 0 cannot be read any more" in refused and "Ask a newer snapshot" in refused

    # fewer commits than the maintenance has made: what was consumed is known by the snapshot
    done = shop.case.build("--exclude", "slow", "--vars", "entrepot_history_depth: 2")
    assert set(done.messages.values()) == {"unchanged"}
    shop.change(104)
    messages = shop.case.build().messages
    assert messages["sales"] == "join: 3 in +1 ~1 -0", messages
    assert messages["by_region"].startswith("aggregate: 3 in"), messages
    # one that has read nothing since the first job: four sales came, of four others the amounts changed, which it does not read
    assert messages["slow"].startswith("join: ") and " +4 " in messages["slow"], messages
    shop.same_as_recompute()


def test_marks_are_purged_and_health_is_told(shop: Shop) -> None:
    slow = shop.case.table("marts", "slow")
    shop.case.spark.change(f"delete from {shop.sale} where id < 3")
    shop.case.build()
    assert f"{slow} │ purge │ 3 of 12 rows are deleted by marks only" in shop.entrepot(
        "maintain", "--select", f"*{slow}"
    )
    assert f"purge {slow}" in shop.entrepot("maintain", "--select", slow, "--apply")
    assert set(shop.case.build().messages.values()) == {"unchanged"}
    shop.change(105)
    assert shop.case.build().messages["slow"].startswith("join: ")
    shop.same_as_recompute()
    health = shop.case.spark.sql(
        f"select * from {shop.case.table('ops', 'table_health')} where relation = '{slow}' order by number desc limit 1"
    )[0]
    assert (health["deletion_vectors"], health["deleted_rows"], health["row_count"]) == (0, 0, 9)
    assert health["compacted_at"] is not None and health["oldest_version"] == 0
