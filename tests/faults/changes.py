"""What lands in the shop whose jobs go wrong."""

from __future__ import annotations

from tests.upkeep.test_warehouse import Shop


def first_changes(shop: Shop) -> None:
    """What the first job lands."""
    for number in range(1, 6):
        shop.customer(number, f"name-{number}", "Graz" if number % 2 else "Linz")
        shop.booking(number, number, number * 10)
    shop.arrive()


def more_changes(shop: Shop) -> None:
    """A change of every sort: new, changed, gone; a city that gets its first booking, one that loses its last."""
    shop.customer(2, "name-2", "Wien", "u")
    shop.customer(4, "name-4", "Wien", "u")
    shop.customer(6, "name-6", "Wels")
    shop.booking(6, 6, 60)
    shop.booking(1, 1, 11, "u")
    shop.booking(3, 3, 30, "d")
    shop.arrive()
