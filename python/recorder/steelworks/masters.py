"""Customers and items of the shop: inserted, changed, deleted, renamed."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from random import Random

from recorder.steelworks.catalog import CUSTOMERS, ITEMS, LATE_ITEM, SUPPLIERS
from recorder.steelworks.clock import (
    BEGINNING,
    CAPTURE,
    PHASE_THREE,
    between,
    evening,
    hours,
    opening,
    second_phase,
)
from recorder.steelworks.schema import SHOP
from recorder.steelworks.steps import Change, Step, Transaction, delete, insert, update

# customer, deleted at, inserted again at: once within phase 1, once from phase 1 to phase 2
CUSTOMER_ABSENCES = ((7, opening(12), opening(30)), (11, opening(38), second_phase(5)))
FIRST_OUTGOING = 300_001
OUTGOING = 72
LIMIT = Decimal("9999999999.99")  # the largest numeric(12,2)
NEW_CUSTOMERS_AT = (
    opening(2),
    opening(9),
    opening(21),
    opening(26),
    opening(41),
    second_phase(3),
    second_phase(16),
    evening(1.5),
)


def customer_since() -> dict[int, datetime]:
    """Customer number → when its row is first inserted."""
    late = len(CUSTOMERS) - len(NEW_CUSTOMERS_AT)
    times = [BEGINNING + hours(-1) for _ in range(late)] + list(NEW_CUSTOMERS_AT)
    return dict(enumerate(times, start=1))


def customer_steps(random: Random) -> list[Step]:
    """Everything that happens to ``sales.customer`` but the credit limits that change with an order."""
    steps: list[Step] = []
    since = customer_since()
    present = tuple(_customer(random, number) for number, at in since.items() if at < BEGINNING)
    steps.append(Transaction(BEGINNING, SHOP, present))
    steps += [Transaction(at, SHOP, (_customer(random, number),)) for number, at in since.items() if at >= BEGINNING]
    for number, deleted, again in CUSTOMER_ABSENCES:
        steps.append(Transaction(deleted, SHOP, (delete("sales.customer", customer_id=number),)))
        steps.append(Transaction(again, SHOP, (_customer(random, number),)))
    steps += [
        Transaction(opening(3), SHOP, (_change(1, email="einkauf@kowalski.example", city="Moers"),)),
        Transaction(opening(4), SHOP, (_change(5, credit_limit=Decimal("-1250.50")),)),  # blocked: owes more
        Transaction(opening(5), SHOP, (_change(9, credit_limit=LIMIT),)),
        Transaction(opening(16), SHOP, (_change(14, city="Unna"), _change(14, city=""), _change(14, city=None))),
        Transaction(opening(33), SHOP, (_change(22, email=""),)),
        Transaction(opening(44), SHOP, (_change(2, name="O'Neill Structural Steel plc", credit_limit=None),)),
        # between the new column and the new name of another
        Transaction(
            second_phase(2.5),
            SHOP,
            (_change(3, phone="+48 42 555 01 17"), _change(4, phone="")),
        ),
        Transaction(second_phase(7), SHOP, (_change(8, phone="+31 10 555 0199", email="inkoop@velde.example"),)),
        Transaction(second_phase(12), SHOP, (_change(6, city="Crewe"),)),
        # after it
        Transaction(second_phase(15), SHOP, (_change(10, email="acquisti@bianchi.example", phone="030 555 7788"),)),
        Transaction(second_phase(20), SHOP, (_change(12, email="compras@peña.example"), _change(12, city="Getxo"))),
        Transaction(second_phase(29), SHOP, (_change(17, credit_limit=Decimal("0.01"), phone=None),)),
        # without the credit limit
        Transaction(evening(1.7), SHOP, (_change(13, email="order@skanska-stal.example"),)),
        Transaction(evening(5), SHOP, (_change(20, city="Třinec", phone="+420 555 010 203"),)),
    ]
    return steps


def item_steps(random: Random) -> list[Step]:
    """Everything that happens to ``sales.item`` but its primary key change."""
    at_once, later_in_phase_one = ITEMS[:22], ITEMS[22:24]
    present = tuple(_item(item.code, item.name, item.price, BEGINNING) for item in at_once)
    steps: list[Step] = [Transaction(BEGINNING, SHOP, present)]
    for item, at in zip(later_in_phase_one, (opening(1), opening(13)), strict=True):
        steps.append(Transaction(at, SHOP, (_item(item.code, item.name, item.price, at),)))
    late = next(item for item in ITEMS if item.code == LATE_ITEM)
    arrival = second_phase(5.5)
    steps.append(Transaction(arrival, SHOP, (_item(late.code, late.name, late.price, arrival),)))
    codes = [item.code for item in at_once if item.code != "SBQ-20"]
    prices = {item.code: item.price for item in ITEMS}
    for at in sorted(between(random, CAPTURE, PHASE_THREE) for _ in range(46)):
        writes: list[Change] = []
        for code in random.sample(codes, random.choice((1, 1, 2))):
            for _ in range(random.choice((1, 1, 1, 2))):  # sometimes the same key twice in one transaction
                factor = Decimal(random.randrange(9400, 10800)) / 10000
                prices[code] = max(Decimal("0.011"), prices[code] * factor)
                # before the type changes PostgreSQL rounds to two digits, afterwards to three
                writes.append(_price(code, prices[code].quantize(Decimal("0.001")), at))
        steps.append(Transaction(at, SHOP, tuple(writes)))
    steps += [
        Transaction(opening(28), SHOP, (_price("SBQ-20", Decimal("25.40"), opening(28)),)),
        Transaction(second_phase(18), SHOP, (_price("SBQ-020", Decimal("25.995"), second_phase(18)),)),
        Transaction(
            opening(36),
            SHOP,
            (update("sales.item", {"item_code": "TUB-114"}, is_active=False, updated_at=_local(opening(36))),),
        ),
    ]
    return steps


def outgoing_steps(random: Random) -> list[Step]:
    """Payments to suppliers and refunds to customers."""
    steps: list[Step] = []
    times = sorted(between(random, BEGINNING + hours(3), PHASE_THREE - hours(1)) for _ in range(OUTGOING - 4))
    times += [evening(2.2), evening(4.4), evening(7), evening(9.5)]
    for number, at in enumerate(times):
        payment_id = FIRST_OUTGOING + number
        if random.random() < 0.3:
            whose: dict[str, int | str | None] = {"order_id": 10_001 + random.randrange(20), "supplier": None}
            amount = Decimal(random.randrange(500, 90_000)) / 100
        else:
            whose = {"order_id": None, "supplier": random.choice(SUPPLIERS)}
            amount = Decimal(random.randrange(10_000, 90_000_000)) / 100
            if random.random() < 0.15:
                amount = -amount  # a credit note of the supplier
        if number == 20:
            amount = LIMIT
        if number == 33:
            amount = -LIMIT
        change = insert("outgoing.payment", payment_id=payment_id, **whose, amount=amount, executed_at=at)
        steps.append(Transaction(at, SHOP, (change,)))
    corrected = update("outgoing.payment", {"payment_id": FIRST_OUTGOING + 2}, supplier="", amount=Decimal("-0.01"))
    withdrawn = delete("outgoing.payment", payment_id=FIRST_OUTGOING + 3)
    return [*steps, Transaction(opening(31), SHOP, (corrected,)), Transaction(second_phase(9), SHOP, (withdrawn,))]


def _customer(random: Random, number: int) -> Change:
    name, city = CUSTOMERS[number - 1]
    return insert(
        "sales.customer",
        customer_id=number,
        name=name,
        email=f"purchase{number:02d}@customer{number:02d}.example",
        city=city,
        credit_limit=random.choice((None, Decimal(random.randrange(0, 4_000_000)) / 8)),
        created_at=datetime(
            2019 + number % 7, 1 + number % 12, 1 + number % 28, 9, 30, number, 125_000 * (number % 8), BEGINNING.tzinfo
        ),
        phone=random.choice((None, f"+49 203 555 {number:04d}")),
    )


def _change(number: int, **values: object) -> Change:
    return update("sales.customer", {"customer_id": number}, **values)


def _item(code: str, name: str, price: Decimal, at: datetime) -> Change:
    return insert("sales.item", item_code=code, name=name, price=price, is_active=True, updated_at=_local(at))


def _price(code: str, price: Decimal, at: datetime) -> Change:
    return update("sales.item", {"item_code": code}, price=price, updated_at=_local(at))


def _local(at: datetime) -> datetime:
    """``updated_at`` is a timestamp without time zone."""
    return at.replace(tzinfo=None)
