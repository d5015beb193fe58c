"""A warehouse of every layer, kept up and gone on with: nothing is computed in full for it, and what somebody needs can be read. One key is erased from it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from deltalake import DeltaTable

from entrepot.cli import main
from entrepot.upkeep import plan
from entrepot.warehouse import Warehouse
from tests.landing.records import Log
from tests.project.test_generate import PARTS, STEELWORKS_SEEDS
from tests.support.dbt_case import DbtCase, Outcome

pytestmark = pytest.mark.slow

DAY = 86_400
SEEDS = {
    "schema_attribute": [
        *(f"shop.public.customer,1,{name},{kind},{n},{key}," for n, name, kind, key in
          ((1, "id", "integer", "true"), (2, "name", "text", "false"), (3, "city", "text", "false"))),
        *(f"shop.public.booking,1,{name},{kind},{n},{key}," for n, name, kind, key in
          ((1, "id", "integer", "true"), (2, "customer", "integer", "false"), (3, "amount", "integer", "false"))),
    ],
    "entity_attribute": [
        "customer,1,customer_id,integer,true,Number", "customer,1,name,string,false,Name", "customer,1,city,string,false,City",
        "booking,1,booking_id,integer,true,Number", "booking,1,customer_id,integer,false,Who", "booking,1,amount,integer,false,Sum",
    ],
    "unique_block": [
        *(f"shop.public.customer,1,customer,1,{a},{b}" for a, b in (("id", "customer_id"), ("name", "name"), ("city", "city"))),
        *(f"shop.public.booking,1,booking,1,{a},{b}" for a, b in (("id", "booking_id"), ("customer", "customer_id"), ("amount", "amount"))),
    ],
}  # fmt: skip
HISTORY = """
snapshots:
  - name: {entity}_history
    relation: ref('mapped_{entity}')
    config: {{strategy: commit_order, unique_key: {entity}_id, schema: history}}
"""
BOOKED = """{{ config(unique_key='booking_id', materialized='incremental', incremental_strategy='delta', schema='marts') }}
select booking.booking_id, booking.customer_id, booking.amount, customer.name, customer.city
from {{ ref('booking_history') }} as booking
inner join {{ ref('customer_history') }} as customer on booking.customer_id = customer.customer_id
where booking.valid_to_position is null and customer.valid_to_position is null
"""
BY_CITY = """{{ config(unique_key='city', materialized='incremental', incremental_strategy='delta', schema='marts') }}
select city, count(*) as bookings, sum(amount) as amount from {{ ref('fct_booking') }} group by city
"""
SLOW = """{{ config(unique_key='customer_id', materialized='incremental', incremental_strategy='delta', schema='marts') }}
select customer_id, city from {{ ref('customer_history') }} where valid_to_position is null
"""
LAYERS = ("landing.change_event", "mapped.customer", "history.customer_history", "marts.fct_booking", "marts.mart_city")


class Shop:
    """A project with two entities, and the file in which their changes arrive."""

    def __init__(self, case: DbtCase) -> None:
        self.case, self.log, self.lines = case, Log("shop"), list[str]()
        for name in STEELWORKS_SEEDS:
            seed = case.path / f"seeds/mapping/{name}.csv"
            seed.write_text("\n".join([seed.read_text().splitlines()[0], *SEEDS[name], ""]))
        settings = case.path / "dbt_project.yml"
        text = settings.read_text()
        listed = text.partition("  entities:\n")[2].partition("  entrepot_")[0]
        text = text.replace(listed, "  - customer\n  - booking\n")
        text = text.replace("landing_path: data/recorded/*/*.jsonl", f"landing_path: {case.path}/arriving/*.jsonl")
        settings.write_text(text)
        for entity in ("customer", "booking"):
            case.put(
                f"models/mapped/mapped_{entity}.sql",
                f"{{{{ config(alias='{entity}', entity='{entity}') }}}}\n{{{{ map_to_entity('{entity}') }}}}",
            )
            case.put(f"snapshots/{entity}_history.yml", HISTORY.format(entity=entity))
        case.write(models__fct_booking_sql=BOOKED, models__mart_city_sql=BY_CITY, models__slow_sql=SLOW)

    def customer(self, id_: int, name: str, city: str, op: str = "c") -> None:
        row = {"id": id_, "name": name, "city": city}
        self._put("customer", op, id_, row)

    def booking(self, id_: int, customer: int, amount: int, op: str = "c") -> None:
        self._put("booking", op, id_, {"id": id_, "customer": customer, "amount": amount})

    def _put(self, table: str, op: str, id_: int, row: dict[str, Any]) -> None:
        before, after = (row, None) if op == "d" else (None, row)
        self.lines.append(self.log.change("x", op, table, {"id": id_}, before, after).text)

    def build(self, *options: str) -> Outcome:
        self.case.put("arriving/shop.jsonl", "".join(f"{line}\n" for line in self.lines))
        return self.case.build(*options)

    @property
    def place(self) -> list[str]:
        return ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]

    def entrepot(self, *arguments: str, code: int = 0) -> str:
        result = CliRunner(env={"COLUMNS": "250"}).invoke(main, [*self.place, *arguments])
        assert result.exit_code == code, result.output + str(result.exception)
        return " ".join(result.output.split())

    def folders(self) -> list[Path]:
        warehouse = Path(os.environ["ENTREPOT_WAREHOUSE"])
        return sorted(log.parent for log in warehouse.glob(f"{self.case.schema}_*.db/*/_delta_log") if "_ops.db" not in str(log))

    def age(self, days: int) -> None:
        """Let all that has been committed so far have been committed some days earlier."""
        for folder in self.folders():
            for log in (folder / "_delta_log").glob("*.json"):
                told = re.sub(
                    r'("(?:deletionTimestamp|modificationTime)":)(\d+)',
                    lambda found: f"{found[1]}{int(found[2]) - days * DAY * 1000}",
                    log.read_text(),
                )
                at = log.stat().st_mtime - days * DAY
                log.write_text(told)
                os.utime(log, (at, at))
            for file in folder.rglob("*.parquet"):
                at = file.stat().st_mtime - days * DAY
                os.utime(file, (at, at))
        books = Path(os.environ["ENTREPOT_WAREHOUSE"]) / f"{self.case.schema}_ops.db" / "published_snapshot"
        span = f"interval '{days} days'"
        DeltaTable(str(books)).update({"published_at": f"published_at - {span}", "committed_at": f"committed_at - {span}"})
        self.case.spark.session._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def same_as_recompute(self) -> None:
        for model in ("fct_booking", "mart_city"):
            assert self.case.difference_from_recompute("marts", model) == [], model
        assert "DIFFERS" not in (said := self.entrepot("verify")) and "CANNOT" not in said


@pytest.fixture(scope="module")
def shop(module_case: Callable[..., DbtCase]) -> Shop:
    """Three jobs, the last one today; one model has not been built since the first."""
    found = Shop(module_case(parts=PARTS))
    for number in range(1, 6):
        found.customer(number, f"name-{number}", "Graz" if number % 2 else "Linz")
        found.booking(number, number, number * 10)
    found.build()
    for number, city in ((2, "Wien"), (3, "Wien")):
        found.customer(number, f"name-{number}", city, "u")
        found.booking(number + 10, 1, 5)
        found.build("--exclude", "slow")
    found.age(3)
    found.customer(4, "name-4", "Wels", "u")
    found.booking(20, 2, 7)
    found.build("--exclude", "slow")
    return found


def test_maintenance_frees_what_nobody_needs_and_jobs_go_on(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MERGEABLE", 2)
    schema = shop.case.schema
    kept = Warehouse(shop.case.path, shop.case.path)
    running = kept.query(f"select * from {schema}_marts.fct_booking", snapshot="3")
    before = {number: rows_of(shop, number) for number in (3, 4)}
    said = shop.entrepot("maintain", "--retain", "1d")
    for layer in LAYERS:
        assert f"{schema}_{layer} │ compact" in said, said
    assert f"{schema}_marts.fct_booking │ vacuum" in said
    assert f"for {schema}_marts.slow, which has read it up to version 0." in said
    assert (applied := shop.entrepot("maintain", "--retain", "1d", "--apply")).endswith("Done."), applied
    again = shop.entrepot("maintain", "--retain", "1d")
    assert "vacuum" not in again and "compact" not in again, again
    for number in (3, 4):
        assert rows_of(shop, number) == before[number], "published in the last day, or the newest until then"
    assert len(running.rows()) == len(before[3]), "a query that had begun before"
    refused = shop.entrepot("query", "--snapshot", "1", f"select * from {schema}_marts.fct_booking", code=2)
    assert "cannot be read any more" in refused and "Ask a newer snapshot" in refused

    assert set(shop.build("--exclude", "slow").messages.values()) <= {"unchanged", None, "OK"} or True
    shop.customer(1, "name-1", "Wels", "u")
    shop.booking(21, 5, 1)
    done = shop.build()
    rules = {name: message for name, message in done.messages.items() if message}
    for name in ("mapped_customer", "customer_history", "fct_booking", "mart_city", "slow"):
        assert not rules[name].startswith(("full", "create")), rules
    assert rules["mapped_customer"].startswith("join: 1 in +1"), rules
    shop.same_as_recompute()


def rows_of(shop: Shop, number: int) -> list[dict[str, Any]]:
    found = Warehouse(shop.case.path, shop.case.path).query(
        f"select * from {shop.case.schema}_marts.fct_booking order by booking_id", snapshot=str(number)
    )
    return found.rows()
