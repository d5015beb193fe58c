"""A warehouse of every layer: after a maintenance jobs go on by the changes; one key is erased from all of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from entrepot.cli import main
from entrepot.upkeep import plan
from entrepot.warehouse import Warehouse
from tests.landing.records import Log
from tests.project.test_generate import PARTS, STEELWORKS_SEEDS
from tests.support.dbt_case import DbtCase, Outcome
from tests.upkeep.ageing import age

pytestmark = [pytest.mark.slow, pytest.mark.long]

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
OUTGOING = """{{ config(unique_key='event_id', materialized='incremental', incremental_strategy='delta', schema='marts') }}
{{ outgoing_messages(ref('mapped_customer')) }}
"""
# those to which a job adds files; the small tables behind them are one file after each job (decision 55)
GROWING = ("landing.change_event", "mapped.customer")
LAYERS = (*GROWING, "history.customer_history", "marts.fct_booking", "marts.mart_city")


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
        case.write(
            models__fct_booking_sql=BOOKED,
            models__mart_city_sql=BY_CITY,
            models__slow_sql=SLOW,
            models__outgoing_sql=OUTGOING,
        )

    def customer(self, id_: int, name: str, city: str, op: str = "c") -> None:
        row = {"id": id_, "name": name, "city": city}
        self._put("customer", op, id_, row)

    def booking(self, id_: int, customer: int, amount: int, op: str = "c") -> None:
        self._put("booking", op, id_, {"id": id_, "customer": customer, "amount": amount})

    def _put(self, table: str, op: str, id_: int, row: dict[str, Any]) -> None:
        before, after = (row, None) if op == "d" else (None, row)
        self.lines.append(self.log.change("x", op, table, {"id": id_}, before, after).text)

    def arrive(self) -> None:
        self.case.put("arriving/shop.jsonl", "".join(f"{line}\n" for line in self.lines))

    def build(self, *options: str) -> Outcome:
        self.arrive()
        return self.case.build(*options)

    @property
    def place(self) -> list[str]:
        return ["--project-dir", str(self.case.path), "--profiles-dir", str(self.case.path)]

    def entrepot(self, *arguments: str, code: int = 0) -> str:
        result = CliRunner(env={"COLUMNS": "250"}).invoke(main, [*self.place, *arguments])
        assert result.exit_code == code, result.output + str(result.exception)
        return " ".join(result.output.split())

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
    age(found.case, 3)
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
    assert [layer for layer in LAYERS if f"{schema}_{layer} │ compact" in said] == list(GROWING), said
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

    done = shop.build("--exclude", "slow").messages
    assert {done[name] for name in ("mapped_customer", "customer_history", "fct_booking", "mart_city")} == {"unchanged"}
    shop.customer(1, "name-1", "Wels", "u")
    shop.booking(21, 5, 1)
    messages = shop.build().messages
    rules = {name: message for name, message in messages.items() if message}
    for name in ("mapped_customer", "customer_history", "fct_booking", "mart_city", "slow"):
        assert not rules[name].startswith(("full", "create")), rules
    assert rules["mapped_customer"].startswith("join: 2 in +1"), rules
    shop.same_as_recompute()


def rows_of(shop: Shop, number: int) -> list[dict[str, Any]]:
    found = Warehouse(shop.case.path, shop.case.path).query(
        f"select * from {shop.case.schema}_marts.fct_booking order by booking_id", snapshot=str(number)
    )
    return found.rows()


def test_one_key_is_erased(shop: Shop) -> None:
    schema = shop.case.schema
    shop.lines.append(
        shop.log.change("x", "u", "customer", {"id": 9}, {"id": 2, "name": "name-2"}, {"id": 9, "name": "nine"}).text
    )
    shop.lines.append(json.dumps({"key": '{"id":2}', "value": None}))
    bad = {"op": "zz", "source": {"name": "shop", "schema": "public", "table": "customer"}, "after": {"id": 2}}
    shop.lines.append(json.dumps({"value": json.dumps(bad)}))
    shop.lines.append(json.dumps({"value": json.dumps({"op": "zz", "after": {"id": 2}})}))
    shop.build()
    others = {
        name: rows_without(shop, name, 2)
        for name in ("mapped.customer", "history.customer_history", "marts.fct_booking")
    }
    versions = {layer: shop.case.head(*layer.split(".")) for layer in LAYERS}

    wrong = shop.entrepot("erase", "customer", "two", code=2)
    assert "customer_id is bigint, and 'two' is none." in wrong
    assert "No mapped model is of an entity supplier." in shop.entrepot("erase", "supplier", "2", code=2)
    said = shop.entrepot("erase", "customer", "2")
    for told in (
        "shop.public.customer │ 2 landed events", "1 events of other keys, whose image before is of this one", "tombstones │ 1",
        "rejected lines │ 1", f"{schema}_mapped.customer │ 2 rows", f"{schema}_history.customer_history │ 2 rows",
        f"{schema}_marts.fct_booking │ 2 rows", f"{schema}_marts.outgoing │ 2 rows",
        "1 rejected lines have its values, but do not name its table",
        "Nothing was erased: say --apply.", "Older versions of", "Their logs hold what Delta notes of each file", "arriving/shop.jsonl",
    ):  # fmt: skip
        assert told in said, (told, said)
    assert versions == {layer: shop.case.head(*layer.split(".")) for layer in LAYERS}, "a plan writes nothing"

    assert "The next `dbt build` takes it out" in shop.entrepot("erase", "customer", "2", "--no-build", "--apply")
    # the same file comes again, and under another name
    shop.case.put("arriving/again.jsonl", "".join(f"{line}\n" for line in shop.lines))
    messages = shop.build().messages
    assert messages["mapped_customer"] == "join: 6 in +0 ~1 -2", messages
    for name in ("customer_history", "fct_booking", "mart_city"):
        assert not messages[name].startswith(("full", "create")), messages
    landed = shop.case.spark.sql(
        f"select count(*) as n, count_if(op = 'x') as erased, count(distinct event_id) as ids from {schema}_landing.change_event"
    )[0]
    assert landed["n"] == landed["ids"] and landed["erased"] == 2
    for name, rows in others.items():
        assert rows_without(shop, name, None) == rows, name
    sent = shop.case.spark.answer(
        f"select message from {schema}_marts.outgoing where message rlike 'name-2|customer_id\":2\\\\b'"
    )
    assert sent == [], "no message has it"
    landing = f"{schema}_landing"
    for text, table, left in (
        (
            "concat_ws(' ', event_key, before, after)",
            "change_event where schema_name is null or schema_name like '%customer'",
            0,
        ),
        ("line", "control_event", 0),
        ("line", "rejected_event", 1),
    ):
        holding = shop.case.spark.sql(
            f"select count_if({text} rlike 'name-2|id[^0-9]{{2,8}}2[^0-9]') as n from {landing}.{table}"
        )
        assert holding[0]["n"] == left, table
    shop.same_as_recompute()
    again = shop.entrepot("erase", "customer", "2", "--no-build", "--apply")
    assert "Nothing has landed of it." in again and "unique_id" not in again


def rows_without(shop: Shop, name: str, key: int | None) -> list[tuple[Any, ...]]:
    """The rows of a table, but those of one customer; without images."""
    rows = shop.case.spark.sql(f"select * from {shop.case.schema}_{name}")
    found = [row.asDict(recursive=True) for row in rows if row["customer_id"] != key]
    return sorted((tuple(str(value) for name, value in row.items() if name != "before") for row in found), key=repr)
