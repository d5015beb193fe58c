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

from tests.inventory.replay import Replay, Version, replay
from tests.support.dbt_case import DbtCase

HERE = Path(__file__).parent
MODEL = "{{{{ config(alias='{entity}', entity='{entity}') }}}}\n{{{{ map_to_entity('{entity}') }}}}\n"
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


CUSTOMERS = "srv.inventory.customers"
REMAPPED = (
    "--exclude-resource-type",
    "test",
    "--select",
    "unique_block",
    "entity_attribute",
    "balanced_set",
    "mapped_customer",
)
Elements = tuple[tuple[str, str], ...]
ALL: Elements = tuple(zip(["id", *CUSTOMER[1:]], CUSTOMER, strict=True))
SWAPPED: Elements = (
    ("id", "customer_id"),
    ("first_name", "last_name"),
    ("last_name", "first_name"),
    ("email", "email"),
)
MAIL: Elements = (("id", "customer_id"), ("email_address", "email"))


@dataclass(frozen=True)
class Remapping:
    """A change of the stored blocks of customers; version 4 inherits from 3 where nothing is stored.

    Attributes:
        blocks: what is stored then, {version: elements}; none for a null block
        gone: versions whose rows go
        come: versions whose events come; a changed block's go and come
        entity_version: the newest version of the entity, with the same attributes
        lands: whether an event of version 2 arrives in the same job
    """

    blocks: dict[int, Elements]
    gone: tuple[int, ...]
    come: tuple[int, ...]
    entity_version: int = 1
    lands: bool = False


REMAPPINGS = {
    "names are swapped in version 1, and two attributes are null in versions 3 and 4": Remapping(
        {1: SWAPPED, 2: ALL, 3: MAIL}, gone=(1, 3, 4), come=(1, 3, 4)
    ),
    "a null block, and an event of another version": Remapping({1: SWAPPED, 2: ALL, 3: ()}, (3, 4), (), lands=True),
    "a deleted block, a new one, one that is inherited again, and the entity is elevated": Remapping(
        {2: ALL, 4: MAIL}, (1,), (3, 4), entity_version=2
    ),
}


def store(case: DbtCase, remapping: Remapping) -> None:
    """Write the seeds."""
    seeds = case.path / "seeds/mapping"
    others = [line for line in (HERE / "seeds/unique_block.csv").read_text().splitlines() if CUSTOMERS not in line]
    rows = [
        f"{CUSTOMERS},{version},customer,{remapping.entity_version},{attribute},{mapped}"
        for version, elements in remapping.blocks.items()
        for attribute, mapped in elements or [("", "")]
    ]
    (seeds / "unique_block.csv").write_text("\n".join([*others, *rows]) + "\n")
    attributes = (HERE / "seeds/entity_attribute.csv").read_text()
    newer = [line.replace("customer,1,", f"customer,{number},") for line in attributes.splitlines() if line.startswith("customer,1,")
             for number in range(2, remapping.entity_version + 1)]  # fmt: skip
    (seeds / "entity_attribute.csv").write_text(attributes + "".join(f"{line}\n" for line in newer))


def events(case: DbtCase) -> Counter[int]:
    """How many events of each version of customers have landed."""
    found = f"select schema_version from {case.table('landing', 'change_event')} where schema_name = '{CUSTOMERS}' and op <> 't'"
    return Counter(version for (version,) in case.spark.rows(found))


@pytest.mark.parametrize("name", REMAPPINGS)
def test_a_changed_mapping_maps_exactly_the_events_concerned_again(inventory: Inventory, name: str) -> None:
    """The last tests of the module: they change the mapping, one after the other."""
    if inventory.variant == "schema":
        pytest.skip("the blocks are the same")
    case, remapping, mapped = inventory.case, REMAPPINGS[name], inventory.case.table("mapped", "customer")
    landed, head = case.table("landing", "change_event"), case.head("mapped", "customer")
    concerned = events(case)
    if remapping.lands:
        row = f"select * from {landed} where schema_name = '{CUSTOMERS}' and schema_version = 2 limit 1"
        case.spark.sql(f"insert into {landed} select 'another' as event_id, * except (event_id) from ({row})")
    store(case, remapping)
    read = sum(concerned[version] for version in (*remapping.gone, *remapping.come)) + remapping.lands

    def remapped() -> None:
        assert case.build(*REMAPPED).messages["mapped_customer"].startswith(f"join: {read} in ")
        compiled = (case.path / "target/compiled/entrepot/models/mapped/mapped_customer.sql").read_text()
        assert not case.spark.equal(f"select * from {mapped}", compiled)

    remapped()
    written = case.spark.rows(f"select distinct schema_version from table_changes('{mapped}', {head + 1})")
    assert {version for (version,) in written} <= {*remapping.gone, *remapping.come, *([2] if remapping.lands else [])}
    if remapping.lands:
        # as a job leaves it that was killed before it had written
        case.spark.sql(f"restore table {mapped} to version as of {head}")
        remapped()
