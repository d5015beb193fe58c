"""Changes of the mapping of the recorded customers: what is stored, and which events that concerns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.support.dbt_case import WITHOUT_TESTS, DbtCase, Outcome

HERE = Path(__file__).parent
CUSTOMERS = "srv.inventory.customers"
Elements = tuple[tuple[str, str], ...]
ATTRIBUTES = ("first_name", "last_name", "email", "phone")
ALL: Elements = (("id", "customer_id"), *zip(ATTRIBUTES, ATTRIBUTES, strict=True))
SWAPPED: Elements = (
    ("id", "customer_id"), ("first_name", "last_name"), ("last_name", "first_name"), ("email", "email"),
)  # fmt: skip
MAIL: Elements = (("id", "customer_id"), ("email_address", "email"))
NOTHING: Elements = (("", ""),)


@dataclass(frozen=True)
class Remapping:
    """A change of the stored blocks of customers; version 4 inherits from 3 where nothing is stored.

    Attributes:
        blocks: what is stored then to the newest version of the entity, {version: elements}
        gone: versions whose rows go
        come: versions whose events come; a changed block's go and come
        older: what is stored to version 1 of the entity, where version 2 with the same attributes is the newest
        lands: whether an event of version 2 arrives in the same job
    """

    blocks: dict[int, Elements]
    gone: tuple[int, ...]
    come: tuple[int, ...]
    older: dict[int, Elements] | None = None
    lands: bool = False


REMAPPINGS = {
    "names are swapped in one version, attributes are null in another, a null block, and an event arrives": Remapping(
        {1: SWAPPED, 2: ALL, 3: MAIL, 4: NOTHING}, gone=(1, 3, 4), come=(1, 3), lands=True
    ),
    "a deleted block, a new one, one that is inherited again, and the entity is elevated": Remapping(
        {2: ALL, 4: MAIL}, gone=(1, 3), come=(3, 4), older={1: SWAPPED}
    ),
}
FIRST, ELEVATED = REMAPPINGS.values()
OLDER = "{{ config(alias='customer_v1', entity='customer', entity_version=1) }} {{ map_to_entity('customer', 1) }}"


def store(case: DbtCase, remapping: Remapping) -> None:
    """Write the seeds."""
    seeds = case.path / "seeds/mapping"
    others = [line for line in (HERE / "seeds/unique_block.csv").read_text().splitlines() if CUSTOMERS not in line]
    versions = {1: remapping.older, 2: remapping.blocks} if remapping.older else {1: remapping.blocks}
    rows = [
        f"{CUSTOMERS},{version},customer,{entity_version},{attribute},{mapped}"
        for entity_version, blocks in versions.items()
        for version, elements in (blocks or {}).items()
        for attribute, mapped in elements
    ]
    (seeds / "unique_block.csv").write_text("\n".join([*others, *rows]) + "\n")
    attributes = (HERE / "seeds/entity_attribute.csv").read_text()
    newer = [line.replace("customer,1,", "customer,2,") for line in attributes.splitlines() if "customer,1," in line]
    (seeds / "entity_attribute.csv").write_text(attributes + "".join(f"{line}\n" for line in newer if remapping.older))


def events(case: DbtCase) -> Counter[int]:
    """How many events of each version of customers have landed."""
    found = f"select schema_version from {case.table('landing', 'change_event')} where schema_name = '{CUSTOMERS}' and op <> 't'"
    return Counter(version for (version,) in case.spark.rows(found))


def land_again(case: DbtCase) -> None:
    """Let an event of version 2 arrive once more, as another one."""
    landed = case.table("landing", "change_event")
    row = f"select * from {landed} where schema_name = '{CUSTOMERS}' and schema_version = 2 limit 1"
    case.spark.change(f"insert into {landed} select 'another' as event_id, * except (event_id) from ({row})")


def job(case: DbtCase, *selected: str) -> Outcome:
    """Build some nodes without their tests."""
    return case.dbt("build", *WITHOUT_TESTS, "--select", *selected)


def differs(case: DbtCase, entity: str) -> list[tuple[object, ...]]:
    """Rows in which a mapped table differs from all events mapped by the SQL as last compiled."""
    compiled = (case.path / f"target/compiled/entrepot/models/mapped/mapped_{entity}.sql").read_text()
    return case.spark.equal(f"select * from {case.table('mapped', entity)}", compiled)
