"""What changes between two jobs: how many rows, where they lie, and whether they are new."""

from __future__ import annotations

from dataclasses import dataclass

SHARES = (0.001, 0.01, 0.1)


@dataclass(frozen=True)
class Scenario:
    """One change of the sources.

    Attributes:
        share: which part of the order lines changes; 0 for none
        kind: `insert` (new orders with their lines) or `update` (a price of stored lines)
        place: `scattered` over all order keys, or `recent`: the newest of them
    """

    share: float
    kind: str = "none"
    place: str = ""

    @property
    def name(self) -> str:
        """The scenario in words, such as `update 0.1 % recent`."""
        return f"{self.kind} {self.share * 100:g} % {self.place}" if self.share else "nothing changed"

    def statements(self, keys: int) -> list[str]:
        """Return the SQL that changes the sources.

        Args:
            keys: the largest order key there is
        """
        if not self.share:
            return []
        chosen = self._chosen(keys)
        if self.kind == "update":
            return [
                f"update tpch.lineitem set l_extendedprice = l_extendedprice + 1 where {chosen.format('l_orderkey')}"
            ]
        return [
            f"insert into tpch.{table} by name select {column} + {keys} as {column}, * except ({column}) from tpch.{table} "
            f"where {chosen.format(column)}"
            for table, column in (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))
        ]

    def _chosen(self, keys: int) -> str:
        """SQL of the condition on an order key (`{}`) that chooses the share."""
        if self.place == "recent":
            return f"{{}} > {int(keys * (1 - self.share))}"
        # an order's hash, so that all lines of an order change together, and changed orders lie in every file
        return f"pmod(xxhash64({{}}), 100000) < {round(self.share * 100000)}"


def all_scenarios() -> list[Scenario]:
    """Nothing; then every kind at every place with every share."""
    return [
        Scenario(0.0),
        *(
            Scenario(share, kind, place)
            for kind in ("insert", "update")
            for place in ("scattered", "recent")
            for share in SHARES
        ),
    ]
