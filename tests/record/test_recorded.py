"""What the recording in data/recorded must contain; pure Python over the files.

``ENTREPOT_RECORDED`` names another folder to check, for example a fresh recording.
"""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from recorder.steelworks import catalog, specials
from recorder.steelworks.clock import CAPTURE
from recorder.steelworks.masters import LIMIT
from recorder.steelworks.phases import story
from recorder.steelworks.steps import Change, Transaction
from tests.record.recorded_events import CHANGES, EVENING, FILES, FOLDER, OPENING, Event, events, number, select

PLACEHOLDER = "__debezium_unavailable_value"


def test_files_and_size() -> None:
    assert {phase: tuple(sorted(path.stem for path in (FOLDER / phase).iterdir())) for phase in FILES} == FILES
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.jsonl")) < 8_000_000
    for path in FOLDER.rglob("*.jsonl"):
        assert path.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(("phase", "table", "least"), [
    (OPENING, "sales.customer", {"r": 30, "c": 5, "u": 10, "d": 2, "tombstone": 2}),
    (OPENING, "sales.item", {"r": 20, "c": 2, "u": 30}),
    (OPENING, "sales.sales_order", {"r": 20, "c": 60, "u": 60, "d": 3, "tombstone": 3}),
    (OPENING, "sales.order_line", {"r": 40, "c": 130, "u": 10, "d": 5, "tombstone": 5}),
    (OPENING, "sales.price_note", {"r": 2, "c": 5, "t": 1}),
    (OPENING, "incoming.payment", {"r": 4, "c": 40}),
    (OPENING, "outgoing.payment", {"r": 8, "c": 30, "u": 1}),
    (OPENING, "message", {"m": 1}),
    (OPENING, "mes.equipment", {"r": 5, "u": 2}),
    (OPENING, "mes.material", {"r": 20, "c": 4, "u": 4}),
    (OPENING, "mes.production", {"r": 15, "c": 40, "u": 40}),
    (OPENING, "mes.equipment_status", {"r": 30, "c": 80, "u": 80}),
    (OPENING, "mes.quality", {"r": 10, "c": 40, "u": 3, "d": 1, "tombstone": 1}),
    (CHANGES, "sales.customer", {"c": 3, "u": 10}),
    (CHANGES, "sales.item", {"c": 2, "u": 30, "d": 1, "tombstone": 1}),
    (CHANGES, "sales.sales_order", {"c": 30, "u": 40, "d": 2}),
    (CHANGES, "sales.order_line", {"c": 60, "u": 6, "d": 2}),
    (CHANGES, "incoming.payment", {"r": 3, "c": 40, "u": 3, "d": 1, "tombstone": 1}),
    (CHANGES, "outgoing.payment", {"c": 12, "d": 1}),
    (CHANGES, "mes.equipment", {"u": 3}),
    (CHANGES, "mes.material", {"c": 1, "d": 1, "tombstone": 1, "u": 2}),
    (CHANGES, "mes.production", {"c": 30, "u": 30}),
    (CHANGES, "mes.quality", {"c": 25, "u": 1, "d": 1}),
    (EVENING, "sales.customer", {"c": 1, "u": 2}),
    (EVENING, "sales.order_line", {"c": 2, "u": 1, "d": 1}),
    (EVENING, "incoming.payment", {"c": 4}),
    (EVENING, "outgoing.payment", {"c": 4}),
    (EVENING, "mes.equipment", {"c": 1, "u": 1}),
    (EVENING, "mes.material", {"c": 1}),
    (EVENING, "mes.production", {"c": 8, "u": 8}),
    (EVENING, "mes.equipment_status", {"c": 10, "u": 10}),
    (EVENING, "mes.quality", {"c": 8}),
])  # fmt: skip
def test_every_phase_has_its_operations(phase: str, table: str, least: dict[str, int]) -> None:
    found = Counter(event.op for event in events() if event.phase == phase and event.table == table)
    assert {op: count for op, count in least.items() if found[op] < count} == {}, found


def test_the_last_phase_leaves_most_of_the_shop_alone() -> None:
    tables = {event.table for event in events() if event.phase == EVENING and event.file == "shop"}
    assert tables == {"sales.customer", "sales.order_line", "incoming.payment", "outgoing.payment", "transaction"}


CUSTOMER = "customer_id name email city credit_limit created_at"
VERSIONS = {
    ("shop", "sales.customer"): (
        CUSTOMER,
        f"{CUSTOMER} phone",
        f"{CUSTOMER} phone".replace("email", "email_address"),
        "customer_id name email_address city created_at phone",
    ),
    ("shop", "sales.item"): (
        "item_code name price:2 is_active updated_at",
        "item_code name price:3 is_active updated_at",
    ),
    ("shop", "sales.sales_order"): (
        "order_id customer_id ordered_at status note",
        "order_id customer_id ordered_at status note channel",
    ),
    ("shop", "sales.order_line"): (
        "order_id line_number item_code quantity:int32 discount",
        "order_id line_number item_code quantity:int64 discount",
    ),
    ("shop", "sales.price_note"): ("note_id note",),
    ("shop", "incoming.payment"): ("payment_id order_id paid_amount paid_on method",),
    ("shop", "outgoing.payment"): ("payment_id order_id supplier amount executed_at",),
    ("shop_next", "incoming.payment"): ("payment_id order_id amount currency paid_on method",),
    ("plant", "mes.equipment"): (
        "equipment_id name line max_speed commissioned_on",
        "equipment_id name production_line max_speed commissioned_on",
    ),
    ("plant", "mes.material"): ("item_code steel_grade weight_per_piece properties",),
    ("plant", "mes.production"): ("production_id equipment_id item_code started_at ended_at pieces",),
    ("plant", "mes.equipment_status"): ("status_id equipment_id status started_at ended_at",),
    ("plant", "mes.quality"): (
        "quality_id production_id inspected rejected inspected_at remark",
        "quality_id production_id inspected rejected inspected_at remark inspector",
    ),
}


@pytest.mark.parametrize(("file", "table"), VERSIONS)
def test_versions_of_the_columns_come_in_order(file: str, table: str) -> None:
    seen: list[tuple[tuple[str, str, str], ...]] = []
    for event in select(table, "rcu", file=file):
        if event.fields and event.fields not in seen[-1:]:
            seen.append(event.fields)
    assert len(set(seen)) == len(seen), "a version came back"
    expected = [[column.partition(":") for column in version.split()] for version in VERSIONS[file, table]]
    assert [[column[0] for column in version] for version in seen] == [[name for name, _, _ in one] for one in expected]
    for version, wanted in zip(seen, expected, strict=True):
        for column, (_, _, detail) in zip(version, wanted, strict=True):
            assert detail in ("", *column[1:]), (table, column)


def test_transactions_are_complete() -> None:
    """Every BEGIN has its END, and the END counts exactly the records in between."""
    rows: Counter[tuple[str, int]] = Counter()
    status: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    announced: dict[tuple[str, int], int] = {}
    for event in events():
        if event.value is None or event.op == "r":
            continue
        identity = event.file, event.transaction
        if event.table == "transaction":
            status[identity].append(event.op)
            if event.op == "END":
                announced[identity] = event.value["event_count"]
        else:
            assert status[identity] == ["BEGIN"], event
            rows[identity] += 1
            assert event.value["transaction"]["total_order"] == rows[identity]
    assert announced == dict(rows)
    assert all(statuses == ["BEGIN", "END"] for statuses in status.values())
    assert sum(count > 1 for count in rows.values()) > 100


def test_nothing_is_lost_or_twice() -> None:
    """Replayed, every update and delete finds its row and no insert finds one: there is no gap."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for event in events():
        if event.op not in ("r", "c", "u", "d") or event.key is None:
            continue
        identity = event.file, event.table, json.dumps(event.key)
        assert (identity in rows) == (event.op in ("u", "d")), event
        if event.op == "d":
            del rows[identity]
        else:
            rows[identity] = event.after
    counts = Counter(table for _, table, _ in rows)
    assert counts["sales.customer"] == 40
    assert counts["sales.item"] == counts["mes.material"] == 25
    assert counts["mes.equipment"] == 6
    assert counts["sales.sales_order"] > 120
    assert counts["sales.order_line"] > 250
    assert counts["mes.production"] > 110
    assert counts["mes.equipment_status"] > 190
    _check_status_intervals([row for (_, table, _), row in rows.items() if table == "mes.equipment_status"])


def _check_status_intervals(rows: list[dict[str, Any]]) -> None:
    assert {row["status"] for row in rows} == {"on", "setup", "off"}
    for equipment in range(1, 7):
        own = sorted((row for row in rows if row["equipment_id"] == equipment), key=lambda row: row["started_at"])
        for row, following in pairwise(own):
            assert row["ended_at"] == following["started_at"]
        assert own[-1]["ended_at"] is None


@pytest.mark.parametrize(
    ("table", "column"),
    [("sales.sales_order", "order_id"), ("sales.customer", "customer_id"), ("mes.production", "production_id")],
)
def test_the_recording_is_the_story(table: str, column: str) -> None:
    """Every row that the story commits has been recorded, and nothing else."""
    expected: set[int] = set(specials.PAIRED_ORDERS) if table == "sales.sales_order" else set()
    for step in story(1):
        if isinstance(step, Transaction) and not step.rolled_back:
            for write in step.writes:
                if isinstance(write, Change) and write.table == table and write.kind == "insert":
                    expected.add(write.values[column])
                if isinstance(write, Change) and write.table == table and write.kind == "delete" and step.at < CAPTURE:
                    expected.discard(write.key[column])  # gone before the snapshot
    expected -= set(specials.NEVER_ORDERS)  # one of them was only rolled back to a savepoint
    assert {event.after[column] for event in select(table, "rc")} == expected


def test_what_was_rolled_back_never_appears() -> None:
    for phase, files in FILES.items():
        for file in files:
            text = (FOLDER / phase / f"{file}.jsonl").read_text()
            for never in (*specials.NEVER_ORDERS, specials.NEVER_PRODUCTION):
                assert f'_id\\":{never}' not in text
    kept = [event for event in select("sales.sales_order", "u") if event.after["order_id"] == specials.PAIRED_ORDERS[0]]
    assert [event.after["status"] for event in kept][:2] == ["confirmed", "confirmed"]  # before and after the savepoint


def test_transactions_interleave() -> None:
    """A transaction that began first comes last where it was committed last: the LSNs of its rows go back."""
    pairs = 0
    for file in ("shop", "plant"):
        spans: dict[int, list[int]] = {}
        for event in events():
            if event.file == file and event.value and event.op in ("c", "u", "d"):
                lsn = event.value["source"]["lsn"]
                span = spans.setdefault(event.transaction, [lsn, lsn])
                span[1] = max(span[1], lsn)
        order = list(spans.items())
        for (one, (_, until)), (other, (begins, _)) in pairwise(order):
            if begins < until:
                assert other < one
                pairs += 1
    assert pairs == 3


def test_commit_order_within_a_file() -> None:
    for phase, files in FILES.items():
        for file in files:
            commits = [
                int(json.loads(event.value["source"]["sequence"])[0] or 0)
                for event in events()
                if (event.phase, event.file) == (phase, file) and event.op in ("c", "u", "d", "t", "m")
            ]
            assert commits == sorted(commits)


@pytest.mark.parametrize(("file", "table"), [("shop", "sales.item"), ("plant", "mes.material")])
def test_a_primary_key_change_is_delete_tombstone_create(file: str, table: str) -> None:
    own = [event for event in events() if event.file == file and event.table == table]
    at = next(index for index, event in enumerate(own) if "__debezium.newkey" in event.headers)
    deleted, tombstone, created = own[at : at + 3]
    assert (deleted.op, tombstone.op, created.op) == ("d", "tombstone", "c")
    assert deleted.key == tombstone.key == {"item_code": catalog.OLD_CODE}
    assert created.key == {"item_code": catalog.NEW_CODE}
    assert deleted.headers["__debezium.newkey"] == tombstone.headers["__debezium.newkey"] == created.key
    assert created.headers["__debezium.oldkey"] == deleted.key
    assert deleted.value["source"]["lsn"] == created.value["source"]["lsn"]  # only total_order tells them apart
    assert deleted.transaction == created.transaction


def test_toasted_notes() -> None:
    notes = {event.after["order_id"]: event.after["note"] for event in select("sales.sales_order", "rc")}
    placeholders = [
        event.after["order_id"] for event in select("sales.sales_order", "u") if event.after["note"] == PLACEHOLDER
    ]
    assert len(set(placeholders)) >= 3
    assert all(len(notes[order_id]) > 10_000 for order_id in placeholders)


def test_late_facts() -> None:
    def phases(found: Iterator[Event]) -> set[str]:
        return {event.phase for event in found}

    late = catalog.LATE_ITEM
    assert OPENING in phases(event for event in select("sales.order_line", "rc") if event.after["item_code"] == late)
    assert OPENING in phases(event for event in select("mes.production", "rc") if event.after["item_code"] == late)
    assert phases(event for event in select("sales.item", "rc") if event.after["item_code"] == late) == {CHANGES}
    assert phases(event for event in select("mes.material", "rc") if event.after["item_code"] == late) == {EVENING}
    machine = catalog.LATE_EQUIPMENT
    runs = (event for event in select("mes.production", "rc") if event.after["equipment_id"] == machine)
    assert {OPENING, CHANGES} <= phases(runs)
    assert phases(event for event in select("mes.equipment", "rc") if event.after["equipment_id"] == machine) == {
        EVENING
    }


def test_deleted_customers_come_back() -> None:
    ops = defaultdict(list)
    for event in select("sales.customer", "rcd"):
        ops[event.key["customer_id"]].append((event.op, event.phase))
    assert ops[7] == [("r", OPENING), ("d", OPENING), ("c", OPENING)]
    assert ops[11] == [("r", OPENING), ("d", OPENING), ("c", CHANGES)]


def test_before_images() -> None:
    assert all(event.value["before"]["started_at"] for event in select("mes.equipment_status", "u"))
    assert all(event.value["before"] is None for event in select("mes.production", "u"))
    deleted = select("sales.sales_order", "d")[0].value["before"]
    assert deleted["order_id"] > 0
    assert (deleted["status"], deleted["note"]) == ("", None)  # only the key is real


def test_many_changes_of_one_key_in_one_transaction() -> None:
    ops = [event.op for event in events() if event.key == {"order_id": specials.FLEETING_ORDER}]
    assert ops == ["c", "u", "d", "tombstone"]
    for table in ("sales.item", "mes.material", "sales.customer"):
        changes = Counter((event.transaction, json.dumps(event.key)) for event in select(table, "u"))
        assert max(changes.values()) > 1


def test_unmapped_events() -> None:
    notes = select("sales.price_note")
    assert all(event.key is None for event in notes)
    truncate = next(event for event in notes if event.op == "t")
    assert (truncate.value["before"], truncate.after) == (None, None)
    assert {None, ""} <= {event.after["note"] for event in notes if event.after}
    message = select("message")[0]
    assert message.key == {"prefix": "app"}
    assert base64.b64decode(message.value["message"]["content"]).decode() == "month end: prices frozen ✓"


def test_two_versions_of_the_payment_service_write_at_the_same_time() -> None:
    topics = {
        (event.file, event.value["source"]["db"])
        for event in events()
        if event.destination == "shop.incoming.payment" and event.value
    }
    assert topics == {("shop", "entrepot_shop"), ("shop_next", "entrepot_shop_next")}
    for phase in (CHANGES, EVENING):
        assert {event.file for event in select("incoming.payment", "c", phase)} == {"shop", "shop_next"}
    assert min(event.key["payment_id"] for event in select("incoming.payment", file="shop_next")) > 500_000


def test_awkward_values() -> None:
    amounts = {number(event.after["amount"], 2) for event in select("outgoing.payment", "rc")}
    assert {LIMIT, -LIMIT} <= amounts
    credit = {number(event.after.get("credit_limit"), 2) for event in select("sales.customer", "rcu")}
    assert {None, LIMIT, Decimal("-1250.50"), Decimal("0.01")} <= credit
    assert any((number(event.after["discount"], 4) or 0) < 0 for event in select("sales.order_line", "rc"))
    assert max(event.after["quantity"] for event in select("sales.order_line", phase=EVENING) if event.after) > 2**31
    assert {None, ""} <= {event.after["city"] for event in select("sales.customer", "rcu")}
    names = " ".join(event.after["name"] for event in select("sales.customer", "rc"))
    assert all(text in names for text in ("O'Neill", '"Nowa"', "日本", "🏗", "Fasteners \\ Fixings"))
    weights = [event.after["weight_per_piece"] for event in select("mes.material", "rcu")]
    assert None in weights
    assert len({weight["scale"] for weight in weights if weight}) > 3
    assert {None, "{}"} <= {event.after["properties"] for event in select("mes.material", "rcu")}
