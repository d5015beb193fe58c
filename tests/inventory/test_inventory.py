"""A recorded PostgreSQL with everything that happens to tables, through landing, mapping and history, against a replay.

The recording has 47 messages: a snapshot, inserts, updates, deletes, a changed primary key, a logical message, truncates, and
columns added, renamed, dropped and retyped. It exists twice, with Debezium's schema in every message and without. The mapping
seeds know all versions but the last of `customers`, where a column was dropped: that one is discovered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.inventory.remapping import (
    CUSTOMERS,
    ELEVATED,
    FIRST,
    OLDER,
    REMAPPINGS,
    differs,
    events,
    job,
    land_again,
    store,
)
from tests.inventory.replay import Replay, Version, replay
from tests.support.dbt_case import DbtCase

HERE = Path(__file__).parent
MODEL = "{{{{ config(alias='{entity}', entity='{entity}') }}}}\n{{{{ map_to_entity('{entity}') }}}}\n"
MESSAGES = "{{ config(alias='customer_messages') }} {{ outgoing_messages(ref('mapped_customer')) }}"
SNAPSHOT = (
    "snapshots: [{{name: {entity}_history, relation: ref('mapped_{entity}'), "
    "config: {{strategy: commit_order, unique_key: {entity}_id}}}}]\n"
)
CUSTOMER = ["customer_id", "first_name", "last_name", "email", "phone"]
PURCHASE = [
    "purchase_id", "ordered_on", "customer_id", "quantity", "amount", "placed_at", "local_at", "time_of_day", "flags", "tags",
    "reference", "rate", "is_good", "picture",
]  # fmt: skip

Row = tuple[Any, ...]


@dataclass
class Inventory:
    """The project after its job, and what should be in it."""

    case: DbtCase
    variant: str
    expected: Replay

    def rows(self, layer: str, table: str, columns: list[str], where: str = "true") -> list[Row]:
        """Rows of a table as plain Python values, sorted."""
        found = self.case.spark.sql(f"select {', '.join(columns)} from {self.case.table(layer, table)} where {where}")
        return sorted((tuple(plain(value) for value in row) for row in found), key=repr)


def plain(value: Any) -> Any:
    """A value of Spark as the replay has it."""
    return bytes(value) if isinstance(value, bytearray) else value


@pytest.fixture(scope="module", params=["plain", pytest.param("schema", marks=pytest.mark.long)])
def inventory(module_case: Callable[..., DbtCase], request: pytest.FixtureRequest) -> Inventory:
    recorded = HERE / "data" / f"inv_{request.param}.jsonl"
    case = module_case(
        parts=("models/landing", "models/mapping", "seeds/mapping"),
        project={"vars": {"landing_path": str(recorded), "entrepot_lock_minutes": 10}},
    )
    for seed in (HERE / "seeds").glob("*.csv"):
        case.put(f"seeds/mapping/{seed.name}", seed.read_text())
    for entity in ("customer", "purchase", "note"):
        case.put(f"models/mapped/mapped_{entity}.sql", MODEL.format(entity=entity))
    for entity in ("customer", "purchase"):
        case.put(f"snapshots/{entity}_history.yml", SNAPSHOT.format(entity=entity))
    case.put("models/outgoing/outgoing_customer.sql", MESSAGES)
    case.build()
    return Inventory(case, request.param, replay(recorded))


def history(versions: dict[Any, list[Version]], attributes: list[str]) -> list[Row]:
    """The rows that a history must have; consecutive versions that say the same are one."""
    rows = []
    for life in versions.values():
        told: list[Version] = []
        for version in life:
            if told and told[-1].valid_to == version.valid_from and told[-1].values == version.values:
                told[-1].valid_to = version.valid_to
            else:
                told.append(version)
        for number, version in enumerate(told):
            values = tuple(version.values.get(name) for name in attributes)
            rows.append((*values, version.valid_from, version.valid_to, number == 0))
    return sorted(rows, key=repr)


def test_the_replay_says_what_we_know(inventory: Inventory) -> None:
    """The oracle itself, on what the scenario is known to do."""
    expected = inventory.expected
    assert Counter(expected.lines) == {"change": 21, "tombstone": 2, "transaction_begin": 12, "transaction_end": 12}
    customers = {
        key: life[-1].values for key, life in expected.versions["customers"].items() if life[-1].valid_to is None
    }
    assert sorted(customers) == [1, 2, 4, 6, 7, 2001]
    assert customers[1]["phone"] == "+49 2"
    assert customers[4]["first_name"] == "Anne Marie"
    assert all(life[-1].valid_to for life in expected.versions["orders"].values())
    assert expected.rows["nopk"] == []


def test_every_line_lands(inventory: Inventory) -> None:
    counts = Counter(inventory.expected.lines)
    assert len(inventory.rows("landing", "change_event", ["event_id"])) == counts.pop("change")
    reasons = [reason for (reason,) in inventory.rows("landing", "control_event", ["reason"])]
    assert Counter(reasons) == counts
    assert inventory.rows("landing", "rejected_event", ["line"]) == []


def test_versions_are_recognised(inventory: Inventory) -> None:
    found = inventory.rows("landing", "change_event", ["schema_name", "schema_version", "commit_position.log_position"])
    customers = [
        version for schema, version, _ in sorted(found, key=lambda row: row[2] or 0) if schema and "customers" in schema
    ]
    assert customers == [1] * (len(customers) - 3) + [2, 3, 4]
    # without types the retyped column cannot be seen: the newest version with these names is taken for all
    orders = {version for schema, version, _ in found if schema == "srv.inventory.orders" and version}
    assert orders == ({1, 2} if inventory.variant == "schema" else {2})
    discovered = inventory.rows(
        "landing", "discovered_schema_attribute", ["schema", "version", "attribute", "data_type", "is_key"]
    )
    text = "text" if inventory.variant == "schema" else None
    integer = "integer" if inventory.variant == "schema" else None
    assert discovered == sorted([
        ("srv.inventory.customers", 4, "id", integer, True), ("srv.inventory.customers", 4, "first_name", text, False),
        ("srv.inventory.customers", 4, "email_address", text, False), ("srv.inventory.customers", 4, "phone", text, False),
    ], key=repr)  # fmt: skip


@pytest.mark.parametrize(
    ("table", "entity", "attributes"),
    [("customers", "customer", CUSTOMER), ("orders", "purchase", PURCHASE), ("nopk", "note", ["number", "text"])],
)
def test_events_are_mapped(inventory: Inventory, table: str, entity: str, attributes: list[str]) -> None:
    events = inventory.expected.events[table]
    found = inventory.rows(
        "mapped",
        entity,
        ["op", "commit_position.log_position", *[f"after.{name}" for name in attributes]],
        "after is not null",
    )
    expected = [
        (op, lsn, *[after.get(name) for name in attributes]) for op, lsn, _, after in events if after is not None
    ]
    assert found == sorted(expected, key=repr)
    # the before image of a delete is real in its key only
    found = inventory.rows(
        "mapped",
        entity,
        ["op", "commit_position.log_position", *[f"before.{name}" for name in attributes]],
        "before is not null",
    )
    expected = [
        (op, lsn, *[before.get(name) if op != "d" or name == attributes[0] else None for name in attributes])
        for op, lsn, before, _ in events
        if before is not None
    ]
    assert found == sorted(expected, key=repr)
    present = inventory.rows(
        "mapped", entity, ["commit_position.log_position", "op", "array_sort(present)"], "after is not null"
    )
    assert present == sorted(((lsn, op, sorted(after)) for op, lsn, _, after in events if after is not None), key=repr)
    truncates = inventory.rows("mapped", entity, ["commit_position.log_position"], "op = 't'")
    assert truncates == [(lsn,) for op, lsn, _, _ in events if op == "t"]


def test_nothing_is_unmapped(inventory: Inventory) -> None:
    """Only the logical message is not mapped: it concerns no table."""
    assert inventory.rows("mapped", "customer", ["mapping_error"], "mapping_error is not null") == []
    assert inventory.rows("mapped", "purchase", ["mapping_error"], "mapping_error is not null") == []
    assert inventory.rows("mapped", "note", ["mapping_error"], "mapping_error is not null") == []
    mapped = [
        row for entity in ("customer", "purchase", "note") for row in inventory.rows("mapped", entity, ["event_id"])
    ]
    landed = inventory.rows("landing", "change_event", ["event_id"], "op <> 'm'")
    assert sorted(mapped) == landed
    assert inventory.rows("landing", "change_event", ["op"], "op = 'm'") == [("m",)]


@pytest.mark.parametrize(
    ("table", "entity", "attributes"), [("customers", "customer", CUSTOMER), ("orders", "purchase", PURCHASE)]
)
def test_history_is_that_of_the_replay(inventory: Inventory, table: str, entity: str, attributes: list[str]) -> None:
    columns = [*attributes, "valid_from_position.log_position", "valid_to_position.log_position", "is_first_version"]
    found = inventory.rows("history", f"{entity}_history", columns)
    assert found == history(inventory.expected.versions[table], attributes)


def test_final_states(inventory: Inventory) -> None:
    """What a table of the source has in the end is what its history says is valid."""
    customers = inventory.expected.versions["customers"]
    expected = [
        tuple(life[-1].values.get(name) for name in CUSTOMER)
        for life in customers.values()
        if life[-1].valid_to is None
    ]
    assert inventory.rows("history", "customer_history", CUSTOMER, "dbt_valid_to is null") == sorted(expected, key=repr)
    assert inventory.rows("history", "purchase_history", ["purchase_id"], "dbt_valid_to is null") == []
    assert len(inventory.rows("history", "purchase_history", ["purchase_id"])) == 4


def test_a_changed_primary_key_ends_one_and_begins_another(inventory: Inventory) -> None:
    columns = ["customer_id", "first_name", "valid_to_position.log_position", "is_first_version"]
    moved = inventory.rows("history", "customer_history", columns, "customer_id in (3, 2001)")
    begins = inventory.rows("history", "customer_history", ["valid_from_position.log_position"], "customer_id = 2001")
    assert moved == sorted([(3, "Edward", begins[0][0], True), (2001, "Edward", None, True)], key=repr)


def test_a_block_that_shrank_waits_for_review(inventory: Inventory) -> None:
    found = inventory.rows(
        "mapping", "mapping_review", ["schema", "version", "entity", "elements_before", "elements_after", "vanished"]
    )
    assert found == [("srv.inventory.customers", 4, "customer", 5, 4, "last_name")]


MAPPING = ("unique_block", "entity_attribute", "balanced_set", "mapped_customer")


@pytest.mark.parametrize("name", REMAPPINGS)
def test_a_changed_mapping_maps_exactly_the_events_concerned_again(inventory: Inventory, name: str) -> None:
    """From here on the tests change the mapping, one after the other."""
    case, remapping, mapped = inventory.case, REMAPPINGS[name], inventory.case.table("mapped", "customer")
    concerned, head = events(case), case.head("mapped", "customer")
    older = ("mapped_customer_v1",) if remapping.older else ()
    if remapping.older:
        case.put("models/mapped/mapped_customer_v1.sql", OLDER)
    if remapping.lands:
        land_again(case)
    store(case, remapping)
    read = sum(concerned[version] for version in (*remapping.gone, *remapping.come)) + remapping.lands
    outcome = job(case, *MAPPING, *older)
    assert outcome.messages["mapped_customer"].startswith(f"join: {read} in "), outcome.text
    assert not differs(case, "customer")
    written = case.spark.answer(f"select distinct schema_version from table_changes('{mapped}', {head + 1})")
    assert {version for (version,) in written} <= {*remapping.gone, *remapping.come, *([2] if remapping.lands else [])}
    if remapping.older:
        assert "no model maps to it" not in outcome.text
        rows = case.spark.answer(f"select distinct schema_version from {case.table('mapped', 'customer_v1')}")
        assert rows == [(1,)], "version 1 of the entity beside version 2, from its own blocks"


def test_what_is_out_of_sync_is_refused(inventory: Inventory) -> None:
    """Files, seeds, D_P and mapped rows, each newer than what is made from it."""
    case = inventory.case
    store(case, FIRST)
    said = job(case, "mapped_customer").text
    assert ".csv is not the file that" in said and "Run dbt build, or dbt build --select" in said
    assert job(case, "unique_block", "entity_attribute").success
    said = job(case, "mapped_customer").text
    assert "balanced_set was computed before" in said and "Run dbt build --select balanced_set+" in said
    assert job(case, "balanced_set").success
    said = job(case, "customer_history").text
    assert f"{CUSTOMERS} version 2 to customer version 1" in said and "Run dbt build --select mapped_customer+" in said
    said = job(case, "outgoing_customer").text
    assert f"{CUSTOMERS} version 2 to customer version 1" in said and "Run dbt build --select mapped_customer+" in said
    (case.path / "models/mapped/mapped_customer_v1.sql").unlink()


@pytest.mark.long
def test_a_killed_job_is_repeated(inventory: Inventory) -> None:
    case, mapped = inventory.case, inventory.case.table("mapped", "customer")
    store(case, FIRST)
    assert job(case, "unique_block", "entity_attribute", "balanced_set").success
    head = case.head("mapped", "customer")
    first = job(case, "mapped_customer").messages["mapped_customer"]
    assert first.startswith("join: ")
    # as a job leaves it that was killed before it had written
    case.spark.sql(f"restore table {mapped} to version as of {head}")
    assert job(case, "mapped_customer").messages["mapped_customer"] == first
    assert not differs(case, "customer")


@pytest.mark.long
def test_a_version_without_a_model_is_told(inventory: Inventory) -> None:
    case = inventory.case
    store(case, ELEVATED)
    assert job(case, "entity_attribute").success
    kept = f"select detail from {case.table('ops', 'published_snapshot')} where relation = '{case.table('mapping', 'balanced_set')}' "
    assert case.spark.rows(kept + "order by number desc limit 1") == [(None,)], "this job does not know the mapping"
    said = job(case, *MAPPING).text
    assert "Blocks feed version 1 of entity customer, and no model maps to it" in said
    assert OLDER in said, "it says what to write"


@pytest.mark.long
def test_the_mapping_as_it_was_maps_again_and_holds_changes_back(inventory: Inventory) -> None:
    case, mapped = inventory.case, inventory.case.table("mapped", "customer")
    published = case.table("ops", "published_snapshot")
    of_customers = f"select detail, sql_hash from {published} where relation = '{mapped}' order by number limit 1"
    ((first, sql_hash),) = case.spark.rows(of_customers)
    outcome = job(case, "mapped_customer", "--full-refresh", "--vars", f"mapping_state: {first[:8]}")
    assert outcome.success, outcome.text
    assert f"The mapping is held in state {first[:8]} by variable mapping_state." in outcome.text
    assert f"Held back until it is taken away: {CUSTOMERS} version 1 to customer version 1" in outcome.text
    metadata = case.spark.history(mapped)[0]["metadata"]
    assert (metadata["detail"], metadata["sql_hash"]) == (first, sql_hash), "the SQL of the first job, byte for byte"
    then = f"select * from {mapped} version as of 0"
    assert not case.spark.equal(f"select * from {mapped} where event_id <> 'another'", then)
    assert job(case, "mapped_customer").messages["mapped_customer"].startswith("join: ")
    assert not differs(case, "customer")
    said = job(case, "mapped_customer", "--vars", "mapping_state: none").text
    assert "no published snapshot has a state of the mapping that begins so" in said
