"""The rare things that every consumer of changes must survive, each once or twice and all on purpose."""

from __future__ import annotations

from decimal import Decimal

from recorder.steelworks.catalog import NEW_CODE, OLD_CODE
from recorder.steelworks.clock import BEGINNING, evening, opening, second_phase
from recorder.steelworks.orders import KEY_CHANGE
from recorder.steelworks.schema import PLANT, SHOP, SHOP_NEXT
from recorder.steelworks.steps import Change, Interleaved, Statement, Step, Transaction, delete, insert, update

# Keys that only ever appear in transactions, or parts of them, that are rolled back.
NEVER = 990_000
NEVER_ORDERS = (NEVER + 1, NEVER + 2)
NEVER_PRODUCTION = NEVER + 3
PAIRED_ORDERS = (20_001, 20_002, 20_003, 20_004)  # written by transactions that run at the same time
FLEETING_ORDER = 20_005  # inserted, updated and deleted in one transaction


def special_steps() -> list[Step]:
    """All of them, unsorted."""
    return [
        *_rolled_back(),
        *_interleaved(),
        *_within_one_transaction(),
        *_key_change(),
        *_unmapped(),
        *_next_version(),
        *_last_evening(),
    ]


def _order(order_id: int, at: str, customer: int, note: str | None = None) -> Change:
    return insert(
        "sales.sales_order",
        order_id=order_id,
        customer_id=customer,
        ordered_at=at,
        status="open",
        note=note,
        channel="EDI",
    )


def _line(order_id: int, number: int, code: str, quantity: int) -> Change:
    return insert("sales.order_line", order_id=order_id, line_number=number, item_code=code, quantity=quantity)


def _rolled_back() -> list[Step]:
    whole = (
        _order(NEVER_ORDERS[0], "2026-03-03T10:00:00Z", 1),
        _line(NEVER_ORDERS[0], 1, "HEB-300", 7),
        update("sales.customer", {"customer_id": 1}, credit_limit=Decimal("-99999.99")),
    )
    # a savepoint: the second order disappears, the change around it stays
    part = (
        update("sales.sales_order", {"order_id": PAIRED_ORDERS[0]}, status="confirmed"),
        Statement("savepoint attempt"),
        _order(NEVER_ORDERS[1], "2026-03-04T11:00:00Z", 2),
        _line(NEVER_ORDERS[1], 1, "PLT-60", 1),
        Statement("rollback to savepoint attempt"),
        update("sales.sales_order", {"order_id": PAIRED_ORDERS[0]}, note="credit check passed at the second attempt"),
    )
    run = {"equipment_id": 2, "item_code": "RBR-12", "started_at": "2026-03-05T03:00:00Z"}
    return [
        Transaction(opening(11), SHOP, whole, rolled_back=True),
        Transaction(opening(37), SHOP, part),
        Transaction(
            second_phase(7.5),
            PLANT,
            (insert("mes.production", production_id=NEVER_PRODUCTION, **run),),
            rolled_back=True,
        ),
    ]


def _interleaved() -> list[Step]:
    first, second, third, fourth = PAIRED_ORDERS
    return [
        Interleaved(
            opening(10.5),
            SHOP,
            first=(
                _order(first, "2026-03-03T08:30:00Z", 3),
                _line(first, 1, "IPE-160", 40),
                _line(first, 2, "UPN-120", 12),
            ),
            second=(_order(second, "2026-03-03T08:30:00Z", 4, "same second"), _line(second, 1, "IPE-160", 9)),
        ),
        Interleaved(
            second_phase(17),
            SHOP,
            first=(
                _order(third, "2026-03-05T13:00:00Z", 10),
                update("sales.sales_order", {"order_id": first}, status="shipped"),
            ),
            second=(
                _order(fourth, "2026-03-05T13:00:00Z", 10),
                _line(fourth, 1, NEW_CODE, 300),
                insert(
                    "incoming.payment",
                    payment_id=190_001,
                    order_id=fourth,
                    paid_amount=Decimal("-7798.50"),  # paid back at once: the card was refused later
                    paid_on="2026-03-05",
                    method="card",
                ),
            ),
        ),
        Interleaved(
            opening(25),
            PLANT,
            first=(
                update("mes.material", {"item_code": "RBR-12"}, steel_grade="B500A"),
                update("mes.material", {"item_code": "RBR-12"}, steel_grade="B500B+"),
            ),
            second=(update("mes.material", {"item_code": "RBR-16"}, steel_grade="B500B+"),),
        ),
    ]


def _within_one_transaction() -> list[Step]:
    key = {"order_id": FLEETING_ORDER}
    fleeting = (
        _order(FLEETING_ORDER, "2026-03-03T18:00:00Z", 6, "typed into the wrong window"),
        _line(FLEETING_ORDER, 1, "RAIL-60", 2),
        update("sales.order_line", {**key, "line_number": 1}, quantity=20),
        update("sales.sales_order", key, status="confirmed"),
        delete("sales.order_line", order_id=FLEETING_ORDER),
        delete("sales.sales_order", order_id=FLEETING_ORDER),
    )
    # a line is deleted and inserted again under its key in one transaction
    replaced = (
        delete("sales.order_line", order_id=PAIRED_ORDERS[1], line_number=1),
        _line(PAIRED_ORDERS[1], 1, "IPE-160", 11),
        _line(PAIRED_ORDERS[1], 2, "ANG-50", 90),
    )
    return [Transaction(opening(20), SHOP, fleeting), Transaction(opening(22), SHOP, replaced)]


def _key_change() -> list[Step]:
    """SBQ-20 becomes SBQ-020; lines of orders that have not been shipped follow in the same transaction."""
    open_lines = Statement(
        """update sales.order_line set item_code = %s
           where item_code = %s
             and order_id in (select order_id from sales.sales_order where status in ('open', 'confirmed'))""",
        (NEW_CODE, OLD_CODE),
    )
    renamed = update(
        "sales.item", {"item_code": OLD_CODE}, item_code=NEW_CODE, updated_at=KEY_CHANGE.replace(tzinfo=None)
    )
    return [Transaction(KEY_CHANGE, SHOP, (renamed, open_lines))]


def _unmapped() -> list[Step]:
    """A table without a primary key that no mapping knows, its TRUNCATE, and a logical message."""

    def note(number: int | None, text: str | None) -> Change:
        return insert("sales.price_note", note_id=number, note=text)

    message = Statement("select pg_logical_emit_message(true, 'app', %s)", ("month end: prices frozen ✓",))
    return [
        Transaction(BEGINNING, SHOP, (note(1, "scrap surcharge from Monday"), note(2, None))),
        Transaction(
            opening(7), SHOP, (note(3, "alloy surcharge “Ni” +2 %"), note(3, "the same number twice"), note(None, ""))
        ),
        Transaction(opening(32), SHOP, (message, note(4, "frozen"))),
        Transaction(opening(35), SHOP, (Statement("truncate sales.price_note"), note(5, "after the truncate"))),
        Transaction(second_phase(22), SHOP, (note(6, "thawed"),)),
    ]


def _next_version() -> list[Step]:
    """Version 2 of the payment service corrects and deletes, too."""
    key = {"payment_id": 500_002}
    return [
        Transaction(
            second_phase(23), SHOP_NEXT, (update("incoming.payment", key, amount=Decimal("-15.00"), currency="CHF"),)
        ),
        Transaction(second_phase(24), SHOP_NEXT, (delete("incoming.payment", payment_id=500_003),)),
        Transaction(
            second_phase(25),
            SHOP_NEXT,
            (update("incoming.payment", key, method=""), update("incoming.payment", key, method=None)),
        ),
    ]


def _last_evening() -> list[Step]:
    """What phase 3 needs of the shop: quantities beyond 32 bits, after the column has become a bigint."""
    key = {"order_id": PAIRED_ORDERS[3], "line_number": 1}
    return [
        Transaction(evening(2.5), SHOP, (update("sales.order_line", key, quantity=301),)),
        Transaction(
            evening(3.5),
            SHOP,
            (_line(PAIRED_ORDERS[3], 2, "RVT-008", 2_500_000_000), _line(PAIRED_ORDERS[3], 3, "NAIL-100", 80_000)),
        ),
        Transaction(evening(6.5), SHOP, (delete("sales.order_line", order_id=PAIRED_ORDERS[3], line_number=3),)),
    ]
