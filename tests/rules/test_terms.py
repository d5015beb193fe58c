"""How often the SQL of a rule reads the upstreams that have not changed."""

from __future__ import annotations

import pytest

from entrepot.analysis import Settings, Verdict
from entrepot.rules import Change, Stored, Task, Upstream, plan_of
from entrepot.sql import TableName
from tests.rules.warehouse import Duck

LINE, ORDERS = (
    Upstream(TableName("s", name), f"s.{name}", 7, name=name, unique_key=("id",)) for name in ("line", "orders")
)


@pytest.mark.parametrize(
    ("body", "times"),
    [
        ("select line.id, orders.day from s.line join s.orders on line.order_id = orders.id", 1),
        (
            "with line as (select * from s.line), o as (select * from s.orders) select line.id, o.day from line join o on order_id = o.id",
            1,
        ),
        ("select * from (select line.id, orders.day from s.line join s.orders on line.order_id = orders.id)", 2),
        ("select line.*, orders.day from s.line join s.orders on line.order_id = orders.id", 2),
        ("select id, day from s.orders union all select id, day from s.line", 0),
        ("select orders.id, line.day from s.orders, s.line union all select id, day from s.line", 1),
    ],
)
@pytest.mark.parametrize(("plus", "minus"), [(3, 2), (0, 2)])
def test_changed_rows_with_their_signs(body: str, times: int, plus: int, minus: int) -> None:
    """What has come and what has gone is joined with the others once, where the text can carry the sign."""
    net = net_of(body, Change(LINE, 6, "changes", plus, minus))
    assert net.count("s.orders version as of 7") == (times if plus else min(times, 1))


def test_queries_with_a_with_clause_stand_in_parentheses() -> None:
    """Spark takes none behind UNION ALL without."""
    body = "with line as (select * from s.line) select line.id, orders.day from line join s.orders on line.order_id = orders.id"
    net = net_of(body, Change(LINE, 6, "lines", 3, 2), Change(ORDERS, 6, "orders", 1, 1))
    assert net.count("\nwith ") == net.count("from (\nwith ") == 2
    assert "union all" in net


def net_of(body: str, *changes: Change) -> str:
    verdict = Verdict("join", "", columns=("id", "day"), types=("int", "date"))
    model, settings = Stored(TableName("s", "model"), "s.model", 1), Settings("model", ("id",))
    plan = plan_of(Task(model, settings, verdict, body, (LINE, ORDERS), changes, is_large=True), Duck())
    assert plan.net is not None
    return plan.net
