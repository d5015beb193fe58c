"""Orders with their lines and payments: most of the shop's traffic."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random

from recorder.steelworks.catalog import ITEMS, LATE_ITEM, NEW_CODE, OLD_CODE
from recorder.steelworks.clock import (
    BEGINNING,
    END,
    PHASE_THREE,
    PHASE_TWO,
    between,
    hours,
    later,
    second_phase,
)
from recorder.steelworks.masters import CUSTOMER_ABSENCES, customer_since
from recorder.steelworks.schema import SHOP, SHOP_NEXT
from recorder.steelworks.steps import Change, Statement, Step, Transaction, delete, insert, update

ORDERS = 145
FIRST_ORDER, FIRST_PAYMENT, FIRST_NEXT_PAYMENT = 10_001, 100_001, 500_001
KEY_CHANGE = second_phase(8)  # SBQ-20 becomes SBQ-020 in sales.item, and in mes.material an hour later
LATE_ITEM_ORDERS = (17, 31)  # these orders of phase 1 contain an item whose row comes in phase 2
ATTACHMENTS = (9, 24, 40, 75, 112)  # these orders have a note that PostgreSQL stores outside the row
ATTACHMENT_BYTES = 8_400  # 11.2 kB as base64
METHODS = ("transfer", "transfer", "transfer", "card", "SEPA", "", None)
CHANNELS = ("web", "phone", "EDI", "", None)
NOTES = (
    None,
    None,
    None,
    "",
    'deliver to gate 3, ask for "Jörg"',
    "customer's own crane; call +49 203 555-017",
    "mill certificate 3.1\nand a copy by post",
    "C:\\orders\\2026\\march",
)


@dataclass
class _Numbers:
    """The payment numbers of the two versions of the service, given out in the order of the simulated clock."""

    payment: int = FIRST_PAYMENT
    next_payment: int = FIRST_NEXT_PAYMENT


def order_steps(random: Random) -> list[Step]:
    """All orders and what becomes of them, unsorted."""
    steps: list[Step] = []
    last = PHASE_THREE - hours(2)
    times = sorted(between(random, BEGINNING, last) for _ in range(ORDERS))
    due: list[tuple[datetime, int, Decimal]] = []
    for number, at in enumerate(times):
        steps += _order(random, number, at, due)
    return steps + _payments(random, sorted(due))


def _order(random: Random, number: int, at: datetime, due: list[tuple[datetime, int, Decimal]]) -> list[Step]:
    """One order's life; what shall be paid, and when, is added to ``due``."""
    order_id = FIRST_ORDER + number
    lines = _lines(random, number, order_id, at)
    prices = {item.code: item.price for item in ITEMS}
    total = sum(
        (prices[_first_code(line.values["item_code"])] * line.values["quantity"] for line in lines), Decimal(0)
    ).quantize(Decimal("0.01"))
    customer = random.choice(_customers_at(at))
    values = {"customer_id": customer, "ordered_at": at, "channel": random.choice(CHANNELS)}
    note = _attachment(random) if number in ATTACHMENTS else random.choice(NOTES)
    writes: list[Change | Statement] = [
        insert("sales.sales_order", order_id=order_id, **values, status="open", note=note),
        *lines,
    ]
    if random.random() < 0.2:
        limit = Decimal(random.randrange(5_000, 900_000)) / 4
        writes.append(update("sales.customer", {"customer_id": customer}, credit_limit=limit))
    steps: list[Step] = [Transaction(at, SHOP, tuple(writes))]

    fate = random.random()
    if number in ATTACHMENTS or number in LATE_ITEM_ORDERS:
        fate = 0.5
    if fate < 0.1:
        steps.append(_cancellation(random, order_id, at))
    elif fate < 0.75:
        steps += _progress(random, order_id, lines, at)
    if fate >= 0.1 and random.random() < 0.9:
        when = later(random, at, 1, 40)
        if when >= PHASE_THREE and random.random() < 0.6:
            return steps  # paid after the story has ended
        if random.random() < 0.25:
            half = (total / 2).quantize(Decimal("0.01"))
            due += [(when, order_id, half), (later(random, when, 1, 12), order_id, total - half)]
        else:
            due.append((when, order_id, total))
    return steps


def _lines(random: Random, number: int, order_id: int, at: datetime) -> list[Change]:
    codes = random.sample([item.code for item in ITEMS if item.code != LATE_ITEM], random.choice((1, 2, 2, 3)))
    if number in LATE_ITEM_ORDERS:
        codes.append(LATE_ITEM)
    return [
        insert(
            "sales.order_line",
            order_id=order_id,
            line_number=line_number,
            item_code=NEW_CODE if code == OLD_CODE and at >= KEY_CHANGE else code,
            quantity=random.choice((1, 4, 12, 25, 60, 144)) * (5000 if code in ("RVT-008", "NAIL-100") else 1),
            discount=random.choice((None, None, Decimal("0.05"), Decimal("0.1250"), Decimal("0"), Decimal("-0.0150"))),
        )
        for line_number, code in enumerate(codes, start=1)
    ]


def _progress(random: Random, order_id: int, lines: list[Change], at: datetime) -> list[Step]:
    """Confirmed, sometimes with a corrected quantity, then shipped; nothing after phase 2."""
    confirmed = later(random, at, 0.5, 6)
    writes: list[Change] = [update("sales.sales_order", {"order_id": order_id}, status="confirmed")]
    if random.random() < 0.3:
        line = lines[0].values
        key = {"order_id": order_id, "line_number": line["line_number"]}
        writes.append(update("sales.order_line", key, quantity=line["quantity"] + random.choice((-1, 1, 3)) or 1))
    steps: list[Step] = [Transaction(confirmed, SHOP, tuple(writes))]
    shipped = later(random, confirmed, 4, 30)
    if random.random() < 0.5:
        steps.append(
            Transaction(shipped, SHOP, (update("sales.sales_order", {"order_id": order_id}, status="shipped"),))
        )
    return [step for step in steps if step.at < PHASE_THREE]


def _cancellation(random: Random, order_id: int, at: datetime) -> Transaction:
    """The order and its lines are deleted in one transaction."""
    when = min(later(random, at, 1, 20), PHASE_THREE - hours(0.5))
    return Transaction(
        when, SHOP, (delete("sales.order_line", order_id=order_id), delete("sales.sales_order", order_id=order_id))
    )


def _payments(random: Random, due: list[tuple[datetime, int, Decimal]]) -> list[Step]:
    """Customers pay: to version 1 of the service, and from phase 2 on to version 1 or 2."""
    numbers = _Numbers()
    steps: list[Step] = []
    early = PHASE_TWO - hours(8)  # version 2 has a few rows when the capture of it begins
    for at, order_id, amount in due:
        if at >= END:
            continue
        values = {"order_id": order_id, "paid_on": at.date(), "method": random.choice(METHODS)}
        if at >= early and random.random() < 0.55:
            currency = random.choice(("EUR", "EUR", "EUR", "SEK", "GBP"))
            change = insert(
                "incoming.payment", payment_id=numbers.next_payment, amount=amount, currency=currency, **values
            )
            steps.append(Transaction(at, SHOP_NEXT, (change,)))
            numbers.next_payment += 1
            continue
        writes = [insert("incoming.payment", payment_id=numbers.payment, paid_amount=amount, **values)]
        if at < PHASE_THREE and random.random() < 0.4:
            writes.append(update("sales.sales_order", {"order_id": order_id}, status="paid"))
        steps.append(Transaction(at, SHOP, tuple(writes)))
        numbers.payment += 1
    return steps


def _customers_at(at: datetime) -> list[int]:
    return [
        number
        for number, since in customer_since().items()
        if since <= at
        and not any(number == absent and first <= at < until for absent, first, until in CUSTOMER_ABSENCES)
    ]


def _first_code(code: str) -> str:
    return OLD_CODE if code == NEW_CODE else code


def _attachment(random: Random) -> str:
    """A note that cannot be compressed, as somebody who pastes a scan into a comment would leave it."""
    return "scan of the order form, base64:\n" + base64.b64encode(random.randbytes(ATTACHMENT_BYTES)).decode()
