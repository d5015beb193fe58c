"""The shop's rows, and what happens in it between two jobs. The tables and questions are those of dbt-labs/jaffle-shop, the rows our own."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

ORDERS, CUSTOMERS, STORES, PRODUCTS = 1500, 300, 6, 10
SCHEMA = "raw"
FEED = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
TABLES = {
    "raw_customers": "id int, name string",
    "raw_orders": "id int, customer int, ordered_at timestamp, store_id int, subtotal int, tax_paid int, order_total int",
    "raw_items": "id int, order_id int, sku string",
    "raw_stores": "id int, name string, opened_at timestamp, tax_rate double",
    "raw_products": "sku string, name string, type string, price int, description string",
    "raw_supplies": "id string, name string, cost int, perishable boolean, sku string",
}


class Shop:
    """A shop with orders, and the statements that make it and change it. The same seed gives the same statements."""

    def __init__(self, seed: int = 7) -> None:
        """Begin with nothing."""
        self._random = Random(seed)
        self._orders: list[int] = []
        self._items = 0

    def opening(self) -> Iterator[str]:
        """Yield the statements that make the tables and fill them."""
        yield f"create schema if not exists {SCHEMA}"
        for table, columns in TABLES.items():
            yield f"create table {SCHEMA}.{table} ({columns}) {FEED}"
        yield self._insert("raw_customers", [f"({number}, 'Customer {number}')" for number in range(1, CUSTOMERS + 1)])
        yield self._insert(
            "raw_stores",
            [
                f"({number}, 'City {number}', timestamp'2024-0{number}-01 08:00:00', 0.0{number + 3})"
                for number in range(1, STORES + 1)
            ],
        )
        yield self._insert("raw_products", [self._product(number) for number in range(1, PRODUCTS + 1)])
        supplies = [
            f"('SUP-{number}', 'supply {number}', {self._random.randint(2, 90)}, {str(number % 3 == 0).lower()}, "
            f"'{_sku(self._random.randint(1, PRODUCTS))}')"
            for number in range(1, 66)
        ]
        yield self._insert("raw_supplies", supplies)
        yield from self._new_orders(ORDERS)

    def day(self) -> Iterator[str]:
        """Yield the statements of about 60 changes: new orders with their items, corrected and cancelled ones, a renamed customer."""
        yield from self._new_orders(15)
        changed = self._random.sample(self._orders, 9)
        listed = ", ".join(map(str, changed[:6]))
        yield f"update {SCHEMA}.raw_orders set tax_paid = tax_paid + 1, order_total = order_total + 1 where id in ({listed})"
        cancelled = ", ".join(map(str, changed[6:]))
        yield f"delete from {SCHEMA}.raw_items where order_id in ({cancelled})"
        yield f"delete from {SCHEMA}.raw_orders where id in ({cancelled})"
        self._orders = [order for order in self._orders if order not in changed[6:]]
        customer = self._random.randint(1, CUSTOMERS)
        yield f"update {SCHEMA}.raw_customers set name = concat(name, '!') where id = {customer}"

    def _new_orders(self, count: int) -> Iterator[str]:
        orders, items = [], []
        for _ in range(count):
            order = max(self._orders, default=0) + 1
            self._orders.append(order)
            subtotal = 0
            for _ in range(self._random.randint(1, 4)):
                self._items += 1
                product = self._random.randint(1, PRODUCTS)
                subtotal += 100 * product
                items.append(f"({self._items}, {order}, '{_sku(product)}')")
            tax = subtotal // 20
            day = f"date_add(date'2025-01-01', {order // 10})"
            orders.append(
                f"({order}, {self._random.randint(1, CUSTOMERS)}, timestamp({day}), {self._random.randint(1, STORES)}, "
                f"{subtotal}, {tax}, {subtotal + tax})"
            )
        yield self._insert("raw_orders", orders)
        yield self._insert("raw_items", items)

    def _product(self, number: int) -> str:
        kind = "beverage" if number % 2 else "jaffle"
        return f"('{_sku(number)}', 'product {number}', '{kind}', {100 * number}, 'number {number}')"

    def _insert(self, table: str, rows: list[str]) -> str:
        return f"insert into {SCHEMA}.{table} values\n{', '.join(rows)}"


def _sku(number: int) -> str:
    return f"SKU-{number:03}"
